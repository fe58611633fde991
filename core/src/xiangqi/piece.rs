//! Kinds of pieces and their letters.

use crate::game::Side;
use crate::named::named_enum;

/// Number of kinds.
pub const KINDS: usize = Kind::ALL.len();

named_enum! {
    /// A kind of piece, in ascending value: the order is that of keys and of [`crate::game::Capture`].
    #[repr(u8)]
    pub enum Kind {
        /// 兵 卒
        Pawn => "pawn",
        /// 仕 士
        Advisor => "advisor",
        /// 相 象
        Elephant => "elephant",
        /// 炮 砲
        Cannon => "cannon",
        /// 馬
        Horse => "horse",
        /// 車
        Rook => "rook",
        /// 帥 將
        General => "general",
    }
}

/// The letters of FENs in the order of kinds.
const LETTERS: [char; KINDS] = ['P', 'A', 'B', 'C', 'N', 'R', 'K'];

impl Kind {
    /// Returns the upper-case letter that FENs use.
    pub const fn letter(self) -> char {
        LETTERS[self as usize]
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
    pub(super) fn from_letter(letter: char) -> Option<Kind> {
        match letter {
            'E' => Some(Kind::Elephant),
            'H' => Some(Kind::Horse),
            _ => Kind::ALL.into_iter().find(|kind| kind.letter() == letter),
        }
    }
}

/// Returns the name of a side in xiangqi.
pub(super) const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "red",
        Side::Second => "black",
    }
}
