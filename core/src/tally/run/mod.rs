//! A run over archives, which gives batches of rows, games and rejects.
//!
//! | file | step |
//! |---|---|
//! | `options` | the options of a run, its progress, and its errors |
//! | `cutting` | archives → blocks |
//! | `worker` | block → observations, games and rejects |
//! | `openings` | the first plies of many games → rows, without meeting each ply again |
//! | `duplicates` | games → which of them are copies |
//! | `batches` | all of it, on several threads and in bounded memory |

pub(super) mod batches;
pub(super) mod cutting;
pub(super) mod duplicates;
mod openings;
pub(super) mod options;
pub(super) mod worker;
