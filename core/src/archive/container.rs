//! The way from a path to blocks: directories, tar and zip files and compressions are opened, within each other too.
//!
//! In comes a path; out go [`Found`] items in an order that only depends on the content: directories are walked by
//! name, containers in their own order. What cannot be used is reported, never passed over in silence; only
//! directory entries of containers, which hold nothing, go without mention.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use encoding_rs::GB18030;
use walkdir::WalkDir;
use zip::ZipArchive;
use zip::result::ZipError;

use super::cut;
use super::error::LayerError;
use super::sniff::{Kind, Sniffed};
use super::streams::{Exactly, Layer, Metered};
use super::{ArchiveError, Block, Format};
use crate::game::GameId;

/// Most containers and compressions within each other: a compressed tar of zips of compressed files has four.
const MAX_LAYERS: usize = 6;

/// Largest zip file inside another container; it must be held in memory, since zip needs random access.
const MAX_INNER_ZIP_BYTES: usize = 256 << 20;

/// Something met while reading an archive.
#[derive(Debug)]
pub enum Found {
    /// Whole games, to be parsed.
    Block(Block),
    /// A member, or the rest of one, that is left out.
    Skipped {
        /// Name as in [`Block::member`].
        member: Option<Arc<str>>,
        /// Why.
        reason: ArchiveError,
    },
}

/// Reads the archive at `path` and hands over what it finds, in order, until `emit` breaks.
///
/// `progress` grows by the bytes read from disk, compressed as they are. Of a stream that breaks off in the middle the
/// whole games before are handed over first.
///
/// # Errors
/// Where `path` itself cannot be read, or not to its end. Members of containers and files in directories that cannot
/// be read come as [`Found::Skipped`], and reading goes on.
pub fn read_blocks(
    path: &Path,
    progress: &AtomicU64,
    emit: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    let place = Place { source: path.display().to_string().into(), member: None };
    let mut walk = Walk { progress, emit };
    let metadata = fs::metadata(path).map_err(|error| ArchiveError::from_open(place.to_string(), error))?;
    let step = if metadata.is_dir() { walk.directory(path, &place) } else { walk.file(path, &place) };
    step.map(|_| ())
}

/// Returns the game of the first block of the archive at `path`.
///
/// # Errors
/// As [`read_blocks`]; where nothing in it can be used, the error of the first member.
pub fn detect_game(path: &Path) -> Result<GameId, ArchiveError> {
    let mut game = None;
    let mut first_error = None;
    let read = read_blocks(path, &AtomicU64::new(0), &mut |found| match found {
        Found::Block(block) => {
            game = Some(block.format.game());
            ControlFlow::Break(())
        }
        Found::Skipped { reason, .. } => {
            first_error.get_or_insert(reason);
            ControlFlow::Continue(())
        }
    });
    match (game, first_error) {
        (Some(game), _) => Ok(game),
        (None, Some(error)) => Err(error),
        (None, None) => {
            read?;
            Err(ArchiveError::Empty { place: path.display().to_string() })
        }
    }
}

/// Whether to go on, or what is wrong with the thing being read.
type Step = Result<ControlFlow<()>, ArchiveError>;

const GO_ON: Step = Ok(ControlFlow::Continue(()));
const STOP: Step = Ok(ControlFlow::Break(()));

/// Where in the source reading is.
#[derive(Clone)]
struct Place {
    source: Arc<str>,
    member: Option<Arc<str>>,
}

impl Place {
    fn name(&self) -> &str {
        self.member.as_ref().unwrap_or(&self.source)
    }

    fn within(&self, name: &[u8]) -> Place {
        let name = match std::str::from_utf8(name) {
            Ok(name) => name.into(),
            Err(_) => GB18030.decode_without_bom_handling(name).0,
        };
        let member = match &self.member {
            Some(outer) => format!("{outer}/{name}").into(),
            None => name.into(),
        };
        Place { source: self.source.clone(), member: Some(member) }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.member {
            Some(member) => write!(f, "{}: {member}", self.source),
            None => f.write_str(&self.source),
        }
    }
}

struct Walk<'a> {
    progress: &'a AtomicU64,
    emit: &'a mut dyn FnMut(Found) -> ControlFlow<()>,
}

