//! AIX databases: games of chess in the rows of a Parquet file.
//!
//! | file | step |
//! |---|---|
//! | `entry` | what a row says → bytes of a block, and back |
//! | `comments` | clocks and evaluations → comments as lichess writes them |
//!
//! The crate `aix-chess-compression` decodes the moves, which come in three encodings; the last byte of a game tells in
//! which. Games begin at the usual start.
//!
//! Source: <https://github.com/thomas-daniels/aix>.

mod comments;
mod entry;

#[cfg(test)]
mod tests;

use aix_chess_compression::{Decode, Decoder, EncodedGame};
use encoding_rs::UTF_8;
use shakmaty::san::San;
use shakmaty::{CastlingSide, Move};

use super::cursor::Cursor;
use super::lines::{Lines, Place};
use super::pgn::fill;
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink, Start};
use crate::chess::{Chess, Token};
use entry::Entry;

pub(in crate::archive) use entry::{Row, pack};

/// Parses a block: entries of games, one after the other. The place of a game is the number of its row.
pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut cursor = Cursor::new(&block.bytes, 0);
    let mut row = block.offset;
    while !cursor.rest().is_empty() {
        match Entry::unpack(&mut cursor) {
            Ok(entry) => sink(&read_game(&entry, row, options)),
            // Blocks are packed by this program: only a fuzzer makes one that ends early.
            Err(defect) => {
                sink(&GameRecord {
                    defect: Some(Defect { offset: row, ..defect }),
                    ..GameRecord::at(row, 1)
                });
                return;
            }
        }
        row += 1;
    }
}

fn read_game(entry: &Entry<'_>, row: u64, options: &ReadOptions) -> GameRecord<Token> {
    let mut record = GameRecord::at(row, 1);
    fill::<Chess>(&mut record, &entry.tags, UTF_8, options.tags);
    record.outcome = record.tagged;
    let mut lines = Lines::new(options);
    if let Err((reason, message)) = read_moves(entry, &record.start, &mut lines) {
        record.defect = Some(Defect::new(reason, row, message));
    }
    lines.fill(&mut record);
    record
}

/// Why a game cannot be read: reason and message.
type Wrong = (&'static str, String);

/// Reads the moves, and what stands beside them.
fn read_moves(entry: &Entry<'_>, start: &Start, lines: &mut Lines<Token>) -> Result<(), Wrong> {
    if *start != Start::Standard {
        let message = "expected a game from the usual start, which is the only one that AIX encodes";
        return Err(("placement", message.to_owned()));
    }
    let moves = entry.moves.ok_or_else(|| ("truncated", "expected moves, found none".to_owned()))?;
    let encoded = EncodedGame::from_bytes(moves)
        .map_err(|error| ("encoding", format!("expected encoded moves, found none: {error}")))?;
    let mut decoder = Decoder::new(&encoded);
    let mut place = Place::START;
    while !lines.is_full() {
        let Some(decoded) = decoder.next_move() else { return check_plies(entry, place) };
        let ply = place.ply() + 1;
        let token = decoded.ok().and_then(token_of);
        let Some(token) = token else {
            return Err(("bad-move", format!("expected a legal move as ply {ply}, found damaged moves")));
        };
        place = lines.put(place, Some(token));
        if lines.has_notes()
            && let Some(comment) = comments::of_ply(entry, ply as usize)
        {
            lines.comment(place, &comment);
        }
    }
    Ok(())
}

/// Compares the moves with the number that the row tells.
fn check_plies(entry: &Entry<'_>, end: Place) -> Result<(), Wrong> {
    match entry.plies.filter(|&plies| plies != end.ply()) {
        None => Ok(()),
        Some(plies) => {
            let found = end.ply();
            Err(("truncated", format!("expected {plies} plies, as ply_count says, found {found}")))
        }
    }
}

/// Returns a move as SAN would have it, with its whole origin.
fn token_of(decoded: Move) -> Option<Token> {
    let castled =
        decoded.castling_side().map(|side| San::Castle(CastlingSide::from_king_side(side.is_king_side())));
    let san = match castled {
        Some(castled) => castled,
        None => {
            let from = decoded.from()?;
            San::Normal {
                role: decoded.role(),
                file: Some(from.file()),
                rank: Some(from.rank()),
                capture: decoded.is_capture(),
                to: decoded.to(),
                promotion: decoded.promotion(),
            }
        }
    };
    Some(Token::from(san))
}
