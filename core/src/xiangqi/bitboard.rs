//! A set of points in 128 bits, bit `n` for the point of index `n`; bits 90 and up are always clear.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::square::{SQUARES, Square};

/// A set of points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub(super) u128);

impl Bitboard {
    /// No point.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 90 points.
    pub const ALL: Bitboard = Bitboard((1 << SQUARES) - 1);

    /// Returns the set of one point.
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// Returns the set with one more point; for tables built at compile time.
    pub(super) const fn with(self, square: Option<Square>) -> Bitboard {
        match square {
            Some(square) => Bitboard(self.0 | 1 << square.index()),
            None => self,
        }
    }

    /// Returns whether the set has no point.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set has one point and no other.
    #[inline]
    pub const fn is_one(self) -> bool {
        !self.is_empty() && self.without_lowest().is_empty()
    }

    /// Returns whether a point is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Returns the number of points.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the set without its lowest point.
    #[inline]
    pub(crate) const fn without_lowest(self) -> Bitboard {
        Bitboard(self.0 & self.0.wrapping_sub(1))
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.is_empty() {
            return None;
        }
        let lowest = Square::of(self.0.trailing_zeros() as usize);
        *self = self.without_lowest();
        Some(lowest)
    }
}

macro_rules! operators {
    ($($Operator:ident $operator:ident $Assign:ident $assign:ident $sign:tt;)*) => {
        $(impl $Operator for Bitboard {
            type Output = Bitboard;
            #[inline]
            fn $operator(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0 $sign other.0)
            }
        }

        impl $Assign for Bitboard {
            #[inline]
            fn $assign(&mut self, other: Bitboard) {
                self.0 = self.0 $sign other.0;
            }
        })*
    };
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & Bitboard::ALL.0)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(*self).finish()
    }
}
