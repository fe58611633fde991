//! The formats that blocks come in: a block in, records out through the reader of its format.

use super::{Block, GameRecord, ReadOptions, pgn, xqf};
use crate::chess::Chess;
use crate::game::{Game, GameId};
use crate::xiangqi::Xiangqi;

/// The format of a block's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable game notation of chess.
    Pgn,
    /// XQStudio's binary xiangqi format.
    Xqf,
}

impl Format {
    /// Returns the game that the format records.
    pub const fn game(self) -> GameId {
        match self {
            Format::Pgn => GameId::Chess,
            Format::Xqf => GameId::Xiangqi,
        }
    }

    /// Returns whether games of this format are text, which can be put one after the other in one file.
    pub const fn is_text(self) -> bool {
        match self {
            Format::Pgn => true,
            Format::Xqf => false,
        }
    }
}

/// A game of which archives exist.
pub trait Archived: Game {
    /// The formats that record this game.
    const FORMATS: &'static [Format];

    /// Parses a block and hands each game to `sink`, in order, in one record that is used again for the next game.
    /// The caller promises that the block's format is one of [`Archived::FORMATS`].
    fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<Self::Token>));
}

impl Archived for Chess {
    const FORMATS: &'static [Format] = &[Format::Pgn];

    fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<Self::Token>)) {
        pgn::read_block(block, options, sink);
    }
}

impl Archived for Xiangqi {
    const FORMATS: &'static [Format] = &[Format::Xqf];

    fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<Self::Token>)) {
        xqf::read_block(block, options, sink);
    }
}
