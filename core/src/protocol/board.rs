//! The position of a game with its history.

use super::command::{Refusal, Setup};
use super::words::Variant;
use crate::game::{HistoryRules, Notated};
use crate::history::History;

/// A position with its history.
#[derive(Clone)]
pub struct Board<G> {
    /// The position.
    pub position: G,
    /// The positions before it.
    pub history: History,
    /// Plies since the start of the game, by the FEN's move number.
    pub plies: u64,
}

impl<G: HistoryRules + Notated> Board<G> {
    /// Returns the start of the game.
    pub fn start() -> Board<G> {
        let position = G::start();
        Board { history: History::at(&position), position, plies: 0 }
    }

    /// Returns the position of a setup, if all of it is legal.
    ///
    /// # Errors
    /// [`Refusal`] if the position or one of the moves is illegal.
    pub fn of(setup: &Setup, variant: Variant) -> Result<Board<G>, Refusal> {
        let refused = |why: String| Refusal(format!("{why}; the position is unchanged"));
        let mut position = match &setup.fen {
            None => G::start(),
            Some(fen) => G::from_fen(fen).map_err(|why| refused(why.to_string()))?,
        };
        let mut history = History::at(&position);
        let notation = variant.notation::<G>();
        for (index, text) in setup.moves.iter().enumerate() {
            let m = notation
                .parse(&position, text)
                .map_err(|why| refused(format!("move {}: {why} ({})", index + 1, position.to_fen())))?;
            history.play_on(&mut position, m);
        }
        let plies = setup.fen.as_deref().map_or(0, plies_of) + setup.moves.len() as u64;
        Ok(Board { position, history, plies })
    }
}

/// Returns the plies before a FEN's position, by its move number; 0 without one.
fn plies_of(fen: &str) -> u64 {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let number: u64 = fields.get(5).and_then(|field| field.parse().ok()).unwrap_or(1);
    let is_second = fields.get(1) == Some(&"b");
    number.saturating_sub(1).saturating_mul(2).saturating_add(u64::from(is_second))
}
