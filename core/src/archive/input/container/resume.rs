//! Reads an archive from an entry in its middle, which an earlier reading has found. The blocks are the same as from the
//! start.
//!
//! Plain text can be entered at a block, and so can text in frames of zstd, each of which is compressed for itself:
//! pzstd writes such files, the writers of the seekable format, and whoever joins .zst files. Where frames begin is what
//! the decoder found as it read them all; the seek table at the end of a seekable file, and the sizes that pzstd writes
//! before each frame, are skippable frames like any other. So no lie in them does any harm, for they are not believed.
//! A file of a single frame is entered at its start.
//!
//! Reads one member of an archive: containers are walked as by [`read_blocks`](super::read_blocks), but other members
//! are skipped without being parsed.

use super::super::compression::Codec;
use super::super::detect::Sniffed;
use super::super::streams::{Budget, Exactly, Watch, Watched};
use super::{Found, Place, Walk, is_within, name_of, walk_path};
use crate::archive::input::detect::Kind;
use crate::archive::text::cut::{BLOCK_BYTES, Mark};
use crate::archive::text::plain::has_cr_lines;
use crate::archive::{ArchiveError, Block, Format};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// Bytes of text skipped at a time.
const PASSED_BYTES: usize = 128 << 10;

/// Text that can be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enterable {
    /// What it holds.
    pub format: Format,
    /// Whether it is compressed by zstd.
    pub is_zstd: bool,
}

/// Where independent frames of zstd begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame {
    /// Bytes of the file before it.
    pub place: u64,
    /// Bytes of text before it.
    pub offset: u64,
}

/// What of a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it begins: the start of the text, or that of a block.
    pub mark: Mark,
    /// A frame that begins there or before; `None` in a text that is not compressed.
    pub frame: Option<Frame>,
    /// Bytes of text before its end, which is the start of a block; `None` = the end of the text.
    pub until: Option<u64>,
}

/// Returns what the file at `path` holds if the blocks of its text are the same from each mark on.
///
/// # Errors
/// Where it cannot be read.
pub fn enterable(path: &Path) -> io::Result<Option<Enterable>> {
    let name = name_of(path).to_string_lossy();
    let mut file = Sniffed::new(File::open(path)?);
    if file.kind(&name)? != Kind::Compressed(Codec::Zstd) {
        return Ok(text_format(file, &name)?.map(|format| Enterable { format, is_zstd: false }));
    }
    // Where it is damaged so early, whoever reads it from its start says so.
    let text = Codec::Zstd.decode(file).and_then(|text| text_format(text, &name));
    Ok(text.ok().flatten().map(|format| Enterable { format, is_zstd: true }))
}

fn text_format(text: impl Read, name: &str) -> io::Result<Option<Format>> {
    let mut head = Vec::new();
    text.take(BLOCK_BYTES as u64).read_to_end(&mut head)?;
    let mut sniffed = Sniffed::new(&head[..]);
    let format = match sniffed.kind(name)? {
        Kind::Pgn => Some(Format::Pgn),
        Kind::XiangqiPgn => Some(Format::XiangqiPgn),
        _ => None,
    };
    Ok(format.filter(|_| sniffed.utf16().is_none() && !has_cr_lines(&head)))
}

/// Reads a span of the text at `path`, as [`read_named`](super::read_named) would come by it.
///
/// # Errors
/// As [`read_blocks`](super::read_blocks); also where the text ends before the span does.
pub fn read_from(
    path: &Path,
    name: &str,
    format: Format,
    span: Span,
    max_inflate: Option<u64>,
    watch: &dyn Watch,
    emit: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    let place = Place { source: name.into(), member: None };
    let unreadable = |error| ArchiveError::from_open(place.to_string(), error);
    let file = File::open(path).map_err(unreadable)?;
    // A span that ends bounds what is read; the file may be a copy of what it needs.
    let limit = if span.until.is_some() { Some(u64::MAX) } else { max_inflate };
    let budget = Rc::new(Budget::new(limit, file.metadata().map_err(unreadable)?.len()));
    let mut file = Watched::new(file, watch);
    let Span { mark, frame, until } = span;
    file.seek(SeekFrom::Start(frame.map_or(mark.offset, |frame| frame.place))).map_err(unreadable)?;
    let mut walk = Walk { watch, emit, wanted: None, max_inflate, budget };
    let (layer, mut text): (_, Box<dyn Read + '_>) = match frame {
        None => ("plain", Box::new(file)),
        Some(frame) => {
            let layer = Codec::Zstd.name();
            let broken = |error| walk.broken(&place, frame.offset, error);
            let mut text = walk.inflated(layer, Codec::Zstd.decode(file).map_err(broken)?);
            pass_over(&mut text, layer, mark.offset.saturating_sub(frame.offset)).map_err(broken)?;
            (layer, text)
        }
    };
    if let Some(until) = until {
        let left = until.saturating_sub(mark.offset);
        text = Box::new(Exactly { layer, left, inner: text.take(left) });
    }
    walk.cut(&place, format, mark, &mut text).map(|_| ())
}

/// Skips `count` bytes, which must exist.
fn pass_over(text: &mut dyn Read, layer: &'static str, count: u64) -> io::Result<()> {
    let mut buffer = vec![0; PASSED_BYTES];
    let mut passed = Exactly { layer, left: count, inner: text.take(count) };
    loop {
        match passed.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Hands over the blocks of `member` that may hold the game at `offset`, until `emit` breaks. `None` is the file itself.
///
/// Plain text is entered at `offset`. Compressed data is decompressed from its start, up to `max_inflate` bytes in all
/// as in [`read_blocks`](super::read_blocks).
///
/// # Errors
/// Where the archive or the member cannot be read up to the game.
pub fn read_member(
    path: &Path,
    member: Option<&str>,
    offset: u64,
    max_inflate: Option<u64>,
    emit: &mut dyn FnMut(Block) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    let name = name_of(path).display().to_string();
    let mut unread = None;
    let mut sift = |found| match found {
        Found::Block(block) if block.member.as_deref() != member => Continue(()),
        Found::Block(block) if block.offset > offset => Break(()),
        Found::Block(block) if block.end() <= offset => Continue(()),
        Found::Block(block) => emit(block),
        Found::Skipped { member: skipped, reason } => {
            let is_on_the_way = skipped.is_none_or(|skipped| is_within(member, &skipped));
            unread = unread.take().or(is_on_the_way.then_some(reason));
            Continue(())
        }
    };
    let watch = AtomicU64::new(0);
    let entry = member.is_none().then(|| enterable(path).ok().flatten()).flatten();
    match entry {
        Some(Enterable { format, is_zstd: false }) => {
            let span = Span { mark: Mark { offset, line: 0 }, frame: None, until: None };
            match read_from(path, &name, format, span, max_inflate, &watch, &mut sift) {
                // The text ends before the game.
                Err(ArchiveError::Empty { .. }) => Ok(()),
                read => read,
            }
        }
        _ => walk_path(path, &name, member, max_inflate, &watch, &mut sift),
    }?;
    unread.map_or(Ok(()), Err)
}
