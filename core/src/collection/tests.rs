//! Small archives are written to a directory of the test's own, and worked on.

use std::fs;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use tempfile::TempDir;

use super::*;
use crate::chess::{Chess, SanNotation};
use crate::game::{Game, Notated, Notation};
use crate::write::{WriteOptions, Written};
use crate::xiangqi::Xiangqi;

fn game(white: &str, moves: &str, result: &str) -> String {
    format!(
        "[Event \"e\"]\n[White \"{white}\"]\n[ECO \"B0{white}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
    )
}

/// An archive of the games, in a directory that lasts as long as the value.
fn archive(games: &[String]) -> (TempDir, Archives) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    fs::write(&path, games.concat()).unwrap();
    (directory, Archives { paths: vec![path], max_inflate: None })
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| game(&number.to_string(), "1. e4", "*")).collect()
}

fn into_stream(run: impl FnOnce(Target<&mut Vec<u8>>) -> Report) -> (Report, String) {
    let mut out = Vec::new();
    let report = run(Target::Stream(&mut out));
    (report, String::from_utf8(out).unwrap())
}

fn dedupe_text(games: &[String], sameness: Sameness) -> (Report, String) {
    let (_directory, archives) = archive(games);
    let wanted = Wanted::default();
    into_stream(|target| {
        super::filter::<Chess, _>(&archives, &wanted, Some(sameness), target, &Progress::default()).unwrap()
    })
}

fn used(report: &Report) -> (u64, u64) {
    (report.sources[0].games_read, report.sources[0].games_used)
}

#[test]
fn the_same_moves_in_another_spelling_are_the_same_game() {
    let games = [
        game("1", "1. e4 e5 2. Nf3", "1-0"),
        game("2", "1.e4 e5 2.Ng1f3", "1-0"),
        game("3", "1. e4 e5 2. Nf3", "0-1"),
        game("4", "", "1-0"),
        game("5", "", "1-0"),
    ];
    let (report, text) = dedupe_text(&games, Sameness::Exact);
    assert_eq!(used(&report), (5, 4));
    assert_eq!(report.sources[0].filtered["duplicate"], 1);
    assert_eq!(text, [&games[0], &games[2], &games[3], &games[4]].map(|game| game.clone()).concat());
    let (report, _) = dedupe_text(&games, Sameness::Players);
    assert_eq!(used(&report), (5, 5));
}

#[test]
fn the_beginning_of_another_game_goes_wherever_it_stands() {
    let games = [
        game("1", "1. e4 e5", "*"),
        game("2", "1. e4 e5 2. Nf3 Nc6", "1-0"),
        game("3", "1. e4 e5 2. Nf3", "*"),
        game("4", "1. e4 c5", "*"),
        game("5", "1. e4 c5", "1-0"),
    ];
    let (report, text) = dedupe_text(&games, Sameness::Prefix);
    assert_eq!(used(&report), (5, 2));
    assert_eq!(text, [games[1].clone(), games[3].clone()].concat());
}

#[test]
fn a_bad_game_is_kept_as_it_is_unless_it_is_there_twice() {
    let games = [game("1", "1. e4 Ke3", "*"), game("2", "1. e4 Ke3", "*"), game("1", "1. e4 Ke3", "*")];
    let (report, text) = dedupe_text(&games, Sameness::Exact);
    assert_eq!(used(&report), (3, 2));
    assert_eq!(text, games[..2].concat());
}

#[test]
fn conversion_does_not_depend_on_the_number_of_threads() {
    let mut games = numbered(3000);
    games[1500] = game("bad", "1. e4 Ke3", "*");
    let (_directory, archives) = archive(&games);
    let form = Form::Lines { notation: Chess::coordinates(), with_result: true };
    let lines = |jobs| {
        let options = WriteOptions::default();
        into_stream(|target| convert(&archives, &form, &options, jobs, target, &Progress::default()).unwrap())
    };
    let (report, text) = lines(1);
    assert_eq!(text, "e2e4 *\n".repeat(2999));
    assert_eq!(used(&report), (3000, 2999));
    assert_eq!((report.rejects[0].number, report.rejects[0].fault.reason), (1501, "illegal-move"));
    assert_eq!(lines(3).1, text);
}

