//! Adds up the rows of some cells: one row per (position, move), of cell 0.

use crate::filter::Cells;
use crate::tally::Row;

/// Appends the sums over the selected cells. `rows` are sorted, so the rows of a position and move are neighbours.
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
