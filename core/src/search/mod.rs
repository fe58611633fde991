//! The bundled engine: finds the best move in a position, with its score and line.
//!
//! One search for both games: iterative deepening ([`Searcher::search`]) over principal variation search with
//! quiescence, a transposition table that a book can be loaded into ([`BookMode`]), and moves ordered by table, book
//! hint, captures, killers and history. Table and history are kept between searches until they are cleared. With one
//! thread and a fixed depth or number of nodes, equal calls give equal results; more threads
//! ([`Searcher::threads`]) share the table.

mod alpha_beta;
mod book;
mod deepening;
mod limits;
mod moves;
mod order;
mod path;
mod prune;
mod pv;
mod quiescence;
mod score;
mod table;
mod tablebase;

use std::sync::Arc;
use std::time::Duration;

use book::Hints;
use order::Order;

use crate::book::record::BookProbe;
use crate::evaluate::{Evaluate, Standard};
use crate::game::{Move, Searchable, Verdict};
use crate::history::{Detection, History};

pub use alpha_beta::Counts;
pub use book::{BookMode, BookMove, BookPolicy, Loaded, book_moves, choose, listed_moves};
pub use deepening::STACK_BYTES;
pub use limits::{Allotment, Clock, Limits, plies_to_mate};
pub use order::Learning;
pub use path::RepetitionPolicy;
pub use prune::Selectivity;
pub use pv::LineSource;
pub use score::{MAX_PLY, Score};
pub use table::{Bound, Entry, Found, Hint, Table, TableTooLarge};
pub use tablebase::Tablebase;

impl<G: Searchable> Searcher<G, Standard>
where
    Standard: Evaluate<G>,
{
    /// Returns a searcher with the standard evaluation and a table of at most `table_bytes`.
    pub fn new(table_bytes: usize) -> Searcher<G, Standard> {
        Searcher::with_evaluation(table_bytes, Standard, Selectivity::Full)
    }
}

impl<G: Searchable, E: Evaluate<G>> Searcher<G, E> {
    /// Returns a searcher with the caller's evaluation.
    pub fn with_evaluation(table_bytes: usize, evaluation: E, selectivity: Selectivity) -> Searcher<G, E> {
        let table = Table::new(table_bytes);
        Searcher {
            table,
            evaluation,
            hints: Hints::default(),
            selectivity,
            repetition: RepetitionPolicy::default(),
            detection: Detection::default(),
            learning: Learning::default(),
            threads: 1,
            lines: 1,
            line_source: LineSource::default(),
            tablebase: None,
            orders: Vec::new(),
            game: std::marker::PhantomData,
        }
    }

    /// Sets what the move order of further searches learns, and forgets what it has learnt if that changes.
    pub fn set_learning(&mut self, learning: Learning) {
        if self.learning != learning {
            self.learning = learning;
            self.orders.clear();
        }
    }

    /// Replaces the table by one of at most `table_bytes`, empty except for the book's records if the mode loads them.
    ///
    /// # Errors
    /// [`TableTooLarge`] if there is not enough memory; the old table then stays.
    pub fn resize(&mut self, table_bytes: usize) -> Result<(), TableTooLarge> {
        self.table = Table::try_new(table_bytes)?;
        self.orders.clear();
        self.hints.load(&self.table);
        Ok(())
    }

    /// Uses the values of `tablebase`, at the root's moves and inside the search, and clears all results.
    pub fn set_tablebase(&mut self, tablebase: Option<Arc<dyn Tablebase<G>>>) {
        self.tablebase = tablebase;
        self.clear();
    }

    /// Clears all results and the move order; reloads the book's records if the mode loads them.
    pub fn clear(&mut self) {
        self.table.clear();
        self.orders.clear();
        self.hints.load(&self.table);
    }

    /// Sets the book and its mode for further searches, and clears the table. Returns the number of records that found
    /// a place in it: over 99 % of those that are to be loaded; 0 in modes that load none. Of a book with more records
    /// than a quarter of the table's entries, the most used are loaded. The caller plays the book's moves ([`choose`]).
    pub fn set_book(&mut self, book: Option<Arc<dyn BookProbe>>, mode: BookMode) -> usize {
        self.table.clear();
        self.orders.clear();
        self.hints = Hints::of_book(book, mode);
        self.hints.load(&self.table)
    }

    /// Returns what the last load of the book stored in the table; `None` if the mode loads no records.
    pub fn loaded(&self) -> Option<Loaded> {
        self.hints.loaded
    }

    /// Returns the table's result for a position.
    pub fn recall(&self, position: &G) -> Option<Entry> {
        match self.table.probe(position.key(), position.lock()) {
            Some(Found::Searched(entry)) => Some(entry),
            _ => None,
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
        let mut orders = std::mem::take(&mut self.orders);
        orders.resize_with(self.threads.max(1), || Order::new::<G>(self.learning));
        let result = deepening::run(self, &mut orders, position, (history, limits), report);
        self.orders = orders;
        result
    }
}

/// A searcher. Its table and move order are kept between searches, so later searches profit from earlier ones.
pub struct Searcher<G, E = Standard> {
    table: Table,
    evaluation: E,
    hints: Hints,
    selectivity: Selectivity,
    /// How searches score repetitions and draws.
    pub repetition: RepetitionPolicy,
    /// How searches detect repetitions.
    pub detection: Detection,
    learning: Learning,
    /// Number of threads; 0 counts as 1.
    pub threads: usize,
    /// Number of lines with different first moves (MultiPV); 0 counts as 1.
    pub lines: usize,
    /// Source of reported lines; it does not change the search.
    pub line_source: LineSource,
    tablebase: Option<Arc<dyn Tablebase<G>>>,
    /// The move order of each thread.
    orders: Vec<Order>,
    game: std::marker::PhantomData<G>,
}

/// One line of play with its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Score for the side to move at the root.
    pub score: Score,
    /// The moves, all legal.
    pub pv: Vec<Move>,
}

/// One line of an iteration.
#[derive(Debug, Clone, Copy)]
pub struct IterationInfo<'a> {
    /// The iteration, in plies.
    pub depth: u8,
    /// Number of the line; 1 is the best.
    pub line: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Principal variation.
    pub pv: &'a [Move],
    /// Nodes of all threads since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// Fill of the table, per mille.
    pub full_permille: u32,
    /// Counters of the first thread since the search began.
    pub counts: Counts,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; [`Move::NONE`] without legal moves.
    pub best: Move,
    /// Score for the side to move.
    pub score: Score,
    /// Last finished iteration.
    pub depth: u8,
    /// Principal variation, all legal; begins with `best`.
    pub pv: Vec<Move>,
    /// The requested number of lines, or one per legal move, best first; the first is `score` and `pv`. Lines missing
    /// from an interrupted iteration come from the iteration before.
    pub lines: Vec<Line>,
    /// Nodes, interior and quiescence, of all threads.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// Fill of the table, per mille.
    pub full_permille: u32,
    /// Counters of the first thread.
    pub counts: Counts,
    /// The verdict of the rules at the root, if the game is over. With insufficient material a move is still returned.
    pub verdict: Option<Verdict>,
}

#[cfg(test)]
mod tests;
