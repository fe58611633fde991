//! Scid databases (si4): games of chess in three files next to each other.
//!
//! | suffix | content |
//! |---|---|
//! | `.si4` | the index: a head of 182 bytes, then a record of 47 bytes for each game |
//! | `.sn4` | the names of players, events, sites and rounds |
//! | `.sg4` | for each game its other tags, start position, moves, variations, glyphs and comments |
//!
//! | file | step |
//! |---|---|
//! | `names` | the `.sn4` file → names by number |
//! | `entry` | what all files say about one game → bytes of a block, and back |
//! | `header` | the record of a game → its facts |
//! | `tags` | the tags at the head of a game |
//! | `board` | which piece has which number |
//! | `moves` | a byte → the target of a piece |
//! | `tree` | moves, variations, glyphs and comments |
//! | `text` | the text of a field |
//!
//! Numbers are big-endian. Version 400 is read, which Scid 4 and Scid vs. PC write.
//!
//! Source: the public source code of Scid, read as a description; checked against the programs of Scid 4.7.

mod board;
mod entry;
mod header;
mod moves;
mod names;
mod tags;
mod text;
mod tree;

#[cfg(test)]
mod tests;

use super::cursor::Cursor;
use super::lines::Lines;
use super::pgn::Recorded;
use crate::archive::date::year_of;
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink, Start};
use crate::chess::{Chess, Token};
use board::Board;
use entry::Entry;
use header::Header;
use text::{known, text_of};

pub(in crate::archive) use entry::{Kind, RECORD_BYTES, pack};
pub(in crate::archive) use header::{HEAD_BYTES, References, VERSION, games_of, version_of};
pub(in crate::archive) use names::Names;

/// Bit of the byte after the tags: the start position follows.
const HAS_START: u8 = 1;

/// Parses a block: entries of games, one after the other.
pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut cursor = Cursor::new(&block.bytes, 0);
    let mut offset = block.offset;
    while !cursor.rest().is_empty() {
        match Entry::unpack(&mut cursor) {
            Ok(entry) => sink(&read_game(&entry, offset, options)),
            // Blocks are packed by this program: only a fuzzer makes one that ends early.
            Err(defect) => {
                sink(&GameRecord { defect: Some(defect), ..GameRecord::at(offset, RECORD_BYTES as u64) });
                return;
            }
        }
        offset += RECORD_BYTES as u64;
    }
}

fn read_game(entry: &Entry<'_>, offset: u64, options: &ReadOptions) -> GameRecord<Token> {
    let header = Header::read(entry.header);
    let mut record = GameRecord::at(offset, RECORD_BYTES as u64);
    if header.is_deleted() {
        let message = "expected a game, found a game that is marked as deleted";
        record.defect = Some(Defect::new("deleted", offset, message));
        return record;
    }
    fill_facts(&mut record, &header, entry);
    if options.tags {
        record.tags = header.tags(entry);
    }
    if let Err(defect) = fill_game(&mut record, &header, entry, options) {
        record.defect = Some(defect);
    }
    record
}

/// Fills what the index says.
fn fill_facts(record: &mut GameRecord<Token>, header: &Header, entry: &Entry<'_>) {
    record.first_player = known(entry.name(Kind::White));
    record.second_player = known(entry.name(Kind::Black));
    record.event = known(entry.name(Kind::Event));
    record.ratings = header.ratings();
    record.date = known(header.date().as_bytes());
    record.year = year_of(&record.date);
    record.outcome = header.outcome;
    record.tagged = header.outcome;
}

/// Fills what the file of games says: more tags, start position, moves, variations, marks and notes.
fn fill_game(
    record: &mut GameRecord<Token>,
    header: &Header,
    entry: &Entry<'_>,
    options: &ReadOptions,
) -> Result<(), Defect> {
    let place = header.references.game;
    let Some(bytes) = entry.game else {
        let message = format!("expected the game at byte {place} of the .sg4 file, which ends before");
        return Err(Defect::new("truncated", record.offset, message));
    };
    let mut cursor = Cursor::new(bytes, u64::from(place));
    tags::read(&mut cursor, |name, value| add_tag(record, name, value, options))?;
    record.year = year_of(&record.date);
    let board = read_start(&mut cursor, record, options)?;
    let mut lines = Lines::new(options);
    let (marks, read) = tree::read(&mut cursor, board, &mut lines);
    lines.fill(record);
    for (line, ply, mark) in marks {
        record.set_mark(line, ply, mark);
    }
    read
}

/// Takes a tag that the index has no field for. Scid keeps the start position itself elsewhere.
fn add_tag(record: &mut GameRecord<Token>, name: &[u8], value: &[u8], options: &ReadOptions) {
    match name {
        b"SetUp" | b"Setup" | b"FEN" => return,
        b"Variant" => {
            let name = text_of(value);
            let name = name.trim();
            record.variant = (!name.is_empty() && !Chess::is_standard_variant(name)).then(|| name.to_owned());
        }
        b"UTCDate" if record.date.is_empty() => record.date = known(value),
        _ => {}
    }
    if options.tags {
        record.tags.push((text_of(name), text_of(value)));
    }
}

/// Reads the start position into the record, and returns it.
fn read_start(
    cursor: &mut Cursor<'_>,
    record: &mut GameRecord<Token>,
    options: &ReadOptions,
) -> Result<Board, Defect> {
    let [flags] = cursor.array("the flags of a game")?;
    if flags & HAS_START == 0 {
        return Ok(Board::usual());
    }
    let place = cursor.clone();
    let fen = text_of(text::terminated(cursor, "a FEN")?);
    let board = Board::of_fen(&fen).map_err(|message| place.defect("placement", message))?;
    record.start = Chess::start_of(&fen);
    if let (Start::Fen(fen), true) = (&record.start, options.tags) {
        record.tags.push(("SetUp".to_owned(), "1".to_owned()));
        record.tags.push(("FEN".to_owned(), fen.clone()));
    }
    Ok(board)
}
