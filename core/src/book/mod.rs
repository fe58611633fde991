//! The clustered book: selected positions in, a memory-mapped file and its probe out.
//!
//! [`layout`] draws the file, [`write()`] makes one from sorted columns, [`Book`] maps, probes and verifies it.
//! [`record`] holds the 12-byte record's word. Positions arrive as (key, lock); nothing here plays a move except
//! [`Scheme::of`], which takes the fingerprint of a game's keys, and [`mod@walk`], which tells a book's lines.

mod error;
pub mod layout;
pub(crate) mod map;
mod probe;
pub mod record;
mod scheme;
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

/// Asked at least every [`BLOCK`] records of a long call: `Break` ends the call with [`BookError::Interrupted`].
pub type GoOn<'a> = &'a (dyn Fn() -> ControlFlow<()> + 'a);

/// Records handled between two questions to a [`GoOn`]; some milliseconds of work. Chosen; not tuned.
pub const BLOCK: usize = 1 << 16;

/// The answer of a caller that never interrupts.
pub const fn always() -> ControlFlow<()> {
    ControlFlow::Continue(())
}
