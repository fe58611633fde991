//! The rows of a tally: one per (position, move), sorted by (key, lock, move). With facets there is one per (position,
//! move, cell), and the cell is last in the order.
//!
//! Rows add up: merging tables in any order or grouping gives the same table.
//!
//! The columns of TALLY are declared once here; parts on disk and the tables of Python are derived from the declaration.

use arrow_array::RecordBatch;
use arrow_array::types::UInt16Type;
use arrow_schema::ArrowError;

use crate::columns::{Number, array, numbers};

/// Calls a macro with the columns of TALLY in order. Of each: field of a row, name, type, coding in a part, unit and
/// meaning.
macro_rules! for_tally_columns {
    ($use:ident) => {
        $use! {
            key "key" u64 Delta "key" "64-bit key of the position";
            lock "lock" u32 Plain "key" "second, independent key of the position";
            played "move" u16 Delta "move code" "move played; 0 = the game ended here or at the ply limit";
            mover "mover" u8 Delta "side" "side to move: 0 first, 1 second";
            games "games" u64 Delta "games" "games counted, unknown results included";
            first_wins "first_wins" u64 Delta "games" "games won by the first side";
            draws "draws" u64 Delta "games" "games drawn";
            second_wins "second_wins" u64 Delta "games" "games won by the second side";
            ply "ply" u16 Delta "plies" "smallest ply at which the position was seen";
            rating_sum "rating_sum" u64 Delta "rating points" "sum of the mover's known ratings";
            rated "rated" u64 Delta "games" "games in which the mover's rating is known";
            year_min "year_min" u16 Delta "year" "earliest year; 0 = unknown";
            year_max "year_max" u16 Delta "year" "latest year; 0 = unknown";
            marks "marks" i64 Delta "marks" "annotation marks of the move, ‼ +3 … ⁇ −3, summed";
            sample "sample" u64 Plain "fingerprint" "the game with the highest mean rating; ties: the smaller";
            sample_rating "sample_rating" u16 Delta "rating points" "mean rating of that game";
            paired "paired" u64 Delta "games" "games with a known result and both ratings known";
            surplus "surplus" i64 Delta "1/100 game" "score of the first side in those less what the ratings promise";
        }
    };
}
pub(crate) use for_tally_columns;

/// Declares one row, owned columns and borrowed columns.
macro_rules! row_types {
    ($($name:ident $column:literal $type:ident $coding:ident $unit:literal $meaning:literal;)*) => {
        /// One row of a tally.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Row {
            $(#[doc = $meaning] pub $name: $type,)*
            /// The cell of the games, 0 where facets are not kept apart.
            pub cell: u16,
        }

        /// The columns of a tally, all of one length.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct Rows {
            $(#[doc = $meaning] pub $name: Vec<$type>,)*
            /// The cells of the games.
            pub cell: Vec<u16>,
        }

        /// The columns of a tally, borrowed.
        #[derive(Debug, Clone, Copy, Default)]
        pub struct RowsRef<'a> {
            $(#[doc = $meaning] pub $name: &'a [$type],)*
            /// The cells of the games; empty where all are 0.
            pub cell: &'a [u16],
        }

        impl Rows {
            /// Appends a row.
            pub fn push(&mut self, row: Row) {
                $(self.$name.push(row.$name);)*
                self.cell.push(row.cell);
            }

            /// Appends rows, column by column.
            pub fn extend(&mut self, rows: &[Row]) {
                $(self.$name.extend(rows.iter().map(|row| row.$name));)*
                self.cell.extend(rows.iter().map(|row| row.cell));
            }

            /// Returns the rows as a table of schema TALLY, with or without the column of cells.
            pub fn into_batch(self, with_cells: bool) -> Result<RecordBatch, ArrowError> {
                let mut columns = vec![$(($column, array::<<$type as Number>::Arrow>(self.$name)),)*];
                if with_cells {
                    columns.push(("cell", array::<UInt16Type>(self.cell)));
                }
                RecordBatch::try_from_iter_with_nullable(
                    columns.into_iter().map(|(name, values)| (name, values, false)),
                )
            }

            /// Makes room for `more` rows.
            pub fn reserve_exact(&mut self, more: usize) {
                $(self.$name.reserve_exact(more);)*
                self.cell.reserve_exact(more);
            }

            /// Returns the columns, borrowed.
            pub fn view(&self) -> RowsRef<'_> {
                RowsRef { $($name: &self.$name,)* cell: &self.cell }
            }
        }

        impl<'a> RowsRef<'a> {
            /// Returns the columns of a table of schema TALLY, with or without the column of cells.
            pub fn of(batch: &'a RecordBatch, with_cells: bool) -> Result<RowsRef<'a>, String> {
                let cell = if with_cells { numbers::<UInt16Type>("TALLY", batch, "cell")? } else { &[] };
                Ok(RowsRef { $($name: numbers::<<$type as Number>::Arrow>("TALLY", batch, $column)?,)* cell })
            }

            /// Returns row `index`.
            pub fn row(&self, index: usize) -> Row {
                Row { $($name: self.$name[index],)* cell: self.cell(index) }
            }
        }
    };
}

for_tally_columns!(row_types);

/// What a row counts: position, move and cell.
pub type Identity = (u64, u32, u16, u16);

impl Rows {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }
}

impl RowsRef<'_> {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    /// Returns what row `index` counts.
    pub fn identity(&self, index: usize) -> Identity {
        (self.key[index], self.lock[index], self.played[index], self.cell(index))
    }

    fn cell(&self, index: usize) -> u16 {
        self.cell.get(index).copied().unwrap_or(0)
    }

    /// Returns the first row that is out of order; `None` in a sorted table.
    pub fn disorder(&self) -> Option<usize> {
        (1..self.len()).find(|&index| self.identity(index - 1) >= self.identity(index))
    }
}

/// Returns the earlier of two years. 0, which is unknown, wraps to the largest, so that any known year is earlier.
#[inline]
pub(super) fn earlier(one: u16, two: u16) -> u16 {
    one.wrapping_sub(1).min(two.wrapping_sub(1)).wrapping_add(1)
}

impl Row {
    /// Returns what the row counts.
    pub fn identity(&self) -> Identity {
        (self.key, self.lock, self.played, self.cell)
    }

    /// Adds the counts of another row of the same position and move, whatever its cell. Commutative and associative.
    pub fn add(&mut self, other: &Row) {
        self.games += other.games;
        self.first_wins += other.first_wins;
        self.draws += other.draws;
        self.second_wins += other.second_wins;
        self.ply = self.ply.min(other.ply);
        self.rating_sum += other.rating_sum;
        self.rated += other.rated;
        self.year_min = earlier(self.year_min, other.year_min);
        self.year_max = self.year_max.max(other.year_max);
        self.marks += other.marks;
        self.offer_sample(other.sample, other.sample_rating);
        self.paired += other.paired;
        self.surplus += other.surplus;
    }

    /// Takes a game as the sample if its mean rating is higher, or equal and its fingerprint smaller.
    pub fn offer_sample(&mut self, fingerprint: u64, rating: u16) {
        let is_better =
            rating > self.sample_rating || rating == self.sample_rating && fingerprint < self.sample;
        if is_better {
            (self.sample, self.sample_rating) = (fingerprint, rating);
        }
    }
}
