//! Keys of the positions played so far: the game's line first, the search's path on top of it.
//!
//! In goes every position as it is reached, with whether the move to it was irreversible; out comes whether the last
//! position has occurred before. This detector walks back through the stack of keys to the last irreversible move
//! (Moreland's first method). Other detectors keep the same four calls: [`History::play`], [`History::undo`],
//! [`History::cycle`], [`History::would_repeat`].

use crate::game::{Game, Key, Move};

/// The positions from the start of a game to the current one.
#[derive(Debug, Clone)]
pub struct History {
    line: Vec<Played>,
}

#[derive(Debug, Clone, Copy)]
struct Played {
    key: Key,
    /// Plies since the last irreversible move.
    reversible: usize,
}

impl History {
    /// Returns the history of a game that begins with this position.
    pub fn new(start: Key) -> History {
        History { line: vec![Played { key: start, reversible: 0 }] }
    }

    /// Plays a legal move on `position` and records what it leads to.
    pub fn play_on<G: Game>(&mut self, position: &mut G, m: Move) {
        let is_irreversible = position.is_irreversible(m);
        position.play_unchecked(m);
        self.play(position.key(), is_irreversible);
    }

    /// Records a position reached by a move; `is_irreversible` as [`Game::is_irreversible`] says of the move.
    pub fn play(&mut self, key: Key, is_irreversible: bool) {
        let reversible = if is_irreversible { 0 } else { self.reversible_plies() + 1 };
        self.line.push(Played { key, reversible });
    }

    /// Takes the last position back.
    pub fn undo(&mut self) {
        self.line.pop();
    }

    /// Returns the key of the last position; `None` where all are taken back.
    pub fn key(&self) -> Option<Key> {
        self.line.last().map(|played| played.key)
    }

    /// Returns the plies since the last irreversible move.
    pub fn reversible_plies(&self) -> usize {
        self.line.last().map_or(0, |played| played.reversible)
    }

    /// Returns the plies since the last position's previous occurrence; `None` where it occurs for the first time.
    ///
    /// Only positions with the same side to move are compared, every second one. The first that can be equal
    /// lies four plies back: both sides have to go and come back.
    pub fn cycle(&self) -> Option<usize> {
        let (last, earlier) = self.line.split_last()?;
        let mut back = earlier.iter().rev().take(last.reversible).enumerate().skip(3).step_by(2);
        back.find(|(_, played)| played.key == last.key).map(|(index, _)| index + 1)
    }

    /// Returns whether a position with this key, reached by the next move, has occurred since the last
    /// irreversible move.
    pub fn would_repeat(&self, key: Key) -> bool {
        self.line.iter().rev().take(self.reversible_plies() + 1).any(|played| played.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Chess;

    fn play(position: &mut Chess, history: &mut History, texts: &str) {
        for text in texts.split_whitespace() {
            let m = Chess::coordinates().parse(position, text).unwrap();
            history.play_on(position, m);
        }
    }

    #[test]
    fn knights_that_return_repeat_the_start() {
        let mut position = Chess::start();
        let mut history = History::new(position.key());
        play(&mut position, &mut history, "g1f3 g8f6 f3g1");
        assert_eq!(history.cycle(), None);
        assert!(history.would_repeat(Chess::start().key()));
        play(&mut position, &mut history, "f6g8");
        assert_eq!(history.cycle(), Some(4));
        history.undo();
        assert_eq!(history.cycle(), None);
    }

    #[test]
    fn an_irreversible_move_ends_the_walk_back() {
        let mut position = Chess::start();
        let mut history = History::new(position.key());
        play(&mut position, &mut history, "g1f3 g8f6 e2e4");
        assert_eq!(history.reversible_plies(), 0);
        play(&mut position, &mut history, "f6g8 f3g1 g8f6 g1f3");
        assert_eq!(history.cycle(), Some(4));
        assert!(!history.would_repeat(Chess::start().key()));
    }

    #[test]
    fn a_cycle_of_six_plies_is_found() {
        let mut position = Chess::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
        let mut history = History::new(position.key());
        play(&mut position, &mut history, "a1a2 e8d8 a2a3 d8d7 a3a1");
        assert_eq!(history.cycle(), None);
        play(&mut position, &mut history, "d7e8");
        assert_eq!(history.cycle(), Some(6));
    }
}
