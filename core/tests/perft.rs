//! Perft of both games against counts published or agreed between other engines.
//!
//! The counts are read from the corpus at `BOOKBUILDER_CORPUS`; without it these tests say so and pass. Counts of 5
//! million nodes and more are left to the slow suite: `cargo test --release -- --ignored`.

use std::fs;
use std::path::PathBuf;

use bookbuilder_core::chess::Chess;
use bookbuilder_core::game::{Game, GameId, perft};
use bookbuilder_core::xiangqi::Xiangqi;
use serde_json::Value;

/// The largest count of the normal tests.
const QUICK: u64 = 5_000_000;

/// One count: what perft of a position to a depth must be.
struct Count {
    fen: String,
    depth: u32,
    nodes: u64,
}

fn oracle(name: &str) -> Option<String> {
    let Some(corpus) = std::env::var_os("BOOKBUILDER_CORPUS") else {
        eprintln!("skipped: BOOKBUILDER_CORPUS is not set");
        return None;
    };
    let path = PathBuf::from(corpus).join("oracles").join(name);
    Some(fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The counts of one position, written as `{"1": 44, "2": 1920}`.
fn by_depth(fen: &Value, counts: &Value) -> Vec<Count> {
    let fen = fen.as_str().unwrap();
    let count = |(depth, nodes): (&String, &Value)| Count {
        fen: fen.to_owned(),
        depth: depth.parse().unwrap(),
        nodes: nodes.as_u64().unwrap(),
    };
    counts.as_object().unwrap().iter().map(count).collect()
}

/// The counts of `perft/dev.json` for one game.
fn agreed(game: GameId) -> Option<Vec<Count>> {
    let root = json(&oracle("perft/dev.json")?);
    let positions = root["positions"].as_array().unwrap();
    let of_game = positions.iter().filter(|entry| entry["game"] == game.name());
    Some(of_game.flat_map(|entry| by_depth(&entry["fen"], &entry["counts"])).collect())
}

/// The counts of `xiangqi/perft_published.json`.
fn published() -> Option<Vec<Count>> {
    let root = json(&oracle("xiangqi/perft_published.json")?);
    Some(root.as_array().unwrap().iter().flat_map(|entry| by_depth(&entry["fen"], &entry["nodes"])).collect())
}

/// The counts of `xiangqi/perft_real_positions.jsonl`, depths 1, 2, 3 in a list.
fn from_real_games() -> Option<Vec<Count>> {
    let text = oracle("xiangqi/perft_real_positions.jsonl")?;
    let counts = text.lines().map(json).flat_map(|entry| {
        let fen = entry["fen"].as_str().unwrap().to_owned();
        let nodes: Vec<u64> = entry["nodes"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        (1..).zip(nodes).map(move |(depth, nodes)| Count { fen: fen.clone(), depth, nodes })
    });
    Some(counts.collect())
}

/// Checks the counts that `is_wanted`, and that there are `expected` of them: a lost oracle is no passed test.
fn check<G: Game>(counts: Option<Vec<Count>>, expected: usize, is_wanted: impl Fn(u64) -> bool) {
    let Some(counts) = counts else { return };
    let mut checked = 0;
    for count in counts.iter().filter(|count| is_wanted(count.nodes)) {
        let position = G::from_fen(&count.fen).unwrap();
        assert_eq!(perft(&position, count.depth), count.nodes, "{} at depth {}", count.fen, count.depth);
        checked += 1;
    }
    assert_eq!(checked, expected, "counts checked");
}

fn is_quick(nodes: u64) -> bool {
    nodes < QUICK
}

fn is_slow(nodes: u64) -> bool {
    !is_quick(nodes)
}

#[test]
fn chess_counts_match_other_engines() {
    check::<Chess>(agreed(GameId::Chess), 68, is_quick);
}

#[test]
fn xiangqi_counts_match_other_engines() {
    check::<Xiangqi>(agreed(GameId::Xiangqi), 58, is_quick);
}

#[test]
fn xiangqi_counts_match_published() {
    check::<Xiangqi>(published(), 30, is_quick);
}

#[test]
fn xiangqi_counts_of_real_positions_are_exact() {
    check::<Xiangqi>(from_real_games(), 240, is_quick);
}

#[test]
#[ignore = "slow suite: 0.3 billion chess nodes"]
fn large_chess_counts_are_exact() {
    check::<Chess>(agreed(GameId::Chess), 4, is_slow);
}

#[test]
#[ignore = "slow suite: 0.4 billion xiangqi nodes"]
fn large_xiangqi_counts_are_exact() {
    check::<Xiangqi>(agreed(GameId::Xiangqi), 7, is_slow);
}

#[test]
#[ignore = "slow suite: 0.7 billion xiangqi nodes"]
fn large_published_xiangqi_counts_are_exact() {
    check::<Xiangqi>(published(), 6, is_slow);
}
