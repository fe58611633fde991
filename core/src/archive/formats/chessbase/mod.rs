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
//!
//! Annotations have a head of 14 bytes, then come one after the other:
//!
//! | offset | size | field of an annotation |
//! |---|---|---|
//! | 0 | 3 | number of the move in the order of the file; −1: before the first |
//! | 3 | 1 | kind: 2 text behind the move, 130 text before it, 3 glyphs |
//! | 4 | 2 | bytes of the annotation, these six included |
//! | 6 | | text: two bytes (one tells the language), then the text; glyphs: up to three numbers, as in PGN |
//!
//! Other kinds (coloured squares, clocks, pictures …) are left out, and so is what follows a damaged annotation: it costs
//! no game.
//!
//! Numbers are big-endian, but little-endian in the files of names. Read are regular games in the usual encoding.
//! Deleted games, texts, variants of chess and other encodings are games that cannot be used, each with its reason.
//!
//! Source: the descriptions of the format in the repository Yarin78/morphy; checked on a database of 503 games.

mod board;
mod header;
mod opcodes;
mod tree;

#[cfg(test)]
mod tests;

use super::cursor::{Cursor, big_endian};
use super::database;
use super::facts::Facts;
use super::lines::{Lines, Place};
use crate::archive::block::DatabaseGame;
use crate::archive::{Block, Defect, Note, NoteKind, ReadOptions, Sink, Start};
use crate::chess::Token;
use board::Board;

pub(in crate::archive) use header::{
    ANNOTATOR_BYTES, MAX_PART_BYTES, PLAYER_BYTES, RECORD_BYTES, References, TOURNAMENT_BYTES, is_database,
};

/// Bit of the first byte of a game's moves: the start position follows.
const HAS_SETUP: u8 = 0x40;

/// Bits of that byte that tell how moves are encoded.
const ENCODING: u8 = 0x3f;

const HEAD_BYTES: usize = 14;
const ANNOTATION_BYTES: usize = 6;
const TEXT_BEHIND: u8 = 2;
const TEXT_BEFORE: u8 = 130;
const GLYPHS: u8 = 3;
const BEFORE_ALL: u32 = 0xff_ffff;

pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    database::read_games(block, options, sink, read_game);
}

fn read_game(
    game: &DatabaseGame,
    offset: u64,
    facts: &mut Facts,
    lines: &mut Lines<Token>,
) -> Result<(), Defect> {
    header::fill(game, offset, facts)?;
    let bytes = game.moves.as_ref().map_err(Defect::clone)?;
    let mut cursor = Cursor::new(bytes, u64::from(References::of(&game.record).moves));
    let [kind, ..] = cursor.array::<4>("the size of the moves")?;
    let encoding = kind & ENCODING;
    if encoding != 0 {
        return Err(cursor.defect("encoding", opcodes::describe(encoding)));
    }
    let mut board = Board::usual();
    if kind & HAS_SETUP != 0 {
        let fen;
        (board, fen) = board::read_setup(&mut cursor)?;
        facts.add_start(Start::Fen(fen));
    }
    let mut places = Vec::new();
    let read = tree::read(&mut cursor, board, lines, &mut places);
    // What is damaged behind the main line takes no marks from it.
    read_notes(&game.annotations, &places, lines);
    read
}

/// Adds annotations to moves that lie at these places.
fn read_notes(annotations: &[u8], places: &[Place], lines: &mut Lines<Token>) {
    let mut cursor = Cursor::new(annotations, 0);
    if cursor.take(HEAD_BYTES, "annotations").is_err() {
        return;
    }
    while let Ok((number, kind, content)) = next_note(&mut cursor) {
        let behind = if number == BEFORE_ALL { Some(&Place::START) } else { places.get(number as usize) };
        let Some(&Place { line: Some(line), ply }) = behind else { continue };
        match kind {
            GLYPHS => {
                let glyphs = content.iter().filter(|glyph| **glyph != 0);
                glyphs.for_each(|&glyph| lines.record.add_glyph(line, ply, glyph, lines.has_notes));
            }
            TEXT_BEHIND | TEXT_BEFORE if lines.has_notes => {
                let ply = if kind == TEXT_BEFORE { ply.saturating_sub(1) } else { ply };
                let text = header::text_of(content.get(2..).unwrap_or_default());
                if !text.is_empty() {
                    lines.record.notes.push(Note { line, ply, kind: NoteKind::Comment(text) });
                }
            }
            _ => {}
        }
    }
}

/// Returns number, kind and content of the next annotation.
fn next_note<'a>(cursor: &mut Cursor<'a>) -> Result<(u32, u8, &'a [u8]), Defect> {
    let [high, middle, low, kind, ..] = cursor.array::<4>("an annotation")?;
    let size = u16::from_be_bytes(cursor.array("the size of an annotation")?);
    let content = cursor.take(usize::from(size).saturating_sub(ANNOTATION_BYTES), "an annotation")?;
    Ok((big_endian(&[high, middle, low]), kind, content))
}
