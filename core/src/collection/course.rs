//! What the moves of a game must do: reach a position, follow a book.

use crate::archive::GameRecord;
use crate::book::Lines;
use crate::game::{Foldable, Key, Lock, Replayable, Side};
use crate::graph::stored;
use crate::replay::starting_position;

/// What is asked of the moves of games; the default is nothing. Left-right mirrors are one position.
#[derive(Debug, Clone, Default)]
pub struct Course {
    /// Positions of which a game must reach one; empty asks for none.
    pub reaches: Vec<(Key, Lock)>,
    /// A book that a game must follow.
    pub follows: Option<Lines>,
    /// Whose moves must follow it; `None` = of both sides.
    pub side: Option<Side>,
}

impl Course {
    /// Returns the reason why a game is skipped, if it is. Moves behind an illegal one do not count.
    ///
    /// A game follows a book if its first move is a move of the book, and so are the next ones until the book has no move.
    pub(super) fn reason<G: Replayable + Foldable>(
        &self,
        record: &GameRecord<G::Token>,
    ) -> Option<&'static str> {
        if self.reaches.is_empty() && self.follows.is_none() {
            return None;
        }
        let skipped = if self.reaches.is_empty() { "follows" } else { "reaches" };
        if record.variant.is_some() {
            return Some(skipped);
        }
        let Ok(mut position) = starting_position::<G>(record) else { return Some(skipped) };
        let (mut is_reached, mut followed, mut book) = (self.reaches.is_empty(), 0, self.follows.as_ref());
        for token in record.moves.iter().map(Some).chain([None]) {
            is_reached |= {
                let here = stored(&position, true);
                self.reaches.contains(&(here.key, here.lock))
            };
            if is_reached && book.is_none() {
                break;
            }
            let Some(m) = token.and_then(|&token| position.resolve(token).ok()) else { break };
            if let Some(lines) = book.filter(|_| self.side.is_none_or(|side| side == position.side())) {
                let (moves, symmetry) = lines.at(&position);
                let code = G::fold_move(symmetry, m);
                match moves.iter().any(|(known, _)| *known == code) {
                    true => followed += 1,
                    false if moves.is_empty() => book = None,
                    false => return Some("follows"),
                }
            }
            position.play_unchecked(m);
        }
        match (is_reached, &self.follows) {
            (false, _) => Some("reaches"),
            (true, Some(_)) if followed == 0 => Some("follows"),
            _ => None,
        }
    }
}
