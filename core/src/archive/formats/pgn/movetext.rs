//! The lexer of movetext, which splits text into [`Element`]s. It does not know the rules of the game.

use std::marker::PhantomData;

use encoding_rs::Encoding;
use memchr::{memchr, memchr2_iter, memchr3_iter, memrchr};

use super::section::end_of_bracket;
use super::{Recorded, ends_word, marker};
use crate::archive::text::fold::{fold, folded, is_wide_blank, is_wide_point, sign_at};
use crate::game::Outcome;

/// What movetext consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element<'a, T> {
    Move(T),
    /// A numeric annotation glyph, or a mark such as `!?` as its glyph.
    Glyph(u8),
    Comment(&'a [u8]),
    /// A parenthesis opens a variation.
    Open,
    /// A parenthesis closes one.
    Close,
    Marker(Outcome),
    /// One or more blank lines.
    BlankLine,
    /// The end of a line, in a list of lines that are a game each.
    LineBreak,
    /// The number of move 1, which may begin another game.
    First,
    /// A text that was meant to be a move.
    Unreadable(&'a [u8]),
    /// Another word, or points that stand alone.
    Ignored(&'a [u8]),
    /// A brace that nothing closes, and its place; the text ends here.
    UnclosedBrace(usize),
}

/// Reads movetext from a place on.
pub(super) struct Lexer<'a, G> {
    pub(super) text: &'a [u8],
    /// Behind the last element.
    pub(super) place: usize,
    /// As [`end_of_bracket`] has it.
    unclosed_before: usize,
    /// Where the last number of a move begins, and where the text behind its point does.
    pub(super) number: Option<(usize, usize)>,
    /// Whether each line is a game.
    pub(super) is_list: bool,
    is_uci: bool,
    /// The kind of notation of the game's first move.
    notation: Option<u8>,
    charset: &'static Encoding,
    game: PhantomData<G>,
}

impl<'a, G: Recorded> Lexer<'a, G> {
    pub(super) fn new(
        text: &'a [u8],
        place: usize,
        is_list: bool,
        is_uci: bool,
        charset: &'static Encoding,
    ) -> Lexer<'a, G> {
        Lexer {
            text,
            place,
            unclosed_before: 0,
            number: None,
            is_uci,
            notation: None,
            is_list,
            charset,
            game: PhantomData,
        }
    }

    /// Returns what the number at a place says: the number of half moves up to the one behind it, and one more. Without a
    /// point it is not a move number.
    pub(super) fn half_moves(&self, (start, _): (usize, usize)) -> Option<i64> {
        let (mut number, mut points, mut rest) = (0i64, 0, &self.text[start..]);
        while let Some((sign, length)) = sign_at(rest, self.charset) {
            match fold(sign) {
                digit @ '0'..='9' if points == 0 => {
                    number = number * 10 + i64::from(digit as u32 - '0' as u32)
                }
                '.' | '\u{2024}' | '\u{3002}' | '\u{3001}' => points += 1,
                '\u{2025}' | '\u{2026}' => points += 2,
                ' ' | '\t' | '\r' | '\n' => {}
                sign if is_wide_blank(sign) => {}
                _ => break,
            }
            if number > 10_000 {
                return None;
            }
            rest = &rest[length..];
        }
        (points > 0).then_some(2 * number + i64::from(points > 1))
    }

    /// Returns whether only blanks stand before the last number on its line.
    pub(super) fn number_begins_line(&self) -> bool {
        let start = self.number.map_or(0, |(start, _)| start);
        // From the number backwards: a line of a whole game may have thousands of numbers.
        let mut before = self.text[..start].iter().rev();
        before.find(|&&byte| byte == b'\n' || !byte.is_ascii_whitespace()).is_none_or(|&byte| byte == b'\n')
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.place..]
    }

    /// Returns the next element and leaves the lexer behind it; `None` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Element<'a, G::Token>> {
        loop {
            let byte = *self.text.get(self.place)?;
            match byte {
                b' ' | b'\t' | b'\r' => self.place += 1,
                b'.' => {
                    if let Some(points) = self.points() {
                        return Some(Element::Ignored(points));
                    }
                }
                b'\n' => {
                    self.place += 1;
                    if self.passes_blank_lines() {
                        return Some(Element::BlankLine);
                    }
                    if self.is_list {
                        return Some(Element::LineBreak);
                    }
                }
                b'1'..=b'9' if self.passes_number() => {
                    if byte == b'1' && self.is_first_number() {
                        return Some(Element::First);
                    }
                }
                0xc2 | 0xe1 | 0xe2 | 0xe3 | 0xef | 0x80..=0xbf if self.passes_wide_signs() => {}
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
        let start = self.place;
        let mut end = start + 1;
        while self.text.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        match self.text.get(end) {
            Some(b'.') => self.place = end + 1,
            // Four digits may be a move in ICCF's notation.
            Some(b' ' | b'\n' | b'\r' | b'\t') if end - start < 4 => self.place = end,
            Some(0x80..) if self.is_wide_space(end) => self.place = end,
            _ => return false,
        }
        self.number = Some((start, self.place));
        true
    }

    /// Returns whether the number that was just read is 1, for the move of the first side.
    fn is_first_number(&self) -> bool {
        let Some((start, _)) = self.number else { return false };
        self.text.get(start + 1) == Some(&b'.') && self.text.get(start + 2) != Some(&b'.')
    }

    /// Returns whether a wide blank or point stands at a place.
    #[cold]
    fn is_wide_space(&self, place: usize) -> bool {
        sign_at(&self.text[place..], self.charset)
            .is_some_and(|(sign, _)| is_wide_blank(sign) || is_wide_point(sign))
    }

    /// Passes over points; returns them if there are several, and neither a number nor a move stands before them.
    #[inline]
    fn points(&mut self) -> Option<&'a [u8]> {
        let start = self.place;
        while self.text.get(self.place) == Some(&b'.') {
            self.place += 1;
        }
        let is_alone = self.place - start > 1
            && start > 0
            && self.text[start - 1].is_ascii_whitespace()
            && self.number.is_none_or(|(_, end)| !self.text[end..start].trim_ascii().is_empty());
        is_alone.then_some(&self.text[start..self.place])
    }

    /// Passes over a wide blank or point, or a move number in full-width digits with a point or a blank behind it; returns
    /// whether there was one.
    #[cold]
    fn passes_wide_signs(&mut self) -> bool {
        if let Some((sign, length)) = sign_at(self.rest(), self.charset)
            && (is_wide_blank(sign) || is_wide_point(sign))
        {
            self.place += length;
            return true;
        }
        let is_digit = |sign: &[u8]| matches!(sign, [0xef, 0xbc, 0x90..=0x99]);
        let length = 3 * self.rest().chunks_exact(3).take_while(|sign| is_digit(sign)).count();
        let rest = &self.rest()[length..];
        let is_number = matches!(rest.first(), Some(b'.' | b' ' | b'\n' | b'\r' | b'\t'));
        if length == 0 || !is_number && !begins_with_point(rest) {
            return false;
        }
        self.number = Some((self.place, self.place + length));
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
        let element = match self.read(self.rest()) {
            Some((token, length)) => {
                self.place += length;
                Some(Element::Move(token))
            }
            None => self.odd_word(),
        };
        match element {
            Some(Element::Move(token)) => self.notation = self.notation.or_else(|| Some(G::notation(token))),
            Some(Element::Marker(_)) => self.notation = None,
            _ => {}
        }
        element
    }

    /// Returns the move at the head of a text, if it is in the notation of the game.
    #[inline]
    fn read(&self, text: &[u8]) -> Option<(G::Token, usize)> {
        let is_uci = !G::HAS_ASCII_MOVES && self.is_uci;
        let found = if is_uci { G::read_uci(text) } else { G::read_move(text) };
        found.filter(|(token, _)| self.notation.is_none_or(|notation| notation == G::notation(*token)))
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
        if let Some(glyph) = self.mark() {
            return Some(glyph);
        }
        let length = self.word_length(self.place).max(1);
        // The piece of a promotion may stand apart from a move that a wide blank follows.
        let promoted = length
            + match rest[length..] {
                [b' ', b'=', b'Q' | b'R' | b'B' | b'N', ..] => 3,
                [b' ', b'Q' | b'R' | b'B' | b'N', 0x80..=0xff, ..] => 2,
                _ => 0,
            };
        if promoted > length
            && let Some((token, _)) = self.read(&rest[..promoted]).filter(|(_, read)| *read == promoted)
        {
            self.place += promoted;
            return Some(Element::Move(token));
        }
        let word = &rest[..length];
        if let Some((token, length)) = self.glued_move(word) {
            self.place += length;
            return Some(Element::Move(token));
        }
        if let Some((element, length)) = self.folded_word(word) {
            self.place += length;
            return Some(element);
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && digits < length && !rest.starts_with(b"0-") {
            self.place += digits;
            return None;
        }
        self.place += length;
        Some(if G::looks_like_move(word) { Element::Unreadable(word) } else { Element::Ignored(word) })
    }

    fn word_length(&self, place: usize) -> usize {
        let mut end = place;
        while let Some(&byte) = self.text.get(end) {
            if ends_word(byte) || byte >= 0x80 && end > place && self.is_wide_space(end) {
                break;
            }
            let sign = if byte < 0x80 { Some((' ', 1)) } else { sign_at(&self.text[end..], self.charset) };
            end += sign.map_or(1, |(_, length)| length);
        }
        end.min(self.text.len()) - place
    }

    /// Returns the move that a word is or that a marker, a move number or a sign such as `±` follows without a blank, and
    /// the length of the move.
    fn glued_move(&self, word: &[u8]) -> Option<(G::Token, usize)> {
        (2..=word.len().min(MAX_MOVE)).find_map(|length| {
            let found = self.read(&word[..length]).filter(|&(_, read)| read == length)?;
            // A point may end the word: `d42…`.
            let behind = &self.text[self.place + length..];
            let is_sign = |(sign, _): (char, usize)| {
                !sign.is_ascii()
                    && !sign.is_alphanumeric()
                    && fold(sign) == sign
                    && sign != char::REPLACEMENT_CHARACTER
            };
            let ends = length == word.len()
                || begins_with_number(behind)
                || marker::<G>(behind).is_some()
                || sign_at(behind, self.charset).is_some_and(is_sign);
            ends.then_some(found)
        })
    }

    /// Returns the move or marker that a word means once its signs are folded, and its length, which may go beyond the
    /// word: `0–0`, `Е4`, `N f3`, `0 - 0`, `1–0`.
    fn folded_word(&self, word: &[u8]) -> Option<(Element<'a, G::Token>, usize)> {
        let text = folded(word, self.charset);
        let text = text.trim_end_matches([',', '.', ':']);
        let whole = |text: &str| {
            let found = self.read(text.as_bytes()).filter(|(_, length)| *length == text.len());
            found.map(|(token, _)| token).or_else(|| G::read_odd(text))
        };
        if let Some(token) = whole(text) {
            return Some((Element::Move(token), word.len()));
        }
        // The letter O for a zero, l or I for a one.
        let digits = text.replace(['O', 'o'], "0").replace(['l', 'I'], "1");
        if let Some((outcome, length)) = marker::<G>(digits.as_bytes())
            && length == digits.len()
        {
            return Some((Element::Marker(outcome), word.len()));
        }
        if text.chars().count() > 1 {
            return None;
        }
        // A piece that stands apart from its square, castling with blanks: three parts more at most.
        let (mut joined, mut end) = (text.to_owned(), self.place + word.len());
        let mut longest = None;
        for _ in 0..4 {
            end += self.text[end..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
                .count();
            let length = self.word_length(end);
            if length == 0 || !G::may_join(&joined) {
                break;
            }
            joined += &folded(&self.text[end..end + length], self.charset);
            end += length;
            // Castling has a hyphen between two letters.
            let is_regular = |(index, sign): (usize, u8)| (index % 2 == 1) == (sign == b'-');
            if G::may_join(&joined) && !joined.bytes().enumerate().all(is_regular) {
                break;
            }
            longest = whole(&joined).map(|token| (Element::Move(token), end - self.place)).or(longest);
        }
        longest
    }

    /// Reads what begins with neither a letter nor a digit.
    fn symbol(&mut self, byte: u8) -> Option<Element<'a, G::Token>> {
        let first = self.place + 1;
        self.place = first;
        match byte {
            b'{' => {
                let Some(end) = memchr(b'}', self.rest()) else {
                    self.place = self.text.len();
                    return Some(Element::UnclosedBrace(first - 1));
                };
                self.place += end + 1;
                Some(Element::Comment(&self.text[first..first + end]))
            }
            b';' => {
                self.pass_line();
                Some(Element::Comment(&self.text[first..self.place]))
            }
            b'(' => Some(self.marker_in_parentheses().unwrap_or(Element::Open)),
            b')' => Some(Element::Close),
            b'*' => Some(Element::Marker(Outcome::Unknown)),
            b'!' | b'?' => {
                self.place = first - 1;
                self.mark()
            }
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

    /// Reads `(1-0)`, of which the parenthesis has been read.
    fn marker_in_parentheses(&mut self) -> Option<Element<'a, G::Token>> {
        const LONGEST: usize = 24;
        let rest = self.rest();
        let end = memchr(b')', &rest[..rest.len().min(LONGEST)])?;
        let text = folded(rest[..end].trim_ascii(), self.charset);
        let (outcome, length) = marker::<G>(text.as_bytes())?;
        if length < text.len() {
            return None;
        }
        self.place += end + 1;
        Some(Element::Marker(outcome))
    }

    /// Reads a mark as its glyph.
    fn mark(&mut self) -> Option<Element<'a, G::Token>> {
        const MARKS: [(&str, u8); 8] = [
            ("!!", 3),
            ("??", 4),
            ("!?", 5),
            ("?!", 6),
            ("!", 1),
            ("?", 2),
            ("\u{ff01}", 1),
            ("\u{ff1f}", 2),
        ];
        let rest = self.rest();
        let (mark, glyph) = MARKS.iter().find(|(mark, _)| rest.starts_with(mark.as_bytes()))?;
        self.place += mark.len();
        Some(Element::Glyph(*glyph))
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
                Some(Element::UnclosedBrace(_)) => break,
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

fn begins_with_point(text: &[u8]) -> bool {
    sign_at(text, encoding_rs::WINDOWS_1252).is_some_and(|(sign, _)| is_wide_point(sign))
}

/// Bytes within which a move ends: `e7xd8=Q+` has 8, four Chinese signs have 12.
const MAX_MOVE: usize = 16;

/// Returns whether a text begins with a move number and a point.
fn begins_with_number(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &text[digits..];
    digits > 0 && text[0] != b'0' && (rest.starts_with(b".") || begins_with_point(rest))
}

/// Returns the marker that ends a text, if one does, no comment can hold it and no other marker stands before it.
pub(super) fn last_marker<G: Recorded>(text: &[u8]) -> Option<Outcome> {
    let text = text.trim_ascii_end();
    let token = text.rsplit(u8::is_ascii_whitespace).next()?;
    let before = &text[..text.len() - token.len()];
    // First: in a line of many games the next marker is near, and the line is long.
    if may_have_marker(before) || G::may_name_outcome(before) {
        return None;
    }
    let line = &text[memrchr(b'\n', text).map_or(0, |line_break| line_break + 1)..];
    if memchr(b';', line).is_some() || line.starts_with(b"%") {
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
