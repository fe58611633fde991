//! The bundled engine: a position, its history and limits come in; the best move, its score and line go out.
//!
//! One search for both games: iterative deepening ([`Searcher::search`]) over principal variation search with
//! quiescence, a transposition table that a book can be loaded into, and moves ordered by table, book hint, captures,
//! killers and history. One thread; for fixed depth or nodes the same calls give the same results.

mod alpha_beta;
mod book;
mod deepening;
mod limits;
mod order;
mod prune;
mod pv;
mod quiescence;
mod score;
mod table;

use std::time::Duration;

use crate::book::record::Record;
use crate::evaluate::{Evaluate, Standard};
use crate::game::{Game, Move, Verdict};
use crate::history::History;

pub use alpha_beta::Counts;
pub use book::{BookMove, BookPolicy, book_moves, choose};
pub use limits::Limits;
pub use score::{MAX_PLY, Score};
pub use table::{Bound, Entry, Found, Hint, Table};

use book::BookHints;

/// Whether the search may leave lines out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selectivity {
    /// Quiescence, extensions, reductions and pruning: for playing.
    #[default]
    Full,
    /// Every line to the same depth, static evaluation at its end: alpha-beta that equals plain minimax.
    None,
}

/// A search with its memory: the table lives as long as the searcher, so later searches profit from earlier ones.
pub struct Searcher<G, E = Standard> {
    table: Table,
    evaluation: E,
    hints: BookHints,
    selectivity: Selectivity,
    game: std::marker::PhantomData<G>,
}

/// What an iteration found.
#[derive(Debug, Clone, Copy)]
pub struct IterationInfo<'a> {
    /// The iteration, in plies.
    pub depth: u8,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Principal variation.
    pub pv: &'a [Move],
    /// Nodes since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How full the table is, per mille.
    pub full_permille: u32,
    /// What else was counted since the search began.
    pub counts: Counts,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; [`Move::NONE`] where there is no legal move.
    pub best: Move,
    /// Score for the side to move.
    pub score: Score,
    /// Last iteration that was finished.
    pub depth: u8,
    /// Principal variation, legal throughout; begins with `best`.
    pub pv: Vec<Move>,
    /// Nodes, interior and quiescence.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// How full the table is, per mille.
    pub full_permille: u32,
    /// What else was counted.
    pub counts: Counts,
    /// Why play stops at the root, if the rules say so. With insufficient material a move is still given.
    pub verdict: Option<Verdict>,
}

impl<G: Game> Searcher<G, Standard>
where
    Standard: Evaluate<G>,
{
    /// Returns a searcher with the evaluation that ships and a table of at most `table_bytes`.
    pub fn new(table_bytes: usize) -> Searcher<G, Standard> {
        Searcher::with_evaluation(table_bytes, Standard, Selectivity::Full)
    }
}

impl<G: Game, E: Evaluate<G>> Searcher<G, E> {
    /// Returns a searcher with an evaluation of the caller's.
    pub fn with_evaluation(table_bytes: usize, evaluation: E, selectivity: Selectivity) -> Searcher<G, E> {
        let table = Table::new(table_bytes);
        Searcher { table, evaluation, hints: BookHints::Absent, selectivity, game: std::marker::PhantomData }
    }

    /// Returns the table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Forgets all results and the loaded book: load it anew afterwards.
    pub fn clear(&mut self) {
        self.table.clear();
        self.hints = BookHints::Absent;
    }

    /// Clears the table, puts every record of a book into it as a hint and returns how many found a place. `folds` as
    /// the book's [`crate::book::record::BookProbe::folds`] says. With at most a quarter as many records as the table
    /// has entries, over 99 % do.
    pub fn load_book(&mut self, records: impl IntoIterator<Item = Record>, folds: bool) -> usize {
        self.table.clear();
        let (hints, stored) = BookHints::load(&self.table, records, folds);
        self.hints = hints;
        stored
    }

    /// Returns what the loaded book says of a position, as far as the table still holds it.
    pub fn book_hint(&self, position: &G) -> Option<Hint> {
        match self.table.probe(position.key(), position.lock()) {
            Some(Found::Book(hint)) => Some(hint),
            _ => self.hints.of(&self.table, position),
        }
    }

    /// Searches a position and returns the best move found within the limits. `history` ends in `position`;
    /// `report` is called after each finished iteration.
    pub fn search(
        &mut self,
        position: &G,
        history: &History,
        limits: &Limits,
        report: &mut dyn FnMut(&IterationInfo),
    ) -> SearchResult {
        debug_assert_eq!(history.key(), Some(position.key()));
        self.table.next_generation();
        deepening::run(self, position, (history, limits), report)
    }
}

#[cfg(test)]
mod tests;
