//! Reads paths: opens containers, decompresses streams, detects their content and cuts it into blocks.
//!
//! | file | step |
//! |---|---|
//! | `container`, `streams` | directories, tar, zip, 7z: paths → named byte streams |
//! | `digest` | what is read of a file → what its content is known by |
//! | `compression` | gzip, bzip2, xz, zstd: byte stream → byte stream |
//! | `sniff`, `kind` | first bytes and name → what a stream holds |
//! | `chessbase` | the files of a ChessBase database → blocks |
//! | `scid` | the files of a Scid database → blocks |
//! | `sisters` | files that lie next to each other under one name |
//! | `signatures` | the same for xiangqi formats that are read as a whole |

mod chessbase;
pub(super) mod compression;
pub(super) mod container;
pub(super) mod digest;
mod kind;
mod scid;
mod signatures;
mod sisters;
pub(super) mod sniff;
pub(super) mod streams;
