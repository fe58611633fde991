//! The shared xiangqi corpora in formats other than PGN: counts that other programs found, and every game replayed.

use std::collections::HashMap;

use super::*;
use crate::game::{Game, Replayable};
use crate::xiangqi::{Token, Xiangqi};

/// Reads a manifest: one row per XQF file, by the SHA-1 that names it.
fn manifest(path: &Path) -> HashMap<String, HashMap<String, String>> {
    let file = zstd::Decoder::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = csv::Reader::from_reader(file).into_deserialize::<HashMap<String, String>>();
    rows.map(|row| row.unwrap()).map(|row| (row["sha1"].clone(), row)).collect()
}

/// What the files of one suffix hold.
#[derive(Debug, Default, PartialEq)]
struct Count {
    files: usize,
    records: usize,
    /// Records without a defect or a move, of any line, that is illegal.
    legal: usize,
    /// Invalid starts, such as the empty boards of chapter headings.
    bad_starts: usize,
    moves: usize,
    variations: usize,
    /// Moves of variations, and how many of them can be played.
    branched: usize,
    playable: usize,
    notes: usize,
}

/// Returns the position after every ply that can be played, and whether all can.
fn replay(mut position: Xiangqi, moves: &[Token]) -> (Vec<Xiangqi>, bool) {
    let mut positions = vec![position.clone()];
    for &token in moves {
        if position.play_token(token).is_err() {
            return (positions, false);
        }
        positions.push(position.clone());
    }
    (positions, true)
}

impl Count {
    fn add(&mut self, record: &GameRecord<Token>) {
        self.records += 1;
        self.moves += record.moves.len();
        self.variations += record.variations.len();
        self.notes += record.notes.len();
        let start = match &record.start {
            Start::Standard => Ok(Xiangqi::start()),
            Start::Fen(fen) => Xiangqi::from_fen(fen),
        };
        let Ok(start) = start else {
            self.bad_starts += 1;
            self.legal += usize::from(record.moves.is_empty() && record.defect.is_none());
            return;
        };
        let (main, mut is_legal) = replay(start, &record.moves);
        let mut lines = vec![(0, main)];
        for variation in &record.variations {
            assert_eq!(variation.moves.len(), variation.marks.len());
            let (first, parent) = &lines[variation.leaves as usize];
            let origin = parent.get((variation.ply - first) as usize).cloned();
            let positions = origin.map_or(Vec::new(), |origin| replay(origin, &variation.moves).0);
            is_legal &= positions.len() == variation.moves.len() + 1;
            self.branched += variation.moves.len();
            self.playable += positions.len().saturating_sub(1);
            lines.push((variation.ply, positions));
        }
        self.legal += usize::from(is_legal && record.defect.is_none());
    }
}

/// Reads a folder; what it skips goes under its code.
fn count(folder: &Path) -> HashMap<String, Count> {
    let mut counts = HashMap::<_, Count>::new();
    let read = read_blocks(folder, None, &AtomicU64::new(0), &mut |found| {
        match found {
            Found::Block(block) => {
                let name = format!("{:?}", block.format);
                let count = counts.entry(name).or_default();
                count.files += 1;
                Xiangqi::read_block(&block, &ReadOptions::everything(), &mut |record| {
                    let end = record.offset + record.length;
                    assert!(block.format == Format::Cbl || end <= block.bytes.len() as u64);
                    if let Some(defect) = &record.defect {
                        println!("{:?}: {defect:?}", block.member);
                    }
                    count.add(record);
                });
            }
            Found::Skipped { reason, .. } => counts.entry(reason.code().to_owned()).or_default().files += 1,
        }
        ControlFlow::Continue(())
    });
    assert!(read.is_ok(), "{read:?}");
    for (name, count) in &counts {
        println!("{name}: {count:?}");
    }
    counts
}

#[test]
fn ccbridge_files_have_their_games() {
    let Some(folder) = corpus("xiangqi/cbl_cbr") else { return };
    let counts = count(&folder);
    // Five new libraries hold 1,035 records, 1,033 of them legal; the old one 196.
    assert_eq!(
        (counts["Cbl"].files, counts["Cbl"].records, counts["Cbl"].legal),
        (6, 1_035 + 196, 1_033 + 196)
    );
    assert_eq!((counts["Cbr"].files, counts["Cbr"].records, counts["Cbr"].legal), (3, 3, 3));
    assert_eq!((counts["Cbf"].files, counts["Cbf"].records, counts["Cbf"].legal), (2, 2, 2));
}

#[test]
fn mxq_files_are_legal() {
    let Some(folder) = corpus("xiangqi/mxq") else { return };
    let counts = count(&folder);
    assert_eq!((counts["Mxq"].files, counts["Mxq"].records, counts["Mxq"].legal), (36, 36, 36));
}

#[test]
fn position_lists_hold_positions_and_flags_are_told_apart() {
    let Some(folder) = corpus("xiangqi/positions") else { return };
    let counts = count(&folder);
    let lists = &counts["PositionList"];
    assert_eq!((lists.files, lists.records, lists.legal), (12 + 7, 6_227, 6_227));
    // Four of each kind of flags, and a list of commands.
    assert_eq!(counts["foreign"].files, 4 + 4 + 1);
}

#[test]
fn xqf_lines_and_notes_agree_with_the_manifest() {
    let Some(folder) = corpus("xiangqi/xqf") else { return };
    let mut rows = manifest(&folder.join("manifest.csv.zst"));
    let mut total = Count::default();
    let read =
        read_blocks(&folder.join("walker8088_cchess_all.tar.gz"), None, &AtomicU64::new(0), &mut |found| {
            let Found::Block(block) = found else { panic!("{found:?}") };
            let member = block.member.clone().unwrap();
            let row = rows.remove(member.rsplit('/').next().unwrap().trim_end_matches(".xqf")).unwrap();
            total.files += 1;
            Xiangqi::read_block(&block, &ReadOptions::everything(), &mut |record| {
                let variations: usize = record.variations.iter().map(|variation| variation.moves.len()).sum();
                let facts = [record.moves.len(), record.moves.len() + variations, record.variations.len()];
                let expected =
                    ["mainline_plies", "move_nodes", "extra_siblings"].map(|column| row[column].parse());
                assert_eq!(facts.map(Ok), expected, "{member}");
                if row["illegal_nodes"] == "0" {
                    total.add(record);
                }
            });
            ControlFlow::Continue(())
        });
    assert!(read.is_ok(), "{read:?}");
    println!("{total:?}");
    assert_eq!(total.branched, total.playable);
    assert_eq!(total.files, 35_967);
}
