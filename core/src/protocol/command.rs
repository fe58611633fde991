//! Commands, independent of the dialect.
//!
//! A `go` is always answered, so whatever its line has that cannot be used is skipped and reported, and the rest is
//! obeyed.

use std::time::Duration;

use thiserror::Error;

use crate::game::Side;

/// The reason why a command was refused: what was read and what was expected. The loop reports it and continues.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Refusal(pub String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Report name and options.
    Hello,
    /// Answer when all earlier commands are done.
    IsReady,
    /// The next commands belong to another game.
    NewGame,
    /// Turn debug output on or off.
    Debug(bool),
    Set {
        name: String,
        /// Empty for a button.
        value: String,
    },
    /// Set up a position.
    Position(Setup),
    /// Ban these moves in the position.
    Ban(Vec<String>),
    Go(Box<Go>),
    /// Stop the search and answer.
    Stop,
    /// The expected move has been played.
    PonderHit,
    /// Report the position.
    Show,
    Quit,
    /// An empty line.
    Nothing,
}

/// A position and the moves played from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// `None`: the start of the game.
    pub fen: Option<String>,
    /// Moves, in the spelling of the dialect.
    pub moves: Vec<String>,
}

impl Setup {
    /// Parses `[startpos | fen FEN] [moves MOVE...]`. The words `fen` and `moves` may be missing.
    pub fn of(words: &mut Words) -> Setup {
        let fen = if words.accept("startpos") {
            None
        } else {
            words.accept("fen");
            Some(words.until(|word| word == "moves").join(" "))
        };
        words.accept("moves");
        Setup { fen, moves: words.map(str::to_owned).collect() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Go {
    /// Ponder: the last move is expected, but not yet played.
    pub is_ponder: bool,
    /// No answer before `stop`.
    pub is_infinite: bool,
    pub offers_draw: bool,
    pub depth: Option<u8>,
    pub nodes: Option<u64>,
    /// Search for a mate in this number of moves.
    pub mate: Option<u32>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// Clocks of the first and the second side.
    pub clocks: [Option<Duration>; 2],
    /// Increments of the first and the second side.
    pub increments: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// The moves allowed in the root; empty: all.
    pub moves: Vec<String>,
    /// What was skipped: unknown words, and words without their number.
    pub skipped: Vec<String>,
}

impl Go {
    /// Takes what a word means that both dialects have; returns whether it is one of them.
    pub(super) fn take(&mut self, word: &str, words: &mut Words) -> bool {
        match word {
            "ponder" => self.is_ponder = true,
            "infinite" => self.is_infinite = true,
            "depth" => {
                let depth = |number: u64| number.try_into().unwrap_or(u8::MAX);
                self.depth = words.number(word).map(depth).or(self.depth);
            }
            "nodes" => self.nodes = words.number(word).or(self.nodes),
            "movestogo" => self.moves_to_go = words.number(word).map(clamped).or(self.moves_to_go),
            _ => return false,
        }
        true
    }

    /// Returns whether depth, nodes or time end the search for this side to move.
    pub fn is_bounded(&self, side: Side) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.movetime.is_some()
            || self.clocks[side.index()].is_some()
    }
}

/// The words of a line, read from left to right.
pub struct Words<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
    /// Words that cannot be used.
    pub skipped: Vec<String>,
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a str) -> Words<'a> {
        Words { words: line.split_whitespace().peekable(), skipped: Vec::new() }
    }

    /// Takes the next word if it is this one.
    pub fn accept(&mut self, expected: &str) -> bool {
        self.words.next_if_eq(&expected).is_some()
    }

    /// Takes all words up to one that ends them.
    pub(super) fn until(&mut self, is_end: impl Fn(&str) -> bool) -> Vec<&'a str> {
        std::iter::from_fn(|| self.words.next_if(|word| !is_end(word))).collect()
    }

    /// Takes a number, clamped to the range of the type; a fraction is cut. If the next word is not a number, it stays,
    /// and `what` is skipped.
    pub(super) fn number(&mut self, what: &str) -> Option<u64> {
        let whole = |word: &&str| word.split('.').next().and_then(|whole| whole.parse::<i128>().ok());
        let Some(number) = self.words.peek().and_then(whole) else {
            self.skipped.push(format!("\"{what}\" without a number"));
            return None;
        };
        self.words.next();
        Some(number.clamp(0, u64::MAX.into()) as u64)
    }

    /// Takes a time in milliseconds; negative times count as 0.
    pub fn milliseconds(&mut self, what: &str) -> Option<Duration> {
        // A clock of more than a hundred years would overflow.
        const MOST: u64 = 100 * 366 * 24 * 3600 * 1000;
        self.number(what).map(|number| Duration::from_millis(number.min(MOST)))
    }

    pub(super) fn ignore(&mut self, word: &str) {
        self.skipped.push(format!("\"{word}\""));
    }
}

/// Returns a number in the range of small ones.
pub(super) fn clamped(number: u64) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }
}

#[cfg(test)]
mod tests;
