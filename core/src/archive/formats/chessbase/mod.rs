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
//! | `header` | the record and the names of a game → its facts |
//! | `board` | the start position; which piece is the first, second and third of its kind |
//! | `opcodes` | a byte → a piece and its way |
//! | `tree` | moves and variations |
//! | `notes` | annotations → marks, glyphs and comments |
//!
//! Numbers are big-endian, but little-endian in the files of names. Read are regular games in the usual encoding.
//! Deleted games, texts, variants of chess and other encodings are games that cannot be used, each with its reason.
//!
//! Source: the descriptions of the format in the repository Yarin78/morphy; checked on a database of 503 games.

mod board;
mod header;
mod notes;
mod opcodes;
mod tree;

#[cfg(test)]
mod tests;

use super::cursor::Cursor;
use super::database;
use super::lines::Lines;
use crate::archive::block::DatabaseGame;
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink, Start};
use crate::chess::Token;
use board::Board;

pub(in crate::archive) use header::{MAX_PART_BYTES, RECORD_BYTES, References, Sizes, is_database};

/// Bit of the first byte of a game's moves: the start position follows.
const HAS_SETUP: u8 = 0x40;

/// Bits of that byte that tell how moves are encoded.
const ENCODING: u8 = 0x3f;

pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    database::read_games(block, options, sink, read_game);
}

fn read_game(game: &DatabaseGame, offset: u64, options: &ReadOptions) -> GameRecord<Token> {
    let mut record = GameRecord::at(offset, RECORD_BYTES as u64);
    let read = header::fill(&mut record, game, options).and_then(|()| fill_moves(&mut record, game, options));
    record.defect = read.err();
    record
}

fn fill_moves(
    record: &mut GameRecord<Token>,
    game: &DatabaseGame,
    options: &ReadOptions,
) -> Result<(), Defect> {
    let bytes = game.moves.as_ref().map_err(Defect::clone)?;
    let mut cursor = Cursor::new(bytes, u64::from(References::of(&game.record).moves));
    let [kind, ..] = cursor.array::<4>("the size of the moves")?;
    let encoding = kind & ENCODING;
    if encoding != 0 {
        return Err(cursor.defect("encoding", opcodes::describe(encoding)));
    }
    let (mut board, mut start) = (Board::usual(), Start::Standard);
    if kind & HAS_SETUP != 0 {
        let fen;
        (board, fen) = board::read_setup(&mut cursor)?;
        start = Start::Fen(fen);
    }
    if let (Start::Fen(fen), true) = (&start, options.tags) {
        database::add_start_tags(&mut record.tags, fen);
    }
    record.start = start;
    let mut lines = Lines::new(options);
    let mut places = Vec::new();
    let read = tree::read(&mut cursor, board, &mut lines, &mut places);
    lines.fill(record);
    // What is damaged behind the main line takes no marks from it.
    notes::read(&game.annotations, &places, options, record);
    read
}
