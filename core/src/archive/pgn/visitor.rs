//! What `pgn-reader` calls while it reads a game, and the record that grows from it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use encoding_rs::WINDOWS_1252;
use pgn_reader::{KnownOutcome, Nag, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::Color;
use shakmaty::san::San;

use crate::archive::date::year_of;
use crate::archive::{GameRecord, Start};
use crate::game::Outcome;

/// Why reading of a game stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// Its text was read to the end without a termination marker.
    Whole,
    /// A termination marker was read.
    Marker,
    /// As many moves as wanted were collected; the rest was not looked at.
    Limit,
}

/// Collects one game at a time into a record that is used again.
pub(super) struct Collector {
    record: GameRecord<San>,
    limit: usize,
    keeps_tags: bool,
    tags: usize,
    passed_limit: bool,
    utc_date: String,
    /// Result by the tag.
    pub(super) tagged: Outcome,
    /// Result by the termination marker, if there is one.
    pub(super) marker: Option<Outcome>,
    /// Whether a variation was opened and not closed.
    pub(super) in_variation: bool,
}

impl Collector {
    pub(super) fn new(limit: usize, keeps_tags: bool) -> Collector {
        Collector {
            record: GameRecord::default(),
            limit,
            keeps_tags,
            tags: 0,
            passed_limit: false,
            utc_date: String::new(),
            tagged: Outcome::Unknown,
            marker: None,
            in_variation: false,
        }
    }

    /// Fills in what only the whole game tells. `None` if there were neither tags nor moves.
    pub(super) fn complete(&mut self) -> Option<&mut GameRecord<San>> {
        let record = &mut self.record;
        if self.tags == 0 && record.moves.is_empty() {
            return None;
        }
        if record.date.is_empty() {
            record.date.push_str(&self.utc_date);
        }
        record.year = year_of(&record.date);
        record.marks.resize(record.moves.len(), 0);
        record.outcome = self.marker.unwrap_or(self.tagged);
        record.tagged = self.tagged;
        Some(record)
    }

    pub(super) fn has_no_tags(&self) -> bool {
        self.tags == 0
    }

    fn variant(&mut self, name: &str) {
        const STANDARD: [&str; 4] = ["Standard", "Chess", "From Position", "Normal"];
        let is_standard = STANDARD.iter().any(|standard| standard.eq_ignore_ascii_case(name));
        self.record.variant = (!name.is_empty() && !is_standard).then(|| name.to_owned());
    }
}

impl Visitor for Collector {
    type Tags = ();
    type Movetext = ();
    type Output = Ended;

