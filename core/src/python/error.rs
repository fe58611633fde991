//! Turns native errors into Python exceptions. The classes are defined in `bookbuilder/errors.py`, where their tree is
//! drawn; each native error has its own.

use pyo3::PyErr;
use pyo3::exceptions::PyKeyboardInterrupt;

use crate::archive::ArchiveError;
use crate::collection::CollectionError;
use crate::game;
use crate::tally;

/// The Python classes.
mod class {
    use pyo3::import_exception;

    import_exception!(bookbuilder.errors, ArchiveError);
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

impl From<game::FenError> for PyErr {
    fn from(error: game::FenError) -> PyErr {
        class::FenError::new_err(error.to_string())
    }
}

impl From<game::MoveError> for PyErr {
    fn from(error: game::MoveError) -> PyErr {
        class::MoveError::new_err(error.to_string())
    }
}

impl From<ArchiveError> for PyErr {
    fn from(error: ArchiveError) -> PyErr {
        class::ArchiveError::new_err(error.to_string())
    }
}

impl From<tally::TallyError> for PyErr {
    fn from(error: tally::TallyError) -> PyErr {
        match error {
            tally::TallyError::Archive(error) => error.into(),
            tally::TallyError::Stopped => PyKeyboardInterrupt::new_err(error.to_string()),
            tally::TallyError::Storage(error) => error.into(),
            tally::TallyError::Threads { .. } => usage(error.to_string()),
        }
    }
}

impl From<tally::StorageError> for PyErr {
    fn from(error: tally::StorageError) -> PyErr {
        match error {
            tally::StorageError::Stopped => PyKeyboardInterrupt::new_err(error.to_string()),
            tally::StorageError::Io { .. } | tally::StorageError::Damaged { .. } => {
                class::StoreError::new_err(error.to_string())
            }
        }
    }
}

impl From<CollectionError> for PyErr {
    fn from(error: CollectionError) -> PyErr {
        match error {
            CollectionError::Archive(error) => error.into(),
            CollectionError::Stopped => PyKeyboardInterrupt::new_err(error.to_string()),
            // Keeps the exception where Python's own callable raised it.
            CollectionError::Output(error) => error.into(),
            CollectionError::SecondGame { .. }
            | CollectionError::NotText { .. }
            | CollectionError::NotCopied { .. }
            | CollectionError::Threads { .. } => usage(error.to_string()),
        }
    }
}
