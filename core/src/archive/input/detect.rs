//! Detects the content of a stream by its first bytes, then by its name.
//!
//! Magic bytes decide first. For text, `recognise` decides whether it is PGN, and of which game.

use super::compression::Codec;
use super::container::database::{ChessBase, Database, Scid};
use super::download::Form;
use crate::archive::Format;
use crate::archive::formats::chessbase::is_database;
use crate::archive::formats::{ccbridge, coordinates, dhtmlxq, mxq, position_list};
use crate::archive::text::{plain, recognise};
use encoding_rs::Encoding;
use memchr::{memchr_iter, memmem};
use std::io::{self, Cursor, Read};

/// Bytes looked at. A tar header needs 512; PGN may begin with a long comment.
const HEAD_BYTES: u64 = 8 << 10;

/// A stream whose first bytes have been looked at and are read again.
pub(super) struct Sniffed<R> {
    head: Cursor<Vec<u8>>,
    failure: Option<io::Error>,
    rest: R,
}

impl<R: Read> Sniffed<R> {
    /// Looks at the head of a stream. An error met there is raised when reading comes to that point.
    pub(super) fn new(mut rest: R) -> Sniffed<R> {
        let mut head = Vec::with_capacity(HEAD_BYTES as usize);
        let failure = rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head).err();
        Sniffed { head: Cursor::new(head), failure, rest }
    }

    pub(super) fn utf16(&self) -> Option<&'static Encoding> {
        plain::utf16_of(self.head.get_ref())
    }

    /// Returns what the stream holds.
    ///
    /// # Errors
    /// The error of reading the very first byte.
    pub(super) fn kind(&mut self, name: &str) -> io::Result<Kind> {
        match self.failure.take_if(|_| self.head.get_ref().is_empty()) {
            Some(error) => Err(error),
            None => Ok(kind_of(self.head.get_ref(), name)),
        }
    }
}

impl<R: Read> Read for Sniffed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.head.read(buffer)?;
        match self.failure.take_if(|_| count == 0 && !buffer.is_empty()) {
            Some(error) => Err(error),
            None if count > 0 => Ok(count),
            None => self.rest.read(buffer),
        }
    }
}

/// Returns the kind of a stream: by magic bytes, then by text that looks like PGN, then by the suffix.
fn kind_of(head: &[u8], name: &str) -> Kind {
    let suffix = suffix(name);
    if let Some(codec) = Codec::of(head) {
        return Kind::Compressed(codec);
    }
    match head {
        [] => return Kind::Empty,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => return Kind::Zip,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => return Kind::SevenZ,
        // The byte after the magic is the version, which no text has there.
        [b'X', b'Q', 1..=0x1f, ..] => return Kind::Whole(Format::Xqf),
        [b'X', b'Q', ..] if suffix == "xqf" => return Kind::Whole(Format::Xqf),
        _ if suffix == "cbh" && is_database(head) => return Kind::ChessBase,
        _ => {}
    }
    match Scid::is_index(head) {
        Some(Ok(())) => return Kind::Scid,
        Some(Err(found)) => return Kind::Foreign(found),
        None => {}
    }
    if head.get(257..262) == Some(b"ustar") || suffix == "tar" && head.len() >= 512 {
        return Kind::Tar;
    }
    if let Some(kind) = whole_kind(head, &suffix) {
        return kind;
    }
    if let Some(found) = known_foreign(head) {
        return Kind::Foreign(found);
    }
    if suffix == "xqf" {
        return Kind::Foreign("no XQF data (they begin with the bytes \"XQ\" and a version)");
    }
    kind_of_text(&plain::decoded(head), &suffix)
}

/// Returns the kind of text. A file named PGN is taken for PGN.
fn kind_of_text(head: &[u8], suffix: &str) -> Kind {
    if is_binary(head) {
        return Kind::Foreign(Scid::describe(head, suffix).unwrap_or(binary_of(suffix)));
    }
    let mut mended = head.to_vec();
    plain::mend(&mut mended, 0, plain::has_cr_lines(head));
    if let Some(form) = Form::of(&mended) {
        return Kind::Download(form);
    }
    match recognise::format_of(&mended) {
        Some(format) => Kind::Text(format),
        None if mended.trim_ascii_start().starts_with(b"{") => Kind::Foreign("JSON without games"),
        None if suffix == "pgn" => Kind::Text(Format::Pgn),
        None => Kind::Foreign("text without PGN tags or moves"),
    }
}

