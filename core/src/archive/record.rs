//! The result of readers: one [`GameRecord`] for each game, before its moves are checked by the rules.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::game::Outcome;

/// Where a game starts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Start {
    /// The game's standard starting position.
    #[default]
    Standard,
    /// Another position, as a FEN not yet checked.
    Fen(String),
}

/// What went wrong while a game was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Stable reason code, such as `truncated` or `unterminated-comment`.
    pub reason: &'static str,
    /// Offset of the defect in the decompressed member.
    pub offset: u64,
    /// What was expected, in words.
    pub message: String,
}

impl Defect {
    /// Returns a defect.
    pub fn new(reason: &'static str, offset: u64, message: impl Into<String>) -> Defect {
        Defect { reason, offset, message: message.into() }
    }
}

/// Takes the records of games, one after the other.
pub type Sink<'a, T> = &'a mut dyn FnMut(&GameRecord<T>);

/// Returns whether a game is wanted, by a record of its tags alone.
pub type Wants<'a, T> = &'a mut dyn FnMut(&GameRecord<T>) -> bool;

/// A line that leaves another one. Lines are numbered: 0 is the main line, `n` is `variations[n - 1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variation<T> {
    /// Number of the line that it leaves, smaller than its own.
    pub leaves: u32,
    /// Plies of the game before its first move, which stands in place of the move after as many plies of `leaves`.
    pub ply: u32,
    /// Its moves.
    pub moves: Vec<T>,
    /// Annotation marks of its moves, same length, as in [`GameRecord::marks`].
    pub marks: Vec<i8>,
}

/// A comment or an annotation glyph and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Number of its line, as in [`Variation`].
    pub line: u32,
    /// Plies of the game, counted from its start, before the note; at a variation's own `ply` it stands before the
    /// variation's first move.
    pub ply: u32,
    /// What it says.
    pub kind: NoteKind,
}

/// What a [`Note`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// A comment, without its braces.
    Comment(String),
    /// A numeric annotation glyph; move marks such as `!?` come as their glyphs (1 to 6).
    Glyph(u8),
}

/// Returns the mark of a numeric annotation glyph: ‼ +3, ! +2, ⁉ +1, ⁈ −1, ? −2, ⁇ −3; `None` if it is no mark.
pub(super) fn mark_of(glyph: u8) -> Option<i8> {
    const MARKS: [i8; 6] = [2, -2, 3, -3, 1, -1];
    MARKS.get(usize::from(glyph).wrapping_sub(1)).copied()
}

/// Words at the head of a comment that praise or blame a move; a line for each mark.
const JUDGEMENTS: &str = include_str!("judgements.tsv");

/// Words and their marks, by their first byte in lower case.
static BY_FIRST: LazyLock<Vec<Vec<(&'static str, i8)>>> = LazyLock::new(|| {
    let mut by_first = vec![Vec::new(); 256];
    for line in JUDGEMENTS.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        let mark = cells.next().and_then(|mark| mark.parse().ok());
        for (word, mark) in cells.zip(mark.into_iter().cycle()) {
            by_first[usize::from(word.as_bytes()[0])].push((word, mark));
        }
    }
    by_first
});

/// Returns the mark that a comment gives the move before it; `None` unless it begins with a word of praise or blame.
///
/// What follows later in a comment often speaks of another move. In 35,919 XQF files the mover of a move so praised
/// won 97 % of the decided games, of a blamed one 10 %.
pub(super) fn mark_of_comment(text: &str) -> Option<i8> {
    let text = text.trim_start_matches(|sign: char| sign.is_whitespace() || "\"'“”‘’「『".contains(sign));
    let known = &BY_FIRST[usize::from(text.bytes().next()?.to_ascii_lowercase())];
    let is_head = |word: &str| {
        text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
            && !(word.is_ascii() && text[word.len()..].starts_with(|sign: char| sign.is_alphanumeric()))
    };
    known.iter().find(|(word, _)| is_head(word)).map(|&(_, mark)| mark)
}

/// One game as an archive holds it, before the rules have seen it. Readers reuse one record for many games.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord<T> {
    /// Offset of the game's first byte in the decompressed member.
    pub offset: u64,
    /// Bytes of the game in the member, so that it can be copied as it stands.
    pub length: u64,
    /// Line of the game's first byte, from 1; 0 in binary formats.
    pub line: u64,
    /// Name of the player of the first side; empty if unknown.
    pub first_player: String,
    /// Name of the player of the second side; empty if unknown.
    pub second_player: String,
    /// Ratings of the first and the second side's player; 0 if unknown.
    pub ratings: [u16; 2],
    /// The date as written; empty if unknown.
    pub date: String,
    /// Year of the date; 0 if unknown.
    pub year: u16,
    /// The event as written; empty if unknown.
    pub event: String,
    /// Name of a variant other than the standard game, if tagged.
    pub variant: Option<String>,
    /// Where the game starts.
    pub start: Start,
    /// All tags as written, in order, escapes undone; binary formats name their fields as PGN would. Only if asked
    /// for.
    pub tags: Vec<(String, String)>,
    /// The main line, at most as many moves as the reader was asked for.
    pub moves: Vec<T>,
    /// Annotation marks of the moves, same length: ‼ +3, ! +2, ⁉ +1, ⁈ −1, ? −2, ⁇ −3, none 0.
    pub marks: Vec<i8>,
    /// Lines that leave the main line or each other, each after the one it leaves. Only if asked for.
    pub variations: Vec<Variation<T>>,
    /// Comments and annotation glyphs, in the order of the text. Only if asked for.
    pub notes: Vec<Note>,
    /// Words among the moves that were ignored.
    pub ignored: u32,
    /// The recorded result: the one the moves end with or, where they end without or with `*`, the tag's.
    pub outcome: Outcome,
    /// The result by the tag; unknown without a tag that names one.
    pub tagged: Outcome,
    /// Why the text could not be read to its end, if so; `moves` holds what came before.
    pub defect: Option<Defect>,
}

