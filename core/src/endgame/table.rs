//! A solved table in memory: every cell of a space with its value.

use super::material::Material;
use super::reached::Men;
use super::space::Space;
use super::value::{Cell, Metric, Value};
use crate::game::Side;

/// A solved table.
pub struct Table<S> {
    space: S,
    metric: Metric,
    slices: Vec<Sides>,
}

impl<S: Space> Table<S> {
    /// Returns a table of solved slices.
    pub(super) fn new(space: S, metric: Metric, slices: Vec<Sides>) -> Table<S> {
        Table { space, metric, slices }
    }

    /// Returns the positions.
    pub fn space(&self) -> &S {
        &self.space
    }

    /// Returns the material.
    pub fn material(&self) -> &Material {
        self.space.material()
    }

    /// Returns the metric of distances.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    pub(super) fn slices(&self) -> &[Sides] {
        &self.slices
    }

    pub(super) fn cell(&self, men: &Men, to_move: Side) -> Cell {
        let (slice, cell) = self.space.locate(men);
        self.slices[slice][to_move.index()][cell]
    }

    /// Returns the value of a position; `None` if the side that is not to move is in check.
    pub fn value(&self, men: &Men, to_move: Side) -> Option<Value> {
        self.cell(men, to_move).value()
    }

    /// Returns the bytes that the cells take in memory.
    pub fn bytes(&self) -> u64 {
        2 * 2 * self.space.slices() as u64 * self.space.cells() as u64
    }
}

/// Cells of both sides to move.
pub(super) type Sides = [Vec<Cell>; 2];
