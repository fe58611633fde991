//! Builds, reads and damages files of a folder, looks positions up, and plays endings out.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::chess::Chess;
use crate::endgame::build::{BuildOptions, Built, Watch, build, load, open};
use crate::endgame::file::{Index, file_name};
use crate::endgame::{
    ChessSpace, EndgameError, Endgames, Material, Metric, Solver, Space, TableFile, Value, XiangqiSpace,
};
use crate::evaluate::{Evaluate, Standard};
use crate::game::{Game, GameId, MoveList, Searchable, Side};
use crate::history::History;
use crate::search::{Limits, Searcher};
use crate::xiangqi::Xiangqi;

/// Counts what was made.
#[derive(Default)]
struct Count(AtomicUsize);

impl Watch for Count {
    fn goes_on(&self) -> bool {
        true
    }

    fn finished(&self, built: Built) {
        self.0.fetch_add(usize::from(!built.was_there), Ordering::Relaxed);
    }
}

fn options(folder: &Path, metric: Metric) -> BuildOptions {
    BuildOptions {
        folder: folder.to_owned(),
        metric,
        memory_bytes: 1 << 30,
        verifies: true,
        solver: Solver::Retrograde,
        index: Index::Gapless,
    }
}

fn make<S: Space>(folder: &Path, names: &[&str], metric: Metric) -> usize {
    let parse = |name: &&str| Material::parse(S::Game::ID, name).unwrap();
    let wanted: Vec<Material> = names.iter().map(parse).collect();
    let count = Count::default();
    build::<S>(&wanted, &options(folder, metric), &count).unwrap();
    count.0.into_inner()
}

fn chess(fen: &str) -> Chess {
    Chess::from_fen(fen).unwrap()
}

#[test]
fn build_adds_missing_files() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(make::<ChessSpace>(folder.path(), &["KRvK"], Metric::Dtm), 2);
    // KPvK leads to the four endings of three men, and those to the kings alone.
    assert_eq!(make::<ChessSpace>(folder.path(), &["KvKP"], Metric::Dtm), 4);
    let material = Material::parse(GameId::Chess, "KPvK").unwrap();
    let (table, others) = load::<ChessSpace>(folder.path(), &material, Metric::Dtm).unwrap();
    assert_eq!(table.verify(&others, 1).1, []);
    assert_eq!(table.stats().sides[0].full.max_win(), (55, 6));
}

/// Both solvers write the same bytes, and both numberings give the same answers.
#[test]
fn solvers_and_numberings_agree() {
    fn check<S: Space>(names: &[&str], metric: Metric) {
        let wanted: Vec<Material> =
            names.iter().map(|name| Material::parse(S::Game::ID, name).unwrap()).collect();
        let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let plain = options(folders[0].path(), metric);
        let forward =
            BuildOptions { folder: folders[1].path().to_owned(), solver: Solver::Forward, ..plain.clone() };
        let gapped =
            BuildOptions { folder: folders[2].path().to_owned(), index: Index::Gapped, ..plain.clone() };
        for options in [plain, forward, gapped] {
            build::<S>(&wanted, &options, &Count::default()).unwrap();
        }
        for material in &wanted {
            let [plain, forward, gapped] =
                [0, 1, 2].map(|at| folders[at].path().join(file_name(material, metric)));
            assert_eq!(std::fs::read(&plain).unwrap(), std::fs::read(&forward).unwrap());
            assert_ne!(std::fs::read(&plain).unwrap(), std::fs::read(&gapped).unwrap());
            let tables = [0, 2].map(|at| open::<S>(folders[at].path(), material, metric).unwrap());
            assert_eq!(tables[0].stats(), tables[1].stats());
        }
    }
    for metric in Metric::ALL {
        check::<ChessSpace>(&["KRvK", "KPvK"], metric);
    }
    for metric in [Metric::Wld, Metric::Dtm, Metric::Dtc] {
        check::<XiangqiSpace>(&["KNvKA", "KPvKB", "KCAvK", "KRvKP"], metric);
    }
}

#[test]
fn win_draw_loss_tables_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    agree_with_distances::<ChessSpace>(folder.path(), &["KPvK", "KRvK"], 7);
    agree_with_distances::<XiangqiSpace>(folder.path(), &["KRvKP", "KCvKAA"], 3);
}