impl Walk<'_> {
    /// Turns the error of one member into a report, so that its neighbours are still read.
    fn report(&mut self, place: &Place, step: Step) -> ControlFlow<()> {
        step.unwrap_or_else(|reason| (self.emit)(Found::Skipped { member: place.member.clone(), reason }))
    }

    fn directory(&mut self, path: &Path, place: &Place) -> Step {
        let mut is_empty = true;
        for entry in WalkDir::new(path).min_depth(1).follow_links(true).sort_by_file_name() {
            let below = |file: &Path| {
                let relative = file.strip_prefix(path).unwrap_or(file);
                place.within(relative.as_os_str().as_encoded_bytes())
            };
            let (inner, step) = match entry {
                Ok(entry) if entry.file_type().is_dir() => continue,
                Ok(entry) => {
                    let inner = below(entry.path());
                    let step = self.entry(&entry, &inner);
                    (inner, step)
                }
                // The directory itself cannot be listed.
                Err(error) if error.depth() == 0 => {
                    return Err(ArchiveError::from_open(place.to_string(), error.into()));
                }
                Err(error) => {
                    let inner = error.path().map_or_else(|| place.clone(), below);
                    let error = ArchiveError::from_open(inner.to_string(), error.into());
                    (inner, Err(error))
                }
            };
            is_empty = false;
            if self.report(&inner, step).is_break() {
                return STOP;
            }
        }
        if is_empty { Err(ArchiveError::Empty { place: place.to_string() }) } else { GO_ON }
    }

    /// Reads an entry of a directory. Pipes and devices are not opened: they may never end.
    fn entry(&mut self, entry: &walkdir::DirEntry, place: &Place) -> Step {
        if !entry.file_type().is_file() {
            let found = "a pipe, socket or device";
            return Err(ArchiveError::Special { place: place.to_string(), found });
        }
        self.file(entry.path(), place)
    }

    fn file(&mut self, path: &Path, place: &Place) -> Step {
        let unreadable = |error| ArchiveError::from_open(place.to_string(), error);
        let file = File::open(path).map_err(unreadable)?;
        let mut file = Metered { file, progress: self.progress };
        let mut sniffed = Sniffed::new(&mut file);
        if sniffed.kind(place.name()).map_err(unreadable)? == Kind::Zip {
            file.rewind().map_err(unreadable)?;
            return self.zip(place, file, 1);
        }
        self.stream(place, sniffed, 0)
    }

    /// Reads a stream whose head has been looked at, `layers` deep in containers and compressions.
    fn stream(&mut self, place: &Place, mut input: Sniffed<impl Read>, layers: usize) -> Step {
        let unreadable = |error| ArchiveError::from_read(place.to_string(), 0, error);
        let kind = input.kind(place.name()).map_err(unreadable)?;
        if layers == MAX_LAYERS && matches!(kind, Kind::Compressed(_) | Kind::Tar | Kind::Zip) {
            return Err(ArchiveError::TooDeep { place: place.to_string(), limit: MAX_LAYERS });
        }
        match kind {
            Kind::Empty => Err(ArchiveError::Empty { place: place.to_string() }),
            Kind::Foreign(found) => Err(ArchiveError::Foreign { place: place.to_string(), found }),
            Kind::Compressed(codec) => {
                let decoded: Box<dyn Read + '_> = Box::new(codec.decode(input).map_err(unreadable)?);
                self.stream(place, Sniffed::new(decoded), layers + 1)
            }
            Kind::Tar => {
                let input: Box<dyn Read + '_> = Box::new(input);
                self.tar(place, input, layers + 1)
            }
            Kind::Zip => {
                let bytes = read_whole(place, input, MAX_INNER_ZIP_BYTES, "a zip file inside a container")?;
                self.zip(place, Cursor::new(bytes), layers + 1)
            }
            Kind::Whole(format) => {
                let bytes = read_whole(place, input, format.max_bytes(), format.name())?;
                let member = place.member.clone();
                Ok((self.emit)(Found::Block(Block { member, format, offset: 0, line: 0, bytes })))
            }
            Kind::Pgn => self.pgn(place, input),
        }
    }

    fn pgn(&mut self, place: &Place, mut input: impl Read) -> Step {
        let member = &place.member;
        cut::cut_pgn(&mut input, &mut |piece| {
            (self.emit)(match piece {
                cut::Piece::Games { offset, line, bytes } => {
                    Found::Block(Block { member: member.clone(), format: Format::Pgn, offset, line, bytes })
                }
                cut::Piece::TooLarge { offset } => {
                    let (what, limit) = ("a game", cut::MAX_GAME_BYTES);
                    let reason = ArchiveError::TooLarge { place: place.to_string(), what, offset, limit };
                    Found::Skipped { member: member.clone(), reason }
                }
            })
        })
        .map_err(|(offset, error)| ArchiveError::from_read(place.to_string(), offset, error))
    }

    fn tar(&mut self, place: &Place, input: Box<dyn Read + '_>, layers: usize) -> Step {
        let mut archive = tar::Archive::new(input);
        let mut is_empty = true;
        // Where in the tar the last known member lies.
        let mut content = 0;
        let damaged =
            |content, error| ArchiveError::from_read(place.to_string(), content, name_tar_error(error));
        for entry in archive.entries().map_err(|error| damaged(0, error))? {
            let entry = entry.map_err(|error| damaged(content, error))?;
            content = entry.raw_file_position();
            let kind = entry.header().entry_type();
            if kind.is_dir() || kind.is_pax_global_extensions() {
                continue;
            }
            is_empty = false;
            let inner = place.within(&entry.path_bytes());
            let step = if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() {
                let left = entry.size();
                self.stream(&inner, Sniffed::new(Exactly { layer: "tar", left, inner: entry }), layers)
            } else {
                Err(ArchiveError::Special { place: inner.to_string(), found: "a link or device" })
            };
            if self.report(&inner, step).is_break() {
                return STOP;
            }
        }
        if is_empty { Err(ArchiveError::Empty { place: place.to_string() }) } else { GO_ON }
    }

    fn zip(&mut self, place: &Place, input: impl Read + Seek, layers: usize) -> Step {
        let mut archive = ZipArchive::new(input).map_err(|error| zip_error(place, error))?;
        if archive.has_duplicate_names() {
            let member = place.member.clone();
            let (place, message) =
                (place.to_string(), "members share a name: one of each is read".to_owned());
            let reason = ArchiveError::Damaged { place, layer: "zip", offset: 0, message };
            if (self.emit)(Found::Skipped { member, reason }).is_break() {
                return STOP;
            }
        }
        let mut is_empty = true;
        for index in 0..archive.len() {
            let entry = archive.by_index_data(index).map_err(|error| zip_error(place, error))?;
            if entry.is_dir() {
                continue;
            }
            is_empty = false;
            let inner = place.within(entry.name_raw());
            let step = if entry.encrypted() {
                Err(ArchiveError::Encrypted { place: inner.to_string() })
            } else {
                let method = entry.compression().to_string();
                self.zip_member(&inner, archive.by_index(index), &method, layers)
            };
            if self.report(&inner, step).is_break() {
                return STOP;
            }
        }
        if is_empty { Err(ArchiveError::Empty { place: place.to_string() }) } else { GO_ON }
    }

    fn zip_member<R: Read>(
        &mut self,
        place: &Place,
        member: Result<zip::read::ZipFile<'_, R>, ZipError>,
        method: &str,
        layers: usize,
    ) -> Step {
        match member {
            Ok(file) => {
                let file: Box<dyn Read + '_> = Box::new(Layer { layer: "zip", inner: file });
                self.stream(place, Sniffed::new(file), layers)
            }
            Err(ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_)) => {
                Err(ArchiveError::Method { place: place.to_string(), method: method.to_owned() })
            }
            Err(error) => Err(zip_error(place, error)),
        }
    }
}

fn zip_error(place: &Place, error: ZipError) -> ArchiveError {
    match error {
        ZipError::Io(error) => ArchiveError::from_read(place.to_string(), 0, LayerError::wrap("zip", error)),
        error => {
            let (place, message) = (place.to_string(), error.to_string());
            ArchiveError::Damaged { place, layer: "zip", offset: 0, message }
        }
    }
}

/// Puts the name on errors of the tar library, which reports a short archive as "other".
fn name_tar_error(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.contains("unexpected EOF") || text.contains("failed to read entire block") {
        true => LayerError::truncated("tar"),
        false => LayerError::wrap("tar", error),
    }
}

fn read_whole(
    place: &Place,
    input: impl Read,
    limit: usize,
    what: &'static str,
) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = Vec::new();
    let read = input.take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| ArchiveError::from_read(place.to_string(), bytes.len() as u64, error))?;
    if bytes.len() > limit {
        return Err(ArchiveError::TooLarge { place: place.to_string(), what, offset: 0, limit });
    }
    Ok(bytes)
}
