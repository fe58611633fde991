//! Turns the tags and the movetext of a section into the records of its games.

use std::ops::Not;

use encoding_rs::Encoding;
use memchr::memchr;

use super::begin::{begins_midway, is_list, move_number, next_game};
use super::movetext::{Element, Lexer, last_marker};
use super::section::Section;
use super::tags::Tag;
use super::{Recorded, decode, marker, tags};
use crate::archive::record::{mark_of, mark_of_comment};
use crate::archive::text::begin::is_tag;
use crate::archive::text::fold::quoted;
use crate::archive::{Defect, GameRecord, Note, NoteKind, ReadOptions, Start, Variation, Wants};
use crate::game::Outcome;

/// Takes a complete record, and the places in the block between which its game lies.
pub(super) type Sink<'a, T> = &'a mut dyn FnMut(&mut GameRecord<T>, usize, usize);

/// Notes and variations that are kept of a game, together. A sign of text may make one, which takes a hundred bytes; the
/// largest tree known has 226,491 nodes.
const MAX_NOTES: usize = 1_000_000;

/// A line that waits for the variation within it to end.
#[derive(Debug)]
struct Outer {
    line: u32,
    is_broken: bool,
    passed_limit: bool,
    /// Place of the parenthesis.
    opened: usize,
    skipped: Option<Skipped>,
    /// Place of the last number before it.
    number: Option<(usize, usize)>,
}

/// A word that was ignored and may have been a move, until a number tells that it was none.
#[derive(Debug, Clone, Copy)]
struct Skipped {
    /// Its place and length in the movetext.
    place: usize,
    length: usize,
    /// Moves of the line, notes and variations before it.
    moves: usize,
    notes: usize,
    variations: usize,
    /// Whether it is only a sign, or a word that is used beside moves.
    is_harmless: bool,
    /// Whether a move has come behind it.
    is_followed: bool,
}

/// Bytes of a comment that can hold a word of praise or blame, after signs.
const JUDGED_BYTES: usize = 48;

/// Words that are used beside moves.
const HARMLESS: [&[u8]; 8] = [b"e.p.", b"ep", b"ch", b"ch.", b"mate", b"N", b"TN", b"D"];

/// Collects one game at a time into a record that is used again.
pub(super) struct Collector<G: Recorded> {
    record: GameRecord<G::Token>,
    options: ReadOptions,
    charset: &'static Encoding,
    limit: usize,
    /// Result by the termination marker, if there is one.
    marker: Option<Outcome>,
    /// Whether a move of the line being read was skipped because of the limit.
    passed_limit: bool,
    /// The first move of the main line where the limit is 0.
    unkept: Option<G::Token>,
    /// The line being read, numbered as in [`Variation`].
    line: u32,
    /// Whether the line holds something unreadable, so that what follows cannot be placed.
    is_broken: bool,
    outer: Vec<Outer>,
    /// Moves of the main line so far, also those beyond the limit.
    plies: u32,
    /// Place behind the last move of the main line.
    last_move: usize,
    /// The first number of a move in the game, in half moves.
    first_number: Option<i64>,
    /// The word of the line that may have been a move.
    skipped: Option<Skipped>,
    has_tags: bool,
    /// As [`Recorded::is_uci`] has it.
    is_uci: bool,
    /// Whether the game ends with what may be castling, and its Result tag says that both sides lost by forfeit.
    is_forfeit: bool,
}

impl<G: Recorded> Collector<G> {
    pub(super) fn new(options: ReadOptions, charset: &'static Encoding, is_uci: bool) -> Collector<G> {
        Collector {
            record: GameRecord::default(),
            options,
            charset,
            limit: options.limit(),
            marker: None,
            passed_limit: false,
            unkept: None,
            line: 0,
            is_broken: false,
            outer: Vec::new(),
            plies: 0,
            last_move: 0,
            first_number: None,
            skipped: None,
            has_tags: false,
            is_uci,
            is_forfeit: false,
        }
    }

