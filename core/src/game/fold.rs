//! The left-right mirror of a position, and the form under which books store it.

use super::{Game, Key, Lock, Move};

/// A game whose positions a book stores together with their left-right mirror.
pub trait Foldable: Game {
    /// Returns the form under which books store the position. Chess has no mirror and always returns [`Symmetry::Itself`].
    fn folded(&self) -> Folded;

    /// Returns the left-right mirror of a move code; chess returns the move itself.
    fn mirror_move(m: Move) -> Move;

    /// Returns the one of a move and its mirror that players usually write, for a position that is its own mirror. Both
    /// moves of a pair give the same.
    fn usual_move(&self, m: Move) -> Move {
        m
    }

    /// Returns the move of this position that a move of its stored form stands for: the inverse of
    /// [`Foldable::fold_move`], by the usual move of a pair.
    fn unfold_move(&self, symmetry: Symmetry, m: Move) -> Move {
        match symmetry {
            Symmetry::Itself => m,
            Symmetry::Mirrored => Self::mirror_move(m),
            Symmetry::SelfMirrored => self.usual_move(m),
        }
    }

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
