//! Containers, compressions and bad input, made here; and the shared corpora where they are at hand.

mod bad_input;
mod bombs;
mod containers;
mod xiangqi_corpus;
mod xiangqi_formats;
mod xiangqi_pgn;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::*;
use crate::chess::Chess;

/// The results: blocks as (member, format, bytes), and (member, code) of skipped members.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    blocks: Vec<(String, Format, Vec<u8>)>,
    skipped: Vec<(String, &'static str)>,
}

impl Seen {
    fn members(&self) -> Vec<&str> {
        self.blocks.iter().map(|(member, ..)| &**member).collect()
    }
}

fn see(path: &Path) -> (Seen, Result<(), ArchiveError>) {
    let mut seen = Seen::default();
    let name = |member: Option<Arc<str>>| member.as_deref().unwrap_or_default().to_owned();
    let read = read_blocks(path, None, &AtomicU64::new(0), &mut |found| {
        match found {
            Found::Block(block) => seen.blocks.push((name(block.member), block.format, block.bytes)),
            Found::Skipped { member, reason } => seen.skipped.push((name(member), reason.code())),
        }
        ControlFlow::Continue(())
    });
    (seen, read)
}

/// Returns a path of the shared corpora; `None` where `BOOKBUILDER_CORPUS` is not set.
fn corpus(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("BOOKBUILDER_CORPUS");
    if root.is_none() {
        println!("skipped: BOOKBUILDER_CORPUS is not set");
    }
    Some(Path::new(&root?).join("data").join(path))
}

/// A sound PGN text of a number of games.
fn games(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|number| format!("[Event \"{number}\"]\n\n1. e4 e5 2. Nf3 *\n\n").into_bytes())
        .collect()
}

/// The smallest sound XQF file: an empty board without moves.
fn xqf() -> Vec<u8> {
    let mut bytes = vec![0; 1024];
    bytes[..3].copy_from_slice(b"XQ\x0a");
    bytes[0x10..0x30].fill(0xff);
    bytes.extend([18, 20, 0, 0xff, 0, 0, 0, 0]);
    bytes
}

fn count_games(blocks: &[(String, Format, Vec<u8>)]) -> usize {
    let mut count = 0;
    for (_, format, bytes) in blocks {
        let block = Block::of(*format, bytes.clone());
        Chess::read_block(&block, &ReadOptions::default(), &mut |_| count += 1);
    }
    count
}
