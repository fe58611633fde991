//! What is particular to xiangqi in PGN: moves in ICCS, WXF or Chinese, often without space between them, and texts in
//! GB18030 or Big5.

use encoding_rs::{BIG5, Encoding, GB18030};

use super::Recorded;
use super::movetext::ends_word;
use crate::archive::Start;
use crate::game::Game;
use crate::xiangqi::{Token, Xiangqi};

/// Characters in a move of relative notation: piece, column, direction, number.
const MOVE_CHARS: usize = 4;

/// Bytes that no move exceeds: six characters, `a10b10` in full width, of three bytes.
const LONGEST_MOVE: usize = 18;

impl Recorded for Xiangqi {
    const HAS_ASCII_MOVES: bool = false;

    /// The whole word, or the first four characters of it where moves stand without space between them.
    fn read_move(text: &[u8]) -> Option<(Token, usize)> {
        let length = text.iter().take(LONGEST_MOVE + 1).take_while(|byte| !ends_word(**byte)).count();
        let word = match std::str::from_utf8(&text[..length]) {
            Ok(word) => word,
            // The word goes on in the middle of a character.
            Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).ok()?,
        };
        if length <= LONGEST_MOVE
            && word.len() == length
            && let Some(token) = Token::parse(word)
        {
            return Some((token, length));
        }
        let (length, _) = word.char_indices().nth(MOVE_CHARS)?;
        Token::parse(&word[..length]).map(|token| (token, length))
    }

    /// A direction stands in it, or it begins like squares or like a piece and its column.
    fn looks_like_move(word: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(word) else { return false };
        let has_direction = text.contains(['进', '進', '退', '平']);
        let is_latin = matches!(word, [letter, b'0'..=b'9', ..] if letter.is_ascii_alphabetic());
        has_direction || is_latin
    }

    /// GB18030 or Big5, whichever gives more of the characters that moves are made of.
    fn charset(text: &[u8]) -> &'static Encoding {
        if std::str::from_utf8(text).is_ok() {
            return GB18030;
        }
        let moves = |charset: &'static Encoding| {
            let text = charset.decode_without_bom_handling(text).0;
            text.chars().filter(|letter| "车車马馬炮砲包兵卒进進退平".contains(*letter)).count()
        };
        if moves(BIG5) > moves(GB18030) { BIG5 } else { GB18030 }
    }

    fn start_of(fen: &str) -> Start {
        match Xiangqi::from_fen(fen) {
            Ok(position) if position == Xiangqi::start() => Start::Standard,
            _ => Start::Fen(fen.trim().to_owned()),
        }
    }

    fn is_standard_variant(name: &str) -> bool {
        let standard = ["xiangqi", "chinese chess", "中国象棋", "中國象棋", "象棋"];
        standard.contains(&name.to_lowercase().as_str())
    }
}
