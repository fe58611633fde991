//! The clustered book: selected positions in, a file and its probe out. Layout in [`record`] and the design.

pub mod record;
