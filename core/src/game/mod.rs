//! Types and traits that chess and xiangqi share.
//!
//! Small value types ([`Side`], [`Move`], [`Key`], [`Lock`], [`Outcome`]), and the traits through which the rest of the
//! core uses the rules: [`Game`] for everybody, and one more for each kind of user. [`Replayable`] plays the moves of
//! archives, [`Notated`] reads and writes moves as text, [`Foldable`] merges mirrored positions, [`HistoryRules`] judges
//! repetitions and counts moves, [`SearchMoves`] lists moves in the order a search wants.
//! The rules themselves are in [`crate::chess`] and [`crate::xiangqi`].

mod either;
mod notation;
mod outcome;
mod rules;
mod ruling;

#[cfg(test)]
pub(crate) mod tests;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::named::named_enum;

pub use either::Either;
pub(crate) use either::{of_game, with};
pub use notation::{Notated, Notation, Replayable};
pub use outcome::{Outcome, Verdict};
pub use rules::{Foldable, Folded, Game, HistoryRules, SearchMoves, Searchable, Symmetry, perft};
pub use ruling::{Article, RepetitionRule, Ruling};

named_enum! {
    /// Which of the two games a file, a position or a run belongs to.
    #[repr(u8)]
    pub enum GameId {
        /// Western chess.
        Chess = 0 => "chess",
        /// Chinese chess.
        Xiangqi = 1 => "xiangqi",
    }
}

/// The side that moves first (White, Red) or the other (Black).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Side {
    /// White or Red.
    First = 0,
    /// Black.
    Second = 1,
}

impl Side {
    /// The opponent.
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side, 1 for the second.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// 64-bit Zobrist key of a bare position: pieces, side to move and what else the rules make part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Key(pub u64);

/// 32-bit key from a second, independent table (the "hash lock").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Lock(pub u32);

/// A move in 16 bits; each game documents its own code. Code 0 never names a legal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Move(pub u16);

impl Move {
    /// "The game ended here or the ply limit was reached" in a tally; "no move" elsewhere.
    pub const NONE: Move = Move(0);
}

/// Longest list of legal moves of any position of either game (chess: 218, xiangqi: well below).
pub const MAX_MOVES: usize = 256;

/// A list of moves on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Kinds of the capturing and the captured piece, 0 = least valuable, for ordering captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capture {
    /// Rank by value of the piece that captures.
    pub attacker: u8,
    /// Rank by value of the piece that is captured.
    pub victim: u8,
}

/// Why a FEN was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("bad {game} FEN \"{fen}\": {reason}", game = .game.name())]
pub struct FenError {
    /// The game whose rules refused it.
    pub game: GameId,
    /// The text as given.
    pub fen: String,
    /// What is wrong, in words; each rule has its own.
    pub reason: String,
}

/// Why a move text or token was refused in a position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is not a move of this notation.
    #[error("\"{0}\" is not a move in this notation")]
    Syntax(String),
    /// No legal move fits.
    #[error("\"{0}\" is not legal here")]
    Illegal(String),
    /// More than one legal move fits.
    #[error("\"{0}\" fits more than one legal move")]
    Ambiguous(String),
}
