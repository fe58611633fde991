//! Text in the files of a database, which Windows of Western Europe wrote.

use encoding_rs::WINDOWS_1252;

/// Returns the text of a field, which a zero may end.
pub(super) fn text_of(field: &[u8]) -> String {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(&field[..end]);
    text.trim().to_owned()
}
