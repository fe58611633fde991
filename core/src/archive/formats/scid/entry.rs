//! What all files of a database say about one game, as the bytes of a block.
//!
//! ```text
//! entry  47 bytes of the .si4 file  5 × (u8 length  name)  u32 size  bytes of the .sg4 file
//! ```
//!
//! The names are those of [`Kind`]. A size of 2³² − 1 says that the file of games ends before the game.

use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;

/// Bytes of a record of the index.
pub(in crate::archive) const RECORD_BYTES: usize = 47;

/// The kinds of names that a game has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::archive) enum Kind {
    White,
    Black,
    Event,
    Site,
    Round,
}

impl Kind {
    /// Names of a game.
    pub(in crate::archive) const COUNT: usize = 5;
}

const MISSING: u32 = u32::MAX;

/// Appends an entry to a block. Names are cut to 255 bytes, which is all that the format has room for.
pub(in crate::archive) fn pack(
    header: &[u8; RECORD_BYTES],
    names: [&[u8]; Kind::COUNT],
    game: Option<&[u8]>,
    block: &mut Vec<u8>,
) {
    block.extend_from_slice(header);
    for name in names {
        let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
        block.push(length);
        block.extend_from_slice(&name[..usize::from(length)]);
    }
    let size = game.map_or(MISSING, |game| game.len() as u32);
    block.extend_from_slice(&size.to_le_bytes());
    block.extend_from_slice(game.unwrap_or_default());
}

/// The entry of a game.
pub(super) struct Entry<'a> {
    pub(super) header: &'a [u8; RECORD_BYTES],
    names: [&'a [u8]; Kind::COUNT],
    /// `None` where the file of games ends before it.
    pub(super) game: Option<&'a [u8]>,
}

impl<'a> Entry<'a> {
    /// Reads the next entry of a block.
    pub(super) fn unpack(cursor: &mut Cursor<'a>) -> Result<Entry<'a>, Defect> {
        let place = cursor.clone();
        let header = cursor.take(RECORD_BYTES, "the record of a game")?;
        let header = header.try_into().map_err(|_| place.defect("truncated", "expected a record"))?;
        let mut names = [&[][..]; Kind::COUNT];
        for name in &mut names {
            *name = cursor.pascal("a name")?;
        }
        let game = match cursor.u32("the size of a game")? {
            MISSING => None,
            size => Some(cursor.take(size as usize, "a game")?),
        };
        Ok(Entry { header, names, game })
    }

    /// Returns a name as it stands.
    pub(super) fn name(&self, kind: Kind) -> &'a [u8] {
        self.names[kind as usize]
    }
}
