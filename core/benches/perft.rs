//! Speed of move generation: perft of the starting positions on one core, the last ply counted.
//!
//! `cargo bench --bench perft` prints nodes, seconds and millions of nodes per second, the best of five runs, after
//! checking the count against the published one.

use std::time::Instant;

use bookbuilder_core::chess::Chess;
use bookbuilder_core::game::{Game, perft};
use bookbuilder_core::xiangqi::Xiangqi;

fn main() {
    measure::<Chess>(5, 4_865_609);
    measure::<Xiangqi>(5, 133_312_995);
}

fn measure<G: Game>(depth: u32, expected: u64) {
    let start = G::start();
    let run = || {
        let begin = Instant::now();
        let nodes = perft(&start, depth);
        assert_eq!(nodes, expected, "{} at depth {depth}", G::ID.name());
        begin.elapsed().as_secs_f64()
    };
    let seconds = (0..5).map(|_| run()).fold(f64::INFINITY, f64::min);
    let speed = expected as f64 / seconds / 1e6;
    println!("{} depth {depth}: {expected} nodes, {seconds:.3} s, {speed:.0} Mnodes/s", G::ID.name());
}
