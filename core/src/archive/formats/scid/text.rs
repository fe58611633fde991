//! Text in the files of a database: UTF-8 in new ones, a character set of Windows in old ones.

use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::pgn::Recorded;
use crate::chess::Chess;

/// Returns a text as it stands.
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
