//! The core of bookbuilder: everything that happens per byte, per move and per node.
//!
//! The rooms from the ground up; each uses only rooms above it in this list:
//!
//! - [`game`]: traits and types of both games; `disk`: files that appear whole or not at all;
//!   `sums`: checksums of the blocks of a file; `columns`: columns of Arrow; `named`: enums with names
//! - [`chess`], [`xiangqi`]: rules, keys and notations; [`history`]: repetition over a line of moves; [`graph`]: the
//!   positions that the moves of a tally lead to, and [`walks`] along them
//! - [`archive`]: files → games; [`evaluate`]: positions → scores; [`book`]: the clustered book file
//! - [`filter`]: which games count; [`endgame`]: endgame tables
//! - [`replay`]: a game → observations; [`search`]: the best move
//! - [`tally`]: observations → counts; [`write`]: games → archives; [`protocol`]: UCI and UCCI
//! - [`store`]: counts on disk; [`collection`]: list, convert, split and sample archives
//! - `python`: the module `bookbuilder._core`. No other room knows Python.

pub mod archive;
pub mod book;
pub mod chess;
pub mod collection;
mod columns;
mod disk;
pub mod endgame;
pub mod evaluate;
pub mod filter;
pub mod game;
pub mod graph;
pub mod history;
mod named;
pub mod protocol;
#[cfg(feature = "python")]
pub mod python;
pub mod replay;
pub mod search;
pub mod store;
mod sums;
pub mod tally;
pub mod walks;
pub mod write;
pub mod xiangqi;
