//! Reads the blocks of a path through directories, tar, zip and 7z files and compressions, also nested ones.
//!
//! The order of the [`Found`] items depends only on the content: directories are walked by name, containers in their own
//! order. Unusable members are always reported; only directory entries of containers, which are empty, are not.

pub(super) mod database;
mod member;
mod sevenz;
mod tar;
mod zip;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use encoding_rs::GB18030;
use walkdir::WalkDir;

use self::database::{ChessBase, Database, Scid};
use super::detect::Kind;
use super::detect::Sniffed;
use super::streams::{Budget, Inflated, Watch, Watched};
use crate::archive::text::cut;
use crate::archive::text::plain::transcoded;
use crate::archive::{ArchiveError, Block, Format};
use crate::game::GameId;

pub use member::read_member;

/// Most containers and compressions within each other: a compressed tar of zips of compressed files has four.
const MAX_LAYERS: usize = 6;

/// Largest zip or 7z file inside another container; it must be held in memory, since both need random access.
const MAX_INNER_BYTES: usize = 256 << 20;

/// File name under which standard input is kept while it is read. Archives so named are called no more than this.
const STDIN: &str = "-";

/// Something met while reading an archive.
#[derive(Debug)]
pub enum Found {
    /// Whole games, to be parsed.
    Block(Block),
    /// A member, or the rest of one, that was skipped.
    Skipped {
        /// Name as in [`Block::member`].
        member: Option<Arc<str>>,
        /// Why.
        reason: ArchiveError,
    },
}

/// Returns what an archive is called in messages and reports: its path, `-` for standard input, or its URL. Whoever reads
/// standard input or downloads a URL keeps it for as long as it is needed, in a file whose path ends with that name.
pub fn name_of(path: &Path) -> Cow<'_, Path> {
    if path.file_name().is_some_and(|name| name == STDIN) {
        return Path::new(STDIN).into();
    }
    let is_scheme = |part: &Component| ["http:", "https:"].iter().any(|scheme| part.as_os_str() == *scheme);
    let mut parts = path.components();
    match parts.find(is_scheme) {
        Some(scheme) => {
            let mut url = scheme.as_os_str().to_owned();
            url.push("//");
            url.push(parts.as_path());
            PathBuf::from(url).into()
        }
        None => path.into(),
    }
}

/// Reads the archive at `path` and hands over what it finds, in order, until `emit` breaks.
///
/// Each file's compressed data may become `max_inflate` bytes, all members and layers taken together; `None` allows
/// 1 GiB or, of a larger file, a hundred times its size. `watch` gets the bytes read from disk, still
/// compressed. Of a stream that breaks off in the middle the whole games before are handed over first.
///
/// # Errors
/// Where `path` itself cannot be read, or not to its end. Members of containers and files in directories that cannot
/// be read come as [`Found::Skipped`], and reading goes on.
pub fn read_blocks(
    path: &Path,
    max_inflate: Option<u64>,
    watch: &dyn Watch,
    emit: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    walk_path(path, None, max_inflate, watch, emit)
}

/// Reads the archive at `path`, or of its containers only the member `wanted`.
fn walk_path(
    path: &Path,
    wanted: Option<&str>,
    max_inflate: Option<u64>,
    watch: &dyn Watch,
    emit: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    let place = Place { source: name_of(path).display().to_string().into(), member: None };
    let metadata = fs::metadata(path).map_err(|error| ArchiveError::from_open(place.to_string(), error))?;
    let budget = Rc::new(Budget::new(max_inflate, metadata.len()));
    let mut walk = Walk { watch, emit, wanted, max_inflate, budget };
    match if metadata.is_dir() { walk.directory(path, &place) } else { walk.file(path, &place) } {
        Err(End::Fault(error)) => Err(error),
        Ok(()) | Err(End::Enough) => Ok(()),
    }
}

/// Returns the game of the first block of the archive at `path`; `max_inflate` as in [`read_blocks`].
///
/// # Errors
/// As [`read_blocks`]; where nothing in it can be used, the error of the first member.
pub fn detect_game(path: &Path, max_inflate: Option<u64>) -> Result<GameId, ArchiveError> {
    let mut game = None;
    let mut first_error = None;
    let read = read_blocks(path, max_inflate, &AtomicU64::new(0), &mut |found| match found {
        Found::Block(block) => {
            game = Some(block.format.game());
            ControlFlow::Break(())
        }
        // If all members are empty, the archive is.
        Found::Skipped { reason: ArchiveError::Empty(..), .. } => ControlFlow::Continue(()),
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
            Err(ArchiveError::Empty(name_of(path).display().to_string()))
        }
    }
}

