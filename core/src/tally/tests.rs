//! Whole runs over small archives: filters, duplicates, rejects and the report.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use tempfile::NamedTempFile;

use super::run::batches::Batch;
use super::*;
use crate::chess::Chess;
use crate::filter::{GameFilter, Part};
use crate::game::Outcome;
use crate::replay::{OnError, ReplayOptions};

/// Names ascend, for GAMES is in order of names.
fn archive(text: &str) -> NamedTempFile {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let prefix = format!("{:06}", COUNT.fetch_add(1, Ordering::Relaxed));
    let mut file = tempfile::Builder::new().prefix(&prefix).suffix(".pgn").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// A game between two players on a day of 2020.
fn game(players: (&str, &str), day: u8, moves: &str, result: &str) -> String {
    format!(
        "[Event \"E\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Date \"2020.01.{day:02}\"]\n[Result \"{result}\"]\n\n{moves} \
         {result}\n\n",
        players.0, players.1
    )
}

/// What a run in memory came to.
struct Tallied {
    rows: SortedRows,
    games: Arc<Games>,
    rejects: Vec<Reject>,
    sources: Vec<SourceReport>,
    observations: u64,
    superseded: u64,
}

fn tally(files: &[&NamedTempFile], options: &TallyOptions) -> Tallied {
    tally_behind(&Games::default(), files, options)
}

/// Tallies archives behind a run that had some games.
fn tally_behind(known: &Games, files: &[&NamedTempFile], options: &TallyOptions) -> Tallied {
    let paths: Vec<PathBuf> = files.iter().map(|file| file.path().to_owned()).collect();
    let bounds = Bounds { seen: Seen::new(options.dedupe, known), ..Bounds::default() };
    let runs = count::<Chess>(&paths, options, bounds, None, &Progress::default()).unwrap();
    let Ok([Run::Memory(run)]) = <[Run; 1]>::try_from(runs) else { panic!("one run in memory") };
    let Batch { rows, games, rejects, sources, observations, superseded, .. } = Arc::try_unwrap(run).unwrap();
    let sources = sources.into_iter().map(|(_, report)| report).collect();
    Tallied { rows, games, rejects, sources, observations, superseded }
}

fn deduped(dedupe: Dedupe) -> TallyOptions {
    let replay = ReplayOptions { full_check: true, ..ReplayOptions::default() };
    TallyOptions { dedupe, replay, jobs: 1, ..TallyOptions::default() }
}

const AB: (&str, &str) = ("Adams, M", "Bird, H");

#[test]
fn each_policy_has_its_copies() {
    let one = archive(
        &[
            game(AB, 1, "1. e4 e5 2. Nf3", "1-0"),
            game(("Michael Adams", "Bird,Henry"), 1, "1. e4 e5 2. Nf3", "0-1"),
            game(AB, 2, "1. e4 e5", "1/2-1/2"),
        ]
        .concat(),
    );
    let two = archive(&[game(("C", "D"), 1, "1. e4 e5 2. Nf3", "1-0"), game(AB, 1, "1. d4", "1-0")].concat());
    for (dedupe, per_source, plies) in [
        (Dedupe::Off, [0, 0], vec![3, 3, 2, 3, 1]),
        (Dedupe::Exact, [0, 1], vec![3, 3, 2, 1]),
        (Dedupe::Players, [1, 0], vec![3, 2, 3, 1]),
        (Dedupe::Prefix, [2, 1], vec![3, 1]),
    ] {
        let run = tally(&[&one, &two], &deduped(dedupe));
        assert_eq!(run.games.plies, plies, "{dedupe:?}");
        assert_eq!(run.sources.iter().map(|source| source.duplicates).collect::<Vec<_>>(), per_source);
        assert_eq!(run.rows.unpack().games.iter().sum::<u64>(), run.observations);
        let used: u64 = run.sources.iter().map(|source| source.games_used).sum();
        assert_eq!(used, plies.len() as u64);
        let observed: u64 = plies.iter().map(|plies| u64::from(*plies) + 1).sum();
        assert_eq!(run.observations, observed, "{dedupe:?}");
    }
}

#[test]
fn a_known_game_that_begins_a_new_one_is_superseded() {
    let (short, long) =
        (archive(&game(AB, 1, "1. e4 e5", "1-0")), archive(&game(AB, 1, "1. e4 e5 2. d4", "1-0")));
    let known = tally(&[&short], &deduped(Dedupe::Prefix)).games;
    let run = tally_behind(&known, &[&long], &deduped(Dedupe::Prefix));
    assert_eq!((run.superseded, run.games.len()), (1, 1));
}

#[test]
fn filtered_games_are_counted_by_reason_and_not_replayed() {
    let illegal = game(("Other", "One"), 1, "1. Ke2", "1-0");
    let file = archive(&[game(AB, 1, "1. e4 e5", "1-0"), illegal, game(AB, 9, "1. e4", "0-1")].concat());
    let filter = GameFilter {
        players: vec![Part::new("adams")],
        results: vec![Outcome::FirstWins],
        ..GameFilter::default()
    };
    let run = tally(&[&file], &TallyOptions { filter, ..TallyOptions::default() });
    assert_eq!(run.games.len(), 1);
    assert!(run.rejects.is_empty());
    assert_eq!(run.sources[0].filtered, [("player", 1), ("result", 1)].into());
}

#[test]
fn variants_are_skipped_and_counted_by_name() {
    let of = |variant: &str, fen: &str| {
        let tags = format!("[Variant \"{variant}\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n[Result");
        game(AB, 1, "1. e4 e5", "1-0").replace("[Result", &tags)
    };
    let standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let other = "rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1";
    let named =
        [("Chess960", standard), ("Atomic", standard), ("Standard", standard), ("From Position", other)];
    let text: String = named.iter().map(|(variant, fen)| of(variant, fen)).collect();
    let (file, again) = (archive(&text), archive(&of("Chess960", other)));
    for jobs in [1, 2] {
        let run = tally(&[&file, &again], &TallyOptions { jobs, ..TallyOptions::default() });
        assert_eq!(run.games.len(), 1);
        assert_eq!(run.sources[0].filtered, [("variant", 2), ("custom-start", 1)].into());
        let names = [("Atomic".to_owned(), 1), ("Chess960".to_owned(), 1)];
        assert_eq!(run.sources[0].variants, names.into(), "Chess960 may begin like the standard game");
        assert_eq!(run.sources[1].variants, [("Chess960".to_owned(), 1)].into());
    }
}

#[test]
fn minimum_plies_are_counted_beyond_the_ply_limit() {
    let file = archive(&[game(AB, 1, "1. e4 e5 2. d4", "1-0"), game(AB, 1, "1. e4 e5", "1-0")].concat());
    let filter = GameFilter { min_plies: 3, ..GameFilter::default() };
    let replay = ReplayOptions { max_ply: Some(1), ..ReplayOptions::default() };
    let run = tally(&[&file], &TallyOptions { filter, replay, ..TallyOptions::default() });
    assert_eq!(run.sources[0].filtered, [("plies", 1)].into());
    assert_eq!(run.observations, 2);
}

#[test]
fn rejected_games_are_kept_as_they_stand_on_request() {
    let bad = [game(AB, 1, "1. e4 Ke2", "1-0"), game(AB, 2, "1. d4 Ke2", "1-0")];
    let text = [&bad[0], &game(AB, 3, "1. e4", "1-0"), &bad[1]].map(String::as_str).concat();
    let file = archive(text.trim_end());
    for on_error in [OnError::Drop, OnError::Prefix] {
        let replay = ReplayOptions { on_error, ..ReplayOptions::default() };
        let options = TallyOptions { replay, keep_rejected: true, ..TallyOptions::default() };
        let run = tally(&[&file], &options);
        assert_eq!(String::from_utf8(joined_rejects(&run.rejects)).unwrap(), bad.concat());
        assert_eq!(run.games.len(), if on_error == OnError::Drop { 1 } else { 3 });
        let unkept = tally(&[&file], &TallyOptions { keep_rejected: false, ..options });
        assert!(joined_rejects(&unkept.rejects).is_empty());
    }
}

#[test]
fn results_that_contradict_a_mate_are_counted_where_whole_games_are_checked() {
    let mate = "1. f3 e5 2. g4 Qh4#";
    let text = ["1-0", "0-1", "1/2-1/2", "*"].map(|result| game(AB, 1, mate, result)).concat();
    for (full_check, count) in [(true, 2), (false, 0)] {
        let replay = ReplayOptions { full_check, ..ReplayOptions::default() };
        let run = tally(&[&archive(&text)], &TallyOptions { replay, ..TallyOptions::default() });
        assert_eq!(run.sources[0].contradicted, count);
    }
}

#[test]
fn games_whose_tag_has_another_result_are_counted() {
    let text = game(AB, 1, "1. e4", "1-0").replace("1. e4 1-0", "1. e4 0-1") + &game(AB, 1, "1. e4", "1-0");
    let run = tally(&[&archive(&text)], &TallyOptions::default());
    assert_eq!(run.sources[0].other_tags, 1);
    assert_eq!(
        run.games.result,
        [Outcome::SecondWins as u8, Outcome::FirstWins as u8],
        "the moves' result holds"
    );
}

/// Games of few moves each, which begin alike, come back to where they were, and differ in results and marks.
fn shuffles() -> impl Strategy<Value = Vec<(Vec<usize>, usize, usize)>> {
    let game = (prop::collection::vec(0..4usize, 0..14), 0..4usize, 0..20usize);
    prop::collection::vec(game, 1..60)
}

/// Writes out a game in which each side moves one of its knights out or back.
fn shuffle((choices, result, marked): &(Vec<usize>, usize, usize)) -> String {
    let mut homes = [[true; 2]; 2];
    let mut text = String::new();
    for (ply, choice) in choices.iter().enumerate() {
        let side = ply % 2;
        let knight = choice % 2;
        let ranks = if side == 0 { [1, 3] } else { [8, 6] };
        let (home, away) = ([format!("b{}", ranks[0]), format!("g{}", ranks[0])], ["c", "f"]);
        let out = format!("{}{}", away[knight], ranks[1]);
        let is_home = &mut homes[side][knight];
        let target = if *is_home { &out } else { &home[knight] };
        let mark = if *marked == ply { "!" } else { "" };
        *is_home = !*is_home;
        text += &format!(" N{target}{mark}");
    }
    let result = ["1-0", "0-1", "1/2-1/2", "*"][*result];
    game(("A", "B"), 1 + (marked % 3) as u8, &text, result)
}

proptest! {
    #[test]
    fn openings_remembered_change_nothing(games in shuffles(), max_ply in 0..16u16) {
        let file = archive(&games.iter().map(shuffle).collect::<String>());
        let replay = ReplayOptions { max_ply: Some(max_ply), ..ReplayOptions::default() };
        let with = tally(&[&file], &TallyOptions { replay, ..TallyOptions::default() });
        // No game has variations: to ask for them does nothing but replay all games whole.
        let replay = ReplayOptions { variations: true, ..replay };
        let without = tally(&[&file], &TallyOptions { replay, ..TallyOptions::default() });
        prop_assert_eq!(with.rows.unpack(), without.rows.unpack());
        prop_assert_eq!(with.observations, without.observations);
        prop_assert_eq!(with.games, without.games);
    }
}
