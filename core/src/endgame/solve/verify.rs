//! Verification: compares every cell of a table with its moves.

use rayon::prelude::*;

use super::start::{SIDES, positions};
use super::{Known, Sides};
use crate::endgame::space::{Indexed, Space, Turn};
use crate::endgame::table::Table;
use crate::endgame::value::{Cell, Metric, Value};
use crate::game::Side;
use std::sync::Arc;

/// A cell that does not follow from its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The position.
    pub fen: String,
    /// The value in the table; `None` if it says that there is no position.
    pub found: Option<Value>,
    /// What the moves say.
    pub expected: Option<Value>,
}

impl<S: Space> Table<S> {
    /// Compares every cell with what its moves and the tables they lead to say; returns how many were compared and
    /// the first that differ, at most `most` a slice and side.
    pub fn verify(&self, others: &[Arc<Table<S>>], most: usize) -> (u64, Vec<Mismatch>) {
        let known = Known { space: self.space(), metric: self.metric(), others, slices: self.slices() };
        let mut wrong = Vec::new();
        for slice in 0..self.space().slices() {
            let valid = positions(self.space(), slice);
            for side in SIDES {
                let differs = |&cell: &usize| {
                    let found = self.slices()[slice][side.index()][cell];
                    let expected =
                        valid[side.index()].contains(cell).then(|| expected(&known, slice, cell, side));
                    !self.agree(found.value(), expected.flatten())
                };
                let cells: Vec<usize> =
                    (0..self.space().cells()).into_par_iter().with_min_len(1 << 12).filter(differs).collect();
                wrong.extend(cells.into_iter().take(most).map(|cell| {
                    Mismatch {
                        fen: self
                            .space()
                            .men(slice, cell)
                            .map_or_else(String::new, |men| self.space().fen(&men, side)),
                        found: self.slices()[slice][side.index()][cell].value(),
                        expected: expected(&known, slice, cell, side),
                    }
                }));
            }
        }
        (2 * self.space().slices() as u64 * self.space().cells() as u64, wrong)
    }

    /// Returns whether two values are the same by the metric.
    fn agree(&self, a: Option<Value>, b: Option<Value>) -> bool {
        match self.metric() {
            Metric::Wld => a.map(Value::wdl) == b.map(Value::wdl),
            Metric::Dtm | Metric::Dtc | Metric::Dtz => a == b,
        }
    }
}

/// Returns what the moves of a position say it is worth.
fn expected<S: Space>(known: &Known<S>, slice: usize, cell: usize, side: Side) -> Option<Value> {
    let men = known.space.men(slice, cell)?;
    let place = Indexed { slice, cell, men };
    let mut best: Option<Value> = None;
    let mut better = |value: Value| {
        if best.is_none_or(|best| value.preference() > best.preference()) {
            best = Some(value);
        }
    };
    known.space.conversions(&men, side, &mut |step, reached| better(known.conversion(step, &reached)));
    let after: &Sides = &known.slices[slice];
    let after: &[Cell] = &after[side.other().index()];
    known.space.quiet_moves(&place, Turn::Forward(side), &mut |cell| {
        after[cell].value().into_iter().for_each(|value| better(value.before()));
        true
    });
    let is_lost = || S::STALEMATE_LOSES || known.space.is_check(&men, side);
    Some(best.unwrap_or_else(|| if is_lost() { Value::Loss(0) } else { Value::Draw }))
}
