//! The run file: one batch of a tally on disk until it is merged. Compact and checksummed.
//!
//! | part | content |
//! |---|---|
//! | magic | `BBRUN`, two zeros, version 2 |
//! | blocks | each of one kind, compressed by zstd: up to 4,096 rows; up to 1,024 games; rejects as lines of JSON; text of rejected games; figures as JSON |
//! | footer | the place after the batch; observations; of each block: kind, first and last key, items, offset, bytes, bytes when inflated, XXH3 |
//! | trailer, 24 bytes | offset of the footer, its XXH3, the magic |
//!
//! Rows are sorted, so the blocks of a key range lie together. A file appears whole, by rename, or not at all.
//!
//! A format of its own, since others were slower. The 12.5 million rows of the players archive (184,344 games) in 8 runs,
//! one thread, one process:
//!
//! | format | MB | write, CPU s | read and merge, CPU s |
//! |---|---|---|---|
//! | this one | 346 | 1.9 | 1.7 |
//! | Arrow IPC, zstd, batches of 16,384 rows | 346 | 2.9 | 1.6 |
//! | Arrow IPC, zstd, batches of 4,096 rows | 366 | 3.4 | 1.9 |
//! | Arrow IPC, not compressed | 1,114 | 1.4 | 1.0 |
//! | Parquet as parts have it, row groups of 16,384 rows | 348 | 6.8 | 2.9 |
//!
//! Counting itself takes 4.1 s of CPU there. Memory differs by less than 20 MiB.

mod coding;
mod footer;
pub(super) mod games_coding;
pub(super) mod reader;
pub(super) mod report;
mod rows_coding;
pub(super) mod storage;
pub(super) mod writer;

pub use footer::{Kind, footer_start};
