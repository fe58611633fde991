//! The rows of positions that enough games reached. Most positions were reached once, and a book that asks for more
//! games needs nothing of them but their number.

use super::row::{Rows, RowsRef};

/// What rare rows, or rare positions, have in common: whether a row has a move, the side to move, and the ply.
pub type RareKind = (bool, u8, u16);

/// Numbers of rows or positions of each kind.
#[derive(Debug, Default)]
pub struct Numbers {
    /// At 4 · ply + 2 · side + (has a move).
    counts: Vec<u64>,
}

impl Numbers {
    fn count(&mut self, (has_move, mover, ply): RareKind) {
        let index = usize::from(ply) << 2 | usize::from(mover & 1) << 1 | usize::from(has_move);
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
    }

    /// Returns the kinds that there are, by ply, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (RareKind, u64)> + '_ {
        let kind = |index: usize| (index & 1 != 0, (index >> 1 & 1) as u8, (index >> 2) as u16);
        let counts = self.counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        counts.map(move |(index, &count)| (kind(index), count))
    }
}

/// The rows of frequent positions, and the numbers of the others.
#[derive(Debug, Default)]
pub struct Frequent {
    least: u64,
    /// The rows of positions that at least `least` games reached.
    pub rows: Rows,
    /// Number of the other rows by kind.
    pub rare_rows: Numbers,
    /// Number of their positions by kind; a position has a move if one of its rows has one. Its ply is the smallest.
    pub rare_positions: Numbers,
    /// The rows of the last position, which may go on in the next table.
    open: Rows,
}

impl Frequent {
    /// Returns an empty collection of the positions that at least `least` games reached.
    pub fn new(least: u64) -> Frequent {
        Frequent { least, ..Frequent::default() }
    }

    /// Takes the next rows in the order of a tally.
    pub fn take(&mut self, rows: &RowsRef<'_>) {
        let mut start = 0;
        if let Some((&key, &lock)) = self.open.key.last().zip(self.open.lock.last()) {
            start = (0..rows.len())
                .find(|&row| (rows.key[row], rows.lock[row]) != (key, lock))
                .unwrap_or(rows.len());
            (0..start).for_each(|row| self.open.push(rows.row(row)));
            if start == rows.len() {
                return;
            }
            self.close();
        }
        for row in start + 1..rows.len() {
            if rows.key[row] != rows.key[row - 1] || rows.lock[row] != rows.lock[row - 1] {
                self.put(rows, start, row);
                start = row;
            }
        }
        (start..rows.len()).for_each(|row| self.open.push(rows.row(row)));
    }

    /// Ends the last position. The collection is complete after the last table.
    pub fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.put(&open.view(), 0, open.len());
        }
    }

    /// Counts a position that is left out, given by the kind of each of its rows.
    pub(super) fn leave_out(&mut self, rows: impl Iterator<Item = RareKind>) {
        let mut position: Option<RareKind> = None;
        for kind @ (_, _, ply) in rows {
            self.rare_rows.count(kind);
            let (has_move, _, least) = position.unwrap_or(kind);
            position = Some((has_move || kind.0, kind.1, least.min(ply)));
        }
        position.into_iter().for_each(|kind| self.rare_positions.count(kind));
    }

    /// Takes the rows `start` to `end`, which are those of one position.
    fn put(&mut self, rows: &RowsRef<'_>, start: usize, end: usize) {
        if rows.games[start..end].iter().sum::<u64>() >= self.least {
            (start..end).for_each(|row| self.rows.push(rows.row(row)));
            return;
        }
        self.leave_out((start..end).map(|row| (rows.played[row] != 0, rows.mover[row], rows.ply[row])));
    }
}
