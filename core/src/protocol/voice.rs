//! The two dialects: a line of either comes in, a [`Command`] goes out; what the engine found comes in, its line in the
//! dialect goes out. [`Variant`] is how moves are spelled.

use std::time::Duration;

use super::command::{Command, Refusal};
use super::options::{Kind, Name, OPTIONS, Spec, Value};
use super::{ucci, uci};
use crate::game::{Game, GameId, Notation};
use crate::search::Score;

/// In which dialect the two sides talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Universal chess interface, for both games.
    Uci,
    /// Universal Chinese chess interface.
    Ucci,
}

/// Which game is played and how its moves are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Chess: `g1f3`.
    Chess,
    /// Xiangqi as a variant of UCI, ranks from 1 to 10 as in Fairy-Stockfish: `b1c3`, `a10a9`.
    Xiangqi,
    /// Xiangqi alone, ranks from 0 to 9 as in Pikafish and in UCCI: `b0c2`.
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

    /// Returns how moves are spelled. `G` is the variant's game.
    pub fn notation<G: Game>(self) -> &'static dyn Notation<G> {
        match self {
            Variant::Xiangqi => G::notation("uci").unwrap_or_else(G::coordinates),
            Variant::Chess | Variant::Pikafish => G::coordinates(),
        }
    }
}

/// What an iteration found, one line of it, moves spelled out.
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
    /// How full the table is.
    pub full_permille: u32,
    /// The line.
    pub pv: Vec<String>,
}

/// The answer to `go`, moves spelled out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Best {
    /// The move; `None`: there is no legal one.
    pub best: Option<String>,
    /// The move expected in reply.
    pub ponder: Option<String>,
    /// A draw that was offered is taken.
    pub takes_draw: bool,
}

/// What the table holds of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// Best move.
    pub best: Option<String>,
    /// The score is at least this at this depth.
    pub lower: Option<(Score, u8)>,
    /// The score is at most this at this depth.
    pub upper: Option<(Score, u8)>,
}

impl Dialect {
    /// Returns what a line says.
    ///
    /// # Errors
    /// [`Refusal`] where it is no command of the dialect, or only part of one.
    pub fn parse(self, line: &str) -> Result<Command, Refusal> {
        match self {
            Dialect::Uci => uci::parse(line),
            Dialect::Ucci => ucci::parse(line),
        }
    }

    /// Returns name and options, and the word that ends them. `given`: values that take the place of defaults.
    pub fn hello(self, variant: Variant, given: &[(Name, Value)]) -> Vec<String> {
        let version = env!("CARGO_PKG_VERSION");
        let mut lines = match self {
            Dialect::Uci => vec![format!("id name bookbuilder {version}")],
            Dialect::Ucci => vec!["id name bookbuilder".to_owned(), format!("id version {version}")],
        };
        lines.push("id author the bookbuilder authors".to_owned());
        let option = |spec: &Spec| {
            let value = given.iter().rev().find(|(name, _)| *name == spec.name);
            let default = value.map_or_else(|| spec.kind.default(), |(_, value)| value.clone());
            Some(self.option(spec, spec.name_in(self, variant)?, &default))
        };
        lines.extend(OPTIONS.iter().filter_map(option));
        lines.push(match self {
            Dialect::Uci => "uciok".to_owned(),
            Dialect::Ucci => "ucciok".to_owned(),
        });
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

    /// Returns the line that tells what an iteration found.
    pub fn info(self, info: &Info) -> String {
        match self {
            Dialect::Uci => uci::info(info),
            Dialect::Ucci => ucci::info(info),
        }
    }

    /// Returns the line that tells a person something.
    pub fn message(self, text: &str) -> String {
        // One message, one line, whatever an error quotes.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Dialect::Uci => format!("info string {text}"),
            Dialect::Ucci => format!("info message {text}"),
        }
    }

    /// Returns the line that answers `go`.
    pub fn best(self, best: &Best) -> String {
        let Some(text) = &best.best else {
            return match self {
                Dialect::Uci => "bestmove (none)".to_owned(),
                Dialect::Ucci => "nobestmove".to_owned(),
            };
        };
        let ponder = best.ponder.as_ref().map_or_else(String::new, |reply| format!(" ponder {reply}"));
        let draw = if best.takes_draw && self == Dialect::Ucci { " draw" } else { "" };
        format!("bestmove {text}{ponder}{draw}")
    }

    /// Returns the answer to a stop where nothing was being thought about.
    pub fn nothing_to_stop(self) -> Option<String> {
        (self == Dialect::Ucci).then(|| "nobestmove".to_owned())
    }

    /// Returns the last word.
    pub fn goodbye(self) -> Option<String> {
        (self == Dialect::Ucci).then(|| "bye".to_owned())
    }

    /// Returns the line that tells what the table holds.
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
