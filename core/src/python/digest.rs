//! Digests of files, which identify their content.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::archive::Digest;

/// Returns a file's size and the hexadecimal BLAKE3 digest of its bytes.
#[pyfunction]
pub fn file_digest(py: Python<'_>, path: PathBuf) -> PyResult<(u64, String)> {
    let Digest { size, blake3 } = py.detach(|| Digest::of(&path))?;
    Ok((size, blake3))
}
