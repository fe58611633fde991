//! The lexer of movetext, which splits text into [`Element`]s. It does not know the rules of the game.

use std::marker::PhantomData;

use memchr::{memchr, memchr2_iter, memchr3_iter, memrchr};

use super::Recorded;
use super::section::end_of_bracket;
use crate::game::Outcome;

/// What movetext consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element<'a, T> {
    /// A move.
    Move(T),
    /// A numeric annotation glyph, or a mark such as `!?` as its glyph.
    Glyph(u8),
    /// The text of a comment.
    Comment(&'a [u8]),
    /// A parenthesis opens a variation.
    Open,
    /// A parenthesis closes one.
    Close,
    /// A termination marker.
    Marker(Outcome),
    /// One or more blank lines.
    BlankLine,
    /// A text that was meant to be a move.
    Unreadable(&'a [u8]),
    /// A brace that nothing closes; the text ends here.
    UnclosedBrace,
}

/// Reads movetext from a place on.
pub(super) struct Lexer<'a, G> {
    text: &'a [u8],
    place: usize,
    opened: usize,
    /// As [`end_of_bracket`] has it.
    unclosed_before: usize,
    game: PhantomData<G>,
}

impl<'a, G: Recorded> Lexer<'a, G> {
    pub(super) fn new(text: &'a [u8], place: usize) -> Lexer<'a, G> {
        Lexer { text, place, opened: 0, unclosed_before: 0, game: PhantomData }
    }

    /// Returns the place behind the last element.
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// Returns the text behind the last element.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.place..]
    }

    /// Returns the place of the brace that made the last element [`Element::UnclosedBrace`].
    pub(super) fn opened(&self) -> usize {
        self.opened
    }

    /// Goes on at a place further on.
    pub(super) fn jump(&mut self, place: usize) {
        self.place = place;
    }

