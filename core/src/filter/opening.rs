//! Codes of openings: ECO for chess, ECCO for xiangqi; a letter from A to E and two digits in both.

use super::FilterError;
use crate::archive::GameRecord;

/// A range of codes, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpeningRange {
    first: [u8; 3],
    last: [u8; 3],
}

impl OpeningRange {
    /// Returns the range that `B20-B99`, `C42`, `B2` (B20 to B29) or `B` (B00 to B99) names.
    ///
    /// # Errors
    /// [`FilterError`]: the text is not such a range, or its end comes before its beginning.
    pub fn parse(text: &str) -> Result<OpeningRange, FilterError> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = code(first, b'0').zip(code(last, b'9')).filter(|(first, last)| first <= last);
        let expected = "a code or a range of codes such as C42 or B20-B99".to_owned();
        let error = || FilterError { filter: "--eco", text: text.to_owned(), expected };
        range.map(|(first, last)| OpeningRange { first, last }).ok_or_else(error)
    }

    /// Returns whether the game's code lies in the range. What follows the three signs of a code (`B90a`, `E12/07`)
    /// does not count.
    pub fn holds<T>(&self, record: &GameRecord<T>) -> bool {
        let tagged = record.tag("ECO").or_else(|| record.tag("ECCO"));
        let code = tagged.and_then(|value| value.get(..3)).and_then(|value| code(value, b'0'));
        code.is_some_and(|code| (self.first..=self.last).contains(&code))
    }
}

/// Returns a code of one to three signs, filled up with `filler`.
fn code(text: &str, filler: u8) -> Option<[u8; 3]> {
    let text = text.trim().as_bytes();
    let (&letter, digits) = text.split_first()?;
    let mut code = [letter.to_ascii_uppercase(), filler, filler];
    if !code[0].is_ascii_uppercase() || digits.len() > 2 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    code[1..=digits.len()].copy_from_slice(digits);
    Some(code)
}
