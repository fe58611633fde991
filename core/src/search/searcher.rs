//! What a search keeps from one search to the next.

use std::sync::Arc;

use super::book::Hints;
use super::order::Order;
use super::path::RepetitionPolicy;
use super::prune::Selectivity;
use super::pv::LineSource;
use super::table::Table;
use super::tablebase::Tablebase;
use crate::evaluate::Standard;

/// A search with its memory: the table, and what was learnt of the order of moves, live as long as the searcher, so later
/// searches profit from earlier ones.
pub struct Searcher<G, E = Standard> {
    pub(super) table: Table,
    pub(super) evaluation: E,
    pub(super) hints: Hints,
    pub(super) selectivity: Selectivity,
    pub(super) repetition: RepetitionPolicy,
    pub(super) threads: usize,
    pub(super) lines: usize,
    pub(super) line_source: LineSource,
    pub(super) tablebase: Option<Arc<dyn Tablebase<G>>>,
    /// What each thread has learnt of the order of moves.
    pub(super) orders: Vec<Order>,
    pub(super) game: std::marker::PhantomData<G>,
}
