//! The left-right mirror of a position, and the form under which books store it.

use super::{Game, Key, Lock, Move};

/// A game whose positions a book stores together with their left-right mirror.
pub trait Foldable: Game {
    /// Returns the form under which books store the position. Chess has no mirror and always returns [`Symmetry::Itself`].
    fn folded(&self) -> Folded;

    /// Returns the left-right mirror of a move code; chess returns the move itself.
    fn mirror_move(m: Move) -> Move;

    /// Returns the move in the stored form of the position (see [`Folded`]).
    fn fold_move(symmetry: Symmetry, m: Move) -> Move {
        match symmetry {
            Symmetry::Itself => m,
            Symmetry::Mirrored => Self::mirror_move(m),
            Symmetry::SelfMirrored => m.min(Self::mirror_move(m)),
        }
    }
}

/// A position as a book stores it: under the smaller (key, lock) of itself and its left-right mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Folded {
    /// Key of the stored form.
    pub key: Key,
    /// Lock of the stored form.
    pub lock: Lock,
    /// How the position relates to the stored form.
    pub symmetry: Symmetry,
}

/// How a position relates to the form under which it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// The position itself is stored.
    Itself,
    /// Its mirror is stored: moves are mirrored to match.
    Mirrored,
    /// It is its own mirror: of a move and its mirror, the smaller code is stored.
    SelfMirrored,
}
