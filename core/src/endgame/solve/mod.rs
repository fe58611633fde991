//! The two solvers. Both compute a [`Table`] from a space, a metric and the tables of its dependencies.
//!
//! Both begin with the values of irreversible moves alone ([`start`]). The [`forward`] solver then generates the moves of
//! every open position, until nothing changes: slow, but the definition itself, and the oracle for the other. The
//! [`retrograde`] solver works backward from decided positions. They agree bit for bit.

mod forward;
mod retrograde;
mod start;

use std::sync::Arc;

use rayon::prelude::*;

use crate::endgame::space::Space;
use crate::endgame::value::Metric;

use start::Known;
pub(super) use start::Sides;
pub use start::{Mismatch, Table};

/// Which solver to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// Asks every open position for its moves until nothing changes.
    Forward,
    /// Goes backward from decided positions.
    Retrograde,
}

/// Solves a table. `others` are the tables of [`Space::dependencies`], of the same metric, in that order.
pub fn solve<S: Space>(space: S, metric: Metric, others: &[Arc<Table<S>>], solver: Solver) -> Table<S> {
    let mut slices: Vec<Sides> = (0..space.slices()).map(|_| Sides::default()).collect();
    for layer in space.layers() {
        let known = Known { space: &space, metric, others, slices: &slices };
        let solved: Vec<(usize, Sides)> = layer
            .into_par_iter()
            .map(|slice| {
                let solved = match solver {
                    Solver::Forward => forward::solve(&known, slice),
                    Solver::Retrograde => retrograde::solve(&known, slice),
                };
                (slice, solved)
            })
            .collect();
        for (slice, sides) in solved {
            slices[slice] = sides;
        }
    }
    if metric == Metric::Wld {
        let cells = slices.par_iter_mut().flatten().flatten();
        cells.for_each(|cell| *cell = cell.without_distance());
    }
    Table::new(space, metric, slices)
}