/// Why reading ends early.
pub(super) enum End {
    /// Whoever takes what is found has enough.
    Enough,
    /// What is wrong with the thing being read.
    Fault(ArchiveError),
}

impl From<ArchiveError> for End {
    fn from(error: ArchiveError) -> End {
        End::Fault(error)
    }
}

pub(super) type Step = Result<(), End>;

/// Where in the source reading is.
#[derive(Clone)]
pub(super) struct Place {
    source: Arc<str>,
    pub(super) member: Option<Arc<str>>,
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

/// Returns the error of content that holds no games, or none that can be read where it is.
fn foreign(place: &Place, found: &'static str) -> Step {
    Err(ArchiveError::Foreign(place.to_string(), found).into())
}

/// Returns the error of a thing that holds nothing, if it is one.
fn not_empty(place: &Place, is_empty: bool) -> Step {
    if is_empty { Err(ArchiveError::Empty(place.to_string()).into()) } else { Ok(()) }
}

/// Returns whether `member` is `place` or lies in it.
fn is_within(member: Option<&str>, place: &str) -> bool {
    let rest = member.and_then(|member| member.strip_prefix(place));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) struct Walk<'a> {
    watch: &'a dyn Watch,
    pub(super) emit: &'a mut dyn FnMut(Found) -> ControlFlow<()>,
    /// The only member to read; `None` = all.
    wanted: Option<&'a str>,
    max_inflate: Option<u64>,
    /// What the file being read may still become.
    budget: Rc<Budget>,
}

