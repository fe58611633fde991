//! Why a filter was not understood.

use thiserror::Error;

/// Why a filter was refused: it has no meaning.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{filter} \"{text}\": expected {expected}")]
pub struct FilterError {
    /// The filter, as the command line names it.
    pub filter: &'static str,
    /// The text as given.
    pub text: String,
    /// What was expected, in words.
    pub expected: String,
}
