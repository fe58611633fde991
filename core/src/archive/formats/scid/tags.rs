//! Text of fields, in UTF-8 or a character set of Windows, and the tags at the head of a game: those that the index has no
//! field for.
//!
//! | bytes | field |
//! |---|---|
//! | 1 | 0: no more tags; 1–240: length of a name, which follows; 241–250: a common name; 255: a date of Scid 2 |
//! | 1 | length of the value, which follows; a date of Scid 2 has no length and 3 bytes |

use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::pgn::Recorded;
use crate::chess::Chess;

const FIRST_COMMON: u8 = 241;
const OLD_DATE: u8 = 255;
const OLD_DATE_BYTES: usize = 3;
const COMMON: [&[u8]; 10] = [
    b"WhiteCountry",
    b"BlackCountry",
    b"Annotator",
    b"PlyCount",
    b"EventDate",
    b"Opening",
    b"Variation",
    b"Setup",
    b"Source",
    b"SetUp",
];

/// Reads all tags and hands over those that have a name.
pub(super) fn read(cursor: &mut Cursor<'_>, mut take: impl FnMut(&[u8], &[u8])) -> Result<(), Defect> {
    loop {
        let [kind] = cursor.array("a tag")?;
        let name = match kind {
            0 => return Ok(()),
            OLD_DATE => {
                cursor.take(OLD_DATE_BYTES, "a date")?;
                continue;
            }
            length @ ..FIRST_COMMON => Some(cursor.take(usize::from(length), "the name of a tag")?),
            common => COMMON.get(usize::from(common - FIRST_COMMON)).copied(),
        };
        let value = cursor.pascal("the value of a tag")?;
        if let Some(name) = name {
            take(name, value);
        }
    }
}

pub(super) fn text_of(field: &[u8]) -> String {
    match std::str::from_utf8(field) {
        Ok(text) => text.to_owned(),
        Err(_) => Chess::charset(field).decode_without_bom_handling(field).0.into_owned(),
    }
}

/// Returns a text as [`text_of`] does, but an empty one for `?`, `-` and `????.??.??`, which mean unknown.
pub(super) fn known(field: &[u8]) -> String {
    let is_known = field.iter().any(|byte| !matches!(byte, b'?' | b'.' | b'-' | b' '));
    if is_known { text_of(field) } else { String::new() }
}

/// Reads bytes up to a zero, and the zero.
pub(super) fn terminated<'a>(cursor: &mut Cursor<'a>, expected: &str) -> Result<&'a [u8], Defect> {
    let Some(length) = memchr::memchr(0, cursor.rest()) else {
        return Err(cursor.defect("truncated", format!("expected {expected} that a zero ends")));
    };
    let text = cursor.take(length, expected)?;
    cursor.take(1, expected)?;
    Ok(text)
}
