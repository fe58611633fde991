//! Content detection: the first bytes of a stream, then its name, tell what it holds.

use std::io::{self, Read};

use shakmaty::san::SanPlus;

use super::compression::Codec;
use super::{Format, signatures};

/// Bytes looked at. A tar header needs 512; PGN may begin with a long comment.
const HEAD_BYTES: u64 = 8 << 10;

/// What a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Empty,
    Compressed(Codec),
    Tar,
    Zip,
    Pgn,
    /// A file that is read as a whole.
    Whole(Format),
    /// Something else: what it looks like.
    Foreign(&'static str),
}

/// A stream whose first bytes have been looked at and are read again.
pub(super) struct Sniffed<R> {
    head: Vec<u8>,
    position: usize,
    failure: Option<io::Error>,
    rest: R,
}

impl<R: Read> Sniffed<R> {
    /// Looks at the head of a stream. An error met there is raised when reading comes to that point.
    pub(super) fn new(mut rest: R) -> Sniffed<R> {
        let mut head = Vec::new();
        let failure = rest.by_ref().take(HEAD_BYTES).read_to_end(&mut head).err();
        Sniffed { head, position: 0, failure, rest }
    }

    /// Returns what the stream holds.
    ///
    /// # Errors
    /// The error of reading the very first byte.
    pub(super) fn kind(&mut self, name: &str) -> io::Result<Kind> {
        match self.failure.take() {
            Some(error) if self.head.is_empty() => Err(error),
            failure => {
                self.failure = failure;
                Ok(kind_of(&self.head, name))
            }
        }
    }
}

impl<R: Read> Read for Sniffed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position < self.head.len() {
            let count = (&self.head[self.position..]).read(buffer)?;
            self.position += count;
            return Ok(count);
        }
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.rest.read(buffer),
        }
    }
}

/// Returns what a stream of this head and name holds: magic bytes first, then text that looks like PGN, then the
/// suffix.
fn kind_of(head: &[u8], name: &str) -> Kind {
    let suffix = suffix(name);
    if let Some(codec) = Codec::of(head) {
        return Kind::Compressed(codec);
    }
    match head {
        [] => return Kind::Empty,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => return Kind::Zip,
        // The byte after the magic is the version, which no text has there.
        [b'X', b'Q', 1..=0x1f, ..] => return Kind::Whole(Format::Xqf),
        [b'X', b'Q', ..] if suffix == "xqf" => return Kind::Whole(Format::Xqf),
        _ => {}
    }
    if head.get(257..262) == Some(b"ustar") || suffix == "tar" && head.len() >= 512 {
        return Kind::Tar;
    }
    if let Some(kind) = signatures::kind_of(head, &suffix) {
        return kind;
    }
    if let Some(found) = known_foreign(head) {
        return Kind::Foreign(found);
    }
    match suffix.as_str() {
        "xqf" => Kind::Foreign("no XQF data (they begin with the bytes \"XQ\" and a version)"),
        _ if is_binary(head) => Kind::Foreign("binary data of an unknown kind"),
        _ if is_xiangqi_pgn(head) => Kind::Foreign("xiangqi games in PGN, which cannot be read"),
        "pgn" => Kind::Pgn,
        _ if has_tags(head) || has_first_move(head) => Kind::Pgn,
        _ => Kind::Foreign("text without PGN tags"),
    }
}

/// Returns the suffix of a name without its compression suffix, in lower case.
fn suffix(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let mut parts = name.rsplit('.').peekable();
    while parts.next_if(|part| ["gz", "bz2", "xz", "zst"].contains(part)).is_some() {}
    let last = parts.next().unwrap_or_default();
    // A name without a dot is no suffix.
    if parts.peek().is_some() { last.to_owned() } else { String::new() }
}

fn known_foreign(head: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 8] = [
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"BOOKBLDR", "a bookbuilder book"),
        (b"PAR1", "a Parquet file"),
        (b"SQLite format 3\0", "a SQLite database"),
        (b"CCBridge", "a CCBridge library or record"),
        (b"\xff\xfe", "UTF-16 text"),
        (b"\xfe\xff", "UTF-16 text"),
    ];
    KNOWN.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, found)| found)
}

/// Returns whether more than one byte in 64 is a control character that text does not use.
fn is_binary(head: &[u8]) -> bool {
    let control = |&&byte: &&u8| matches!(byte, 0..=8 | 0x0e..=0x19 | 0x1b..=0x1f);
    head.iter().filter(control).count() * 64 > head.len()
}

/// Returns whether the first tags are those of xiangqi collections.
fn is_xiangqi_pgn(head: &[u8]) -> bool {
    let marks = ["[game \"chinese chess", "[variant \"xiangqi", "[red \""];
    lines(head).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).any(|line| {
        marks
            .iter()
            .any(|mark| line.len() >= mark.len() && line[..mark.len()].eq_ignore_ascii_case(mark.as_bytes()))
    })
}

/// Returns whether text begins with a PGN tag, or has an Event tag further down.
fn has_tags(head: &[u8]) -> bool {
    let first = lines(head).find(|line| !line.is_empty() && !matches!(line[0], b'%' | b';'));
    first.is_some_and(is_tag) || lines(head).any(|line| line.starts_with(b"[Event \""))
}

/// Returns whether text begins with a first move, numbered: `1. e4`.
fn has_first_move(head: &[u8]) -> bool {
    let Some(rest) = head.trim_ascii_start().strip_prefix(b"1.") else { return false };
    let token = rest.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default();
    SanPlus::from_ascii(token).is_ok()
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii)
}

/// Returns whether text begins like a tag pair: `[Name "`.
pub(super) fn is_tag(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"[") else { return false };
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name > 0 && rest[name..].trim_ascii_start().starts_with(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_told_by_its_bytes_before_its_name() {
        let kinds = [
            (&b"[Event \"?\"]\n"[..], "games.txt", Kind::Pgn),
            (b"\xef\xbb\xbf\r\n% made by\r\n[White \"?\"]\r\n", "x", Kind::Pgn),
            (b"1. e4 e5 *", "bare.pgn.zst", Kind::Pgn),
            (b"e4 e5 *", "pgn", Kind::Foreign("text without PGN tags")),
            (b"\n1.Nf3 e5 *", "bare", Kind::Pgn),
            (b"1. Introduction", "a.txt", Kind::Foreign("text without PGN tags")),
            (b"a,b\n1,2\n", "t.csv", Kind::Foreign("text without PGN tags")),
            (b"XQ\x12\0", "game", Kind::Whole(Format::Xqf)),
            (
                b"[Game \"Chinese Chess\"]\n",
                "x.pgn",
                Kind::Foreign("xiangqi games in PGN, which cannot be read"),
            ),
            (b"\x28\xb5\x2f\xfd", "x.pgn", Kind::Compressed(Codec::Zstd)),
            (b"PK\x03\x04", "x", Kind::Zip),
            (b"", "x.pgn", Kind::Empty),
        ];
        for (head, name, kind) in kinds {
            assert_eq!(kind_of(head, name), kind, "{name}");
        }
        assert!(
            matches!(kind_of(b"\x05\x00\x00\x01", "a.xqf"), Kind::Foreign(found) if found.contains("XQF"))
        );
    }
}
