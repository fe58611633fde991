//! The core of bookbuilder: archives of games in, a clustered opening book and a search that plays from it out.
//!
//! The rooms, in the order in which data flows: [`game`] (shared words), `disk` (files that appear whole), [`chess`] and [`xiangqi`] (rules),
//! [`archive`] (files → games), [`filter`] (which of them), `replay` (games → observations), `tally` (observations →
//! counts), [`store`] (counts on disk), [`graph`] (where the moves of a tally lead), [`book`] (the clustered file),
//! [`history`], [`evaluate`] and [`search`] (the bundled engine), [`protocol`] (the engine at the end of a pipe); beside
//! the flow [`endgame`] (tables by retrograde analysis), [`write`] (games → archives) and [`collection`] (what is done
//! to whole archives without counting). A room uses only rooms before it. Python enters through `python`, which nothing
//! else knows.

pub mod archive;
pub mod book;
pub mod chess;
pub mod collection;
mod disk;
pub mod endgame;
pub mod evaluate;
pub mod filter;
pub mod game;
pub mod graph;
pub mod history;
pub mod protocol;
#[cfg(feature = "python")]
pub mod python;
pub mod replay;
pub mod search;
pub mod store;
pub mod tally;
pub mod write;
pub mod xiangqi;
