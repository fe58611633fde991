//! A player's pieces of one kind, column by column. The order is the player's: columns from
//! the right, pieces from the front.

use crate::game::{Game, Side};
use crate::xiangqi::lines::FILE_POINTS;
use crate::xiangqi::{Bitboard, FILES, Kind, RANKS, Square, Xiangqi};

/// Returns the file of a column; an invalid column gives a file off the board.
pub(super) const fn file_of(side: Side, column: u8) -> u8 {
    match side {
        Side::First => FILES.wrapping_sub(column),
        Side::Second => column.wrapping_sub(1),
    }
}

/// Returns the column of a point.
pub(super) const fn column_of(side: Side, square: Square) -> u8 {
    match side {
        Side::First => FILES - square.file(),
        Side::Second => square.file() + 1,
    }
}

/// The pieces of one kind of the side to move.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    side: Side,
    squares: Bitboard,
}

impl Pieces {
    /// Returns the pieces of a kind of the side to move.
    pub(super) fn of(position: &Xiangqi, kind: Kind) -> Pieces {
        Pieces { side: position.side(), squares: position.pieces(position.side(), kind) }
    }

    /// Returns those on a column.
    pub(super) fn on(self, column: u8) -> Pieces {
        let file = file_of(self.side, column);
        debug_assert!(file < FILES);
        let points = Bitboard(FILE_POINTS[(1 << RANKS) - 1] << file);
        Pieces { squares: self.squares & points, ..self }
    }

    /// Returns the columns that hold several, from the mover's right.
    pub(super) fn tandems(self) -> impl Iterator<Item = Pieces> {
        (1..=FILES).map(move |column| self.on(column)).filter(|pieces| pieces.len() > 1)
    }

    /// Returns the set.
    pub(super) fn all(self) -> Bitboard {
        self.squares
    }

    /// Returns how many there are.
    pub(super) fn len(self) -> usize {
        self.squares.len()
    }

    /// Returns how many stand in front of a point of their column.
    pub(super) fn before(self, square: Square) -> usize {
        let is_before = |other: &Square| match self.side {
            Side::First => other.rank() > square.rank(),
            Side::Second => other.rank() < square.rank(),
        };
        self.squares.filter(is_before).count()
    }

    /// Returns the one on its column before which `index` others stand, if there is one.
    pub(super) fn nth(self, index: usize) -> Bitboard {
        // Sets are in order of rank, so that red's rearmost comes first.
        let from_first_rank = match self.side {
            Side::First => self.len().checked_sub(index.saturating_add(1)),
            Side::Second => Some(index),
        };
        let mut squares = self.squares;
        Bitboard::EMPTY.with(from_first_rank.and_then(|index| squares.nth(index)))
    }
}
