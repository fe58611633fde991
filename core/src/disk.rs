//! A file that appears whole or not at all: written beside its target, synced, then renamed over it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;

/// A file being written; it is deleted when dropped before [`Draft::publish`].
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    target: PathBuf,
    is_published: bool,
}

impl Draft {
    /// Creates an empty file with a name of its own in the folder of `target`.
    ///
    /// A rename is atomic within one file system only, so the folder is the target's.
    pub fn beside(target: &Path) -> io::Result<Draft> {
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(ErrorKind::IsADirectory, "not the name of a file"));
        };
        if target.is_dir() {
            return Err(io::Error::from(ErrorKind::IsADirectory));
        }
        for attempt in 0u32.. {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{attempt}.partial", process::id()));
            let path = target.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => return Ok(Draft { file, path, target: target.to_owned(), is_published: false }),
            }
        }
        Err(io::Error::from(ErrorKind::AlreadyExists))
    }

    /// Returns the file to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Makes the written file the target, replacing what was there.
    pub fn publish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        self.is_published = true;
        sync_folder(&self.target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_published {
            // A leftover is only untidy, and the error that led here is the one to report.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Makes a rename durable: on Unix the folder is synced too. Other systems have no such call.
fn sync_folder(target: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
