//! The clustered book: write, map, probe and verify a file of positions.
//!
//! [`layout`] documents the file, [`write()`] writes one from sorted columns, [`Book`] maps, probes and verifies it.
//! [`record`] documents the word of a 12-byte record. Positions are given as (key, lock). Only [`Scheme::of`], which
//! takes the fingerprint of a game's keys, and [`mod@walk`], which lists the lines of a book, play moves.

mod error;
pub mod layout;
pub(crate) mod map;
mod probe;
pub mod record;
mod scheme;
mod sums;
mod verify;
mod view;
pub mod walk;
mod write;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

pub use error::BookError;
pub use layout::Column;
pub use map::Book;
pub use scheme::Scheme;
pub use write::{Options, Rows, write};

/// Called at least every [`BLOCK`] records of a long call: `Break` ends it with [`BookError::Interrupted`].
pub type GoOn<'a> = &'a (dyn Fn() -> ControlFlow<()> + 'a);

/// Records between two calls of a [`GoOn`]: some milliseconds of work. Not tuned.
pub const BLOCK: usize = 1 << 16;

/// A [`GoOn`] that never interrupts.
pub const fn always() -> ControlFlow<()> {
    ControlFlow::Continue(())
}
