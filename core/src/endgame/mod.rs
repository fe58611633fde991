//! Endgame tables by retrograde analysis, for both games.
//!
//! [`material`] names the men. A [`Space`] numbers their positions and generates moves (`chess`, `xiangqi`). [`solve`]
//! computes every value, [`stats`] counts them, [`file`] stores tables on disk. [`build`](build::build) does all of
//! this for a folder. [`Endgames`] looks positions up; `cache` keeps unpacked blocks.

pub mod build;
mod chess;
mod error;
pub mod file;
mod gapless;
pub mod material;
mod probe;
mod solve;
mod space;
pub mod stats;
mod value;
mod xiangqi;

pub use chess::ChessSpace;
pub use error::EndgameError;
pub use file::TableFile;
pub use material::{Material, Men, Reached, Target};
pub use probe::{Endgames, Ranked, Worth};
pub use solve::{Mismatch, Solver, Table, solve};
pub use space::{Board, Indexed, Orbit, Roster, Space, Tabled, Turn};
pub use value::{Irreversible, Metric, Value};
pub use xiangqi::XiangqiSpace;

#[cfg(test)]
mod tests;
