//! What all files of a database say of one game, as the bytes of a block.
//!
//! ```text
//! entry   46 bytes of the .cbh file  names  u32 size  moves  u32 size  annotations
//! names   White 30 + 20  Black 30 + 20  tournament 40 + place 30  annotator 45
//! ```
//!
//! A size of 2³² − 1 says that the file lacks the part, 2³² − 2 that it is larger than what is read.

use super::header::{RECORD_BYTES, full_name};
use super::text::text_of;
use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;

/// Bytes of the fields of a player, a tournament and an annotator.
pub(in crate::archive) struct Sizes;

impl Sizes {
    pub(in crate::archive) const PLAYER: usize = LAST + FIRST;
    pub(in crate::archive) const TOURNAMENT: usize = TITLE + PLACE;
    pub(in crate::archive) const ANNOTATOR: usize = 45;
    /// Largest moves and annotations of a game that are read.
    pub(in crate::archive) const MAX_PART: usize = 4 << 20;
}

const LAST: usize = 30;
const FIRST: usize = 20;
const TITLE: usize = 40;
const PLACE: usize = 30;
const NAMES: usize = 2 * Sizes::PLAYER + Sizes::TOURNAMENT + Sizes::ANNOTATOR;

/// Why a part of a game is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::archive) enum Missing {
    /// The file ends before it.
    Truncated,
    /// It is larger than [`Sizes::MAX_PART`].
    TooLarge,
}

impl Missing {
    const fn code(self) -> u32 {
        match self {
            Missing::Truncated => u32::MAX,
            Missing::TooLarge => u32::MAX - 1,
        }
    }

    /// Returns the defect of the game at `offset`, whose part lies at `place` of its file.
    pub(super) fn defect(self, offset: u64, part: &str, place: u32) -> Defect {
        match self {
            Missing::Truncated => {
                let message = format!("expected {part} at byte {place} of their file, which ends before");
                Defect::new("truncated", offset, message)
            }
            Missing::TooLarge => {
                let message = format!("expected {part} of at most {} bytes", Sizes::MAX_PART);
                Defect::new("too-large", offset, message)
            }
        }
    }
}

/// Appends an entry to a block. Names are cut or filled to their sizes.
pub(in crate::archive) fn pack(
    header: &[u8; RECORD_BYTES],
    names: [&[u8]; 4],
    parts: [Result<&[u8], Missing>; 2],
    block: &mut Vec<u8>,
) {
    block.extend_from_slice(header);
    let sizes = [Sizes::PLAYER, Sizes::PLAYER, Sizes::TOURNAMENT, Sizes::ANNOTATOR];
    for (name, size) in names.into_iter().zip(sizes) {
        let known = &name[..name.len().min(size)];
        block.extend_from_slice(known);
        block.resize(block.len() + size - known.len(), 0);
    }
    for part in parts {
        let (size, bytes) = match part {
            Ok(bytes) => (bytes.len() as u32, bytes),
            Err(missing) => (missing.code(), &[][..]),
        };
        block.extend_from_slice(&size.to_le_bytes());
        block.extend_from_slice(bytes);
    }
}

/// The entry of a game.
pub(super) struct Entry<'a> {
    pub(super) header: &'a [u8; RECORD_BYTES],
    names: &'a [u8; NAMES],
    pub(super) moves: Result<&'a [u8], Missing>,
    pub(super) annotations: Result<&'a [u8], Missing>,
}

/// The names of a game.
pub(in crate::archive) struct Names {
    pub(super) white: String,
    pub(super) black: String,
    pub(super) event: String,
    pub(super) site: String,
    pub(super) annotator: String,
}

impl<'a> Entry<'a> {
    /// Reads the next entry of a block.
    pub(super) fn unpack(cursor: &mut Cursor<'a>) -> Result<Entry<'a>, Defect> {
        Ok(Entry {
            header: fixed(cursor, "the record of a game")?,
            names: fixed(cursor, "names")?,
            moves: part(cursor, "moves")?,
            annotations: part(cursor, "annotations")?,
        })
    }

    /// Returns the names.
    pub(super) fn names(&self) -> Names {
        let (white, rest) = self.names.split_at(Sizes::PLAYER);
        let (black, rest) = rest.split_at(Sizes::PLAYER);
        let (tournament, annotator) = rest.split_at(Sizes::TOURNAMENT);
        let player = |field: &[u8]| full_name(&field[..LAST], &field[LAST..]);
        Names {
            white: player(white),
            black: player(black),
            event: text_of(&tournament[..TITLE]),
            site: text_of(&tournament[TITLE..]),
            annotator: text_of(annotator),
        }
    }
}

fn fixed<'a, const N: usize>(cursor: &mut Cursor<'a>, expected: &str) -> Result<&'a [u8; N], Defect> {
    let place = cursor.clone();
    let bytes = cursor.take(N, expected)?;
    bytes.try_into().map_err(|_| place.defect("truncated", format!("expected {expected}")))
}

fn part<'a>(cursor: &mut Cursor<'a>, expected: &str) -> Result<Result<&'a [u8], Missing>, Defect> {
    let size = cursor.u32(expected)?;
    for missing in [Missing::Truncated, Missing::TooLarge] {
        if size == missing.code() {
            return Ok(Err(missing));
        }
    }
    cursor.take(size as usize, expected).map(Ok)
}