/// Returns what binary data are by the suffix of their name.
fn binary_of(suffix: &str) -> &'static str {
    match suffix {
        "cbh" => "no ChessBase database (its .cbh file begins with a zero and the size of its records)",
        "cbv" | "cbz" => "a packed ChessBase database; unpack it in ChessBase, and name its .cbh file",
        "2cbh" => "a database of ChessBase 26; save it there as PGN",
        part if ChessBase::is_part(part) => {
            "a part of a ChessBase database; keep all its files in one folder, and name the .cbh file"
        }
        _ => "binary data of an unknown kind",
    }
}

/// Returns the suffix of a name without its compression suffix, in lower case.
fn suffix(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let mut parts = name.rsplit('.').peekable();
    while parts.next_if(|part| ["gz", "bz2", "xz", "zst"].contains(part)).is_some() {}
    let last = parts.next().unwrap_or_default();
    // A name without a dot has no suffix.
    if parts.peek().is_some() { last.to_owned() } else { String::new() }
}

fn known_foreign(head: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 9] = [
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"\x1f\x9d", "data of compress (.Z)"),
        (b"\x04\x22\x4d\x18", "LZ4 data"),
        (b"BOOKBLDR", "a bookbuilder book"),
        (b"PAR1", "a Parquet file"),
        (b"SQLite format 3\0", "a SQLite database"),
        (b"CCBridge", "a CCBridge library or record"),
        (b"\xff\xfe\0\0", "UTF-32 text"),
        (b"\0\0\xfe\xff", "UTF-32 text"),
    ];
    KNOWN.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, found)| found)
}

/// Returns whether more than one byte in 64 is a control character that text does not use. NUL may be damage in text:
/// that is more only where it is a quarter of all and no tag stands beside it.
fn is_binary(head: &[u8]) -> bool {
    let control = |&&byte: &&u8| matches!(byte, 1..=8 | 0x0e..=0x19 | 0x1b..=0x1f);
    let zeros = memchr_iter(0, head).count();
    head.iter().filter(control).count() * 64 > head.len()
        || zeros * 4 > head.len() && memmem::find(head, b"[Event \"").is_none()
}

/// What a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Empty,
    Compressed(Codec),
    Tar,
    Zip,
    SevenZ,
    /// One of the two kinds of PGN.
    Text(Format),
    /// The main file of a ChessBase database, whose other files lie beside it.
    ChessBase,
    /// The index of a Scid database, whose other files lie beside it.
    Scid,
    /// A file that is read as a whole.
    Whole(Format),
    /// Text that is rewritten as PGN.
    Download(Form),
    /// Something else: what it looks like.
    Foreign(&'static str),
}

/// Returns what a stream holds if it is a format of xiangqi that is read as a whole, or a file that belongs to them and holds no games.
fn whole_kind(head: &[u8], suffix: &str) -> Option<Kind> {
    let format = if ccbridge::is_record(head) {
        Format::Cbr
    } else if ccbridge::is_library(head) {
        Format::Cbl
    } else if memmem::find(head, b"<ChineseChessRecord").is_some() {
        Format::Cbf
    } else if dhtmlxq::is_page(head) || matches!(suffix, "ubb" | "htm" | "html") {
        Format::DhtmlXq
    } else if mxq::is_mxq(head) || suffix == "mxq" {
        Format::Mxq
    } else if matches!(suffix, "eplib" | "epg") && head.iter().all(|byte| b"01 \r\n".contains(byte)) {
        return Some(Kind::Foreign("marks of solved puzzles, no positions"));
    } else if position_list::is_position_list(head) || suffix == "eglib" {
        Format::PositionList
    } else if coordinates::is_coordinate_text(head) {
        Format::CoordinateText
    } else if suffix == "xqn" {
        Format::Xqn
    } else {
        return None;
    };
    Some(Kind::Whole(format))
}

#[cfg(test)]
mod tests;
