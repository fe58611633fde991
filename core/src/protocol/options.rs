//! The table of options, with names, kinds and defaults, and their values.

use std::fmt;

use super::command::Refusal;
use super::dialect::{Dialect, Variant};
use crate::game::RepetitionRule;
use crate::history::Detection;
use crate::search::{BookMode, BookPolicy, Learning, RepetitionPolicy};

/// The kind of an option, with its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number: its default, the least and the most.
    Spin(u64, u64, u64),
    Check(bool),
    /// One word of several: its default, and all.
    Combo(&'static str, &'static [&'static str]),
    /// Any text, empty by default.
    Text,
    /// An action.
    Button,
}

/// One option: its names in UCI and UCCI (empty: not offered), and its kind.
pub(super) struct Spec {
    pub(super) name: Name,
    uci: &'static str,
    ucci: &'static str,
    kind: Kind,
}

/// Maximum number of threads; chosen.
const MOST_THREADS: u64 = 256;

/// Maximum number of lines: more than any position has moves.
const MOST_LINES: u64 = 256;

/// Maximum size of the table in MiB; chosen.
const MOST_HASH_MIB: u64 = 65_536;

/// Maximum contempt in centipawns; chosen.
const MOST_CONTEMPT: u64 = 1000;

/// Names of the detectors of repetitions.
const DETECTORS: &[&str] = &Detection::NAMES;

/// Declares the options in the order of their report.
macro_rules! options {
    ($($name:ident, $uci:literal, $ucci:literal, $kind:expr;)*) => {
        /// The options.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Name {
            $($name,)*
        }

        const OPTIONS: &[Spec] = &[$(Spec { name: Name::$name, uci: $uci, ucci: $ucci, kind: $kind }),*];
    };
}

options! {
    Hash, "Hash", "hashsize", Kind::Spin(16, 1, MOST_HASH_MIB);
    ClearHash, "Clear Hash", "clearhash", Kind::Button;
    Threads, "Threads", "threads", Kind::Spin(1, 1, MOST_THREADS);
    MultiPv, "MultiPV", "multipv", Kind::Spin(1, 1, MOST_LINES);
    Ponder, "Ponder", "ponder", Kind::Check(false);
    MoveOverhead, "Move Overhead", "moveoverhead", Kind::Spin(30, 0, 10_000);
    BookFile, "Book file", "bookfiles", Kind::Text;
    FirstBookFile, "White book file", "redbookfiles", Kind::Text;
    SecondBookFile, "Black book file", "blackbookfiles", Kind::Text;
    BookMode, "Book mode", "bookmode", Kind::Combo(BookMode::Hints.name(), BookMode::NAMES);
    BookPolicy, "Book policy", "bookpolicy", Kind::Combo("best", BookPolicy::NAMES);
    BookDepth, "Book depth", "bookdepth", Kind::Spin(1000, 0, 1000);
    BookSeed, "Book seed", "bookseed", Kind::Spin(0, 0, u32::MAX as u64);
    EndgamePath, "Endgame path", "egtbpaths", Kind::Text;
    Contempt, "Contempt", "contempt", Kind::Spin(0, 0, MOST_CONTEMPT);
    RepetitionRule, "Repetition rule", "repetitionrule", Kind::Combo("axf", RepetitionRule::NAMES);
    RepetitionInTree, "Repetition in tree", "repetitionintree", Kind::Spin(2, 2, 3);
    RepetitionInGame, "Repetition in game", "repetitioningame", Kind::Spin(3, 2, 3);
    RepetitionDetector, "Repetition detector", "repetitiondetector", Kind::Combo(DETECTORS[0], DETECTORS);
    History, "History", "history", Kind::Check(true);
    Killers, "Killers", "killers", Kind::Check(true);
    Variant, "UCI_Variant", "", Kind::Combo("chess", &["chess", "xiangqi"]);
    Analysis, "UCI_AnalyseMode", "", Kind::Check(false);
    UseBook, "", "usebook", Kind::Check(true);
    Milliseconds, "", "usemillisec", Kind::Check(true);
    Debug, "", "debug", Kind::Check(false);
    NewGame, "", "newgame", Kind::Button;
}

impl Kind {
    pub(super) fn default(self) -> Value {
        match self {
            Kind::Spin(default, ..) => Value::Number(default),
            Kind::Check(default) => Value::Flag(default),
            Kind::Combo(default, _) => Value::Word(default),
            Kind::Text => Value::Text(String::new()),
            Kind::Button => Value::Pressed,
        }
    }
}

impl Spec {
    /// Returns the option's name if it is offered.
    pub(super) fn name_in(&self, dialect: Dialect, variant: Variant) -> Option<&'static str> {
        let name = match dialect {
            // A xiangqi engine has no choice of variants.
            Dialect::Uci if self.name == Name::Variant && variant == Variant::Pikafish => "",
            Dialect::Uci => self.uci,
            Dialect::Ucci => self.ucci,
        };
        (!name.is_empty()).then_some(name)
    }

    /// Parses a value.
    ///
    /// # Errors
    /// [`Refusal`] if the value is invalid.
    pub(super) fn parse(&self, name: &str, text: &str) -> Result<Value, Refusal> {
        let refused =
            |expected: String| Err(Refusal(format!("option {name}: \"{text}\" given, expected {expected}")));
        match self.kind {
            Kind::Spin(_, min, max) => match text.parse() {
                Ok(number) if (min..=max).contains(&number) => Ok(Value::Number(number)),
                _ => refused(format!("a number from {min} to {max}")),
            },
            Kind::Check(_) => match text {
                "true" | "on" => Ok(Value::Flag(true)),
                "false" | "off" => Ok(Value::Flag(false)),
                _ => refused("true or false".to_owned()),
            },
            Kind::Combo(_, vars) => {
                let found = vars.iter().find(|var| var.eq_ignore_ascii_case(text));
                found.map_or_else(|| refused(vars.join(", ")), |&var| Ok(Value::Word(var)))
            }
            Kind::Text => {
                // GUIs write an empty text like this.
                let is_empty = matches!(text, "" | "<empty>");
                Ok(Value::Text(if is_empty { String::new() } else { text.to_owned() }))
            }
            Kind::Button => Ok(Value::Pressed),
        }
    }
}

