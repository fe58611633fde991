//! Kinds of pieces and their letters.

use crate::game::Side;

/// Number of kinds.
pub const KINDS: usize = 7;

/// A kind of piece, in ascending value: the order is that of keys and of [`crate::game::Capture`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// 兵 卒
    Pawn,
    /// 仕 士
    Advisor,
    /// 相 象
    Elephant,
    /// 炮 砲
    Cannon,
    /// 馬
    Horse,
    /// 車
    Rook,
    /// 帥 將
    General,
}

impl Kind {
    /// All kinds, in order.
    pub const ALL: [Kind; KINDS] =
        [Kind::Pawn, Kind::Advisor, Kind::Elephant, Kind::Cannon, Kind::Horse, Kind::Rook, Kind::General];

    /// Returns the upper-case letter that FENs use.
    pub const fn letter(self) -> char {
        match self {
            Kind::Pawn => 'P',
            Kind::Advisor => 'A',
            Kind::Elephant => 'B',
            Kind::Cannon => 'C',
            Kind::Horse => 'N',
            Kind::Rook => 'R',
            Kind::General => 'K',
        }
    }

    /// Returns the English name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Pawn => "pawn",
            Kind::Advisor => "advisor",
            Kind::Elephant => "elephant",
            Kind::Cannon => "cannon",
            Kind::Horse => "horse",
            Kind::Rook => "rook",
            Kind::General => "general",
        }
    }

    /// Returns how many pieces of this kind a side's set holds.
    pub const fn in_set(self) -> usize {
        match self {
            Kind::Pawn => 5,
            Kind::General => 1,
            _ => 2,
        }
    }

    /// Returns the kind of a letter, upper case; `E` and `H` are accepted for `B` and `N`.
    pub(super) const fn from_letter(letter: char) -> Option<Kind> {
        Some(match letter {
            'P' => Kind::Pawn,
            'A' => Kind::Advisor,
            'B' | 'E' => Kind::Elephant,
            'C' => Kind::Cannon,
            'N' | 'H' => Kind::Horse,
            'R' => Kind::Rook,
            'K' => Kind::General,
            _ => return None,
        })
    }
}

/// Returns the name of a side in xiangqi.
pub(super) const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "red",
        Side::Second => "black",
    }
}
