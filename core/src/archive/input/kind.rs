//! Kinds of content.

use super::compression::Codec;
use crate::archive::Format;

/// What a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Empty,
    Compressed(Codec),
    Tar,
    Zip,
    SevenZ,
    Pgn,
    XiangqiPgn,
    /// The main file of a ChessBase database, whose other files lie beside it.
    ChessBase,
    /// The index of a Scid database, whose other files lie beside it.
    Scid,
    /// A file that is read as a whole.
    Whole(Format),
    /// Something else: what it looks like.
    Foreign(&'static str),
}
