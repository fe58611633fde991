//! The dialects UCI and UCCI: their messages and answers. [`Variant`] is how moves are spelled.

use std::path::Path;
use std::sync::Arc;

use super::Output;
use crate::book::Lines;
use crate::game::{GameId, Notated, Notation};

/// The dialect of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Universal chess interface, for both games.
    Uci,
    /// Universal Chinese chess interface.
    Ucci,
}

/// The game and how its moves are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Chess: `g1f3`.
    Chess,
    /// Xiangqi with ranks from 1 to 10, as in Fairy-Stockfish: `b1c3`, `a10a9`.
    Xiangqi,
    /// Xiangqi with ranks from 0 to 9, as in Pikafish and in UCCI: `b0c2`.
    Pikafish,
}

impl Variant {
    /// Returns the game.
    pub const fn game(self) -> GameId {
        match self {
            Variant::Chess => GameId::Chess,
            Variant::Xiangqi | Variant::Pikafish => GameId::Xiangqi,
        }
    }

    /// Returns the other numbering of ranks, if the game has two.
    pub const fn other_ranks(self) -> Option<Variant> {
        match self {
            Variant::Chess => None,
            Variant::Xiangqi => Some(Variant::Pikafish),
            Variant::Pikafish => Some(Variant::Xiangqi),
        }
    }

    /// Returns a message about the ranks; `None` for chess, which has one numbering.
    pub const fn ranks(self) -> Option<&'static str> {
        match self {
            Variant::Chess => None,
            Variant::Xiangqi => Some("moves have ranks 1 to 10 (h3e3)"),
            Variant::Pikafish => Some("moves have ranks 0 to 9 (h2e2)"),
        }
    }

    /// Returns how moves are spelled. `G` is the variant's game.
    pub fn notation<G: Notated>(self) -> &'static dyn Notation<G> {
        match self {
            Variant::Xiangqi => G::notation("uci").unwrap_or_else(G::coordinates),
            Variant::Chess | Variant::Pikafish => G::coordinates(),
        }
    }
}

/// The answer to `go`, with moves as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Best {
    /// The move; `None`: there is no legal move.
    pub best: Option<String>,
    /// The expected reply.
    pub ponder: Option<String>,
    /// An offered draw is accepted.
    pub takes_draw: bool,
}

impl Dialect {
    /// Returns a line with a message for people.
    pub fn message(self, text: &str) -> String {
        // A message is one line, even if it quotes line breaks.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Dialect::Uci => format!("info string {text}"),
            Dialect::Ucci => format!("info message {text}"),
        }
    }

    /// Returns the line that answers `go`.
    pub fn best(self, best: &Best) -> String {
        match (&best.best, self) {
            (None, Dialect::Uci) => "bestmove (none)".to_owned(),
            (None, Dialect::Ucci) => "nobestmove".to_owned(),
            (Some(text), _) => {
                let ponder =
                    best.ponder.as_ref().map_or_else(String::new, |reply| format!(" ponder {reply}"));
                let draw = if best.takes_draw && self == Dialect::Ucci { " draw" } else { "" };
                format!("bestmove {text}{ponder}{draw}")
            }
        }
    }
}

/// The dialect and variant of a session, with its output.
#[derive(Clone)]
pub struct Channel {
    pub dialect: Dialect,
    /// The game, and how moves are spelled.
    pub variant: Variant,
    pub output: Arc<Output>,
    /// Opens books of other formats.
    pub open_book: OpenBook,
}

/// Opens a book that is not clustered, of a game, and returns its moves or what is wrong.
pub type OpenBook = Arc<dyn Fn(&Path, GameId) -> Result<Lines, String> + Send + Sync>;

impl Channel {
    /// Reports a message for people.
    pub fn report(&self, text: &str) {
        self.output.write_line(&self.dialect.message(text));
    }

    pub fn answer(&self, best: &Best) {
        self.output.write_line(&self.dialect.best(best));
    }
}
