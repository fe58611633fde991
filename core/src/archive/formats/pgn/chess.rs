//! What is particular to chess in PGN: SAN, texts in Latin-1 and Cyrillic, names of the standard game.

use encoding_rs::{Encoding, WINDOWS_1251, WINDOWS_1252};

use super::Recorded;
use crate::archive::Start;
use crate::chess::{Chess, Token, san};

impl Recorded for Chess {
    #[inline]
    fn read_move(text: &[u8]) -> Option<(Token, usize)> {
        san::read(text)
    }

    /// A square, or a piece with half of one, is in the word; so is castling gone wrong, and descriptive notation.
    fn looks_like_move(word: &[u8]) -> bool {
        let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'9']);
        let is_piece = matches!(
            word,
            [b'K' | b'Q' | b'R' | b'B' | b'N' | b'P', b'x' | b'1'..=b'8', ..]
                | [b'K' | b'Q' | b'R' | b'B' | b'N' | b'P', b'-', b'A'..=b'Z', ..]
                | [b'K' | b'Q' | b'R' | b'B' | b'N', b'a'..=b'z', b'0'..=b'9', ..]
                | [b'K' | b'Q' | b'R' | b'B' | b'N', b'a'..=b'h', b'x', ..]
                | [b'K' | b'Q' | b'R' | b'B' | b'N', b'a'..=b'h']
                | [b'a'..=b'h', b'x', b'a'..=b'h', ..]
                | [b'O' | b'0', b'-', b'O' | b'0', ..]
                // Dashes of typographers, in UTF-8 and as Windows has them.
                | [b'O', 0xe2, 0x80, 0x90..=0x95, b'O', ..]
                | [b'O', 0x96 | 0x97, b'O', ..]
        );
        is_piece || word.windows(2).any(is_square)
    }

    const HAS_ASCII_MOVES: bool = true;

    const MOVE: &'static str = "a move";

    /// Latin-1 as Windows has it, or Cyrillic as Windows has it where the words look so.
    fn charset(text: &[u8]) -> &'static Encoding {
        if looks_cyrillic(text) { WINDOWS_1251 } else { WINDOWS_1252 }
    }

    /// Counters do not make a position another one.
    fn start_of(fen: &str) -> Start {
        const STANDARD: [&str; 4] = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w", "KQkq", "-"];
        match fen.split_ascii_whitespace().take(4).eq(STANDARD) {
            true => Start::Standard,
            false => Start::Fen(fen.trim().to_owned()),
        }
    }

    fn is_standard_variant(name: &str) -> bool {
        const STANDARD: [&str; 4] = ["Standard", "Chess", "From Position", "Normal"];
        STANDARD.iter().any(|standard| standard.eq_ignore_ascii_case(name))
    }
}

/// Words that are looked at, and letters that must be in Cyrillic ones: two short names. Chosen, not tuned.
const WORDS: usize = 256;
const LETTERS: usize = 6;

/// Returns whether most letters that are not ASCII stand in words of three or more of them, which only the first may be a
/// capital of. Capitals are the bytes C0 to DF of windows-1251, small letters E0 to FF; KOI8-R has them the other way
/// round. Words of Western languages have one or two such letters, and UTF-8 has bytes below C0 in each.
fn looks_cyrillic(text: &[u8]) -> bool {
    let (mut rest, mut cyrillic, mut others) = (text, 0, 0);
    for _ in 0..WORDS {
        rest = &rest[Encoding::ascii_valid_up_to(rest)..];
        let length = rest.iter().take_while(|byte| !byte.is_ascii()).count();
        let (word, behind) = rest.split_at(length);
        let Some((first, small)) = word.split_first() else { break };
        let is_word = length > 2 && *first >= 0xc0 && small.iter().all(|&byte| byte >= 0xe0);
        *(if is_word { &mut cyrillic } else { &mut others }) += length;
        rest = behind;
    }
    cyrillic >= LETTERS && cyrillic > others
}
