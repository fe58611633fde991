//! The sorted rows of a run in as few bytes as they need.
//!
//! Rows lie in groups, and in a group each column is as wide as its largest number. Most rows count one game, so a
//! row takes about 40 bytes instead of the 103 of [`Rows`]; and groups are small enough to lie where observations lay.

use super::row::{Group, Row, Rows};

/// Most rows of a group: 26 KiB, which stay in the first-level cache while column after column is taken from them.
const GROUP: usize = 256;

/// A sorted tally table in groups of neighbouring rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackedRows {
    groups: Vec<Group>,
    len: usize,
}

impl PackedRows {
    /// Bytes that a row takes if it counts few games; a larger one takes some more.
    pub const ROW_BYTES: usize = 48;

    /// Appends rows that come after all others.
    pub fn extend(&mut self, rows: &[Row]) {
        self.groups.extend(rows.chunks(GROUP).map(Group::of));
        self.len += rows.len();
    }

    /// Appends a table whose rows come after all others.
    pub fn append(&mut self, mut other: PackedRows) {
        self.groups.append(&mut other.groups);
        self.len += other.len;
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the rows in order, in tables of at most `most` rows or of one group.
    pub fn chunks(&self, most: usize) -> impl Iterator<Item = Rows> {
        let mut groups = self.groups.iter().peekable();
        std::iter::from_fn(move || {
            let mut rows = Rows::default();
            while let Some(group) =
                groups.next_if(|group| rows.is_empty() || rows.len() + group.len() <= most)
            {
                group.unpack(&mut rows);
            }
            (!rows.is_empty()).then_some(rows)
        })
    }

    /// Returns the rows as whole columns.
    pub fn unpack(&self) -> Rows {
        let mut rows = Rows::default();
        rows.reserve_exact(self.len);
        self.groups.iter().for_each(|group| group.unpack(&mut rows));
        rows
    }
}
