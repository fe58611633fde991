//! Commands, independent of the dialect.

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
    /// Report the table's entry of a position.
    Probe(Setup),
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
}

impl<'a> Words<'a> {
    /// Returns the words of a line.
    pub fn of(line: &'a str) -> Words<'a> {
        Words { words: line.split_whitespace().peekable() }
    }

    /// Takes the next word if it is one of these.
    pub fn take(&mut self, expected: &[&str]) -> bool {
        self.words.next_if(|word| expected.contains(word)).is_some()
    }

    /// Takes all words up to one of these.
    pub fn until(&mut self, ends: &[&str]) -> Vec<&'a str> {
        std::iter::from_fn(|| self.words.next_if(|word| !ends.contains(word))).collect()
    }

    /// Takes a number, clamped to the range of the type.
    ///
    /// # Errors
    /// [`Refusal`] if the next word is not a number.
    pub fn number<N: TryFrom<i128> + Bounds>(&mut self, what: &str) -> Result<N, Refusal> {
        let word = self.words.next().unwrap_or_default();
        let Ok(number) = word.parse::<i128>() else {
            return Err(Refusal(format!("\"{what} {word}\": expected a number after {what}")));
        };
        Ok(N::try_from(number).unwrap_or(if number < 0 { N::LEAST } else { N::MOST }))
    }

    /// Takes a time in milliseconds; negative times count as 0.
    ///
    /// # Errors
    /// [`Refusal`] if the next word is not a number.
    pub fn milliseconds(&mut self, what: &str) -> Result<Duration, Refusal> {
        // A clock of more than a hundred years would overflow.
        const MOST: u64 = 100 * 366 * 24 * 3600 * 1000;
        self.number::<u64>(what).map(|number| Duration::from_millis(number.min(MOST)))
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

/// Returns the position that `[startpos | fen FEN] [moves MOVE...]` describes.
///
/// # Errors
/// [`Refusal`] if neither of the two words comes first.
pub fn parse_setup(words: &mut Words, command: &str) -> Result<Setup, Refusal> {
    let fen = if words.take(&["startpos"]) {
        None
    } else if words.take(&["fen"]) {
        Some(words.until(&["moves"]).join(" "))
    } else {
        return Err(Refusal(format!(
            "{command}: expected startpos or fen FEN, then moves and the moves played"
        )));
    };
    let moves = match words.next() {
        None => Vec::new(),
        Some("moves") => words.map(str::to_owned).collect(),
        Some(other) => return Err(Refusal(format!("{command}: expected moves, found \"{other}\""))),
    };
    Ok(Setup { fen, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_their_type_are_brought_to_the_nearest() {
        let mut words = Words::of("300 -5 99999999999999999999999999 x");
        assert_eq!(words.number::<u8>("depth"), Ok(255));
        assert_eq!(words.number::<u64>("nodes"), Ok(0));
        assert_eq!(words.number::<u64>("nodes"), Ok(u64::MAX));
        assert!(words.number::<u64>("nodes").is_err_and(|why| why.to_string().contains("nodes x")));
        assert!(words.number::<u64>("nodes").is_err());
    }

    #[test]
    fn a_position_is_a_start_and_moves() {
        let parse = |line: &str| parse_setup(&mut Words::of(line), "position");
        assert_eq!(parse("startpos"), Ok(Setup::default()));
        let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
        assert_eq!(parse("startpos  moves e2e4 e7e5"), Ok(Setup { fen: None, moves: moves.clone() }));
        assert_eq!(
            parse("fen 8/8 w - - moves e2e4 e7e5"),
            Ok(Setup { fen: Some("8/8 w - -".to_owned()), moves })
        );
        for line in ["", "moves e2e4", "startpos e2e4", "here"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
