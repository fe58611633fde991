//! What is particular to chess in PGN: SAN, latin-1 texts, names of the standard game.

use encoding_rs::{Encoding, WINDOWS_1252};

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
        );
        is_piece || word.windows(2).any(is_square)
    }

    const HAS_ASCII_MOVES: bool = true;

    const MOVE: &'static str = "a move";

    /// Latin-1, as Windows has it.
    fn charset(_: &[u8]) -> &'static Encoding {
        WINDOWS_1252
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
