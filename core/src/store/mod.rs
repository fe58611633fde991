//! The Parquet parts of a tally store: merges runs and parts into parts, and looks up positions.
//!
//! | file | step |
//! |---|---|
//! | `columns` | the columns of TALLY as Parquet has them |
//! | `group` | the rows of a row group, turned into columns |
//! | `packed` | the columns of a row group, packed on several threads |
//! | `part` | sorted rows → a part |
//! | `summary` | what a part holds, for the manifest |
//! | `reader` | a part → its rows |
//! | `games` | games → a part of GAMES, and back |
//! | `reduce` | runs and parts of one range of keys → one part |
//! | `cells` | rows of which cells are kept apart → their sums |
//! | `sums` | checksums of a part, written with it |
//! | `file` | a part as a file, compared with its checksums as it is read |
//! | `shape` | the offsets and lengths of a footer, checked before they are used |
//! | `lookup` | a part and a position → its rows, reading one page of each column |
//!
//! The same rows give the same bytes. Python writes and reads the manifest of a store.

mod cells;
mod columns;
mod file;
mod games;
mod group;
mod lookup;
mod packed;
mod part;
mod reader;
mod reduce;
mod shape;
mod summary;
mod sums;

#[cfg(test)]
mod tests;

pub use cells::sum_cells;
pub use games::GamesPart;
pub use lookup::{PartLookup, Reach};
pub use part::PartWriter;
pub use reader::{PartGroups, PartRows};
pub use reduce::{
    RowInput, check_part, count_rows, frequent_rows, holds_row, merge_runs, reduce_games, reduce_rows,
};
pub use summary::PartSummary;
