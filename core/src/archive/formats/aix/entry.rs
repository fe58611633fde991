//! What a row of a database says about one game, as the bytes of a block.
//!
//! ```text
//! entry  u32 size  moves  u32 plies  3 × (u32 count  count × i32)  u32 tags × (u8 length  name  u32 length  value)
//! ```
//!
//! The lists are the clocks of White and of Black, in seconds, and the evaluations. A size or a number of plies of
//! 2³² − 1 says that the row has none.

use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::pgn::Tag;

const NONE: u32 = u32::MAX;

/// What a row says beside the tags.
pub(in crate::archive) struct Row<'a> {
    /// The encoded moves, if there are any.
    pub(in crate::archive) moves: Option<&'a [u8]>,
    pub(in crate::archive) plies: Option<u32>,
    /// Clocks of White, clocks of Black, evaluations.
    pub(in crate::archive) lists: [&'a [i64]; 3],
}

/// Appends an entry to a block. `write` appends the value of a tag, by its place among the names, and returns whether the
/// game has it.
pub(in crate::archive) fn pack<'n>(
    row: &Row<'_>,
    names: impl Iterator<Item = &'n [u8]>,
    write: impl Fn(usize, &mut Vec<u8>) -> bool,
    block: &mut Vec<u8>,
) {
    block.extend_from_slice(&row.moves.map_or(NONE, |moves| moves.len() as u32).to_le_bytes());
    block.extend_from_slice(row.moves.unwrap_or_default());
    block.extend_from_slice(&row.plies.unwrap_or(NONE).to_le_bytes());
    for list in row.lists {
        block.extend_from_slice(&(list.len() as u32).to_le_bytes());
        for &number in list {
            let number = number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
            block.extend_from_slice(&number.to_le_bytes());
        }
    }
    let place = block.len();
    block.extend_from_slice(&[0; 4]);
    let mut tags = 0u32;
    for (at, name) in names.enumerate() {
        tags += u32::from(pack_tag(name, |value| write(at, value), block));
    }
    block[place..place + 4].copy_from_slice(&tags.to_le_bytes());
}

/// Appends a tag, if it has a value; returns whether it has one.
fn pack_tag(name: &[u8], write: impl FnOnce(&mut Vec<u8>) -> bool, block: &mut Vec<u8>) -> bool {
    let start = block.len();
    let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
    block.push(length);
    block.extend_from_slice(&name[..usize::from(length)]);
    let place = block.len();
    block.extend_from_slice(&[0; 4]);
    if !write(block) {
        block.truncate(start);
        return false;
    }
    let length = (block.len() - place - 4) as u32;
    block[place..place + 4].copy_from_slice(&length.to_le_bytes());
    true
}

/// The entry of a game.
pub(super) struct Entry<'a> {
    pub(super) moves: Option<&'a [u8]>,
    pub(super) plies: Option<u32>,
    pub(super) clocks: [Numbers<'a>; 2],
    pub(super) evals: Numbers<'a>,
    pub(super) tags: Vec<Tag<'a>>,
}

impl<'a> Entry<'a> {
    /// Reads the next entry of a block.
    pub(super) fn unpack(cursor: &mut Cursor<'a>) -> Result<Entry<'a>, Defect> {
        let moves = match cursor.u32("the size of the moves")? {
            NONE => None,
            size => Some(cursor.take(size as usize, "moves")?),
        };
        let plies = Some(cursor.u32("the number of plies")?).filter(|&plies| plies != NONE);
        let mut lists = [Numbers(&[]); 3];
        for list in &mut lists {
            let count = cursor.u32("the size of a list")? as usize;
            *list = Numbers(cursor.take(count.saturating_mul(4), "a list")?);
        }
        let [white, black, evals] = lists;
        let mut tags = Vec::new();
        for _ in 0..cursor.u32("the number of tags")? {
            let name = cursor.pascal("the name of a tag")?;
            tags.push(Tag::new(name, cursor.counted("the value of a tag")?));
        }
        Ok(Entry { moves, plies, clocks: [white, black], evals, tags })
    }
}

/// Numbers of four bytes each.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    /// Returns the number at a place.
    pub(super) fn get(self, place: usize) -> Option<i32> {
        let start = place.checked_mul(4)?;
        let bytes = self.0.get(start..start.checked_add(4)?)?;
        Some(i32::from_le_bytes(bytes.try_into().ok()?))
    }
}
