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

/// One command.
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
    /// Set an option.
    Set {
        /// Its name, in the dialect's spelling.
        name: String,
        /// Its value; empty for a button.
        value: String,
    },
    /// Set up a position.
    Position(Setup),
    /// Ban these moves in the position.
    Ban(Vec<String>),
    /// Search.
    Go(Box<Go>),
    /// Stop the search and answer.
    Stop,
    /// The expected move has been played.
    PonderHit,
    /// Report the position.
    Show,
    /// Quit.
    Quit,
    /// An empty line.
    Nothing,
}

/// A position and the moves played from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// The position; `None`: the start of the game.
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
            Some(words.until(&["moves"]).join(" "))
        };
        words.accept("moves");
        Setup { fen, moves: words.map(str::to_owned).collect() }
    }
}

/// The parameters of `go`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Go {
    /// Ponder: the last move is expected, but not yet played.
    pub is_ponder: bool,
    /// No answer before `stop`.
    pub is_infinite: bool,
    /// The opponent offers a draw.
    pub offers_draw: bool,
    /// Maximum depth.
    pub depth: Option<u8>,
    /// Maximum of nodes.
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
    /// Returns the words of a line.
    pub fn of(line: &'a str) -> Words<'a> {
        Words { words: line.split_whitespace().peekable(), skipped: Vec::new() }
    }

    /// Takes the next word if it is this one.
    pub fn accept(&mut self, expected: &str) -> bool {
        self.words.next_if_eq(&expected).is_some()
    }

    /// Takes all words up to one of these.
    pub fn until(&mut self, ends: &[&str]) -> Vec<&'a str> {
        std::iter::from_fn(|| self.words.next_if(|word| !ends.contains(word))).collect()
    }

    /// Takes a number, clamped to the range of the type; a fraction is cut. If the next word is not a number, it stays,
    /// and `what` is skipped.
    pub fn number<N: TryFrom<i128> + Bounds>(&mut self, what: &str) -> Option<N> {
        let whole = |word: &&str| word.split('.').next().and_then(|whole| whole.parse::<i128>().ok());
        let Some(number) = self.words.peek().and_then(whole) else {
            self.skipped.push(format!("\"{what}\" without a number"));
            return None;
        };
        self.words.next();
        Some(N::try_from(number).unwrap_or(if number < 0 { N::LEAST } else { N::MOST }))
    }

    /// Takes a time in milliseconds; negative times count as 0.
    pub fn milliseconds(&mut self, what: &str) -> Option<Duration> {
        // A clock of more than a hundred years would overflow.
        const MOST: u64 = 100 * 366 * 24 * 3600 * 1000;
        self.number::<u64>(what).map(|number| Duration::from_millis(number.min(MOST)))
    }

    /// Skips an unknown word.
    pub fn ignore(&mut self, word: &str) {
        self.skipped.push(format!("\"{word}\""));
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }
}

/// The range of a type of numbers.
pub trait Bounds {
    /// Minimum.
    const LEAST: Self;
    /// Maximum.
    const MOST: Self;
}

macro_rules! bounds {
    ($($number:ty),*) => {
        $(impl Bounds for $number {
            const LEAST: $number = <$number>::MIN;
            const MOST: $number = <$number>::MAX;
        })*
    };
}
bounds!(u8, u32, u64);

#[cfg(test)]
mod tests;