    /// Reads the games of a section: one with its tags, and those without tags behind it. Returns where to go on: behind
    /// the section, or at tags on a line that a game ends.
    pub(super) fn read_section(
        &mut self,
        text: &[u8],
        section: &Section,
        tags: &[Tag<'_>],
        wants: Wants<'_, G::Token>,
        sink: Sink<'_, G::Token>,
    ) -> usize {
        self.begin(tags);
        let has_tags = !tags.is_empty();
        // Behind tags with the byte before it, which tells whether it begins a line.
        let from = usize::from(has_tags);
        let base = section.movetext - from;
        let movetext = &text[base..section.end];
        // In quotes may be the tags of another game.
        let may_pass = has_tags && !section.has_blank_lines && memchr(b'"', movetext).is_none();
        if may_pass && !wants(&self.record) {
            return section.end;
        }
        let first = if has_tags { Some(from) } else { next_game::<G>(movetext, from) };
        first.map_or(section.end, |first| self.read_games(movetext, base, section, first, sink))
    }

    /// Reads the games of a section from a place of its movetext on, which begins at `base` of the block; as
    /// [`Self::read_section`].
    fn read_games(
        &mut self,
        movetext: &[u8],
        base: usize,
        section: &Section,
        first: usize,
        sink: Sink<'_, G::Token>,
    ) -> usize {
        self.has_tags = section.movetext > section.start;
        let is_list = !self.has_tags && is_list::<G>(&movetext[first..], self.is_uci);
        let mut lexer = Lexer::<G>::new(movetext, first, is_list, self.is_uci, self.charset);
        let mut start = if self.has_tags { section.start } else { base + first };
        loop {
            if !self.has_tags && begins_midway(lexer.rest()) {
                self.defect("no-beginning", lexer.place, "tags or move 1, found the rest of a game");
            }
            let may_go_on = self.read_game(&mut lexer, self.has_tags && !section.has_blank_lines);
            self.end_line(movetext);
            if self.is_forfeit && self.marker.is_none() {
                // `0-0` in the place of a result.
                self.record.moves.pop();
                self.record.defect = None;
            }
            let next = may_go_on.then(|| next_game::<G>(movetext, lexer.place)).flatten();
            self.complete(base);
            let end = next.map_or(section.end, |next| base + next);
            let has_moves = !self.record.moves.is_empty() || self.passed_limit;
            if self.has_tags || has_moves || self.record.defect.is_some() {
                sink(&mut self.record, start, end);
            }
            let Some(next) = next.filter(|&next| !is_tag(&movetext[next..])) else { return end };
            lexer.place = next;
            start = end;
            self.begin(&[]);
        }
    }

    fn begin(&mut self, tags: &[Tag<'_>]) {
        let record = std::mem::take(&mut self.record);
        *self = Collector { record, ..Collector::new(self.options, self.charset, self.is_uci) };
        self.record.clear();
        self.is_forfeit = tags.iter().any(|tag| tag.name == b"Result" && tag.value.trim_ascii() == b"0-0");
        tags::fill::<G>(&mut self.record, tags, self.charset, self.options.tags);
    }

    /// Fills in what only the whole game tells. Places in it count from the start of the movetext.
    fn complete(&mut self, movetext: usize) {
        let record = &mut self.record;
        if let Some(defect) = &mut record.defect {
            defect.offset += movetext as u64;
        }
        record.marks.resize(record.moves.len(), 0);
        record.variations.iter_mut().for_each(|line| line.marks.resize(line.moves.len(), 0));
        // A game without a result may have one by its tag.
        record.outcome = match self.marker {
            Some(Outcome::Unknown) | None => record.tagged,
            Some(marker) => marker,
        };
        G::settle_moves(record);
        if let Some(&first) = record.moves.first().or(self.unkept.as_ref()) {
            G::settle_start(&mut record.start, first);
        }
    }

    /// Reads the elements of one game; returns whether another one may follow, for a marker or a blank line ended it. From
    /// the ply limit on, the lexer may jump to the end where a marker stands.
    fn read_game(&mut self, lexer: &mut Lexer<'_, G>, mut may_jump: bool) -> bool {
        while let Some(element) = lexer.next() {
            match element {
                Element::Move(token) => {
                    if self.skipped.is_some() {
                        self.check_skipped(lexer);
                    }
                    if self.line > 0 {
                        self.variation_move(token);
                        continue;
                    }
                    self.main_move(token);
                    self.last_move = lexer.place;
                    if self.passed_limit
                        && self.skipped.is_none()
                        && std::mem::take(&mut may_jump)
                        && let Some(outcome) = last_marker::<G>(lexer.rest())
                    {
                        self.marker = Some(outcome);
                        lexer.place = lexer.text.len();
                    }
                }
                Element::Glyph(glyph) => {
                    // A glyph in the place of a move: `2. ? ?`.
                    let is_behind_number = |(_, end): (usize, usize)| end > self.last_move;
                    if self.line == 0 && self.plies > 0 && lexer.number.is_some_and(is_behind_number) {
                        self.skip(lexer.place - 1, b"?", lexer);
                    }
                    self.glyph(glyph, lexer.place);
                }
                Element::Comment(text) => self.comment(text, lexer.place),
                Element::Open => self.open(lexer),
                Element::Close => self.close(lexer),
                Element::Marker(outcome) if self.outer.is_empty() => {
                    self.marker = Some(outcome);
                    return true;
                }
                Element::BlankLine if self.outer.is_empty() && self.ends_before(lexer.rest()) => return true,
                Element::BlankLine | Element::LineBreak
                    if lexer.is_list && self.outer.is_empty() && self.plies > 0 =>
                {
                    return true;
                }
                Element::First if self.begins_anew(lexer) => {
                    lexer.place = lexer.number.map_or(lexer.place, |(start, _)| start);
                    return true;
                }
                Element::Marker(_) | Element::BlankLine | Element::LineBreak | Element::First => {}
                Element::Ignored(word) => self.skip(lexer.place - word.len(), word, lexer),
                Element::Unreadable(word) => self.unreadable(word, lexer.place - word.len()),
                Element::UnclosedBrace(place) => {
                    let expected = "\"}\" to close the comment before the game ends";
                    self.defect("unterminated-comment", place, expected);
                }
            }
        }
        if let Some(outermost) = self.outer.first() {
            self.unclosed_variation(outermost.opened);
        }
        false
    }

    /// Returns whether the game is over at a blank line before this text: another move 1 follows, or prose.
    fn ends_before(&self, text: &[u8]) -> bool {
        if self.record.moves.is_empty() && !self.passed_limit {
            return false;
        }
        match text.first() {
            Some(b'1'..=b'9') if marker::<G>(text).is_none() => {
                move_number(text) == Some(1) && !text.starts_with(b"1...")
            }
            Some(b'{' | b'(' | b')' | b'$' | b'*' | b';' | b'!' | b'?' | b'0'..=b'9') | None => false,
            Some(_) => marker::<G>(text).is_none() && G::read_move(text).is_none(),
        }
    }

    /// Returns whether move 1 begins another game: in a text without tags, where moves stand before it.
    fn begins_anew(&self, lexer: &Lexer<'_, G>) -> bool {
        let is_behind_moves = self.plies > 1 || self.plies > 0 && lexer.number_begins_line();
        !self.has_tags && self.outer.is_empty() && is_behind_moves
    }

    /// Notes a word that is not a move.
    #[cold]
    fn skip(&mut self, place: usize, word: &[u8], lexer: &Lexer<'_, G>) {
        let is_letter = |sign: char| sign.is_alphanumeric();
        // The sign of a novelty stands behind a move, and a blank behind it.
        let is_novelty = || {
            let end = lexer.text.get(place + 1).is_none_or(u8::is_ascii_whitespace);
            end && lexer.number.is_none_or(|(_, end)| end <= self.last_move)
        };
        if word == b"N" && !is_novelty() {
            return self.unreadable(word, place);
        }
        let is_word = HARMLESS.contains(&word).not() && decode(word, self.charset).chars().any(is_letter);
        if is_word {
            self.record.ignored += 1;
        }
        if self.skipped.is_none_or(|skipped| skipped.is_harmless && is_word) && !self.is_broken {
            self.skipped = Some(Skipped {
                place,
                length: word.len(),
                moves: self.record.line(self.line).1.len(),
                notes: self.record.notes.len(),
                variations: self.record.variations.len(),
                is_harmless: !is_word,
                is_followed: false,
            });
        }
    }

    /// Asks the number before a move whether the word that was ignored before it was a move.
    #[cold]
    fn check_skipped(&mut self, lexer: &Lexer<'_, G>) {
        let Some(skipped) = &mut self.skipped else { return };
        let number = lexer.number.filter(|&(start, _)| start > skipped.place);
        let Some(half_moves) = number.and_then(|number| lexer.half_moves(number)) else {
            skipped.is_followed = true;
            return;
        };
        let plies = if self.line == 0 { self.plies } else { self.ply() };
        // A game from a position of its own begins with any number.
        let first = match self.record.start {
            Start::Standard => 2,
            Start::Fen(_) => *self.first_number.get_or_insert(half_moves - i64::from(plies)),
        };
        if half_moves - first == i64::from(plies) {
            self.skipped = None;
        } else {
            self.drop_skipped(lexer.text);
        }
    }

    /// Ends a line: what comes behind a word that may have been a move is not known to be placed.
    fn end_line(&mut self, text: &[u8]) {
        if self.skipped.is_some_and(|skipped| skipped.is_followed && !skipped.is_harmless) {
            self.drop_skipped(text);
        }
        self.skipped = None;
    }

    /// Drops what comes behind a word that stands in the place of a move.
    fn drop_skipped(&mut self, text: &[u8]) {
        let Some(skipped) = self.skipped.take() else { return };
        self.is_broken = true;
        if self.line == 0 && skipped.moves >= self.limit {
            return;
        }
        self.record.notes.truncate(skipped.notes);
        self.record.variations.truncate(skipped.variations);
        let (_, moves, marks) = self.record.line_mut(self.line);
        moves.truncate(skipped.moves);
        marks.truncate(skipped.moves);
        if self.line == 0 {
            self.passed_limit = false;
            self.unreadable(&text[skipped.place..skipped.place + skipped.length], skipped.place);
        }
    }

    #[inline]
    fn main_move(&mut self, token: G::Token) {
        self.plies += 1;
        if self.record.moves.len() >= self.limit {
            if self.limit == 0 && !self.passed_limit {
                self.unkept = Some(token);
            }
            self.passed_limit = true;
        } else if !self.is_broken {
            self.record.moves.push(token);
        }
    }

    fn variation_move(&mut self, token: G::Token) {
        let (first, moves, _) = self.record.line_mut(self.line);
        if first as usize + moves.len() >= self.limit {
            self.passed_limit = true;
        } else if !self.is_broken {
            moves.push(token);
        }
    }

    /// Plies before what comes next in the line being read.
    fn ply(&self) -> u32 {
        let (first, moves) = self.record.line(self.line);
        first + moves.len() as u32
    }

    /// Adds a glyph, unless its move was skipped.
    fn glyph(&mut self, glyph: u8, place: usize) {
        if self.passed_limit || self.is_broken {
            return;
        }
        if self.options.notes {
            self.note(NoteKind::Glyph(glyph), place);
        }
        if let Some(mark) = mark_of(glyph) {
            self.mark(mark, true);
        }
    }

    /// Marks the last move of the line; a comment does not overrule a glyph.
    fn mark(&mut self, mark: i8, is_glyph: bool) {
        let (_, moves, marks) = self.record.line_mut(self.line);
        marks.resize(moves.len(), 0);
        if let Some(last) = marks.last_mut().filter(|last| is_glyph || **last == 0) {
            *last = mark;
        }
    }

    fn comment(&mut self, text: &[u8], place: usize) {
        if self.passed_limit {
            return;
        }
        // Most comments are commands, `[%clk 0:01:00]`. The words stand at the head of a comment.
        let text = text.trim_ascii_start();
        if !self.is_broken && !text.starts_with(b"[") {
            // A character of UTF-8 that was cut would make the head a text of another character set.
            let is_whole = |end: &usize| text.get(*end).is_none_or(|byte| byte & 0xC0 != 0x80);
            let end = (JUDGED_BYTES - 3..=JUDGED_BYTES).rfind(is_whole).unwrap_or(JUDGED_BYTES);
            let head = decode(&text[..text.len().min(end)], self.charset);
            if let Some(mark) = mark_of_comment(&head) {
                self.mark(mark, false);
            }
        }
        if self.options.notes {
            self.note(NoteKind::Comment(decode(text, self.charset).trim().to_owned()), place);
        }
    }

    fn note(&mut self, kind: NoteKind, place: usize) {
        if self.is_full(place) {
            return;
        }
        let note = Note { line: self.line, ply: self.ply(), kind };
        self.record.notes.push(note);
    }

    /// Returns whether the game has as many notes and variations as are kept; more are its defect.
    fn is_full(&mut self, place: usize) -> bool {
        let is_full = self.record.notes.len() + self.record.variations.len() >= MAX_NOTES;
        if is_full {
            self.defect("too-many-notes", place, "at most a million comments, glyphs and variations a game");
        }
        is_full
    }

    /// Begins the variation whose parenthesis has been read, or passes over it where none is wanted, or where no move
    /// stands before it: `(+)-(-)`, a result of some.
    fn open(&mut self, lexer: &mut Lexer<'_, G>) {
        let opened = lexer.place - 1;
        let has_move = self.line > 0 || !self.record.moves.is_empty();
        let is_wanted = self.options.variations && !self.passed_limit && has_move;
        if !is_wanted || self.is_full(opened) {
            if !lexer.pass_variation() {
                self.unclosed_variation(opened);
            }
            return;
        }
        // It stands in place of the last move of the line; where there is none yet, of the line's own first.
        let (leaves, ply) =
            match (self.line as usize).checked_sub(1).map(|index| &self.record.variations[index]) {
                Some(line) if line.moves.is_empty() => (line.leaves, line.ply),
                _ => (self.line, self.ply().saturating_sub(1)),
            };
        let (is_broken, passed_limit) = (self.is_broken, self.passed_limit);
        let skipped = self.skipped.take();
        let number = lexer.number;
        self.outer.push(Outer { line: self.line, is_broken, passed_limit, opened, skipped, number });
        self.record.variations.push(Variation { leaves, ply, moves: Vec::new(), marks: Vec::new() });
        self.line = self.record.variations.len() as u32;
    }

    fn close(&mut self, lexer: &mut Lexer<'_, G>) {
        if let Some(outer) = self.outer.pop() {
            self.end_line(lexer.text);
            self.skipped = outer.skipped;
            lexer.number = outer.number;
            self.line = outer.line;
            self.is_broken = outer.is_broken;
            self.passed_limit = outer.passed_limit;
        }
    }

    fn unreadable(&mut self, word: &[u8], place: usize) {
        self.is_broken = true;
        if self.outer.is_empty() {
            let expected = format!("{}, found {}", G::MOVE, quoted(&decode(word, self.charset)));
            self.defect("bad-move-text", place, &expected);
        }
    }

    fn unclosed_variation(&mut self, opened: usize) {
        self.defect("unterminated-variation", opened, "\")\" to close the variation before the game ends");
    }

    /// Notes the first defect, unless it lies beyond what was asked for.
    fn defect(&mut self, reason: &'static str, place: usize, expected: &str) {
        if self.record.moves.len() < self.limit && self.record.defect.is_none() {
            let message = format!("expected {expected}");
            self.record.defect = Some(Defect { reason, offset: place as u64, message });
        }
    }
}
