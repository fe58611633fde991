//! Reads CBL libraries of 2001 to 2009.
//!
//! ```text
//! file      "CCBridge"  u32 0x15  u32 1 or 3  u32 size of the content  zlib stream with the content
//! content   5 strings, the name first  2 times  u32 games  string remark  games
//! game      u32 size of the game  32 squares  u32 kind  string event  u32 side to move  string title  6 strings
//!           u32 result  4 strings  string remark  1 byte  2 times  u32 nodes  nodes  one line of text a node
//! node      u16 ply  from  to  2 bytes that abbreviate the move
//! ```
//!
//! A string is a u32 that counts its bytes, and GBK; a time is 19 bytes of text. A piece's square is (file + 1)·16 +
//! 10 − rank, 0 = absent; a move's is file·16 + 9 − rank. Nodes come depth first: the parent of a node of ply p is the
//! last node of ply p − 1. The lines of text are the nodes' comments. Offsets count in the content.
//!
//! Source: own, worked out on libraries that it reads to the last byte. The meaning of the other strings, of the side to
//! move and of the kind is not known; the side is taken from the first piece moved.
//!
//! Reads CBL libraries.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 16 | `CCBridgeLibrary\0` |
//! | 60 | 4 | slots of the index; not the number of games |
//! | 66,624 | 276 each | index |
//! | 66,624 + 276·slots | | records, each from a multiple of 4,096 bytes on |
//!
//! The reader looks for a record at every page, because the index of real libraries is unreliable.

use super::record::{self, MAGIC};
use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::facts::{Facts, outcome_of};
use crate::archive::formats::lines::{Lines, Place};
use crate::archive::formats::placement::Placement;
use crate::archive::text::plain::decode_gb18030;
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink};
use crate::game::Side;
use crate::xiangqi::{RANKS, Square, Token};
use flate2::read::ZlibDecoder;
use memchr::memmem;
use std::io::Read;

/// Bytes before the zlib stream.
const HEAD_BYTES: usize = 20;

/// Largest content: the known library takes 118,621 bytes.
const MAX_CONTENT_BYTES: usize = 64 << 20;

/// Bytes of the two times.
const TIMES_BYTES: usize = 2 * 19;

const NODE_BYTES: usize = 6;

/// Parses a library of the first versions. Of a damaged stream, what comes before the damage is read.
pub(super) fn read_old(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let stream = ZlibDecoder::new(block.bytes.get(HEAD_BYTES..).unwrap_or_default());
    let mut content = Vec::new();
    let damage = match stream.take(MAX_CONTENT_BYTES as u64).read_to_end(&mut content) {
        Err(error) => Some(("damaged", format!("expected a zlib stream: {error}"))),
        Ok(MAX_CONTENT_BYTES) => {
            Some(("too-large", format!("expected less than {MAX_CONTENT_BYTES} bytes of content")))
        }
        Ok(_) => None,
    };
    let damage = damage.map(|(reason, message)| Defect::new(reason, content.len() as u64, message));
    let mut cursor = Cursor::new(&content, 0);
    let read = read_games(&mut cursor, options, sink);
    if let Some(defect) = damage.or(read.err()) {
        let (offset, length) = (cursor.offset(), cursor.rest().len() as u64);
        sink(&GameRecord { defect: Some(defect), ..GameRecord::at(offset, length) });
    }
}

/// Reads the content up to the first game whose size is wrong.
fn read_games(cursor: &mut Cursor<'_>, options: &ReadOptions, sink: Sink<'_, Token>) -> Result<(), Defect> {
    for _ in 0..5 {
        cursor.counted("a text of the library")?;
    }
    cursor.take(TIMES_BYTES, "two times")?;
    let games = cursor.u32("the number of games")?;
    cursor.counted("the remark of the library")?;
    for number in 1..=games {
        let start = cursor.clone();
        let size = cursor.u32(&format!("game {number} of {games}"))?;
        // The size counts itself.
        let Some(rest) = size.checked_sub(4) else {
            *cursor = start;
            return Err(cursor.defect("size", format!("expected a game of at least 4 bytes, found {size}")));
        };
        let offset = cursor.offset();
        let Ok(bytes) = cursor.take(rest as usize, "a game") else {
            *cursor = start;
            let message = format!("expected a game of {size} bytes, found {}", cursor.rest().len());
            return Err(cursor.defect("truncated", message));
        };
        sink(&read_game(bytes, offset, options));
    }
    cursor.end()
}

/// Reads a game from the bytes behind its size.
fn read_game(bytes: &[u8], offset: u64, options: &ReadOptions) -> GameRecord<Token> {
    let mut facts = Facts::default();
    let mut lines = Lines::new(options);
    if let Err(defect) = fill(&mut Cursor::new(bytes, offset), &mut facts, &mut lines) {
        facts.fail(defect);
    }
    facts.into_record(lines, options, offset - 4, bytes.len() as u64 + 4)
}