impl<T> Default for GameRecord<T> {
    fn default() -> GameRecord<T> {
        GameRecord {
            offset: 0,
            length: 0,
            line: 0,
            first_player: String::new(),
            second_player: String::new(),
            ratings: [0; 2],
            date: String::new(),
            year: 0,
            event: String::new(),
            variant: None,
            start: Start::Standard,
            tags: Vec::new(),
            moves: Vec::new(),
            marks: Vec::new(),
            variations: Vec::new(),
            notes: Vec::new(),
            ignored: 0,
            outcome: Outcome::Unknown,
            tagged: Outcome::Unknown,
            defect: None,
        }
    }
}

impl<T> GameRecord<T> {
    pub(super) fn at(offset: u64, length: u64) -> GameRecord<T> {
        GameRecord { offset, length, ..GameRecord::default() }
    }

    /// Empties the record, keeping its memory for the next game.
    pub fn clear(&mut self) {
        self.offset = 0;
        self.length = 0;
        self.line = 0;
        self.first_player.clear();
        self.second_player.clear();
        self.ratings = [0; 2];
        self.date.clear();
        self.year = 0;
        self.event.clear();
        self.variant = None;
        self.start = Start::Standard;
        self.tags.clear();
        self.moves.clear();
        self.marks.clear();
        self.variations.clear();
        self.notes.clear();
        self.ignored = 0;
        self.outcome = Outcome::Unknown;
        self.tagged = Outcome::Unknown;
        self.defect = None;
    }

    /// Returns the plies before the first move of a line, numbered as in [`Variation`], and its moves.
    pub(crate) fn line(&self, line: u32) -> (u32, &[T]) {
        match line.checked_sub(1).and_then(|index| self.variations.get(index as usize)) {
            None => (0, &self.moves),
            Some(variation) => (variation.ply, &variation.moves),
        }
    }

    /// Returns the same and the marks, to be changed.
    pub(super) fn line_mut(&mut self, line: u32) -> (u32, &mut Vec<T>, &mut Vec<i8>) {
        match line.checked_sub(1).and_then(|index| self.variations.get_mut(index as usize)) {
            None => (0, &mut self.moves, &mut self.marks),
            Some(variation) => (variation.ply, &mut variation.moves, &mut variation.marks),
        }
    }

    /// Marks the move before a place: on a line, as in [`Variation`], behind `ply` plies of the game.
    pub(super) fn set_mark(&mut self, line: u32, ply: u32, mark: i8) {
        let (first, _, marks) = self.line_mut(line);
        let place = ply.checked_sub(first + 1).map(|place| place as usize);
        if let Some(known) = place.and_then(|place| marks.get_mut(place)) {
            *known = mark;
        }
    }

    /// Adds a glyph at such a place: it marks the move, and is a note if those are collected.
    pub(super) fn add_glyph(&mut self, line: u32, ply: u32, glyph: u8, has_notes: bool) {
        if let Some(mark) = mark_of(glyph) {
            self.set_mark(line, ply, mark);
        }
        if has_notes {
            self.notes.push(Note { line, ply, kind: NoteKind::Glyph(glyph) });
        }
    }

    /// Returns whether the result tag names another result than the moves end with.
    pub fn has_other_tag(&self) -> bool {
        self.tagged != Outcome::Unknown && self.tagged != self.outcome
    }

    /// Returns the value of the first tag of that name, if the reader was asked for tags.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        tag.map(|(_, value)| value.as_str())
    }
}

/// Returns the year of a date; 0 if there is none.
///
/// The first group of digits that begins with a year decides: four digits, or more that begin with 18, 19 or 20
/// (`19840512`). Without one, three groups are read as year, month and day with a year of two digits: 40 to 99 is the
/// 20th century, 00 to 39 the 21st. (Of the XQF files that are dated so, all that tell their year elsewhere too agree
/// that it comes first; most are of 2002 to 2005.)
pub(super) fn year_of(text: &str) -> u16 {
    let groups = || text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    groups().find_map(full_year).or_else(|| short_year(groups())).unwrap_or(0)
}

/// Returns a date as PGN writes it, unknown parts as `??`: `1992年10月31日` becomes `1992.10.31`. A text that is so written
/// already, or has no year, stays.
pub(crate) fn pgn_date(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".?-/".contains(&byte));
    let groups: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let year = groups.first().and_then(|group| full_year(group)).filter(|_| groups[0].len() == 4);
    let Some(year) = year.filter(|_| !is_plain) else { return Cow::Borrowed(text) };
    let part = |index: usize, most: u16| {
        let number = groups.get(index).and_then(|group| group.parse::<u16>().ok());
        number
            .filter(|number| (1..=most).contains(number))
            .map_or("??".to_owned(), |number| format!("{number:02}"))
    };
    Cow::Owned(format!("{year:04}.{}.{}", part(1, 12), part(2, 31)))
}

fn full_year(group: &str) -> Option<u16> {
    let year = group.get(..4)?.parse().ok()?;
    let range = if group.len() == 4 { 1000..3000 } else { 1800..2100 };
    range.contains(&year).then_some(year)
}

fn short_year<'a>(mut groups: impl Iterator<Item = &'a str>) -> Option<u16> {
    let mut next = |least: usize| {
        let group = groups.next().filter(|group| (least..=2).contains(&group.len()));
        group.and_then(|group| group.parse::<u16>().ok())
    };
    let (year, month, day) = (next(2)?, next(1)?, next(1)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some(if year < 40 { 2000 + year } else { 1900 + year })
}

#[cfg(test)]
mod tests;
