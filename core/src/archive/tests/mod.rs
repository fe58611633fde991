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
use crate::xiangqi::{Square, Token};

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
    let block = |(_, format, bytes): &(String, Format, Vec<u8>)| Block::of(*format, bytes.clone());
    blocks.iter().map(block).map(|block| records::<Chess>(&block, &ReadOptions::default()).len()).sum()
}

/// Returns the games of a block.
pub(super) fn records<G: Archived>(block: &Block, options: &ReadOptions) -> Vec<GameRecord<G::Token>> {
    let mut records = Vec::new();
    G::read_block(block, options, &mut |record| records.push(record.clone()));
    records
}

/// The squares of the standard start of xiangqi, file·10 + rank, in the slots of a placement.
pub(super) const STANDARD: [u8; 32] = [
    80, 70, 60, 50, 40, 30, 20, 10, 0, 72, 12, 83, 63, 43, 23, 3, //
    9, 19, 29, 39, 49, 59, 69, 79, 89, 77, 17, 86, 66, 46, 26, 6,
];

/// Returns moves of xiangqi in coordinates: `h2e2 h9g7`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let square = |name: &[u8]| Square::at(name[0] - b'a', name[1] - b'0').unwrap();
    let token = |word: &[u8]| Token::new(square(&word[..2]), square(&word[2..]));
    text.split_whitespace().map(|word| token(word.as_bytes())).collect()
}