fn fill(cursor: &mut Cursor<'_>, facts: &mut Facts, lines: &mut Lines<Token>) -> Result<(), Defect> {
    let placement = read_placement(cursor)?;
    cursor.u32("the kind of the game")?;
    facts.add("Event", decode_gb18030(cursor.counted("an event")?));
    let side = if cursor.u32("the side to move")? == 2 { Side::Second } else { Side::First };
    facts.add("Title", decode_gb18030(cursor.counted("a title")?));
    for _ in 0..6 {
        cursor.counted("a text")?;
    }
    facts.outcome = outcome_of(cursor.u32("a result")?.try_into().unwrap_or(0));
    for _ in 0..4 {
        cursor.counted("a text")?;
    }
    lines.comment(Place::START, &decode_gb18030(cursor.counted("a remark")?));
    cursor.take(1 + TIMES_BYTES, "two times")?;
    let read = read_nodes(cursor, lines);
    facts.start = placement.start_of(lines.first_origin(), side);
    read
}

fn read_placement(cursor: &mut Cursor<'_>) -> Result<Placement, Defect> {
    let mut placement = Placement::empty();
    let offset = cursor.offset();
    for (slot, byte) in cursor.array::<32>("32 squares")?.into_iter().enumerate() {
        let square = (byte >> 4).checked_sub(1).zip(RANKS.checked_sub(byte & 15));
        match square.and_then(|(file, rank)| Square::at(file, rank)) {
            Some(square) => placement.put_slot(slot, square),
            None if byte == 0 => {}
            None => {
                let message = format!("expected (file + 1)·16 + 10 − rank or 0, found {byte:#04x}");
                return Err(Defect::new("placement", offset + slot as u64, message));
            }
        }
    }
    placement.checked().map_err(|message| Defect::new("placement", offset, message))?;
    Ok(placement)
}

/// Reads the nodes, and the lines of text behind them.
fn read_nodes(cursor: &mut Cursor<'_>, lines: &mut Lines<Token>) -> Result<(), Defect> {
    let nodes = cursor.u32("the number of nodes")? as usize;
    let first = cursor.offset();
    let bytes = cursor.take(nodes.saturating_mul(NODE_BYTES), &format!("{nodes} nodes"))?;
    // Places behind the moves of the path to the last node, and whether that is on the main line.
    let mut path = vec![Place::START];
    let mut is_main_line = true;
    let mut bad_node = None;
    for (index, node) in bytes.chunks_exact(NODE_BYTES).enumerate() {
        let offset = first + (index * NODE_BYTES) as u64;
        let ply = usize::from(u16::from_le_bytes([node[0], node[1]]));
        let Some(&parent) = ply.checked_sub(1).and_then(|plies| path.get(plies)) else {
            let message = format!("expected a ply of 1 to {}, found {ply}", path.len());
            return Err(Defect::new("ply", offset, message));
        };
        let token = square_of(node[2]).zip(square_of(node[3])).map(|(from, to)| Token::new(from, to));
        let is_alternative = ply < path.len();
        is_main_line &= !is_alternative;
        if token.is_none() && is_main_line && bad_node.is_none() {
            let message = "expected squares of the board in a move of the main line";
            bad_node = Some(Defect::new("bad-square", offset, message));
        }
        let place = lines.put(parent, token, is_alternative);
        path.truncate(ply);
        path.push(place);
        // There may be fewer lines of text than nodes.
        let rest = cursor.rest();
        let length = memmem::find(rest, b"\r\n").map_or(rest.len(), |end| end + 2);
        lines.comment(place, &decode_gb18030(cursor.take(length, "a comment")?));
    }
    bad_node.map_or(Ok(()), Err)
}

/// Returns the square of a move's byte.
fn square_of(byte: u8) -> Option<Square> {
    Square::at(byte >> 4, (RANKS - 1).checked_sub(byte & 15)?)
}

const INDEX: usize = 66_624;
const SLOT_BYTES: usize = 276;
const PAGE_BYTES: usize = 4096;

/// Parses a library of pages: behind the index or, if the number of slots is wrong, where the first record is.
pub(super) fn read_pages(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let bytes = &block.bytes;
    let slots = bytes.get(60..64).and_then(|field| field.try_into().ok()).map_or(0, u32::from_le_bytes);
    let start = (slots as usize).checked_mul(SLOT_BYTES).and_then(|index| index.checked_add(INDEX));
    let known = start.filter(|&start| bytes.get(start..).is_some_and(|rest| rest.starts_with(MAGIC)));
    let first = known.or_else(|| memmem::find(bytes, MAGIC));
    let Some(first) = first.or(start.filter(|&start| start <= bytes.len())) else {
        let message = format!("expected an index of {slots} slots and records behind it");
        let length = bytes.len() as u64;
        let defect = Some(Defect::new("truncated", block.offset + length, message));
        return sink(&GameRecord { defect, ..GameRecord::at(block.offset, length) });
    };
    let is_record = |&place: &usize| bytes[place..].starts_with(MAGIC);
    let mut places = (first..bytes.len()).step_by(PAGE_BYTES).filter(is_record).peekable();
    while let Some(place) = places.next() {
        let end = places.peek().copied().unwrap_or(bytes.len());
        sink(&record::read(&bytes[place..end], block.offset + place as u64, options));
    }
}