    /// Returns the next element and leaves the lexer behind it; `None` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Element<'a, G::Token>> {
        loop {
            let byte = *self.text.get(self.place)?;
            match byte {
                b' ' | b'.' | b'\t' | b'\r' => self.place += 1,
                b'\n' => {
                    self.place += 1;
                    if self.passes_blank_lines() {
                        return Some(Element::BlankLine);
                    }
                }
                b'1'..=b'9' if self.passes_number() => {}
                0xe2 | 0xe3 | 0xef if self.passes_wide_signs() => {}
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'@' | 0x80.. => {
                    if let Some(element) = self.word() {
                        return Some(element);
                    }
                }
                _ => {
                    if let Some(element) = self.symbol(byte) {
                        return Some(element);
                    }
                }
            }
        }
    }

    /// Passes over a move number; returns whether there was one. What else begins with a digit stays.
    #[inline]
    fn passes_number(&mut self) -> bool {
        let mut end = self.place + 1;
        while self.text.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        match self.text.get(end) {
            Some(b'.') => self.place = end + 1,
            Some(b' ' | b'\n' | b'\r' | b'\t' | 0xe2) => self.place = end,
            Some(0xef | 0xe3) if begins_with_point(&self.text[end..]) => self.place = end,
            _ => return false,
        }
        true
    }

    /// Passes over one of [`POINTS`], or a move number in full-width digits with a point or a blank behind it; returns
    /// whether there was one.
    #[cold]
    fn passes_wide_signs(&mut self) -> bool {
        if let Some(point) = POINTS.iter().find(|point| self.rest().starts_with(point.as_bytes())) {
            self.place += point.len();
            return true;
        }
        let is_digit = |sign: &[u8]| matches!(sign, [0xef, 0xbc, 0x90..=0x99]);
        let length = 3 * self.rest().chunks_exact(3).take_while(|sign| is_digit(sign)).count();
        let rest = &self.rest()[length..];
        let is_number = matches!(rest.first(), Some(b'.' | b' ' | b'\n' | b'\r' | b'\t'));
        if length == 0 || !is_number && !begins_with_point(rest) {
            return false;
        }
        self.place += length;
        true
    }

    /// Passes over white space behind a line break; returns whether it holds another line break.
    #[inline]
    fn passes_blank_lines(&mut self) -> bool {
        let mut found = false;
        while let Some(byte) = self.text.get(self.place) {
            match byte {
                b'\n' => found = true,
                b' ' | b'\t' | b'\r' | 0 => {}
                b'%' if self.text[self.place - 1] == b'\n' => self.pass_line(),
                _ => break,
            }
            // The line may be the last one, without a line break.
            self.place = (self.place + 1).min(self.text.len());
        }
        found
    }

    fn pass_line(&mut self) {
        self.place = memchr(b'\n', self.rest()).map_or(self.text.len(), |line_break| self.place + line_break);
        // The line break itself is read as one.
    }

    /// Reads a move, a marker or a word that is neither.
    #[inline]
    fn word(&mut self) -> Option<Element<'a, G::Token>> {
        let rest = self.rest();
        if let Some((token, length)) = G::read_move(rest) {
            self.place += length;
            return Some(Element::Move(token));
        }
        self.odd_word()
    }

    /// Reads a word that is not a move. Of a move with a marker or a number glued to it, `Qg20-1` or `Nc69.`, the move
    /// is read; of a number without a point, `1e4`, only the number is skipped.
    #[cold]
    fn odd_word(&mut self) -> Option<Element<'a, G::Token>> {
        let rest = self.rest();
        if let Some((outcome, length)) = marker::<G>(rest) {
            self.place += length;
            return Some(Element::Marker(outcome));
        }
        if let Some((mark, glyph)) = MARKS.iter().find(|(mark, _)| rest.starts_with(mark.as_bytes())) {
            self.place += mark.len();
            return Some(Element::Glyph(*glyph));
        }
        let length = rest.iter().take_while(|byte| !ends_word(**byte)).count().max(1);
        let word = &rest[..length];
        if let Some((token, length)) = glued_move::<G>(word) {
            self.place += length;
            return Some(Element::Move(token));
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && !rest.starts_with(b"0-") {
            self.place += digits;
            return None;
        }
        self.place += length;
        G::looks_like_move(word).then_some(Element::Unreadable(word))
    }

    /// Reads what begins with neither a letter nor a digit.
    fn symbol(&mut self, byte: u8) -> Option<Element<'a, G::Token>> {
        let first = self.place + 1;
        self.place = first;
        match byte {
            b'{' => {
                let Some(end) = memchr(b'}', self.rest()) else {
                    (self.opened, self.place) = (first - 1, self.text.len());
                    return Some(Element::UnclosedBrace);
                };
                self.place += end + 1;
                Some(Element::Comment(&self.text[first..first + end]))
            }
            b';' => {
                self.pass_line();
                Some(Element::Comment(&self.text[first..self.place]))
            }
            b'(' => Some(Element::Open),
            b')' => Some(Element::Close),
            b'*' => Some(Element::Marker(Outcome::Unknown)),
            b'!' | b'?' => Some(Element::Glyph(self.mark(byte))),
            b'$' => self.glyph(),
            b'[' => {
                self.place = end_of_bracket(self.text, first - 1, &mut self.unclosed_before).unwrap_or(first);
                None
            }
            b'%' if first == 1 || self.text[first - 2] == b'\n' => {
                self.pass_line();
                None
            }
            _ => None,
        }
    }

    /// Reads `!`, `?`, `!!`, `??`, `!?` or `?!`, of which the first sign has been read, as its glyph.
    fn mark(&mut self, first: u8) -> u8 {
        let second = self.text.get(self.place).copied().filter(|byte| matches!(byte, b'!' | b'?'));
        self.place += usize::from(second.is_some());
        match (first, second) {
            (b'!', None) => 1,
            (_, None) => 2,
            (b'!', Some(b'!')) => 3,
            (b'?', Some(b'?')) => 4,
            (b'!', Some(_)) => 5,
            (_, Some(_)) => 6,
        }
    }

    fn glyph(&mut self) -> Option<Element<'a, G::Token>> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.place += digits;
        std::str::from_utf8(&rest[..digits]).ok()?.parse().ok().map(Element::Glyph)
    }

    /// Passes over a variation whose parenthesis has been read; returns whether it is closed.
    pub(super) fn pass_variation(&mut self) -> bool {
        let mut depth = 1;
        // What may hold parentheses is read by the same rules as elsewhere; words cannot.
        let is_sign = |byte: &u8| matches!(byte, b'(' | b')' | b'{' | b';' | b'[' | b'%');
        while let Some(found) = self.rest().iter().position(is_sign) {
            self.place += found;
            match self.symbol(self.text[self.place]) {
                Some(Element::Open) => depth += 1,
                Some(Element::Close) => depth -= 1,
                Some(Element::UnclosedBrace) => break,
                _ => {}
            }
            if depth == 0 {
                return true;
            }
        }
        self.place = self.text.len();
        false
    }
}

