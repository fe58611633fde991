//! Turns native errors into Python exceptions. The classes are defined in `bookbuilder/errors.py`, where their tree is
//! drawn; each native error has its own.

use std::io;
use std::path::Path;

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt as Interrupt, PyOSError};

use crate::archive::ArchiveError;
use crate::book::BookError;
use crate::collection::CollectionError;
use crate::endgame::EndgameError;
use crate::game::{FenError, MoveError};
use crate::graph::GraphError;
use crate::tally::{StorageError, TallyError};

/// The Python classes.
mod class {
    use pyo3::import_exception;

    import_exception!(bookbuilder.errors, ArchiveError);
    import_exception!(bookbuilder.errors, BookError);
    import_exception!(bookbuilder.errors, EndgameError);
    import_exception!(bookbuilder.errors, FenError);
    import_exception!(bookbuilder.errors, MoveError);
    import_exception!(bookbuilder.errors, OptionError);
    import_exception!(bookbuilder.errors, SchemaError);
    import_exception!(bookbuilder.errors, StoreError);
}

/// A request that makes no sense.
pub fn usage(message: String) -> PyErr {
    class::OptionError::new_err(message)
}

/// A table that does not follow its schema.
pub fn schema(message: String) -> PyErr {
    class::SchemaError::new_err(message)
}

/// Declares how each native error becomes an exception.
macro_rules! raised {
    ($($native:ty => |$error:ident| $raised:expr;)*) => {
        $(impl From<$native> for PyErr {
            fn from($error: $native) -> PyErr {
                $raised
            }
        })*
    };
}

raised! {
    ArchiveError => |error| class::ArchiveError::new_err(error.to_string());
    FenError => |error| class::FenError::new_err(error.to_string());
    MoveError => |error| class::MoveError::new_err(error.to_string());
    BookError => |error| match error {
        BookError::Io { path, source } => system(&path, &source),
        BookError::Interrupted { .. } => Interrupt::new_err(error.to_string()),
        BookError::Refused { .. } | BookError::Unwritable { .. } => class::BookError::new_err(error.to_string()),
    };
    CollectionError => |error| match error {
        CollectionError::Archive(error) => error.into(),
        CollectionError::Stopped => Interrupt::new_err(error.to_string()),
        // Keeps the exception where Python's own callable raised it.
        CollectionError::Output(error) => error.into(),
        _ => usage(error.to_string()),
    };
    EndgameError => |error| match error {
        EndgameError::Io(path, source) => system(&path, &source),
        EndgameError::Stopped => Interrupt::new_err(error.to_string()),
        EndgameError::Metric(..) => usage(error.to_string()),
        _ => class::EndgameError::new_err(error.to_string()),
    };
    GraphError => |error| match error {
        GraphError::Illegal { .. } => schema(error.to_string()),
        GraphError::TooLarge { .. } | GraphError::Unknown { .. } => usage(error.to_string()),
        GraphError::Interrupted => Interrupt::new_err(error.to_string()),
    };
    StorageError => |error| match error {
        StorageError::Stopped => Interrupt::new_err(error.to_string()),
        _ => class::StoreError::new_err(error.to_string()),
    };
    TallyError => |error| match error {
        TallyError::Archive(error) => error.into(),
        TallyError::Storage(error) => error.into(),
        TallyError::Stopped => Interrupt::new_err(error.to_string()),
        TallyError::Threads { .. } => usage(error.to_string()),
    };
}

/// Returns the subclass of `OSError` that Python itself would raise: `OSError(errno, text, path)` chooses it.
pub(super) fn system(path: &Path, error: &io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(code) => {
            let text = error.to_string();
            // Python writes the number itself.
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((code, text, path.as_os_str().to_owned()))
        }
        None => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
    }
}
