//! Errors of archives. Each variant names the place; [`ArchiveError::code`] is its stable name.

use std::io;

use thiserror::Error;

/// Why an archive, or a member of one, could not be read or not to its end. Each begins with the place: path, and member
/// if any.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Nothing exists at the path.
    #[error("{0}: no such file or directory")]
    Missing(String),
    /// The system refused to open, list or read it, and why.
    #[error("{0}: cannot be read: {1}")]
    Unreadable(String, io::Error),
    /// Neither a file nor a directory, such as a socket or a link inside a tar: what it is.
    #[error("{0}: {1}, not a file")]
    Special(String, &'static str),
    /// A file of no bytes, or a directory or container without files.
    #[error("{0}: is empty; expected an archive of games")]
    Empty(String),
    /// The content is of another kind: what it looks like.
    #[error("{0}: holds {1}; expected games, such as PGN, a ChessBase or Scid database, XQF or CBL")]
    Foreign(String, &'static str),
    /// Compressed data or a container end in the middle: its format, and the decompressed bytes before the end. Games
    /// before it were delivered.
    #[error("{0}: truncated: the {1} data end early, after {2} bytes of content")]
    Truncated(String, &'static str, u64),
    /// Compressed data or a container contradict their format: the format, the decompressed bytes before the damage, and
    /// what the decoder said. Games before it were delivered.
    #[error("{0}: damaged {1} data after {2} bytes of content: {3}")]
    Damaged(String, &'static str, u64, String),
    /// Compressed data become more bytes than the limit for the whole file; then the decompressed bytes of the member that
    /// were read. Games before that were delivered.
    #[error(
        "{0}: inflates to more than the limit of {1} bytes, read no further than byte {2} of content; if this \
         is no decompression bomb, decompress it yourself"
    )]
    MaxInflate(String, u64, u64),
    /// A member of a zip or 7z file is encrypted.
    #[error("{0}: is encrypted; expected a member without password")]
    Encrypted(String),
    /// A member of a zip or 7z file is compressed by a method that is not supported, as the library names it; then those
    /// that are.
    #[error("{0}: compression method {1} is not supported; expected {2}")]
    Method(String, String, &'static str),
    /// Something that must fit into memory, at an offset in the decompressed member, is larger than its bound in bytes.
    #[error("{0}: {1} at byte {2} is larger than {3} bytes and is skipped")]
    TooLarge(String, &'static str, u64, usize),
    /// More containers and compressions than the bound lie in each other.
    #[error("{0}: more than {1} containers or compressions within each other")]
    TooDeep(String, usize),
}

impl ArchiveError {
    /// Returns the stable name of the variant, as reports and JSON have it.
    pub const fn code(&self) -> &'static str {
        match self {
            ArchiveError::Missing(..) => "missing",
            ArchiveError::Unreadable(..) => "unreadable",
            ArchiveError::Special(..) => "special",
            ArchiveError::Empty(..) => "empty",
            ArchiveError::Foreign(..) => "foreign",
            ArchiveError::Truncated(..) => "truncated",
            ArchiveError::Damaged(..) => "damaged",
            ArchiveError::MaxInflate(..) => "max-inflate",
            ArchiveError::Encrypted(..) => "encrypted",
            ArchiveError::Method(..) => "method",
            ArchiveError::TooLarge(..) => "too-large",
            ArchiveError::TooDeep(..) => "too-deep",
        }
    }

    /// Fails with the first of these errors if there is one for each of the archives of a run and nothing was read
    /// before them: where anything could be read, they are reports.
    pub(crate) fn unless_some_were_read(
        unread: Vec<ArchiveError>,
        archives: usize,
        has_read: bool,
    ) -> Result<(), ArchiveError> {
        let is_all = unread.len() == archives && !has_read;
        unread.into_iter().next().filter(|_| is_all).map_or(Ok(()), Err)
    }

    pub(super) fn from_open(place: String, source: io::Error) -> ArchiveError {
        match source.kind() {
            io::ErrorKind::NotFound => ArchiveError::Missing(place),
            _ => ArchiveError::from_read(place, 0, source),
        }
    }

    /// Returns the error of reading a stream, by the layer that raised it.
    pub(super) fn from_read(place: String, offset: u64, source: io::Error) -> ArchiveError {
        match source.get_ref().and_then(|inner| inner.downcast_ref::<LayerError>()) {
            Some(LayerError { layer, truncated: true, .. }) => ArchiveError::Truncated(place, layer, offset),
            Some(LayerError { layer, message, .. }) => {
                ArchiveError::Damaged(place, layer, offset, message.clone())
            }
            None => ArchiveError::Unreadable(place, source),
        }
    }
}

/// An error of a decoder, wrapped in [`io::Error`] on its way through other layers.
#[derive(Debug, Error)]
#[error("{layer}: {message}")]
pub(super) struct LayerError {
    layer: &'static str,
    truncated: bool,
    message: String,
}

impl LayerError {
    /// Names the layer of a decoder's error. Errors from the system or from a layer further out pass unchanged.
    pub(super) fn wrap(layer: &'static str, error: io::Error) -> io::Error {
        let from_outside = error.raw_os_error().is_some()
            || error.get_ref().is_some_and(|inner| inner.is::<LayerError>())
            || error.kind() == io::ErrorKind::Interrupted;
        if from_outside {
            return error;
        }
        let truncated = error.kind() == io::ErrorKind::UnexpectedEof;
        io::Error::new(error.kind(), LayerError { layer, truncated, message: error.to_string() })
    }

    pub(super) fn overdrawn(layer: &'static str) -> io::Error {
        LayerError::wrap(layer, io::Error::other("more content than allowed"))
    }

    pub(super) fn truncated(layer: &'static str) -> io::Error {
        LayerError::wrap(layer, io::ErrorKind::UnexpectedEof.into())
    }
}
