//! A row group on its way to a file: rows, turned into columns as they come.
//!
//! A row has over a hundred bytes, and a group of them fits no cache. So a few rows are turned at a time.

use super::columns::{Column, Values, columns};
use super::summary::PartSummary;
use crate::tally::Row;

/// The columns of sorted rows.
pub struct RowGroup {
    columns: &'static [Column],
    values: Vec<Values>,
    summary: PartSummary,
}

impl RowGroup {
    /// Returns a group without rows, with a column of cells or without.
    pub fn new(with_cells: bool) -> RowGroup {
        let columns = columns(with_cells);
        RowGroup {
            columns,
            values: columns.iter().map(Values::of).collect(),
            summary: PartSummary::default(),
        }
    }

    /// Appends rows.
    pub fn push(&mut self, rows: &[Row]) {
        rows.iter().for_each(|row| self.summary.add(row));
        for (column, values) in self.columns.iter().zip(&mut self.values) {
            (column.append)(rows, values);
        }
    }

    /// Takes all rows away.
    pub fn clear(&mut self) {
        self.values.iter_mut().for_each(Values::clear);
        self.summary = PartSummary::default();
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.summary.rows as usize
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values of each column.
    pub fn columns(&self) -> &[Values] {
        &self.values
    }

    /// Returns what the rows come to.
    pub fn summary(&self) -> &PartSummary {
        &self.summary
    }
}
