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
//! | `header` | the record of a game → its facts |
//! | `tags` | the tags at the head of a game, the text of a field |
//! | `board` | which piece has which number; a byte → the target of a piece |
//! | `tree` | moves, variations, glyphs and comments |
//!
//! Numbers are big-endian. Version 400 is read, which Scid 4 and Scid vs. PC write.
//!
//! Source: the public source code of Scid, read as a description; checked against the programs of Scid 4.7.

mod board;
mod header;
mod names;
mod tags;
mod tree;

#[cfg(test)]
mod tests;

use super::cursor::Cursor;
use super::database;
use super::facts::Facts;
use super::lines::Lines;
use super::pgn::Recorded;
use crate::archive::block::DatabaseGame;
use crate::archive::{Block, Defect, ReadOptions, Sink};
use crate::chess::{Chess, Token};
use board::Board;
use tags::{terminated, text_of};

pub(in crate::archive) use header::{HEAD_BYTES, RECORD_BYTES, References, VERSION, games_of, version_of};
pub(in crate::archive) use names::Names;

/// Bit of the byte after the tags: the start position follows.
const HAS_START: u8 = 1;

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
    let mut cursor = Cursor::new(bytes, u64::from(References::of(&game.record).game));
    tags::read(&mut cursor, |name, value| add_tag(facts, name, value))?;
    let [flags] = cursor.array("the flags of a game")?;
    let mut board = Board::usual();
    if flags & HAS_START != 0 {
        let place = cursor.clone();
        let fen = text_of(terminated(&mut cursor, "a FEN")?);
        board = Board::of_fen(&fen).map_err(|message| place.defect("placement", message))?;
        facts.add_start(Chess::start_of(&fen));
    }
    tree::read(&mut cursor, board, lines)
}

/// Takes a tag that the index has no field for. Scid keeps the start position itself elsewhere.
fn add_tag(facts: &mut Facts, name: &[u8], value: &[u8]) {
    match name {
        b"SetUp" | b"Setup" | b"FEN" => return,
        b"Variant" => {
            let name = text_of(value);
            let name = name.trim();
            facts.variant = (!name.is_empty() && !Chess::is_standard_variant(name)).then(|| name.to_owned());
        }
        _ => {}
    }
    facts.add(text_of(name), text_of(value));
}