#[test]
fn files_of_one_game_go_to_a_zip_or_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    crate::write::write_xqf(&GameRecord::default(), &WriteOptions::default(), &mut bytes).unwrap();
    for name in ["a.xqf", "b.xqf"] {
        fs::write(directory.path().join(name), &bytes).unwrap();
    }
    let paths = ["a.xqf", "b.xqf"].map(|name| directory.path().join(name)).to_vec();
    let archives = Archives { paths, max_inflate: None };
    let form = || Form::<Xiangqi>::Files(Xiangqi::XQF.unwrap());
    let to = |target: Target<&mut Vec<u8>>| {
        convert(&archives, &form(), &WriteOptions::default(), 1, target, &Progress::default())
    };
    let mut zip = Vec::new();
    to(Target::zip(&mut zip)).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&zip)).unwrap();
    let names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names, ["00001.xqf", "00002.xqf"]);
    let mut member = Vec::new();
    std::io::copy(&mut archive.by_index(1).unwrap(), &mut member).unwrap();
    assert_eq!(member, bytes);
    let mut again = Vec::new();
    to(Target::zip(&mut again)).unwrap();
    assert_eq!(again, zip);
    let out = tempfile::tempdir().unwrap();
    to(Target::Directory(out.path().to_owned())).unwrap();
    assert_eq!(fs::read(out.path().join("00002.xqf")).unwrap(), bytes);
    assert!(matches!(to(Target::Single(&mut Vec::new())), Err(CollectionError::SecondGame { .. })));
    let target = Target::Stream(Vec::new());
    let stream =
        super::filter::<Xiangqi, _>(&archives, &Wanted::default(), None, target, &Progress::default());
    assert!(matches!(stream, Err(CollectionError::NotText { .. })));
}

#[test]
fn a_list_has_a_row_for_each_game_in_order() {
    let (_directory, archives) =
        archive(&[game("1", "1. e4 e5 2. Ke3", "1-0"), game("2", "1. d4", "1/2-1/2")]);
    let mut rows = None;
    let report = list::<Chess>(&archives, &NamedPositions::default(), &Progress::default(), &mut |listed| {
        rows = Some(listed);
        Ok(())
    });
    assert_eq!(used(&report.unwrap()), (2, 2));
    let rows = rows.unwrap();
    assert_eq!(rows["number"].as_primitive::<UInt64Type>().values(), &[1, 2]);
    assert_eq!(rows["plies"].as_primitive::<UInt32Type>().values(), &[3, 1]);
    assert_eq!(rows["result"].as_primitive::<UInt8Type>().values(), &[1, 2]);
    assert_eq!(rows["first_player"].as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["1", "2"]);
}

/// The named positions after each of some lines of moves, numbered in order.
fn named(lines: &[&str]) -> NamedPositions {
    let mut names = NamedPositions::default();
    for (number, line) in (0..).zip(lines) {
        let mut position = Chess::start();
        for text in line.split(' ') {
            position.play_unchecked(SanNotation.parse(&position, text).unwrap());
        }
        names.insert(position.key(), position.lock(), number, line.split(' ').count());
    }
    names
}

