//! A run: archives in, batches of rows, games and rejects out.
//!
//! | file | step |
//! |---|---|
//! | `options`, `progress`, `error` | what a run is asked for, how far it is, and why it ended |
//! | `cutting`, `parting` | archives → blocks, and the places at which they can be parted between runs |
//! | `worker` | block → observations, games and rejects |
//! | `openings` | the first plies of many games → rows, without meeting each ply again |
//! | `duplicates` | games → which of them are copies |
//! | `batches` | all of it, in bounded memory |

pub(super) mod batches;
mod crew;
pub(super) mod cutting;
pub(super) mod duplicates;
pub(super) mod error;
mod openings;
pub(super) mod options;
pub(super) mod parting;
pub(super) mod progress;
pub(super) mod worker;
