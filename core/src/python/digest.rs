//! Digests of files, by which two of the same content are known. A path in, size and BLAKE3 digest out.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use blake3::Hasher;
use pyo3::prelude::*;

/// Bytes read at a time: few calls, and still in the cache when they are hashed.
const CHUNK_BYTES: usize = 1 << 18;

/// Returns a file's size and the hexadecimal BLAKE3 digest of its bytes.
#[pyfunction]
pub fn file_digest(py: Python<'_>, path: PathBuf) -> PyResult<(u64, String)> {
    Ok(py.detach(|| digest(&path))?)
}

fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hasher = Hasher::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok((hasher.count(), hasher.finalize().to_hex().to_string())),
            Ok(count) => {
                hasher.update(&chunk[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
