//! Errors of archives. Each variant names the place; [`ArchiveError::code`] is its stable name.

use std::io;

use thiserror::Error;

/// Why an archive, or a member of one, could not be read or not to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Nothing exists at the path.
    #[error("{place}: no such file or directory")]
    Missing {
        /// Path, and member if any.
        place: String,
    },
    /// The system refused to open, list or read it.
    #[error("{place}: cannot be read: {source}")]
    Unreadable {
        /// Path, and member if any.
        place: String,
        /// What the system said.
        source: io::Error,
    },
    /// Neither a file nor a directory, such as a socket or a link inside a tar.
    #[error("{place}: {found}, not a file")]
    Special {
        /// Path, and member if any.
        place: String,
        /// What it is.
        found: &'static str,
    },
    /// A file of no bytes, or a directory or container without files.
    #[error("{place}: is empty; expected an archive of games")]
    Empty {
        /// Path, and member if any.
        place: String,
    },
    /// The content is of another kind.
    #[error("{place}: holds {found}; expected games, such as PGN, a ChessBase or Scid database, XQF or CBL")]
    Foreign {
        /// Path, and member if any.
        place: String,
        /// What the content looks like.
        found: &'static str,
    },
    /// Compressed data or a container end in the middle. Games before the end were delivered.
    #[error("{place}: truncated: the {layer} data end early, after {offset} bytes of content")]
    Truncated {
        /// Path, and member if any.
        place: String,
        /// The compression or container.
        layer: &'static str,
        /// Decompressed bytes that were read before the end.
        offset: u64,
    },
    /// Compressed data or a container contradict their format. Games before that were delivered.
    #[error("{place}: damaged {layer} data after {offset} bytes of content: {message}")]
    Damaged {
        /// Path, and member if any.
        place: String,
        /// The compression or container.
        layer: &'static str,
        /// Decompressed bytes that were read before the damage.
        offset: u64,
        /// What the decoder said.
        message: String,
    },
    /// Compressed data become more than was allowed. Games before that were delivered.
    #[error(
        "{place}: inflates to more than the limit of {limit} bytes, read no further than byte {offset} of content; if this \
         is no decompression bomb, decompress it yourself"
    )]
    MaxInflate {
        /// Path, and member if any.
        place: String,
        /// The bound on all that the file's compressed data become, in bytes.
        limit: u64,
        /// Decompressed bytes of the member that were read before.
        offset: u64,
    },
    /// A member of a zip or 7z file is encrypted.
    #[error("{place}: is encrypted; expected a member without password")]
    Encrypted {
        /// Path and member.
        place: String,
    },
    /// A member of a zip or 7z file is compressed in a way that is not supported.
    #[error("{place}: compression method {method} is not supported; expected {expected}")]
    Method {
        /// Path and member.
        place: String,
        /// The method, as the library names it.
        method: String,
        /// The methods that are.
        expected: &'static str,
    },
    /// Something that must fit into memory is larger than its bound.
    #[error("{place}: {what} at byte {offset} is larger than {limit} bytes and is skipped")]
    TooLarge {
        /// Path, and member if any.
        place: String,
        /// What is too large.
        what: &'static str,
        /// Where it starts in the decompressed member.
        offset: u64,
        /// The bound, in bytes.
        limit: usize,
    },
    /// Containers and compressions lie in each other too deeply.
    #[error("{place}: more than {limit} containers or compressions within each other")]
    TooDeep {
        /// Path, and member if any.
        place: String,
        /// The bound.
        limit: usize,
    },
}

impl ArchiveError {
    /// Returns the stable name of the variant, as reports and JSON have it.
    pub const fn code(&self) -> &'static str {
        match self {
            ArchiveError::Missing { .. } => "missing",
            ArchiveError::Unreadable { .. } => "unreadable",
            ArchiveError::Special { .. } => "special",
            ArchiveError::Empty { .. } => "empty",
            ArchiveError::Foreign { .. } => "foreign",
            ArchiveError::Truncated { .. } => "truncated",
            ArchiveError::Damaged { .. } => "damaged",
            ArchiveError::MaxInflate { .. } => "max-inflate",
            ArchiveError::Encrypted { .. } => "encrypted",
            ArchiveError::Method { .. } => "method",
            ArchiveError::TooLarge { .. } => "too-large",
            ArchiveError::TooDeep { .. } => "too-deep",
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

    /// Returns the error of opening or listing something.
    pub(super) fn from_open(place: String, source: io::Error) -> ArchiveError {
        match source.kind() {
            io::ErrorKind::NotFound => ArchiveError::Missing { place },
            _ => ArchiveError::from_read(place, 0, source),
        }
    }

    /// Returns the error of reading a stream, by the layer that raised it.
    pub(super) fn from_read(place: String, offset: u64, source: io::Error) -> ArchiveError {
        match source.get_ref().and_then(|inner| inner.downcast_ref::<LayerError>()) {
            Some(LayerError { layer, truncated: true, .. }) => {
                ArchiveError::Truncated { place, layer, offset }
            }
            Some(LayerError { layer, message, .. }) => {
                ArchiveError::Damaged { place, layer, offset, message: message.clone() }
            }
            None => ArchiveError::Unreadable { place, source },
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

    /// Returns the error of data that exceed their budget.
    pub(super) fn overdrawn(layer: &'static str) -> io::Error {
        LayerError::wrap(layer, io::Error::other("more content than allowed"))
    }

    /// Returns the error of data that end early.
    pub(super) fn truncated(layer: &'static str) -> io::Error {
        LayerError::wrap(layer, io::ErrorKind::UnexpectedEof.into())
    }
}
