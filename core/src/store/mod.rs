//! The Parquet parts of a tally store: merges runs and parts into parts, and looks up positions.
//!
//! | file | step |
//! |---|---|
//! | `columns` | the columns of TALLY as Parquet has them; rows of a row group, turned into columns |
//! | `part` | sorted rows → a part with checksums, and its summary for the manifest |
//! | `reader` | a part → its rows |
//! | `games` | games → a part of GAMES, and back |
//! | `reduce` | runs and parts of one range of keys → one part; rows of cells → their sums |
//! | `lookup` | a part and a position → its rows, reading one page of each column |
//!
//! The same rows give the same bytes. Python writes and reads the manifest of a store.

mod columns;
mod games;
mod lookup;
mod part;
mod reader;
mod reduce;

#[cfg(test)]
mod tests;

pub use columns::{Checksums, PartSummary};
pub use games::GamesPart;
pub use lookup::{PartLookup, Reach};
pub use part::PartWriter;
pub use reader::{PartGroups, PartRows};
pub use reduce::{
    RowInput, check_part, count_rows, frequent_rows, holds_row, merge_runs, reduce_games, reduce_rows,
    sum_cells,
};
