//! Principal variation from two sources. Triangular array: each node passes up its move and its child's line. Table:
//! the entry of each position gives the next move.
//!
//! The array has the line of the score. The table's line may end early if entries were replaced, or continue beyond the
//! depth with moves of quiescence; the table therefore prefers exact results to bounds.

use arrayvec::ArrayVec;

use super::score::MAX_PLY;
use super::table::{Found, Table};
use crate::game::{Move, Searchable};
use crate::named::named_enum;

named_enum! {
    /// The source of reported lines.
    #[derive(Default)]
    pub enum LineSource {
        /// The triangular array.
        #[default]
        Array => "array",
        /// A walk through the table.
        Table => "table",
    }
}

/// Returns the table's line after a legal first move. It ends at a position without a legal move in the table, or
/// before a repetition.
pub(super) fn walk<G: Searchable>(table: &Table, position: &G, first: Move) -> Vec<Move> {
    let (mut line, mut seen) = (Vec::new(), vec![position.key()]);
    let (mut here, mut m) = (position.clone(), first);
    while line.len() < MAX_PLY && m != Move::NONE && here.is_legal(m) {
        here.play_unchecked(m);
        if seen.contains(&here.key()) {
            break;
        }
        line.push(m);
        seen.push(here.key());
        m = match table.probe(here.key(), here.lock()) {
            Some(Found::Searched(entry)) => entry.best,
            _ => Move::NONE,
        };
    }
    line
}

type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// The best line found so far from each ply of the current path.
pub(super) struct Triangle {
    lines: Vec<Line>,
}

impl Triangle {
    pub(super) fn new() -> Triangle {
        Triangle { lines: vec![Line::new(); MAX_PLY + 2] }
    }

    /// Clears the line of a node at its start.
    pub(super) fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// Makes `m` and the line of the child the line of the node at `ply`. Called only where alpha rises.
    pub(super) fn raise(&mut self, ply: usize, m: Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let (line, child) = (&mut upper[ply], &lower[0]);
        line.clear();
        line.push(m);
        line.extend(child.iter().take(MAX_PLY).copied());
    }

    pub(super) fn root(&self) -> &[Move] {
        &self.lines[0]
    }
}

#[cfg(test)]
mod tests;
