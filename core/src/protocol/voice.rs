//! The two dialects: a line of either comes in, a [`Command`] goes out; what the engine found comes in, its line in the
//! dialect goes out. [`Variant`] is how moves are spelled.

use std::sync::Arc;

use super::command::{Command, Refusal};
use super::lines::Speaker;
use super::options::{Kind, Name, OPTIONS, Spec, Value};
use super::words::{Best, Dialect, Info, Probed, Variant};
use super::{ucci, uci};

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

/// How the other side is spoken to.
#[derive(Clone)]
pub struct Voice {
    /// In which dialect.
    pub dialect: Dialect,
    /// Which game, and how moves are spelled.
    pub variant: Variant,
    /// Where lines go.
    pub speaker: Arc<Speaker>,
}

impl Voice {
    /// Says something to a person.
    pub fn tell(&self, text: &str) {
        self.speaker.say(&self.dialect.message(text));
    }
}
