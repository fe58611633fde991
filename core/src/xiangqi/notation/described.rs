//! A legal move as its player describes it: the facts that WXF and Chinese texts put into characters.

use super::columns::{Pieces, column_of};
use super::direction::Direction;
use crate::game::{Game, Move, Side};
use crate::xiangqi::moves::decode;
use crate::xiangqi::{Kind, Xiangqi};

/// A move as its player describes it.
pub(super) struct Described {
    /// Who moves.
    pub(super) side: Side,
    /// What moves.
    pub(super) kind: Kind,
    /// The column it leaves.
    pub(super) column: u8,
    /// Which of the pieces of its kind on that column it is.
    pub(super) place: Ordinal,
    /// Where it goes.
    pub(super) direction: Direction,
    /// The column it goes to, or how many ranks where it stays on its column.
    pub(super) number: u8,
}

/// The position of a piece among the pieces of its kind on its column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ordinal {
    /// The only one, or the only one that can.
    Only,
    /// One of several, the only column that has several.
    OneOf {
        /// How many are in front of it.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// One of two or three pawns, where another column has several as well.
    OneOfColumn {
        /// How many are in front of it.
        index: usize,
        /// How many there are.
        count: usize,
    },
}

impl Described {
    /// Returns the description of a legal move; `None` for other codes.
    pub(super) fn of(position: &Xiangqi, m: Move) -> Option<Described> {
        let (from, to) = decode(m).filter(|(from, to)| from != to)?;
        let side = position.side();
        let (_, kind) = position.piece_at(from).filter(|&(owner, _)| owner == side)?;
        let direction = match (from.rank().cmp(&to.rank()), side) {
            (std::cmp::Ordering::Equal, _) => Direction::Sideways,
            (std::cmp::Ordering::Less, Side::First) | (std::cmp::Ordering::Greater, Side::Second) => {
                Direction::Forward
            }
            _ => Direction::Back,
        };
        let is_straight = from.file() == to.file();
        let number = if is_straight { from.rank().abs_diff(to.rank()) } else { column_of(side, to) };
        let column = column_of(side, from);
        let pieces = Pieces::of(position, kind);
        let peers = pieces.on(column);
        let (index, count) = (peers.before(from), peers.len());
        let place = match kind {
            Kind::Advisor | Kind::Elephant => Ordinal::Only,
            _ if count == 1 => Ordinal::Only,
            _ if pieces.tandems().count() > 1 => Ordinal::OneOfColumn { index, count },
            _ => Ordinal::OneOf { index, count },
        };
        Some(Described { side, kind, column, place, direction, number })
    }
}
