//! A move's characters, full-width ones made narrow. At most [`LONGEST`] characters.

use std::ops::Deref;

use arrayvec::ArrayVec;

/// Characters of the longest move text, `a10b10`.
const LONGEST: usize = 6;

/// The characters of a move text.
pub(super) struct Letters(ArrayVec<char, LONGEST>);

impl Letters {
    /// Returns the characters of a text, `None` where it is too long for a move.
    pub(super) fn of(text: &str) -> Option<Letters> {
        let mut letters = ArrayVec::new();
        for letter in text.chars() {
            letters.try_push(narrow(letter)).ok()?;
        }
        Some(Letters(letters))
    }
}

impl Deref for Letters {
    type Target = [char];

    fn deref(&self) -> &[char] {
        &self.0
    }
}

/// Returns the ASCII form of a full-width letter, digit or sign and of a dash, other characters as they are.
const fn narrow(letter: char) -> char {
    match letter {
        // Unicode's block of full-width forms follows ASCII from `!` to `~`.
        '\u{ff01}'..='\u{ff5e}' => (letter as u32 - 0xfee0) as u8 as char,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => letter,
    }
}