impl Walk<'_> {
    /// Returns whether a member is read: it is wanted, or contains what is.
    fn wants(&self, place: &Place) -> bool {
        let name = place.member.as_deref().unwrap_or_default();
        self.wanted.is_none() || is_within(self.wanted, name)
    }

    pub(super) fn hand(&mut self, found: Found) -> Step {
        if (self.emit)(found).is_break() { Err(End::Enough) } else { Ok(()) }
    }

    /// Turns the error of one member into a report, so that its neighbours are still read.
    pub(super) fn report(&mut self, place: &Place, step: Step) -> Step {
        match step {
            Err(End::Fault(reason)) => self.hand(Found::Skipped { member: place.member.clone(), reason }),
            step => step,
        }
    }

    /// Reads a member of a container, if it is wanted.
    fn member(&mut self, place: &Place, read: impl FnOnce(&mut Self) -> Step) -> Step {
        if !self.wants(place) {
            return Ok(());
        }
        let step = read(self);
        self.report(place, step)
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
                // Parts of a database are read with its main file.
                Ok(entry) if ChessBase::owns(entry.path()) || Scid::owns(entry.path()) => continue,
                Ok(entry) => {
                    let inner = below(entry.path());
                    let step = self.entry(&entry, &inner);
                    (inner, step)
                }
                // The directory itself cannot be listed.
                Err(error) if error.depth() == 0 => {
                    return Err(ArchiveError::from_open(place.to_string(), error.into()).into());
                }
                Err(error) => {
                    let inner = error.path().map_or_else(|| place.clone(), below);
                    let error = ArchiveError::from_open(inner.to_string(), error.into());
                    (inner, Err(error.into()))
                }
            };
            is_empty = false;
            self.report(&inner, step)?;
        }
        not_empty(place, is_empty)
    }

    /// Reads an entry of a directory. Pipes and devices are not opened: they may never end.
    fn entry(&mut self, entry: &walkdir::DirEntry, place: &Place) -> Step {
        if !entry.file_type().is_file() {
            let found = "a pipe, socket or device";
            return Err(ArchiveError::Special(place.to_string(), found).into());
        }
        self.file(entry.path(), place)
    }

    fn file(&mut self, path: &Path, place: &Place) -> Step {
        let unreadable = |error| ArchiveError::from_open(place.to_string(), error);
        let file = File::open(path).map_err(unreadable)?;
        self.budget = Rc::new(Budget::new(self.max_inflate, file.metadata().map_err(unreadable)?.len()));
        let mut file = Watched::new(file, self.watch);
        let mut sniffed = Sniffed::new(&mut file);
        let kind = sniffed.kind(place.name()).map_err(unreadable)?;
        let is_read_by_place = matches!(kind, Kind::Zip | Kind::SevenZ | Kind::ChessBase | Kind::Scid);
        if !is_read_by_place {
            return self.stream(place, sniffed, 0);
        }
        file.rewind().map_err(unreadable)?;
        match kind {
            Kind::Zip => self.zip(place, file, 1),
            Kind::SevenZ => self.sevenz(place, file, 1),
            Kind::ChessBase => self.database::<ChessBase>(path, place, file),
            _ => self.database::<Scid>(path, place, file),
        }
    }

    /// Reads a stream whose head has been looked at, `layers` deep in containers and compressions.
    fn stream(&mut self, place: &Place, mut input: Sniffed<impl Read>, layers: usize) -> Step {
        let kind = input.kind(place.name()).map_err(|error| self.broken(place, 0, error))?;
        let is_packed = matches!(kind, Kind::Compressed(_) | Kind::Tar | Kind::Zip | Kind::SevenZ);
        if layers == MAX_LAYERS && is_packed {
            return Err(ArchiveError::TooDeep(place.to_string(), MAX_LAYERS).into());
        }
        match kind {
            Kind::Empty => not_empty(place, true),
            Kind::Foreign(found) => foreign(place, found),
            Kind::Compressed(codec) => {
                let decoded = codec.decode(input).map_err(|error| self.broken(place, 0, error))?;
                let inflated = self.inflated(codec.name(), decoded);
                self.stream(place, Sniffed::new(inflated), layers + 1)
            }
            Kind::Tar => self.tar(place, Box::new(input), layers + 1),
            Kind::Zip | Kind::SevenZ => {
                let what = "a zip or 7z file inside a container";
                let bytes = Cursor::new(self.read_whole(place, input, MAX_INNER_BYTES, what)?);
                if kind == Kind::Zip {
                    self.zip(place, bytes, layers + 1)
                } else {
                    self.sevenz(place, bytes, layers + 1)
                }
            }
            Kind::ChessBase => foreign(place, ChessBase::IN_A_CONTAINER),
            Kind::Scid => foreign(place, Scid::IN_A_CONTAINER),
            Kind::Whole(format) => {
                let bytes = self.read_whole(place, input, format.max_bytes(), format.name())?;
                let member = place.member.clone();
                self.hand(Found::Block(Block { member, ..Block::of(format, bytes) }))
            }
            Kind::Download(form) => self.cut(place, form.format(), 0, &mut form.rewritten(input)),
            Kind::Text(format) => match input.utf16() {
                Some(encoding) => self.cut(place, format, 0, &mut transcoded(encoding, input)),
                None => self.cut(place, format, 0, &mut input),
            },
        }
    }

    fn cut(&mut self, place: &Place, format: Format, start: u64, input: &mut dyn Read) -> Step {
        let member = &place.member;
        let mut is_empty = true;
        let step = cut::cut_pgn(input, start, &mut |piece| {
            is_empty = false;
            (self.emit)(match piece {
                cut::Piece::Games { offset, line, bytes } => {
                    Found::Block(Block { member: member.clone(), offset, line, ..Block::of(format, bytes) })
                }
                cut::Piece::TooLarge { offset } => {
                    let (what, limit) = ("a game", cut::MAX_GAME_BYTES);
                    let reason = ArchiveError::TooLarge(place.to_string(), what, offset, limit);
                    Found::Skipped { member: member.clone(), reason }
                }
            })
        });
        match step {
            Ok(ControlFlow::Break(())) => Err(End::Enough),
            // Byte order marks and blank space.
            Ok(ControlFlow::Continue(())) => not_empty(place, is_empty),
            Err((offset, error)) => Err(self.broken(place, offset, error).into()),
        }
    }

    /// Returns a decompressed stream that draws on the file's budget.
    fn inflated<'r>(&self, layer: &'static str, inner: impl Read + 'r) -> Box<dyn Read + 'r> {
        Box::new(Inflated { layer, budget: Rc::clone(&self.budget), inner })
    }

    /// Returns the error of a stream that cannot be read on. Libraries between here and the budget may have put their
    /// own words on its error, so the budget is asked itself.
    fn broken(&self, place: &Place, offset: u64, error: io::Error) -> ArchiveError {
        match self.budget.overdrawn() {
            Some(limit) => ArchiveError::MaxInflate(place.to_string(), limit, offset),
            None => ArchiveError::from_read(place.to_string(), offset, error),
        }
    }

    fn read_whole(
        &self,
        place: &Place,
        input: Sniffed<impl Read>,
        limit: usize,
        what: &'static str,
    ) -> Result<Vec<u8>, ArchiveError> {
        let mut bytes = Vec::new();
        let read = input.take(limit as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.broken(place, bytes.len() as u64, error))?;
        if bytes.len() > limit {
            return Err(ArchiveError::TooLarge(place.to_string(), what, 0, limit));
        }
        Ok(bytes)
    }
}