/// What may stand behind a number or a move beside ASCII points: `…` and full-width points, commas and spaces.
const POINTS: [&str; 6] = ["\u{2026}", "\u{ff0e}", "\u{3001}", "\u{3000}", "\u{ff0c}", "\u{3002}"];

/// Full-width marks and their glyphs.
const MARKS: [(&str, u8); 2] = [("\u{ff01}", 1), ("\u{ff1f}", 2)];

fn begins_with_point(text: &[u8]) -> bool {
    POINTS.iter().any(|point| text.starts_with(point.as_bytes()))
}

/// Bytes within which a move ends: `e7xd8=Q+` has 8, four Chinese signs have 12.
const MAX_MOVE: usize = 16;

/// Returns the move at the head of a word that a termination marker or a move number follows without a blank, and the
/// length of the move.
fn glued_move<G: Recorded>(word: &[u8]) -> Option<(G::Token, usize)> {
    (2..word.len().min(MAX_MOVE)).find_map(|length| {
        let (played, rest) = word.split_at(length);
        let found = G::read_move(played).filter(|&(_, read)| read == length)?;
        (begins_with_number(rest) || marker::<G>(rest).is_some()).then_some(found)
    })
}

/// Returns whether a text begins with a move number and a point.
fn begins_with_number(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &text[digits..];
    digits > 0 && text[0] != b'0' && (rest.starts_with(b".") || begins_with_point(rest))
}

/// Returns the termination marker at the head of a text and its length.
pub(super) fn marker<G: Recorded>(text: &[u8]) -> Option<(Outcome, usize)> {
    const MARKERS: [(&[u8], Outcome); 9] = [
        (b"1-0", Outcome::FirstWins),
        (b"0-1", Outcome::SecondWins),
        (b"1/2-1/2", Outcome::Draw),
        (b"1/2", Outcome::Draw),
        (b"\xc2\xbd-\xc2\xbd", Outcome::Draw),
        (b"\xc2\xbd", Outcome::Draw),
        (b"1:0", Outcome::FirstWins),
        (b"0:1", Outcome::SecondWins),
        (b"0.5-0.5", Outcome::Draw),
    ];
    let Some((marker, outcome)) = MARKERS.iter().find(|(marker, _)| text.starts_with(marker)) else {
        let length = text.iter().take_while(|byte| !ends_word(**byte)).count();
        let outcome = G::outcome_named(std::str::from_utf8(&text[..length]).ok()?);
        return (outcome != Outcome::Unknown).then_some((outcome, length));
    };
    let goes_on = text.get(marker.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    (!goes_on).then_some((*outcome, marker.len()))
}

/// Returns the marker that ends a text, if one does, no comment can hold it and no other marker stands before it.
pub(super) fn last_marker<G: Recorded>(text: &[u8]) -> Option<Outcome> {
    let text = text.trim_ascii_end();
    let line = &text[memrchr(b'\n', text).map_or(0, |line_break| line_break + 1)..];
    let token = line.rsplit(u8::is_ascii_whitespace).next()?;
    if memchr(b';', line).is_some() || line.starts_with(b"%") {
        return None;
    }
    let before = &text[..text.len() - token.len()];
    if may_have_marker(before) || G::may_name_outcome(before) {
        return None;
    }
    match token {
        b"1-0" => Some(Outcome::FirstWins),
        b"0-1" => Some(Outcome::SecondWins),
        b"1/2-1/2" => Some(Outcome::Draw),
        b"*" => Some(Outcome::Unknown),
        _ => None,
    }
}

/// Returns whether a text holds the signs of a marker, even in a comment.
fn may_have_marker(text: &[u8]) -> bool {
    let is_marker = |place: usize| {
        let before = place.checked_sub(1).map_or(0, |before| text[before]);
        let after = text.get(place + 1).copied().unwrap_or(0);
        match text[place] {
            b'*' => true,
            b'-' | b':' => matches!((before, after), (b'0' | b'2', b'1') | (b'1' | b'5', b'0')),
            b'/' => (before, after) == (b'1', b'2'),
            _ => before == 0xc2,
        }
    };
    memchr3_iter(b'*', b'-', b':', text).any(is_marker) || memchr2_iter(b'/', 0xbd, text).any(is_marker)
}

/// Returns whether a byte cannot belong to a word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\n'
            | b'\r'
            | b'\t'
            | 0x0b
            | 0x0c
            | b'{'
            | b'}'
            | b'('
            | b')'
            | b'['
            | b']'
            | b'$'
            | b';'
            | b'!'
            | b'?'
            | 0
    )
}