#[test]
fn a_listed_game_has_the_name_of_its_last_named_position() {
    let names = named(&["e4", "e4 c5 Nf3", "d4 d5"]);
    let games = ["1. e4 e5", "1. Nf3 c5 2. e4 d6", "1. e4 Ke3 2. d4", "1. c4", "1. e4 d5 2. d4", "1. Nf3"];
    let games = games.map(|moves| game("1", moves, "*"));
    let variant = games[0].replace("[ECO", "[Variant \"Atomic\"]\n[ECO");
    let (_directory, archives) = archive(&[&games[..], &[variant]].concat());
    let mut rows = None;
    let taken = list::<Chess>(&archives, &names, &Progress::default(), &mut |listed| {
        rows = Some(listed);
        Ok(())
    });
    assert_eq!(used(&taken.unwrap()), (7, 7));
    let named: Vec<_> = rows.unwrap()["named"].as_primitive::<UInt32Type>().iter().collect();
    assert_eq!(named, [Some(0), Some(1), Some(0), None, Some(0), None, None]);
}

#[test]
fn a_run_stops_on_request() {
    let (_directory, archives) = archive(&numbered(3));
    let progress = Progress::default();
    progress.stop.store(true, Ordering::Relaxed);
    let run = list::<Chess>(&archives, &NamedPositions::default(), &progress, &mut |_| Ok(()));
    assert!(matches!(run, Err(CollectionError::Stopped)));
}

/// Writes a book of the positions after some lines.
fn book_of(lines: &[&str], path: &std::path::Path) -> crate::book::Book {
    use crate::book::{Book, Options, Rows, Scheme, always, write};

    let place = |line: &&str| {
        let mut position = Chess::start();
        for text in line.split(' ') {
            position.play_unchecked(Chess::coordinates().parse(&position, text).unwrap());
        }
        (position.key().0, position.lock().0)
    };
    let mut places: Vec<(u64, u32)> = lines.iter().map(place).collect();
    places.sort_unstable();
    let (keys, locks): (Vec<u64>, Vec<u32>) = places.into_iter().unzip();
    let (none, ones, quality) = (vec![0; keys.len()], vec![1; keys.len()], vec![0; keys.len()]);
    let rows = Rows {
        values: None,
        keys: &keys,
        locks: &locks,
        usage: &ones,
        wins: &none,
        draws: &none,
        losses: &none,
        quality: &quality,
    };
    let scheme = Scheme::of::<Chess>();
    let options = Options { scheme, is_folded: false, has_columns: true, recipe: "{}" };
    write(path, &options, &[rows], &always).unwrap();
    Book::open(path, &[scheme]).unwrap()
}

#[test]
fn games_follow_a_book_until_a_position_is_not_in_it() {
    use crate::game::Side;

    let directory = tempfile::tempdir().unwrap();
    // The line has a gap.
    let lines = ["e2e4", "e2e4 c7c5", "e2e4 e7e5 g1f3"];
    let book = book_of(&lines, &directory.path().join("a.book"));
    let games = [
        game("1", "1. e4 e5 2. Nf3 Nc6", "1-0"),
        game("2", "1. e4 c5", "0-1"),
        game("3", "1. d4 d5", "*"),
        game("4", "1. e4 e5 2. Ke4", "*"),
        game("5", "", "1-0"),
        game("6", "1. e4 e5 2. Nq3", "*"),
    ];
    let (_directory, archives) = archive(&games);
    let follow = |side, max_ply| {
        let options = FollowOptions { side, max_ply, ..FollowOptions::default() };
        super::follow::<Chess>(&archives, &book, &options, &Progress::default()).unwrap().0
    };
    let both = follow(None, None);
    assert_eq!((both.plies, both.exit_ply), (vec![4, 2, 2], vec![1, 2, 0]));
    assert_eq!((both.asked, both.followed, both.known), (vec![4, 2, 2], vec![1, 2, 0], vec![2, 2, 0]));
    assert_eq!((both.result, both.rejected), (vec![1, 3, 0], 2));
    assert_eq!(both.filtered, [("no-moves", 1)].into());
    let first = follow(Some(Side::First), None);
    assert_eq!((first.asked, first.followed), (vec![2, 1, 1], vec![2, 1, 0]));
    let short = follow(None, Some(1));
    assert_eq!((short.plies, short.rejected), (vec![1; 5], 0));
    assert_eq!(short.followed, [1, 1, 0, 1, 1]);
}
