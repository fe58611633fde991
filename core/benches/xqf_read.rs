//! Reading XQF files one by one: seconds and every line of each, for `benches/xqf_peers.py` to compare with a peer's.
//!
//! `cargo bench --bench xqf_read -- LIST`, where LIST holds a path a line, prints for each file its path, nanoseconds
//! (median of five readings from disk) and the moves of every line from the start to its end, separated by tabs and
//! bars. Without LIST it does nothing.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use bookbuilder_core::archive::{Archived, Block, Format, GameRecord, ReadOptions};
use bookbuilder_core::game::Replayable;
use bookbuilder_core::xiangqi::Xiangqi;

const ROUNDS: usize = 5;

type Token = <Xiangqi as Replayable>::Token;

fn read(path: &Path) -> io::Result<GameRecord<Token>> {
    let bytes = std::fs::read(path)?;
    let block = Block::of(Format::Xqf, bytes);
    let mut game = GameRecord::default();
    Xiangqi::read_block(&block, &ReadOptions::everything(), &mut |record| game = record.clone());
    Ok(game)
}

/// Returns the moves of every line, from the start of the game on.
fn lines(game: &GameRecord<Token>) -> Vec<String> {
    let mut lines: Vec<Vec<Token>> = vec![game.moves.clone()];
    for variation in &game.variations {
        let parent = &lines[variation.leaves as usize];
        let kept = parent.len().min(variation.ply as usize);
        lines.push([&parent[..kept], &variation.moves].concat());
    }
    lines.iter().map(|line| line.iter().map(ToString::to_string).collect()).collect()
}

fn main() -> io::Result<()> {
    let Some(list) = std::env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        return Ok(());
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for path in std::fs::read_to_string(list)?.lines() {
        let mut times = Vec::new();
        let mut game = GameRecord::default();
        for _ in 0..ROUNDS {
            let started = Instant::now();
            game = read(Path::new(path))?;
            times.push(started.elapsed().as_nanos());
        }
        times.sort_unstable();
        writeln!(out, "{path}\t{}\t{}", times[ROUNDS / 2], lines(&game).join("|"))?;
    }
    out.flush()
}