/// Compares win/draw/loss tables with distance tables: statistics, cells, and a sample of lookups.
fn agree_with_distances<S: Space>(folder: &Path, names: &[&str], every: usize) {
    let [by_winner, by_distance] = [Metric::Wld, Metric::Dtm].map(|metric| {
        let folder = folder.join(metric.name());
        make::<S>(&folder, names, metric);
        folder
    });
    let tables = [&by_winner, &by_distance].map(|folder| Endgames::<S>::open(folder).unwrap());
    for name in names {
        let material = Material::parse(S::Game::ID, name).unwrap().canonical().0;
        let (table, others) = load::<S>(&by_winner, &material, Metric::Wld).unwrap();
        assert_eq!(table.verify(&others, 3).1, [], "{name}");
        let distances = open::<S>(&by_distance, &material, Metric::Dtm).unwrap();
        for (ours, theirs) in table.stats().sides.iter().zip(&distances.stats().sides) {
            assert_eq!((ours.mated, ours.stalemated), (theirs.mated, theirs.stalemated), "{name}");
            assert_eq!((ours.full.win, ours.full.draw), (theirs.full.win, theirs.full.draw), "{name}");
        }
        let space = table.space();
        let men = (0..space.gapless_len()).step_by(every).filter_map(|index| space.gapless_men(index));
        for (men, side) in men.flat_map(|men| [(men, Side::First), (men, Side::Second)]) {
            let Ok(position) = S::Game::from_fen(&space.fen(&men, side)) else { continue };
            let [found, known] =
                [&tables[0], &tables[1]].map(|tables| tables.find_value(&position, Metric::Wld).unwrap());
            assert_eq!(found, known, "{}", position.to_fen());
        }
    }
}

/// Who wins and a solver in memory know every distance that a built table has.
#[test]
fn solved_distances_equal_built_ones() {
    fn check<S: Space>(name: &str, metric: Metric) {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        make::<S>(folders[0].path(), &[name], Metric::Wld);
        make::<S>(folders[1].path(), &[name], metric);
        let [winners, built] = folders.each_ref().map(|folder| Endgames::<S>::open(folder.path()).unwrap());
        let space = S::new(&Material::parse(S::Game::ID, name).unwrap()).unwrap();
        let men = (0..space.gapless_len()).step_by(5).filter_map(|index| space.gapless_men(index));
        let mut count = 0;
        for (men, side) in men.flat_map(|men| [(men, Side::First), (men, Side::Second)]) {
            let Ok(position) = S::Game::from_fen(&space.fen(&men, side)) else { continue };
            if built.value(&position, metric).unwrap().is_none_or(|value| value.wdl() < 1) {
                continue;
            }
            assert_eq!(winners.lacks_distances(&position), count == 0);
            winners.solve(&position);
            assert_eq!(winners.moves(&position, metric).unwrap(), built.moves(&position, metric).unwrap());
            count += 1;
        }
        assert!(count > 100, "{name}: {count}");
    }
    check::<ChessSpace>("KPvK", Metric::Dtz);
    check::<XiangqiSpace>("KNvKA", Metric::Dtm);
}

#[test]
fn every_flipped_byte_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    make::<ChessSpace>(folder.path(), &["KQvK"], Metric::Dtm);
    let path = folder.path().join("KQvK.chess.dtm.bbtb");
    let sound = fs::read(&path).unwrap();
    for at in (0..sound.len()).step_by(61).chain(0..200) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        let outcome = TableFile::open(&path).and_then(|file| file.check());
        assert!(outcome.is_err(), "byte {at}");
    }
    for length in [0, 3, 127, 128, 140, sound.len() - 1] {
        fs::write(&path, &sound[..length]).unwrap();
        assert!(TableFile::open(&path).is_err(), "{length} bytes");
    }
    fs::write(&path, &sound).unwrap();
    TableFile::open(&path).unwrap().check().unwrap();
}

