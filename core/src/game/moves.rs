//! Moves, as codes of 16 bits.

use arrayvec::ArrayVec;

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
