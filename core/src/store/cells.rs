//! Rows of which cells are kept apart in, the rows of some cells out, added up: one per (position, move), of cell 0.

use crate::filter::Cells;
use crate::tally::Row;

/// Appends the sums over the cells that are asked for. `rows` are sorted; those of a position and move come together.
pub fn sum_cells(rows: impl IntoIterator<Item = Row>, cells: &Cells, sums: &mut Vec<Row>) {
    let first = sums.len();
    for row in rows.into_iter().filter(|row| cells.admit(row.cell)) {
        let row = Row { cell: 0, ..row };
        match sums[first..].last_mut() {
            Some(sum) if sum.identity() == row.identity() => sum.add(&row),
            _ => sums.push(row),
        }
    }
}
