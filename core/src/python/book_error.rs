//! Errors of books as Python exceptions.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;

use crate::book::BookError;

mod class {
    pyo3::import_exception!(bookbuilder.errors, BookError);
}

impl From<BookError> for PyErr {
    fn from(error: BookError) -> PyErr {
        match error {
            BookError::Io { path, source } => system(&path, &source),
            BookError::Interrupted { .. } => PyKeyboardInterrupt::new_err(error.to_string()),
            BookError::Refused { .. } | BookError::Unwritable { .. } => {
                class::BookError::new_err(error.to_string())
            }
        }
    }
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

/// Asks Python for signals while a long call runs without the GIL, and keeps the exception that one raised.
#[derive(Default)]
pub struct Signals(Mutex<Option<PyErr>>);

impl Signals {
    /// Returns `Break` once a signal handler has raised.
    pub fn ask(&self) -> ControlFlow<()> {
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).replace(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Returns the exception of the handler, if one raised, else that of `error`.
    pub fn or(self, error: BookError) -> PyErr {
        self.raised().unwrap_or_else(|| error.into())
    }

    /// Returns the exception of the handler, if one raised.
    pub fn raised(self) -> Option<PyErr> {
        self.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