/// Returns the option of a name, ignoring case.
///
/// # Errors
/// [`Refusal`] if the dialect has no option of that name.
pub(super) fn find(dialect: Dialect, variant: Variant, name: &str) -> Result<&'static Spec, Refusal> {
    let is_named =
        |spec: &&Spec| spec.name_in(dialect, variant).is_some_and(|known| known.eq_ignore_ascii_case(name));
    // An engine of xiangqi does not list the option, but takes it as a word about the ranks.
    let is_variant = |spec: &&Spec| {
        dialect == Dialect::Uci && spec.name == Name::Variant && spec.uci.eq_ignore_ascii_case(name)
    };
    OPTIONS.iter().find(is_named).or_else(|| OPTIONS.iter().find(is_variant)).ok_or_else(|| {
        let known: Vec<_> = OPTIONS.iter().filter_map(|spec| spec.name_in(dialect, variant)).collect();
        Refusal(format!("option \"{name}\" is unknown: expected one of {}", known.join(", ")))
    })
}

impl Dialect {
    /// Returns the lines of name and options, and the word that ends them. `given`: values that replace defaults.
    pub(super) fn hello(self, variant: Variant, given: &[(Name, Value)]) -> Vec<String> {
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
                lines.push(option_line(self, spec, name, &default));
            }
        }
        if self == Dialect::Uci {
            lines.extend(variant.ranks().map(|ranks| self.message(ranks)));
        }
        lines.push(if self == Dialect::Uci { "uciok" } else { "ucciok" }.to_owned());
        lines
    }
}

fn option_line(dialect: Dialect, spec: &Spec, name: &str, default: &Value) -> String {
    let default = format!("default {default}");
    let start = match dialect {
        Dialect::Uci => format!("option name {name} type"),
        Dialect::Ucci => format!("option {name} type"),
    };
    let (kind, range) = match spec.kind {
        Kind::Spin(_, min, max) => ("spin", format!("min {min} max {max}")),
        Kind::Combo(_, vars) => {
            ("combo", vars.iter().map(|var| format!("var {var}")).collect::<Vec<_>>().join(" "))
        }
        Kind::Check(_) => ("check", String::new()),
        Kind::Text => ("string", String::new()),
        Kind::Button => return format!("{start} button"),
    };
    match dialect {
        _ if range.is_empty() => format!("{start} {kind} {default}"),
        Dialect::Uci => format!("{start} {kind} {default} {range}"),
        Dialect::Ucci => format!("{start} {kind} {range} {default}"),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Number(u64),
    Flag(bool),
    Word(&'static str),
    Text(String),
    Pressed,
}

impl fmt::Display for Value {
    /// Writes the value as in the report of options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::Word(word) => word.fmt(f),
            Value::Text(text) if text.is_empty() => "<empty>".fmt(f),
            Value::Text(text) => text.fmt(f),
            Value::Pressed => Ok(()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options(Vec<Value>);

impl Default for Options {
    fn default() -> Options {
        Options(OPTIONS.iter().map(|spec| spec.kind.default()).collect())
    }
}

impl Options {
    pub(super) fn set(&mut self, name: Name, value: Value) {
        self.0[name as usize] = value;
    }

    /// Returns the value of a spin.
    pub(super) fn number(&self, name: Name) -> u64 {
        if let Value::Number(number) = self.0[name as usize] { number } else { 0 }
    }

    /// Returns the value of a check.
    pub(super) fn flag(&self, name: Name) -> bool {
        self.0[name as usize] == Value::Flag(true)
    }

    /// Returns the value of a combo or of a text.
    pub(super) fn text(&self, name: Name) -> &str {
        match &self.0[name as usize] {
            Value::Word(word) => word,
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// The options that name books: those of both sides, of the first and of the second.
    pub(super) const BOOKS: [Name; 3] = [Name::BookFile, Name::FirstBookFile, Name::SecondBookFile];

    /// Returns the book mode, with all options considered.
    pub(super) fn mode(&self) -> BookMode {
        let mode = BookMode::named(self.text(Name::BookMode)).unwrap_or_default();
        if self.flag(Name::UseBook) { mode } else { BookMode::Off }
    }

    /// Returns how a book move is chosen; the player sets the seed.
    pub(super) fn policy(&self) -> BookPolicy {
        BookPolicy::named(self.text(Name::BookPolicy)).unwrap_or(BookPolicy::Best)
    }

    /// Returns how repetitions and draws are scored.
    pub(super) fn repetition(&self) -> RepetitionPolicy {
        RepetitionPolicy {
            rule: RepetitionRule::named(self.text(Name::RepetitionRule)).unwrap_or_default(),
            in_tree: self.number(Name::RepetitionInTree) as usize,
            in_game: self.number(Name::RepetitionInGame) as usize,
            contempt: self.number(Name::Contempt) as i32,
        }
    }

    /// Returns what the move order learns.
    pub(super) fn learning(&self) -> Learning {
        Learning { history: self.flag(Name::History), killers: self.flag(Name::Killers) }
    }
}

#[cfg(test)]
mod tests;
