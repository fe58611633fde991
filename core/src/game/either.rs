//! Values of one of the two games, where the game is known only at run time.

use crate::game::GameId;

/// A value of chess or of xiangqi.
#[derive(Debug, Clone, PartialEq)]
pub enum Either<C, X> {
    /// Of chess.
    Chess(C),
    /// Of xiangqi.
    Xiangqi(X),
}

impl<C, X> Either<C, X> {
    /// Returns which game it is.
    pub fn id(&self) -> GameId {
        match self {
            Either::Chess(_) => GameId::Chess,
            Either::Xiangqi(_) => GameId::Xiangqi,
        }
    }
}

/// Runs `$body` on the value of whichever game it is.
macro_rules! with {
    ($value:expr, $name:ident => $body:expr) => {
        match $value {
            $crate::game::Either::Chess($name) => $body,
            $crate::game::Either::Xiangqi($name) => $body,
        }
    };
}

/// Makes a value of the game that `$id` is.
macro_rules! of_game {
    ($id:expr, $body:expr) => {
        match $id {
            $crate::game::GameId::Chess => $crate::game::Either::Chess($body),
            $crate::game::GameId::Xiangqi => $crate::game::Either::Xiangqi($body),
        }
    };
}

pub(crate) use {of_game, with};
