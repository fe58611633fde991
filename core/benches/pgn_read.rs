//! Reading PGN: a bare `pgn-reader` loop against our reader on the same decompressed blocks, as a ratio.
//!
//! Needs `BOOKBUILDER_CORPUS`; run with `cargo bench --bench pgn_read`. Both sides must count the same games and moves.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use bookbuilder_core::archive::{Archived, Block, Found, ReadOptions, read_blocks};
use bookbuilder_core::chess::Chess;
use pgn_reader::{Reader, SanPlus, Visitor};

const ROUNDS: usize = 25;

/// Counts moves of the main line and nothing else.
struct Bare {
    moves: u64,
}

impl Visitor for Bare {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        self.moves += u64::from(black_box(san).suffix.is_none()) | 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

fn bare(blocks: &[Block]) -> (u64, u64) {
    let (mut games, mut visitor) = (0, Bare { moves: 0 });
    for block in blocks {
        let mut reader = Reader::new(&block.bytes[..]);
        while let Ok(Some(())) = reader.read_game(&mut visitor) {
            games += 1;
        }
    }
    (games, visitor.moves)
}

fn ours(blocks: &[Block], options: &ReadOptions) -> (u64, u64) {
    let (mut games, mut moves) = (0, 0);
    for block in blocks {
        Chess::read_block(block, options, &mut |record| {
            games += 1;
            moves += black_box(record).moves.len() as u64;
        });
    }
    (games, moves)
}

fn timed(best: &mut Duration, work: impl FnOnce() -> (u64, u64)) -> (u64, u64) {
    let start = cpu_time();
    let counts = work();
    *best = (*best).min(cpu_time() - start);
    counts
}

/// Returns the CPU time of this process where Linux tells it, since the machine may be busy; else wall time.
fn cpu_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split_whitespace().next().and_then(|field| field.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn main() {
    let Some(corpus) = std::env::var_os("BOOKBUILDER_CORPUS") else {
        println!("BOOKBUILDER_CORPUS is not set: nothing measured");
        return;
    };
    let path = Path::new(&corpus).join("data/chess/pgnmentor_sample20k_dev.pgn.zst");
    let mut blocks = Vec::new();
    let start = Instant::now();
    let read = read_blocks(&path, None, &AtomicU64::new(0), &mut |found| {
        if let Found::Block(block) = found {
            blocks.push(block);
        }
        ControlFlow::Continue(())
    });
    if let Err(error) = read {
        println!("{error}");
        return;
    }
    println!("decompress and cut: {:.3} s", start.elapsed().as_secs_f64());
    let bytes: usize = blocks.iter().map(|block| block.bytes.len()).sum();
    let prefix = ReadOptions { max_ply: Some(30), full: false, ..ReadOptions::default() };
    let mut best = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        let expected = timed(&mut best[0], || bare(&blocks));
        assert_eq!(timed(&mut best[1], || ours(&blocks, &ReadOptions::default())), expected);
        assert_eq!(timed(&mut best[2], || ours(&blocks, &prefix)).0, expected.0);
    }
    let (games, moves) = bare(&blocks);
    println!("{games} games, {moves} moves, {bytes} bytes; least CPU time of {ROUNDS} rounds, one thread");
    for (name, time) in ["bare pgn-reader", "records, whole games", "records, 30 plies"].iter().zip(best) {
        let seconds = time.as_secs_f64();
        println!(
            "{name:22} {:8.0} games/s {:7.1} MB/s  {:.3} × bare",
            games as f64 / seconds,
            bytes as f64 / seconds / 1e6,
            seconds / best[0].as_secs_f64()
        );
    }
}
