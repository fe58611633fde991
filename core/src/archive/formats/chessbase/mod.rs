//! ChessBase databases (CBH): games of chess in several files beside each other.
//!
//! | suffix | content |
//! |---|---|
//! | `.cbh` | a record of 46 bytes for each game or text: who, when, result, and where the rest is |
//! | `.cbg` | moves and variations |
//! | `.cba` | annotations |
//! | `.cbp`, `.cbt`, `.cbc` | names of players, tournaments and annotators |
//!
//! | file | step |
//! |---|---|
//! | `entry` | what all files say of one game → bytes of a block, and back |
//! | `header` | the record of a game → its facts |
//! | `setup` | a start position that is not the usual one |
//! | `board` | which piece is the first, second and third of its kind |
//! | `opcodes` | a byte → a piece and its way |
//! | `tree` | moves and variations |
//! | `notes` | annotations → marks, glyphs and comments |
//! | `text` | the text of a field |
//!
//! Numbers are big-endian, but little-endian in the files of names. Read are regular games in the usual encoding.
//! Deleted games, texts, variants of chess and other encodings are games that cannot be used, each with its reason.
//!
//! Source: the descriptions of the format in the repository Yarin78/morphy; checked on a database of 503 games.

mod board;
mod entry;
mod header;
mod notes;
mod opcodes;
mod setup;
mod text;
mod tree;

#[cfg(test)]
mod tests;

use super::cursor::Cursor;
use super::lines::Lines;
use crate::archive::date::year_of;
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink, Start};
use crate::chess::Token;
use board::Board;
use entry::Entry;
use header::Header;

pub(in crate::archive) use entry::{Missing, Sizes, pack};
pub(in crate::archive) use header::{RECORD_BYTES, References, is_database};

/// Bit of the first byte of a game's moves: the start position follows.
const HAS_SETUP: u8 = 0x40;

/// Bits of that byte that tell how moves are encoded.
const ENCODING: u8 = 0x3f;

/// Parses a block: entries of games, one after the other.
pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut cursor = Cursor::new(&block.bytes, 0);
    let mut offset = block.offset;
    while !cursor.rest().is_empty() {
        match Entry::unpack(&mut cursor) {
            Ok(entry) => sink(&read_game(&entry, offset, options)),
            // Blocks are packed by this program: only one of a fuzzer ends early.
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
    if let Some(defect) = header.defect(offset) {
        record.defect = Some(defect);
        return record;
    }
    fill_facts(&mut record, &header, entry, options);
    if let Err(defect) = fill_moves(&mut record, &header, entry, options) {
        record.defect = Some(defect);
    }
    record
}

/// Fills what the record says besides its moves.
fn fill_facts(record: &mut GameRecord<Token>, header: &Header, entry: &Entry<'_>, options: &ReadOptions) {
    let names = entry.names();
    record.first_player = names.white;
    record.second_player = names.black;
    record.ratings = header.ratings;
    record.date = header.date();
    record.year = year_of(&record.date);
    record.event = names.event;
    record.outcome = header.outcome;
    record.tagged = header.outcome;
    if options.tags {
        record.tags = header.tags(record, names.site, names.annotator);
    }
}

/// Fills start position, moves, variations, marks and notes.
fn fill_moves(
    record: &mut GameRecord<Token>,
    header: &Header,
    entry: &Entry<'_>,
    options: &ReadOptions,
) -> Result<(), Defect> {
    let bytes = entry.moves.map_err(|missing| missing.defect(record.offset, "moves", header.moves_offset))?;
    let mut cursor = Cursor::new(bytes, u64::from(header.moves_offset));
    let [kind, ..] = cursor.array::<4>("the size of the moves")?;
    let encoding = kind & ENCODING;
    if encoding != 0 {
        return Err(cursor.defect("encoding", opcodes::describe(encoding)));
    }
    let (mut board, mut start) = (Board::usual(), Start::Standard);
    if kind & HAS_SETUP != 0 {
        let fen;
        (board, fen) = setup::read(&mut cursor)?;
        start = Start::Fen(fen);
    }
    if let (Start::Fen(fen), true) = (&start, options.tags) {
        record.tags.push(("SetUp".to_owned(), "1".to_owned()));
        record.tags.push(("FEN".to_owned(), fen.clone()));
    }
    record.start = start;
    let mut lines = Lines::new(options);
    let mut places = Vec::new();
    let read = tree::read(&mut cursor, board, &mut lines, &mut places);
    lines.fill(record);
    // What is damaged behind the main line takes no marks from it.
    if let Ok(annotations) = entry.annotations {
        notes::read(annotations, &places, options, record);
    }
    read
}
