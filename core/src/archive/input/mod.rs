//! Reads paths: opens containers, decompresses streams, detects their content and cuts it into blocks.
//!
//! | file | step |
//! |---|---|
//! | `container`, `streams` | directories, tar, zip, 7z: paths → named byte streams |
//! | `digest` | what is read of a file → what its content is known by |
//! | `compression` | gzip, bzip2, xz, zstd: byte stream → byte stream |
//! | `detect` | first bytes and name → what a stream holds |
//! | `download` | games as JSON, in a table or in format WXF → PGN |
//! | `container/database` | the files of a ChessBase or Scid database → blocks |

pub(super) mod compression;
pub(super) mod container;
pub(super) mod detect;
pub(super) mod digest;
mod download;
pub(super) mod streams;
