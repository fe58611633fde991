//! The letters of WXF.

use super::direction::Direction;
use crate::xiangqi::Kind;

/// Returns the letter of a kind.
pub(super) const fn letter(kind: Kind) -> char {
    match kind {
        Kind::Elephant => 'E',
        Kind::Horse => 'H',
        _ => kind.letter(),
    }
}

/// Returns the kind of a letter.
pub(super) const fn kind(letter: char) -> Option<Kind> {
    match letter.to_ascii_uppercase() {
        'S' => Some(Kind::Pawn),
        'G' => Some(Kind::Advisor),
        letter => Kind::from_letter(letter),
    }
}

/// Returns the sign of a direction.
pub(super) const fn direction(direction: Direction) -> char {
    match direction {
        Direction::Forward => '+',
        Direction::Back => '-',
        Direction::Sideways => '=',
    }
}
