//! The two dialects: parses lines into [`Command`]s, and formats results as lines. [`Variant`] is how moves are
//! spelled.

use std::sync::Arc;

use super::command::{Command, Refusal};
use super::lines::Speaker;
use super::options::{Kind, Name, OPTIONS, Spec, Value};
use super::words::{Best, Dialect, Info, Probed, Variant};
use super::{ucci, uci};

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

    /// Returns the answer to `stop` without a search.
    pub fn nothing_to_stop(self) -> Option<String> {
        (self == Dialect::Ucci).then(|| "nobestmove".to_owned())
    }

    /// Returns the answer to `quit`.
    pub fn goodbye(self) -> Option<String> {
        (self == Dialect::Ucci).then(|| "bye".to_owned())
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
pub struct Voice {
    /// The dialect.
    pub dialect: Dialect,
    /// The game, and how moves are spelled.
    pub variant: Variant,
    /// The output.
    pub speaker: Arc<Speaker>,
}

impl Voice {
    /// Reports a message for people.
    pub fn tell(&self, text: &str) {
        self.speaker.say(&self.dialect.message(text));
    }
}
