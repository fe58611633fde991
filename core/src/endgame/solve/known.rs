//! The known values while a table is being solved.

use std::sync::Arc;

use crate::endgame::reached::{Men, Reached, Target};
use crate::endgame::space::{Indexed, Space, Turn};
use crate::endgame::table::{Sides, Table};
use crate::endgame::value::{Irreversible, Metric, Value};
use crate::game::Side;

/// A table being solved: what is known of it, and the tables it leads to.
pub(in crate::endgame) struct Known<'a, S> {
    pub space: &'a S,
    pub metric: Metric,
    /// In the order of [`Space::dependencies`].
    pub others: &'a [Arc<Table<S>>],
    /// Solved slices; empty where not solved yet.
    pub slices: &'a [Sides],
}

impl<S: Space> Known<'_, S> {
    /// Returns what an irreversible move is worth to the side that makes it.
    pub(super) fn conversion(&self, step: Irreversible, reached: &Reached) -> Value {
        let mut after = self.lookup(reached);
        if let Some(passed) = reached.en_passant {
            after = self.with_en_passant(reached, passed, after);
        }
        self.metric.converted(step, after)
    }

    /// Returns the value of a position that a legal move reaches, ignoring rights to capture en passant.
    fn lookup(&self, reached: &Reached) -> Value {
        let cell = match reached.target {
            Target::Own => {
                let (slice, cell) = self.space.locate(&reached.men);
                self.slices[slice][reached.to_move.index()][cell]
            }
            Target::Other(table) => self.others[table].cell(&reached.men, reached.to_move),
        };
        debug_assert!(cell.is_valid(), "a legal move reaches a position");
        cell.value().unwrap_or(Value::Draw)
    }

    /// Returns the better of a value and the values of captures en passant. Without other legal moves only these count.
    fn with_en_passant(&self, reached: &Reached, passed: u8, plain: Value) -> Value {
        let mut best: Option<Value> = None;
        self.space.en_passant(&reached.men, reached.to_move, passed, &mut |taken| {
            let value = self.metric.converted(Irreversible::Conversion, self.lookup(&taken));
            best = best.into_iter().chain([value]).max_by_key(|value| value.preference());
        });
        let Some(captured) = best else { return plain };
        let has_others =
            plain.wdl() != 0 && plain != Value::Loss(0) || self.has_move(&reached.men, reached.to_move);
        if has_others && plain.preference() > captured.preference() { plain } else { captured }
    }

    /// Returns whether a side has a legal move other than captures en passant.
    pub fn has_move(&self, men: &Men, to_move: Side) -> bool {
        let mut is_found = false;
        self.space.conversions(men, to_move, &mut |_, _| is_found = true);
        if is_found {
            return true;
        }
        let (slice, cell) = self.space.locate(men);
        let Some(men) = self.space.men(slice, cell) else { return false };
        let place = Indexed { slice, cell, men };
        let after = &self.slices[slice][to_move.other().index()];
        !self.space.quiet_moves(&place, Turn::Forward(to_move), &mut |cell| !after[cell].is_valid())
    }
}
