//! The shared corpora: counts and facts that other programs found. Skipped where `BOOKBUILDER_CORPUS` is not set.

use std::collections::HashMap;
use std::path::PathBuf;

use super::*;
use crate::archive::xqf::XqfFile;
use crate::game::Outcome;
use crate::game::Side;
use crate::xiangqi::Xiangqi;

pub(super) fn corpus(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("BOOKBUILDER_CORPUS");
    if root.is_none() {
        println!("skipped: BOOKBUILDER_CORPUS is not set");
    }
    Some(Path::new(&root?).join("data").join(path))
}

/// Games, moves and defects of a chess archive.
fn count(path: &Path, options: &ReadOptions) -> (usize, usize, usize) {
    let (mut games, mut moves, mut defects) = (0, 0, 0);
    let read = read_blocks(path, None, &AtomicU64::new(0), &mut |found| {
        if let Found::Block(block) = found {
            Chess::read_block(&block, options, &mut |record| {
                games += 1;
                moves += record.moves.len();
                defects += usize::from(record.defect.is_some());
            });
        }
        ControlFlow::Continue(())
    });
    assert!(read.is_ok(), "{read:?}");
    (games, moves, defects)
}

#[test]
fn the_20k_sample_has_its_games_and_outcomes() {
    let Some(path) = corpus("chess/pgnmentor_sample20k_dev.pgn.zst") else { return };
    let (games, _, defects) = count(&path, &ReadOptions::default());
    assert_eq!((games, defects), (20_483, 0));
    for options in
        [ReadOptions::default(), ReadOptions { max_ply: Some(16), full: false, ..ReadOptions::default() }]
    {
        let mut outcomes = [0; 4];
        let read = read_blocks(&path, None, &AtomicU64::new(0), &mut |found| {
            if let Found::Block(block) = found {
                Chess::read_block(&block, &options, &mut |record| outcomes[record.outcome as usize] += 1);
            }
            ControlFlow::Continue(())
        });
        assert!(read.is_ok());
        assert_eq!(outcomes, [9, 7_078, 8_523, 4_873]);
    }
}

#[test]
fn variants_of_online_games_are_told_by_name() {
    let Some(path) = corpus("chess/lichess_magnus_online.pgn.zst") else { return };
    let mut variants = HashMap::<_, usize>::new();
    let read = read_blocks(&path, None, &AtomicU64::new(0), &mut |found| {
        if let Found::Block(block) = found {
            Chess::read_block(&block, &ReadOptions::default(), &mut |record| {
                let is_custom = record.start != Start::Standard;
                *variants.entry((record.variant.clone(), is_custom)).or_default() += 1;
            });
        }
        ControlFlow::Continue(())
    });
    assert!(read.is_ok());
    let named = |name: &str| Some(name.to_owned());
    let expected = [
        ((None, false), 9_899),
        ((None, true), 3),
        ((named("Chess960"), true), 96),
        ((named("Atomic"), false), 25),
        ((named("Crazyhouse"), false), 1),
    ];
    assert_eq!(variants, HashMap::from(expected));
}

/// Reads a manifest: one row per XQF file, by the SHA-1 that names it.
pub(super) fn manifest(path: &Path) -> HashMap<String, HashMap<String, String>> {
    let file = zstd::Decoder::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = csv::Reader::from_reader(file).into_deserialize::<HashMap<String, String>>();
    rows.map(|row| row.unwrap()).map(|row| (row["sha1"].clone(), row)).collect()
}

/// Columns of the manifest that are compared.
const COLUMNS: [&str; 9] = [
    "version",
    "start_fen",
    "first_side",
    "is_startpos",
    "mainline_plies",
    "move_nodes",
    "extra_siblings",
    "commented_nodes",
    "result",
];

/// Returns the values of [`COLUMNS`] for a file.
fn facts(file: &XqfFile) -> [String; 9] {
    let (board, _) = file.start_fen.split_once(' ').unwrap();
    let side = if file.side == Some(Side::First) { "w" } else { "b" };
    let is_start = board == "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    [
        file.version.to_string(),
        board.to_owned(),
        side.to_owned(),
        if is_start { "True" } else { "False" }.to_owned(),
        file.main_line.len().to_string(),
        file.nodes.to_string(),
        file.siblings.to_string(),
        file.comments.to_string(),
        match file.outcome {
            Outcome::Unknown => "0",
            Outcome::FirstWins => "1",
            Outcome::SecondWins => "2",
            Outcome::Draw => "3",
        }
        .to_owned(),
    ]
}

#[test]
fn every_xqf_file_agrees_with_the_manifest() {
    let Some(folder) = corpus("xiangqi/xqf") else { return };
    let mut rows = manifest(&folder.join("manifest.csv.zst"));
    let (mut files, mut games, mut no_year) = (0, 0, 0);
    let mut differences = HashMap::<_, usize>::new();
    let read =
        read_blocks(&folder.join("walker8088_cchess_all.tar.gz"), None, &AtomicU64::new(0), &mut |found| {
            let Found::Block(block) = found else { panic!("{found:?}") };
            let member = block.member.clone().unwrap();
            let file = XqfFile::parse(&block.bytes);
            assert_eq!((&file.defect, file.bytes_consumed), (&None, block.bytes.len()), "{member}");
            files += 1;
            let mut row = rows.remove(member.rsplit('/').next().unwrap().trim_end_matches(".xqf")).unwrap();
            if row["result"] == "4" {
                row.insert("result".to_owned(), "3".to_owned());
            }
            for (column, fact) in COLUMNS.iter().zip(facts(&file)) {
                if row[*column] != fact {
                    println!(
                        "{member}: {column} is {fact} here, {} there ({:?})",
                        row[*column], file.start_fen
                    );
                    *differences.entry(*column).or_default() += 1;
                }
            }
            Xiangqi::read_block(&block, &ReadOptions::default(), &mut |record| {
                games += usize::from(row["is_startpos"] == "True" && !record.moves.is_empty());
                no_year += usize::from(!record.date.is_empty() && record.year == 0);
            });
            ControlFlow::Continue(())
        });
    assert!(read.is_ok(), "{read:?}");
    println!("{files} files, {games} games from the start, {no_year} dates without a year");
    assert_eq!((files, games, rows.len()), (35_967, 18_387, 0));
    assert_eq!(differences, HashMap::new());
}
