//! Names of openings for a list of games: which named positions a game meets, known by key and lock alone.

use std::collections::HashMap;

use crate::archive::GameRecord;
use crate::game::{Game, Key, Lock, Replayable};
use crate::replay::starting_position;

/// Positions that have names, and how many plies of a game can lead to one.
#[derive(Debug, Clone, Default)]
pub struct NamedPositions {
    names: HashMap<(Key, Lock), u32>,
    plies: usize,
}

impl NamedPositions {
    /// Gives a name, by its number, to the position of that key and lock, which a line of `ply` plies leads to.
    pub fn insert(&mut self, key: Key, lock: Lock, name: u32, ply: usize) {
        self.names.insert((key, lock), name);
        self.plies = self.plies.max(ply);
    }

    /// Returns the name of the last named position of a game, as far as its moves are legal. No more plies are played
    /// than the longest line of a name has; a game of a variant has none.
    pub fn name_of<G: Replayable>(&self, record: &GameRecord<G::Token>) -> Option<u32> {
        if self.names.is_empty() || record.variant.is_some() {
            return None;
        }
        let mut position = starting_position::<G>(record).ok()?;
        let mut found = self.at(&position);
        for &token in record.moves.iter().take(self.plies) {
            if position.play_token(token).is_err() {
                break;
            }
            found = self.at(&position).or(found);
        }
        found
    }

    fn at<G: Game>(&self, position: &G) -> Option<u32> {
        self.names.get(&(position.key(), position.lock())).copied()
    }
}
