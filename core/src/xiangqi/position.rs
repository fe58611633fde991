//! A xiangqi position with the hashes of itself and of its mirror.

use std::fmt;

use super::bitboard::Bitboard;
use super::board::Board;
use super::hash;
use super::piece::Kind;
use super::square::Square;
use crate::game::{Game as _, Side};

/// A xiangqi position with the hashes of itself and of its mirror.
#[derive(Clone, PartialEq, Eq)]
pub struct Xiangqi {
    pub(super) board: Board,
    pub(super) side: Side,
    pub(super) hash: u128,
    pub(super) mirror_hash: u128,
}

impl Xiangqi {
    /// Returns the position of a board; both hashes computed from the pieces.
    pub(super) fn new(board: Board, side: Side) -> Xiangqi {
        let mut position = Xiangqi { board, side, hash: 0, mirror_hash: 0 };
        (position.hash, position.mirror_hash) = position.hashes_from_scratch();
        position
    }

    /// Returns the piece on a point.
    pub fn piece_at(&self, square: Square) -> Option<(Side, Kind)> {
        self.board.piece_at(square)
    }

    /// Returns a side's pieces of a kind.
    pub fn pieces(&self, side: Side, kind: Kind) -> Bitboard {
        self.board.pieces(side, kind)
    }

    /// Returns the board.
    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the position as a left-right mirror shows it.
    pub fn mirrored(&self) -> Xiangqi {
        let mut board = Board::empty();
        for square in self.board.occupied() {
            if let Some((side, kind)) = self.piece_at(square) {
                board.put(side, kind, square.mirror());
            }
        }
        Xiangqi::new(board, self.side)
    }

    pub(super) fn hashes_from_scratch(&self) -> (u128, u128) {
        let turn = if self.side == Side::Second { hash::SECOND_TO_MOVE } else { 0 };
        let mut hashes = (turn, turn);
        for square in self.board.occupied() {
            if let Some((side, kind)) = self.piece_at(square) {
                hashes.0 ^= hash::word(side, kind, square);
                hashes.1 ^= hash::word(side, kind, square.mirror());
            }
        }
        hashes
    }

    #[inline]
    pub(super) fn toggle_hashes(&mut self, side: Side, kind: Kind, square: Square) {
        self.hash ^= hash::word(side, kind, square);
        self.mirror_hash ^= hash::word(side, kind, square.mirror());
    }
}

impl fmt::Debug for Xiangqi {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Xiangqi({})", self.to_fen())
    }
}