    fn begin_tags(&mut self) -> ControlFlow<Ended> {
        self.record.clear();
        self.tags = 0;
        self.passed_limit = false;
        self.utc_date.clear();
        self.tagged = Outcome::Unknown;
        self.marker = None;
        self.in_variation = false;
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<Ended> {
        self.tags += 1;
        let record = &mut self.record;
        if self.keeps_tags {
            record.tags.push((String::from_utf8_lossy(name).into_owned(), decode(value).into_owned()));
        }
        match name {
            b"White" => set_text(&mut record.first_player, value),
            b"Black" => set_text(&mut record.second_player, value),
            b"WhiteElo" => record.ratings[0] = rating(value.as_bytes()),
            b"BlackElo" => record.ratings[1] = rating(value.as_bytes()),
            b"Date" => set_text(&mut record.date, value),
            b"UTCDate" => set_text(&mut self.utc_date, value),
            b"Event" => set_text(&mut record.event, value),
            b"Result" => self.tagged = outcome_of_tag(value.as_bytes()),
            b"FEN" => record.start = start_of(&decode(value)),
            b"Variant" => self.variant(decode(value).trim()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Ended> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<Ended> {
        if self.record.moves.len() < self.limit {
            self.record.moves.push(san.san);
        } else if self.tags > 0 {
            return ControlFlow::Break(Ended::Limit);
        } else {
            // A game without tags is read on: only its marker tells where the next one begins.
            self.passed_limit = true;
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, (): &mut (), nag: Nag) -> ControlFlow<Ended> {
        let mark = match nag {
            Nag::BRILLIANT_MOVE => 3,
            Nag::GOOD_MOVE => 2,
            Nag::SPECULATIVE_MOVE => 1,
            Nag::DUBIOUS_MOVE => -1,
            Nag::MISTAKE => -2,
            Nag::BLUNDER => -3,
            _ => return ControlFlow::Continue(()),
        };
        if self.passed_limit {
            return ControlFlow::Continue(());
        }
        self.record.marks.resize(self.record.moves.len(), 0);
        if let Some(last) = self.record.marks.last_mut() {
            *last = mark;
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<Ended, Skip> {
        self.in_variation = true;
        ControlFlow::Continue(Skip(true))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<Ended> {
        self.in_variation = false;
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, (): &mut (), outcome: pgn_reader::Outcome) -> ControlFlow<Ended> {
        self.marker = Some(convert(outcome));
        ControlFlow::Break(Ended::Marker)
    }

    fn end_game(&mut self, (): ()) -> Ended {
        Ended::Whole
    }
}

/// Returns the termination marker of a game's text by reading all of it.
pub(super) fn find_marker(text: &[u8]) -> Option<Outcome> {
    let mut collector = Collector::new(usize::MAX, false);
    Reader::build(text).set_supported_tag_line_length(text.len()).finish().read_game(&mut collector).ok()?;
    collector.marker
}

fn convert(outcome: pgn_reader::Outcome) -> Outcome {
    match outcome {
        pgn_reader::Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => Outcome::FirstWins,
        pgn_reader::Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => Outcome::SecondWins,
        pgn_reader::Outcome::Known(KnownOutcome::Draw) => Outcome::Draw,
        pgn_reader::Outcome::Unknown => Outcome::Unknown,
    }
}

fn outcome_of_tag(value: &[u8]) -> Outcome {
    match value.trim_ascii() {
        b"1-0" => Outcome::FirstWins,
        b"0-1" => Outcome::SecondWins,
        b"1/2-1/2" | b"1/2" => Outcome::Draw,
        _ => Outcome::Unknown,
    }
}

/// Returns the start that a FEN tag names; counters do not make a position another one.
fn start_of(fen: &str) -> Start {
    const STANDARD: [&str; 4] = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w", "KQkq", "-"];
    match fen.split_ascii_whitespace().take(4).eq(STANDARD) {
        true => Start::Standard,
        false => Start::Fen(fen.trim().to_owned()),
    }
}

/// Returns the number a rating begins with; 0 where it is none or has more than four digits.
fn rating(value: &[u8]) -> u16 {
    let digits = value.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_digit());
    let mut rating = 0;
    for (count, digit) in digits.enumerate() {
        if count == 4 {
            return 0;
        }
        rating = rating * 10 + u16::from(digit - b'0');
    }
    rating
}

/// Sets a text field; `?`, `-` and `????.??.??` mean unknown.
fn set_text(field: &mut String, value: RawTag<'_>) {
    field.clear();
    if value.as_bytes().iter().any(|byte| !matches!(byte, b'?' | b'.' | b'-' | b' ')) {
        field.push_str(&decode(value));
    }
}

/// Returns a tag's value, escapes undone, as UTF-8 or, where it is none, as latin-1 (Windows-1252).
fn decode(value: RawTag<'_>) -> Cow<'_, str> {
    let latin_1 = |bytes: &[u8]| WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned();
    match value.decode() {
        Cow::Borrowed(bytes) => {
            std::str::from_utf8(bytes).map_or_else(|_| Cow::Owned(latin_1(bytes)), Cow::Borrowed)
        }
        Cow::Owned(bytes) => {
            Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|error| latin_1(error.as_bytes())))
        }
    }
}
