//! The output for games: one stream, a zip file or a directory.
//!
//! Equal games in equal order make equal bytes: zip members carry no time. A directory is written in place; whoever
//! asked for it gives it its final name when the run is over.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The place that a run writes to.
pub enum Target<W: Write> {
    /// All games behind each other.
    Stream(W),
    /// One game.
    Single(W),
    /// A zip file with a member for each game.
    Zip(Box<ZipWriter<StreamWriter<W>>>),
    /// A directory with a file for each game.
    Directory(PathBuf),
}

impl<W: Write> Target<W> {
    /// Returns a zip file that goes to `out`.
    pub fn zip(out: W) -> Target<W> {
        Target::Zip(Box::new(ZipWriter::new_stream(out)))
    }

    /// Whether each game gets a file, and so a name.
    pub(super) fn has_names(&self) -> bool {
        matches!(self, Target::Zip(_) | Target::Directory(_))
    }

    /// Writes bytes: behind those before, or as a file of that name.
    pub(super) fn put(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        match self {
            Target::Stream(out) | Target::Single(out) => out.write_all(bytes),
            Target::Zip(zip) => {
                let options = SimpleFileOptions::default()
                    .compression_method(CompressionMethod::Deflated)
                    .last_modified_time(DateTime::DEFAULT);
                zip.start_file(name, options)?;
                zip.write_all(bytes)
            }
            Target::Directory(directory) => fs::write(directory.join(name), bytes),
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Target::Stream(mut out) | Target::Single(mut out) => out.flush(),
            Target::Zip(zip) => zip.finish()?.into_inner().flush(),
            Target::Directory(_) => Ok(()),
        }
    }
}
