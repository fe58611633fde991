//! Points of the board and the two numbers that name them.
//!
//! Point a0, red's left corner, is 0,
//! i9 is 89: `index = rank * 9 + file`.

use std::fmt;

/// Points of the board.
pub const SQUARES: usize = 90;
/// Files, a to i.
pub const FILES: u8 = 9;
/// Ranks, 0 (red's back rank) to 9 (black's).
pub const RANKS: u8 = 10;

/// A point of the board, 0 (a0) to 89 (i9).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// Returns the point of an index below 90.
    pub const fn new(index: u8) -> Option<Square> {
        if (index as usize) < SQUARES { Some(Square(index)) } else { None }
    }

    /// Returns the point on a file (0 = a … 8 = i) and a rank (0 … 9).
    pub const fn at(file: u8, rank: u8) -> Option<Square> {
        if file < FILES && rank < RANKS { Some(Square(rank * FILES + file)) } else { None }
    }

    /// Returns the point of an index that the caller knows to be below 90.
    pub(crate) const fn of(index: usize) -> Square {
        debug_assert!(index < SQUARES);
        Square(index as u8)
    }

    /// Returns the index, 0 … 89.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the file, 0 = a … 8 = i.
    pub const fn file(self) -> u8 {
        self.0 % FILES
    }

    /// Returns the rank, 0 = red's back rank … 9 = black's.
    pub const fn rank(self) -> u8 {
        self.0 / FILES
    }

    /// Returns the point as a left-right mirror shows it.
    pub const fn mirror(self) -> Square {
        Square(self.rank() * FILES + (FILES - 1 - self.file()))
    }

    /// Returns the point that lies `files` to the right and `ranks` ahead (as red sees it), if it is on the board.
    pub(super) const fn step(self, files: i8, ranks: i8) -> Option<Square> {
        let file = self.file() as i8 + files;
        let rank = self.rank() as i8 + ranks;
        if file < 0 || rank < 0 { None } else { Square::at(file as u8, rank as u8) }
    }

    /// Returns the point that a name such as `h2` or `H2` stands for.
    pub(super) fn from_name(name: [u8; 2]) -> Option<Square> {
        let file = name[0].to_ascii_lowercase().checked_sub(b'a')?;
        let rank = name[1].checked_sub(b'0')?;
        Square::at(file, rank)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", char::from(b'a' + self.file()), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}
