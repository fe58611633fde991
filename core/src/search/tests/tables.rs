//! What the tables hold: lines walked through them, how often they know, and whom they mistake for another.

use super::*;
use crate::game::{Game, Searchable};
use crate::search::table::Table;

/// Returns what a search to `depth` finds with its lines from a source.
fn told<G: Searchable>(position: &G, depth: u8, source: LineSource) -> SearchResult
where
    Standard: Evaluate<G>,
{
    let mut searcher: Searcher<G> = Searcher::new(TABLE_BYTES);
    searcher.line_source = source;
    searcher.search(position, &History::at(position), &Limits::depth(depth), &mut |_| ())
}

/// Compares both sources in a position; returns whether the table's line holds the whole of the array's.
fn is_whole<G: Searchable>(position: &G, depth: u8) -> bool
where
    Standard: Evaluate<G>,
{
    let (array, table) = (told(position, depth, LineSource::Array), told(position, depth, LineSource::Table));
    assert_eq!((array.best, array.score, array.nodes), (table.best, table.score, table.nodes));
    assert_eq!(array.pv.first(), table.pv.first());
    let (mut here, mut seen) = (position.clone(), vec![position.key()]);
    for &m in &table.pv {
        assert!(here.is_legal(m), "{m:?} in {here:?}");
        here.play_unchecked(m);
        assert!(!seen.contains(&here.key()), "the line comes back to {here:?}");
        seen.push(here.key());
    }
    table.pv.starts_with(&array.pv)
}

#[test]
fn the_line_of_the_table_follows_that_of_the_array() {
    let choices = |seed: u16| -> Vec<u16> { (0..16).map(|n| seed.wrapping_mul(n * 97 + 31) >> 3).collect() };
    let mut whole = [0; 2];
    for seed in 1..=20 {
        whole[0] += usize::from(is_whole(&wander(Chess::start(), &choices(seed)), 7));
        whole[1] += usize::from(is_whole(&wander(Xiangqi::start(), &choices(seed)), 6));
    }
    eprintln!("whole lines of 20: {whole:?}");
    // Entries that were replaced cut a line short now and then; the table's policy keeps that rare.
    assert!(whole.iter().all(|&count| count >= 15), "{whole:?}");
}

#[test]
fn a_search_whose_table_mistakes_positions_still_plays_by_the_rules() {
    let searched = |table: Table| {
        let mut searcher: Searcher<Chess> = Searcher::new(0);
        searcher.table = table;
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let position = Chess::from_fen(fen).unwrap();
        let history = History::at(&position);
        let result = searcher.search(&position, &history, &Limits::nodes(30_000), &mut |_| ());
        let mut here = position;
        for &m in &result.pv {
            assert!(here.is_legal(m), "{m:?} in {here:?}");
            here.play_unchecked(m);
        }
        result.counts.refused
    };
    // Eight bits of the check: of each bucket's four entries one in 64 is another position's.
    assert!(searched(Table::shrunken(1 << 16, 8)) > 0);
    assert_eq!(searched(Table::new(1 << 16)), 0);
}