#[test]
fn invalid_requests_are_errors() {
    let names = ["KRK", "KXvK", "KKvK", "KQQQvK", "KRRvKRR", "vK", "Kv"];
    for name in names {
        let error = Material::parse(GameId::Chess, name).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let small = BuildOptions { memory_bytes: 1 << 20, ..options(folder.path(), Metric::Dtm) };
    let wanted = [Material::parse(GameId::Chess, "KQRvK").unwrap()];
    let error = build::<ChessSpace>(&wanted, &small, &Count::default()).unwrap_err();
    assert!(matches!(error, EndgameError::Memory(..)), "{error}");
    let wanted = [Material::parse(GameId::Xiangqi, "KRvK").unwrap()];
    let error = build::<XiangqiSpace>(&wanted, &options(folder.path(), Metric::Dtz), &Count::default());
    assert!(matches!(error, Err(EndgameError::Metric(..))));
    let tables = Endgames::<ChessSpace>::open(folder.path()).unwrap();
    let error = tables.find_value(&chess("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), Metric::Wld).unwrap_err();
    assert!(error.to_string().contains("castling"), "{error}");
    let error = tables.find_value(&chess("4k3/8/8/8/8/8/8/2Q1K2R w - - 0 1"), Metric::Wld).unwrap_err();
    assert!(error.to_string().contains("KQRvK"), "{error}");
}

/// Plays the best move of each side; returns the plies until there is no legal move.
fn plies_to_the_end<S: Space>(tables: &Endgames<S>, position: &S::Game) -> usize {
    tables.line(position, Metric::Dtm).unwrap().len()
}

#[test]
fn endings_take_the_distance_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    make::<ChessSpace>(folder.path(), &["KRvK"], Metric::Dtm);
    make::<XiangqiSpace>(folder.path(), &["KCAvK"], Metric::Dtm);
    let tables = Endgames::<ChessSpace>::open(folder.path()).unwrap();
    for (fen, plies) in [
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", 31),
        ("k7/1r6/2K5/8/8/8/8/8 b - - 0 1", 31), // the colours exchanged
        ("8/8/8/8/8/6K1/R7/7k b - - 0 1", 2),
        ("8/8/8/8/8/6K1/8/R5k1 b - - 0 1", 0),
    ] {
        let value = tables.find_value(&chess(fen), Metric::Dtm).unwrap();
        assert_eq!(value.signed_plies().unsigned_abs() as usize, plies, "{fen}");
        assert_eq!(plies_to_the_end(&tables, &chess(fen)), plies, "{fen}");
    }
    let tables = Endgames::<XiangqiSpace>::open(folder.path()).unwrap();
    let position = Xiangqi::from_fen("4k4/9/9/9/9/9/9/9/4A4/C2K5 w - - 0 1").unwrap();
    let Value::Win(plies) = tables.find_value(&position, Metric::Dtm).unwrap() else { panic!() };
    assert_eq!(plies_to_the_end(&tables, &position), usize::from(plies));
}

#[test]
fn tables_agree_with_the_rules_on_every_move() {
    let folder = tempfile::tempdir().unwrap();
    make::<ChessSpace>(folder.path(), &["KPvK"], Metric::Dtm);
    let tables = Endgames::<ChessSpace>::open(folder.path()).unwrap();
    let space = ChessSpace::new(&Material::parse(GameId::Chess, "KPvK").unwrap()).unwrap();
    for index in (0..space.gapless_len()).step_by(97) {
        let men = space.gapless_men(index).unwrap();
        for side in [crate::game::Side::First, crate::game::Side::Second] {
            let Ok(position) = Chess::from_fen(&space.fen(&men, side)) else { continue };
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let best = tables.moves(&position, Metric::Dtm).unwrap().first().map(|best| best.value);
            let terminal = if position.is_check() { Value::Loss(0) } else { Value::Draw };
            let value = tables.find_value(&position, Metric::Dtm).unwrap();
            assert_eq!(value, best.unwrap_or(terminal), "{}", position.to_fen());
        }
    }
}

/// Lets the search play both sides, two plies deep, to the end. Its score must be the distance of the table at every
/// ply.
fn is_played_to_mate<S: Space>(folder: &Path, fen: &str, plies: i32)
where
    S::Game: Searchable,
    Standard: Evaluate<S::Game>,
{
    let mut searcher = Searcher::<S::Game>::new(1 << 20);
    searcher.set_tablebase(Some(Arc::new(Endgames::<S>::open(folder).unwrap())));
    let mut position = S::Game::from_fen(fen).unwrap();
    let mut history = History::at(&position);
    for left in (1..=plies).rev() {
        let found = searcher.search(&position, &history, &Limits::depth(2), &mut |_| ());
        let expected = if (plies - left) % 2 == 0 { left } else { -left };
        assert_eq!(found.score.mate_plies(), Some(expected), "{}", position.to_fen());
        assert!(found.counts.endgame_hits > 0);
        history.play_on(&mut position, found.best);
    }
    assert_eq!(position.count_legal_moves(), 0, "{}", position.to_fen());
}

#[test]
fn search_takes_the_distance_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    make::<ChessSpace>(folder.path(), &["KRvK", "KQvKR", "KBNvK"], Metric::Dtm);
    make::<XiangqiSpace>(folder.path(), &["KCAvK"], Metric::Dtm);
    is_played_to_mate::<ChessSpace>(folder.path(), "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", 31);
    for (name, plies) in [("KQvKR", 69), ("KBNvK", 65)] {
        is_played_to_mate::<ChessSpace>(folder.path(), &longest::<ChessSpace>(folder.path(), name), plies);
    }
    is_played_to_mate::<XiangqiSpace>(folder.path(), &longest::<XiangqiSpace>(folder.path(), "KCAvK"), 17);
}

/// Returns a position with the longest win of a table's first side.
fn longest<S: Space>(folder: &Path, name: &str) -> String {
    let material = Material::parse(S::Game::ID, name).unwrap();
    let table = open::<S>(folder, &material, Metric::Dtm).unwrap();
    table.stats().sides[0].longest_win.as_ref().unwrap().fen.clone()
}

#[test]
fn captures_en_passant_count() {
    let folder = tempfile::tempdir().unwrap();
    make::<ChessSpace>(folder.path(), &["KPvKP"], Metric::Dtm);
    assert!(
        folder
            .path()
            .join(file_name(&Material::parse(GameId::Chess, "KPvKP").unwrap(), Metric::Dtm))
            .exists()
    );
    let tables = Endgames::<ChessSpace>::open(folder.path()).unwrap();
    for (fen, plies) in [
        ("1k1K4/8/8/pP6/8/8/8/8 w - a6 0 1", 0),
        ("7K/k7/8/Pp6/8/8/8/8 w - - 0 1", -30),
        ("7K/k7/8/Pp6/8/8/8/8 w - b6 0 1", 0),
        ("8/8/8/8/pP6/8/K7/7k b - b3 0 1", 0),
    ] {
        let value = tables.find_value(&chess(fen), Metric::Dtm).unwrap().signed_plies();
        assert_eq!(value, plies, "{fen}");
    }
}
