//! Reads one member of an archive: containers are walked as by [`read_blocks`](super::read_blocks), but other members
//! are skipped without being parsed.

use std::ops::ControlFlow::{self, Break, Continue};
use std::path::Path;
use std::sync::atomic::AtomicU64;

use super::{Enterable, Found, Span, enterable, is_within, name_of, read_from, walk_path};
use crate::archive::text::cut::Mark;
use crate::archive::{ArchiveError, Block};

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
        Found::Block(block) if block.offset + block.bytes.len() as u64 <= offset => Continue(()),
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
