//! What real files are taken for. Skipped where `BOOKBUILDER_CORPUS` is not set.

use std::collections::BTreeSet;

use super::corpus::corpus;
use super::*;

/// Skipped members with the reasons, and the number of members with blocks of each format.
fn recognised(path: &Path, format: Format) -> (usize, Vec<(String, String)>) {
    let mut members = BTreeSet::new();
    let mut others = Vec::new();
    let read = read_blocks(path, None, &AtomicU64::new(0), &mut |found| {
        match found {
            Found::Block(block) if block.format == format => {
                members.insert(block.member.as_deref().unwrap_or_default().to_owned());
            }
            Found::Block(block) => {
                others.push((block.member.unwrap_or_default().to_string(), format!("{:?}", block.format)));
            }
            Found::Skipped { member, reason } => {
                others.push((member.unwrap_or_default().to_string(), reason.to_string()));
            }
        }
        ControlFlow::Continue(())
    });
    assert!(read.is_ok(), "{read:?}");
    (members.len(), others)
}

#[test]
fn of_the_hostile_files_only_those_without_a_game_are_refused() {
    let Some(path) = corpus("chess/nasty") else { return };
    let (taken, refused) = recognised(&path, Format::Pgn);
    assert_eq!(taken + refused.len(), 392);
    for (member, reason) in refused {
        // Argument files and logs of a program, engine logs, positions, and single moves are not games.
        let is_known = member.starts_with("pgn-extract/") && member.ends_with(".txt")
            || ["/fuzz/corpus/engine/", "/fuzz/corpus/epd/", "/fuzz/corpus/fen", "_from_ascii/"]
                .iter()
                .any(|folder| member.contains(folder));
        assert!(is_known, "{member}: {reason}");
    }
}

#[test]
fn every_xiangqi_pgn_is_told_from_chess() {
    let places = [
        ("xiangqi/pgn_gbk/walker8088_cchess_pgn.tar.gz", 7_924),
        ("xiangqi/pgn_gbk/xqwlight", 51),
        ("xiangqi/pgn_wxf_utf8", 21),
        ("xiangqi/pgn_iccs", 1),
    ];
    for (name, files) in places {
        let Some(path) = corpus(name) else { return };
        let (taken, others) = recognised(&path, Format::XiangqiPgn);
        assert_eq!((taken, others), (files, vec![]), "{name}");
    }
}
