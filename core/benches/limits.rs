//! The least that counting an archive could cost, one job a process, to hold ours against.
//!
//! ```text
//! cargo bench --bench limits -- replay FILE [PLIES]    a bare pgn-reader and shakmaty replay of a PGN file
//! cargo bench --bench limits -- entries FILE           a .tar.gz inflated and its files read
//! ```
//!
//! Neither job keeps anything; each prints what it met as JSON, games and plies or files and bytes. Without a job nothing
//! is done.

mod bare;

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// Bytes read from the disk at a time.
const BUFFER: usize = 1 << 18;

fn replay(path: &str, limit: usize) -> io::Result<String> {
    let (games, plies) = bare::replay(Path::new(path), limit)?;
    Ok(format!(r#"{{"games": {games}, "plies": {plies}}}"#))
}

fn entries(path: &str) -> io::Result<String> {
    let (mut files, mut bytes) = (0, 0);
    let inflated = MultiGzDecoder::new(BufReader::with_capacity(BUFFER, File::open(path)?));
    for entry in tar::Archive::new(inflated).entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_file() {
            files += 1;
            bytes += io::copy(&mut entry, &mut io::sink())?;
        }
    }
    Ok(format!(r#"{{"files": {files}, "bytes": {bytes}}}"#))
}

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let met = match words[..] {
        [] => return Ok(()),
        ["replay", path] => replay(path, usize::MAX)?,
        ["replay", path, plies] => replay(path, plies.parse().map_err(io::Error::other)?)?,
        ["entries", path] => entries(path)?,
        _ => return Err(io::Error::other("expected: replay FILE [PLIES], or: entries FILE")),
    };
    println!("{met}");
    Ok(())
}
