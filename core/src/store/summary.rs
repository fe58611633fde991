//! What a part of TALLY holds, as the manifest of a store says.

use crate::tally::Row;

/// The summary of a part in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartSummary {
    /// Rows.
    pub rows: u64,
    /// Smallest key.
    pub first_key: u64,
    /// Largest key.
    pub last_key: u64,
    /// Sums of games, first_wins, draws and second_wins.
    pub sums: [u64; 4],
    /// Largest year, 0 = none known.
    pub newest_year: u16,
    /// Key and lock of the first position with that year.
    pub newest: (u64, u32),
}

impl PartSummary {
    /// Counts the rows of another summary, whose keys are larger.
    pub fn append(&mut self, next: &PartSummary) {
        if self.rows == 0 {
            *self = *next;
            return;
        }
        self.rows += next.rows;
        self.last_key = next.last_key;
        self.sums.iter_mut().zip(next.sums).for_each(|(sum, more)| *sum += more);
        if next.newest_year > self.newest_year {
            (self.newest_year, self.newest) = (next.newest_year, next.newest);
        }
    }

    /// Counts the next row.
    pub fn add(&mut self, row: &Row) {
        if self.rows == 0 {
            self.first_key = row.key;
        }
        self.rows += 1;
        self.last_key = row.key;
        let counts = [row.games, row.first_wins, row.draws, row.second_wins];
        self.sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        if row.year_max > self.newest_year {
            (self.newest_year, self.newest) = (row.year_max, (row.key, row.lock));
        }
    }
}
