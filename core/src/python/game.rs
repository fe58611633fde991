//! Games by name, and code for the game of a name.

use pyo3::prelude::*;

use super::error::usage;
use crate::game::GameId;

/// Runs `$body` with `$game` naming the type of the game that `$id` is.
macro_rules! for_game {
    ($id:expr, $game:ident => $body:expr) => {
        match $id {
            $crate::game::GameId::Chess => {
                type $game = $crate::chess::Chess;
                $body
            }
            $crate::game::GameId::Xiangqi => {
                type $game = $crate::xiangqi::Xiangqi;
                $body
            }
        }
    };
}
pub(crate) use for_game;

/// Returns the game of that name.
pub(super) fn game_id(name: &str) -> PyResult<GameId> {
    match name {
        "chess" => Ok(GameId::Chess),
        "xiangqi" => Ok(GameId::Xiangqi),
        _ => Err(usage(format!("unknown game \"{name}\": expected \"chess\" or \"xiangqi\""))),
    }
}
