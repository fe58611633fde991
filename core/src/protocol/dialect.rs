//! The dialects UCI and UCCI: their types, and how results become lines. [`Variant`] is how moves are spelled.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::Output;
use super::command::{Command, Refusal};
use super::options::{Kind, Name, OPTIONS, Spec, Value};
use super::{ucci, uci};
use crate::book::Lines;
use crate::game::{GameId, Notated, Notation};
use crate::search::Score;

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

/// One line of an iteration, with moves as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// Plies of the iteration.
    pub depth: u8,
    /// Deepest ply.
    pub seldepth: usize,
    /// Number of the line.
    pub line: usize,
    /// Score for the side to move.
    pub score: Score,
    /// Nodes.
    pub nodes: u64,
    /// Time.
    pub elapsed: Duration,
    /// Positions whose score came from an endgame table.
    pub endgame_hits: u64,
    /// Fill of the table.
    pub full_permille: u32,
    /// The line.
    pub pv: Vec<String>,
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

/// The table's entry of a position.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probed {
    /// Best move.
    pub best: Option<String>,
    /// Lower bound of the score, with its depth.
    pub lower: Option<(Score, u8)>,
    /// Upper bound of the score, with its depth.
    pub upper: Option<(Score, u8)>,
}

impl Dialect {
    /// Parses a line.
    ///
    /// # Errors
    /// [`Refusal`] if the line is not a complete command of the dialect.
    pub fn parse(self, line: &str) -> Result<Command, Refusal> {
        match self {
            Dialect::Uci => uci::parse(line),
            Dialect::Ucci => ucci::parse(line),
        }
    }

    /// Returns the lines of name and options, and the word that ends them. `given`: values that replace defaults.
    pub fn hello(self, variant: Variant, given: &[(Name, Value)]) -> Vec<String> {
        let version = env!("CARGO_PKG_VERSION");
        let mut lines = match self {
            Dialect::Uci => vec![format!("id name bookbuilder {version}")],
            Dialect::Ucci => vec!["id name bookbuilder".to_owned(), format!("id version {version}")],
        };
        lines.push("id author the bookbuilder authors".to_owned());
        for spec in OPTIONS {
            if let Some(name) = spec.name_in(self, variant) {
                let value = given.iter().rev().find(|(given, _)| *given == spec.name);
                let default = value.map_or_else(|| spec.kind.default(), |(_, value)| value.clone());
                lines.push(self.option(spec, name, &default));
            }
        }
        if self == Dialect::Uci {
            lines.extend(variant.ranks().map(|ranks| self.message(ranks)));
        }
        lines.push(if self == Dialect::Uci { "uciok" } else { "ucciok" }.to_owned());
        lines
    }

    fn option(self, spec: &Spec, name: &str, default: &Value) -> String {
        let default = format!("default {default}");
        let start = match self {
            Dialect::Uci => format!("option name {name} type"),
            Dialect::Ucci => format!("option {name} type"),
        };
        let (kind, range) = match spec.kind {
            Kind::Spin { min, max, .. } => ("spin", format!("min {min} max {max}")),
            Kind::Combo { vars, .. } => {
                ("combo", vars.iter().map(|var| format!("var {var}")).collect::<Vec<_>>().join(" "))
            }
            Kind::Check { .. } => ("check", String::new()),
            Kind::Text => ("string", String::new()),
            Kind::Button => return format!("{start} button"),
        };
        match self {
            _ if range.is_empty() => format!("{start} {kind} {default}"),
            Dialect::Uci => format!("{start} {kind} {default} {range}"),
            Dialect::Ucci => format!("{start} {kind} {range} {default}"),
        }
    }

    /// Returns the `info` line of an iteration.
    pub fn info(self, info: &Info) -> String {
        match self {
            Dialect::Uci => uci::info(info),
            Dialect::Ucci => ucci::info(info),
        }
    }

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

    /// Returns the line of a table entry.
    pub fn probed(self, probed: &Probed) -> String {
        let mut line = match self {
            Dialect::Uci => "info string probe".to_owned(),
            Dialect::Ucci => "pophash".to_owned(),
        };
        if let Some(best) = &probed.best {
            line += &format!(" bestmove {best}");
        }
        for (word, bound) in [("lowerbound", probed.lower), ("upperbound", probed.upper)] {
            if let Some((score, depth)) = bound {
                line += &format!(" {word} {} depth {depth}", ucci::number(score));
            }
        }
        line
    }
}

/// The dialect and variant of a session, with its output.
#[derive(Clone)]
pub struct Channel {
    /// The dialect.
    pub dialect: Dialect,
    /// The game, and how moves are spelled.
    pub variant: Variant,
    /// The output.
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

    /// Answers `go`.
    pub fn answer(&self, best: &Best) {
        self.output.write_line(&self.dialect.best(best));
    }
}
