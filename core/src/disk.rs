//! Atomic writes: a file is written under a hidden name, synced, then renamed to its target. A power loss takes what is
//! not synced, names in folders too.
//!
//! Drafts are named as in `bookbuilder/disk.py`: `.tmp-PROCESS-NAME`.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Bytes gathered before the operating system is asked to write; chosen, not tuned.
const BUFFER_BYTES: usize = 1 << 20;
/// Bytes of a file's name that common file systems take.
const LONGEST_NAME: usize = 255;

/// A file being written. It becomes the target with [`Draft::publish`], and is deleted when dropped before.
#[derive(Debug)]
pub struct Draft {
    file: BufWriter<File>,
    path: PathBuf,
    target: PathBuf,
    is_published: bool,
}

impl Draft {
    /// Creates an empty draft in the folder of `target`: a rename is atomic within one file system only.
    pub fn of(target: &Path) -> io::Result<Draft> {
        // A link is followed. A device or a pipe must not be replaced by a file.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let Some(name) = target.file_name().filter(|_| !target.is_dir()) else {
            return Err(io::Error::from(ErrorKind::IsADirectory));
        };
        if target.exists() && !target.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "is not a regular file"));
        }
        let mut path = target.with_file_name(name);
        // Another thread may be writing the same target: each gets its own draft.
        let file = loop {
            let mut hidden = OsString::from(format!(".tmp-{}-", process::id()));
            hidden.push(path.file_name().unwrap_or(name));
            path.set_file_name(shortened(hidden));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => break opened?,
            }
        };
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Draft { file, path, target, is_published: false })
    }

    /// Makes the written file the target, replacing an existing one.
    pub fn publish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.path, &self.target)?;
        self.is_published = true;
        sync_folder(&self.target)
    }
}

/// Cuts a name to the longest one that a file can have.
fn shortened(name: OsString) -> OsString {
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let mut text = name.to_string_lossy().into_owned();
    while text.len() > LONGEST_NAME {
        text.pop();
    }
    text.into()
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_published {
            // The error that led here is the one to report.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates a folder and its missing parents; a power loss does not take them. The folder may exist.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        create_folder(parent)?;
    }
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
        created => created?,
    }
    sync_folder(path)
}

/// Makes a new name in a folder durable: on Unix the folder is synced too. Other systems have no such call.
fn sync_folder(target: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// Fills `bytes` with what a file has at an offset. Other threads may read the same file.
#[cfg(unix)]
pub fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Fills `bytes` with what a file has at an offset. The position of the file moves, which nothing here relies on.
#[cfg(windows)]
pub fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], offset + done as u64) {
            Ok(0) => return Err(io::Error::from(ErrorKind::UnexpectedEof)),
            Ok(read) => done += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
