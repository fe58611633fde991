//! Writes the tags of a game in PGN.
//!
//! The order is that of the export format: the seven tags of the roster, then the others by name. Xiangqi follows
//! Chinese archives: a `Game` tag before all others, `Red` for White, a `Format` tag for the notation. Quotes and
//! backslashes are escaped, line breaks and other control characters become spaces. Tags with invalid names are skipped, and
//! the first of several tags with one name is kept.
//!
//! Source: PGN standard, S. J. Edwards 1994, sections 8.1 and 9.7.

use std::borrow::Cow;

use super::{Spelling, Written, tag};
use crate::archive::{GameRecord, Start, pgn_date};

/// Tags that are written from what the record knows otherwise.
const OWN: [&str; 11] =
    ["Game", "Event", "Site", "Date", "Round", "Red", "White", "Black", "Result", "SetUp", "Format"];

/// Appends the tag lines of a game that starts from `start`.
pub(super) fn write_tags<G: Written>(
    record: &GameRecord<G::Token>,
    start: &G,
    spelling: &Spelling<G>,
    out: &mut String,
) {
    let first_player = tag(record, G::FIRST_PLAYER).or_else(|| tag(record, G::FIRST_PLAYER_ALIAS));
    let roster = [
        ("Event", tag(record, "Event"), &*record.event, "?"),
        ("Site", tag(record, "Site"), "", "?"),
        ("Date", tag(record, "Date"), &*record.date, "????.??.??"),
        ("Round", tag(record, "Round"), "", "?"),
        (G::FIRST_PLAYER, first_player, &*record.first_player, "?"),
        ("Black", tag(record, "Black"), &*record.second_player, "?"),
        ("Result", None, record.outcome.name(), "*"),
    ];
    if let Some(game) = G::GAME_TAG {
        push("Game", game, out);
    }
    for (name, written, known, unknown) in roster {
        let value = written.unwrap_or(known);
        let date = if name == "Date" { pgn_date(value) } else { Cow::Borrowed(value) };
        let value = &*date;
        push(name, if value.is_empty() { unknown } else { value }, out);
    }
    let fen = (record.start != Start::Standard).then(|| start.to_fen());
    let mut rest: Vec<(&str, &str)> = record
        .tags
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .filter(|(name, _)| is_name(name) && !OWN.contains(name) && *name != "FEN")
        .collect();
    rest.extend(fen.iter().flat_map(|fen| [("SetUp", "1"), ("FEN", &**fen)]));
    rest.extend(spelling.format_tag.map(|format| ("Format", format)));
    rest.sort_by_key(|&(name, _)| name);
    rest.dedup_by_key(|(name, _)| *name);
    for (name, value) in rest {
        push(name, value, out);
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '"' | '[' | ']' | '\\');
    !name.is_empty() && name.chars().all(is_part)
}

fn push(name: &str, value: &str, out: &mut String) {
    out.push('[');
    out.push_str(name);
    out.push_str(" \"");
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push_str("\"]\n");
}
