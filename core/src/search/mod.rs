//! The bundled engine: finds the best move in a position, with its score and line.
//!
//! One search for both games: iterative deepening ([`Searcher::search`]) over principal variation search with
//! quiescence, a transposition table that a book can be loaded into ([`BookMode`]), and moves ordered by table, book
//! hint, captures, killers and history. Table and history are kept between searches until they are cleared. With one
//! thread and a fixed depth or number of nodes, equal calls give equal results; more threads
//! ([`Searcher::set_threads`]) share the table.

mod alpha_beta;
mod aspiration;
mod book;
mod deepening;
mod limits;
mod mates;
mod memory;
mod moves;
mod order;
mod path;
mod picker;
mod prune;
mod pv;
mod quiescence;
mod result;
mod score;
mod searcher;
mod table;
mod tablebase;
mod threads;
mod time;

use std::sync::Arc;

use crate::book::record::BookProbe;
use crate::evaluate::{Evaluate, Standard};
use crate::game::Searchable;
use crate::history::History;

pub use alpha_beta::Counts;
pub use book::{BookMode, BookMove, BookPolicy, Loaded, book_moves, choose};
pub use limits::{Limits, plies_to_mate};
pub use path::RepetitionPolicy;
pub use prune::Selectivity;
pub use pv::LineSource;
pub use result::{IterationInfo, Line, SearchResult};
pub use score::{MAX_PLY, Score};
pub use searcher::Searcher;
pub use table::{Bound, Entry, Found, Hint, Table, TableTooLarge};
pub use tablebase::Tablebase;
pub use threads::STACK_BYTES;
pub use time::{Allotment, Clock};

use book::Hints;
use order::Order;

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
            threads: 1,
            lines: 1,
            line_source: LineSource::default(),
            tablebase: None,
            orders: Vec::new(),
            game: std::marker::PhantomData,
        }
    }

    /// Sets how further searches score repetitions and draws.
    pub fn set_repetition(&mut self, policy: RepetitionPolicy) {
        self.repetition = policy;
    }

    /// Sets the number of threads of further searches, at least one.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Sets the number of lines with different first moves (MultiPV), at least one.
    pub fn set_lines(&mut self, lines: usize) {
        self.lines = lines.max(1);
    }

    /// Sets the source of reported lines; it does not change the search.
    pub fn set_line_source(&mut self, source: LineSource) {
        self.line_source = source;
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

    /// Returns the table.
    pub fn table(&self) -> &Table {
        &self.table
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

    /// Returns the book's hint on a position if the table still has it.
    pub fn book_hint(&self, position: &G) -> Option<Hint> {
        self.hints.find(&self.table, position)
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
        orders.resize_with(self.threads, Order::new::<G>);
        let result = deepening::run(self, &mut orders, position, (history, limits), report);
        self.orders = orders;
        result
    }
}

#[cfg(test)]
mod tests;
