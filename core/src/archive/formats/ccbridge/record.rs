//! Reads one binary record.
//!
//! | v1 | v2 | size | field |
//! |---|---|---|---|
//! | 0 | 0 | 16 | `CCBridge Record\0` |
//! | 19 | 19 | 1 | version, 1 or 2 |
//! | 52 … | 180 … | | texts: UTF-16LE, ended by a zero within their field; see [`TEXTS`] |
//! | 1784 | 2040 | 1 | kind of record |
//! | 1820 | 2076 | 1 | result: 1 red wins, 2 black wins, 3 draw, 4 several |
//! | 1856 | 2112 | 1 | side to move: 1 red, 2 black |
//! | 1864 | 2120 | 90 | board from black's left corner on; red 0x11 … 0x17 = R N B A K C P, black 0x21 … 0x27 |
//! | 1958 | 2214 | | tree: `mark 0 from to`, with mark & 4 also a length (4 bytes) and a comment |
//!
//! Of a mark, 1 says that no child follows and 2 that an alternative does. Squares count from black's left corner, row·9
//! + file (version 1: file·16 + row, by one source only). The first node is a root without a move.

use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::facts::{Facts, outcome_of};
use crate::archive::formats::lines::{Lines, Node};
use crate::archive::formats::placement::Placement;
use crate::archive::text::plain::decode_utf16;
use crate::archive::{Defect, GameRecord, ReadOptions};
use crate::game::Side;
use crate::xiangqi::{FILES, RANKS, Square, Token};

/// First bytes of a record.
pub(super) const MAGIC: &[u8] = b"CCBridge Record\0";

/// Text fields: offset in version 1, size, name of the tag.
const TEXTS: [(usize, usize, &str); 14] = [
    (52, 128, "Title"),
    (564, 64, "Event"),
    (628, 64, "Round"),
    (756, 64, "Date"),
    (820, 64, "Site"),
    (884, 64, "TimeControl"),
    (948, 64, "Red"),
    (1012, 64, "RedTeam"),
    (1140, 32, "RedElo"),
    (1172, 64, "Black"),
    (1236, 64, "BlackTeam"),
    (1364, 32, "BlackElo"),
    (1396, 64, "Annotator"),
    (1524, 64, "Author"),
];

/// Letters of the pieces 1 to 7.
const LETTERS: &[u8; 7] = b"RNBAKCP";

/// Returns where a field of version 1 lies in a version.
fn at(version: u8, offset: usize) -> usize {
    match offset {
        _ if version == 1 => offset,
        ..1396 => offset + 128,
        _ => offset + 256,
    }
}

/// Returns the square of a byte of a move.
fn square(version: u8, byte: u8) -> Option<Square> {
    let (row, file) = if version == 1 { (byte % 16, byte / 16) } else { (byte / FILES, byte % FILES) };
    Square::at(file, (RANKS - 1).checked_sub(row)?)
}

/// Reads the record at the start of `bytes`, which lie at offset `base` in their member. Its length is that of what
/// was read.
pub(super) fn read(bytes: &[u8], base: u64, options: &ReadOptions) -> GameRecord<Token> {
    let mut length = bytes.len();
    let mut facts = Facts::default();
    let mut lines = Lines::new(options);
    match read_head(bytes, base) {
        Err(defect) => facts.fail(defect),
        Ok((version, head)) => {
            let mut cursor = Cursor::new(&bytes[head.len()..], base + head.len() as u64);
            if let Err(defect) = read_tree(&mut cursor, version, &mut lines) {
                facts.fail(defect);
            }
            length = head.len() + cursor.position();
            for (offset, size, name) in TEXTS {
                facts.add(name, decode_utf16(&head[at(version, offset)..][..size]));
            }
            facts.outcome = outcome_of(head[at(version, 1820)]);
            read_start(head, version, base, lines.first_origin(), &mut facts);
        }
    }
    facts.into_record(lines, options, base, length as u64)
}

/// Returns the version of a record, and what stands before its tree.
fn read_head(bytes: &[u8], base: u64) -> Result<(u8, &[u8]), Defect> {
    let mut cursor = Cursor::new(bytes, base);
    if cursor.take(MAGIC.len(), "a CCBridge record").ok() != Some(MAGIC) {
        return Err(Defect::new("magic", base, "expected the bytes \"CCBridge Record\" at the start"));
    }
    let [.., version] = cursor.array::<4>("a version")?;
    if !(1..=2).contains(&version) {
        return Err(Defect::new("version", base + 19, format!("expected version 1 or 2, found {version}")));
    }
    let tree = at(version, 1958);
    let Some(head) = bytes.get(..tree) else {
        let message = format!("expected a header of {tree} bytes, found {}", bytes.len());
        return Err(Defect::new("truncated", base + bytes.len() as u64, message));
    };
    Ok((version, head))
}

fn read_start(head: &[u8], version: u8, base: u64, first_origin: Option<Square>, facts: &mut Facts) {
    let board = at(version, 1864);
    let mut placement = Placement::empty();
    for (index, &code) in head[board..board + 90].iter().enumerate() {
        let letter = usize::from(code & 0x0f).checked_sub(1).and_then(|kind| LETTERS.get(kind));
        // Boards are numbered by rows whatever the version, moves are not.
        let square = Square::at((index % 9) as u8, 9 - (index / 9) as u8);
        match (code, letter, square) {
            (0, ..) => {}
            (0x11..0x18, Some(&letter), Some(square)) => placement.put(letter, square),
            (0x21..0x28, Some(letter), Some(square)) => placement.put(letter.to_ascii_lowercase(), square),
            _ => {
                let message = format!("expected a piece, 0x11 to 0x17 or 0x21 to 0x27, found {code:#04x}");
                facts.fail(Defect::new("placement", base + (board + index) as u64, message));
            }
        }
    }
    let side = if head[at(version, 1856)] == 2 { Side::Second } else { Side::First };
    facts.start = placement.start_of(first_origin, side);
}

fn read_tree(cursor: &mut Cursor<'_>, version: u8, lines: &mut Lines<Token>) -> Result<(), Defect> {
    let off_board = "expected squares of the board in a move of the main line";
    let bad_square = lines.read_tree(off_board, |is_collected| {
        let offset = cursor.offset();
        let [mark, _, from, to] = cursor.array("a node of the tree")?;
        let comment = if mark & 4 != 0 { cursor.counted("a comment")? } else { &[] };
        Ok(Node {
            token: square(version, from).zip(square(version, to)).map(|(from, to)| Token::new(from, to)),
            has_child: mark & 1 == 0,
            has_alternative: mark & 2 != 0,
            comment: if is_collected { decode_utf16(comment) } else { String::new() },
            offset,
        })
    })?;
    bad_square.map_or(Ok(()), Err)
}
