//! Reads one member of an archive: containers are walked as by [`read_blocks`](super::read_blocks), but other members
//! are skipped without being parsed. Plain text is entered in its middle.

use super::super::detect::{Kind, Sniffed};
use super::super::streams::{Budget, Watched};
use super::{End, Found, Place, Walk, is_within, name_of, walk_path};
use crate::archive::text::cut::BLOCK_BYTES;
use crate::archive::text::plain::has_cr_lines;
use crate::archive::{ArchiveError, Block, Format};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// Returns the format of the file at `path` if it is plain text that can be entered where a game begins.
fn plain_text(path: &Path, name: &str) -> io::Result<Option<Format>> {
    let mut head = Vec::new();
    File::open(path)?.take(BLOCK_BYTES as u64).read_to_end(&mut head)?;
    let mut sniffed = Sniffed::new(&head[..]);
    Ok(match sniffed.kind(name)? {
        Kind::Text(format) if sniffed.utf16().is_none() && !has_cr_lines(&head) => Some(format),
        _ => None,
    })
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
    let entered = member.is_none().then(|| plain_text(path, &name).ok().flatten()).flatten();
    match entered {
        Some(format) => {
            let place = Place { source: name.into(), member: None };
            let unreadable = |error| ArchiveError::from_open(place.to_string(), error);
            let file = File::open(path).map_err(unreadable)?;
            let budget = Rc::new(Budget::new(max_inflate, file.metadata().map_err(unreadable)?.len()));
            let mut file = Watched::new(file, &watch);
            file.seek(SeekFrom::Start(offset)).map_err(unreadable)?;
            let mut walk = Walk { watch: &watch, emit: &mut sift, wanted: None, max_inflate, budget };
            match walk.cut(&place, format, offset, &mut file) {
                // The text ends before the game.
                Ok(()) | Err(End::Enough | End::Fault(ArchiveError::Empty(..))) => {}
                Err(End::Fault(error)) => return Err(error),
            }
        }
        None => walk_path(path, member, max_inflate, &watch, &mut sift)?,
    }
    unread.map_or(Ok(()), Err)
}
