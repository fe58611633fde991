//! What is particular to xiangqi in PGN: moves in ICCS, WXF or Chinese, often without space between them, texts in
//! GB18030 or Big5, results in Chinese, and starts that name the wrong side to move.

use encoding_rs::{BIG5, Encoding, GB18030};
use memchr::memmem;

use super::Recorded;
use super::ends_word;
use crate::archive::formats::facts::{OUTCOME_SIGNS, outcome_named};
use crate::archive::formats::placement::Placement;
use crate::archive::text::fold::half_width;
use crate::archive::{GameRecord, Start};
use crate::game::{Game, Outcome, Replayable, Side};
use crate::xiangqi::{Token, Xiangqi, names_piece};

/// Characters of moves that may stand without space between them, the longer first: `H2-E2` and 前兵九平八 have five,
/// others four, and no text of the longer kind begins with one of the shorter.
const MOVE_CHARS: [usize; 2] = [5, 4];

/// Parts of a Chinese move beside the name of a piece; one of the places stands for it in 前三平四.
const PLACES: &str = "前中后後";
const OTHERS: &str = "进進退平一二三四五六七八九123456789";

/// Bytes that no move exceeds: six characters, `a10b10` in full width, of three bytes.
const LONGEST_MOVE: usize = 18;

/// Returns a word of a length without the wide marks at its end, `h2e2！`.
fn without_marks(word: &str, length: usize) -> (&str, usize) {
    let plain = word.trim_end_matches(|sign: char| !sign.is_ascii() && !sign.is_alphanumeric());
    (plain, length - (word.len() - plain.len()))
}

/// Returns the move that a word is, in SAN or as `parse` reads it. Coordinates have letters of one case: `E1e3` is an
/// elephant's move.
fn read_word(word: &str, parse: fn(&str) -> Option<Token>) -> Option<Token> {
    let is_mixed = word.starts_with(|sign: char| sign.is_ascii_uppercase())
        && word.bytes().any(|sign| sign.is_ascii_lowercase());
    let [first, second] = if is_mixed { [Token::parse_san, parse] } else { [parse, Token::parse_san] };
    first(word).or_else(|| second(word))
}

impl Recorded for Xiangqi {
    const HAS_ASCII_MOVES: bool = false;

    const MOVE: &'static str = "a move in ICCS, WXF, SAN or Chinese";

    /// The whole word, or the first characters of it where moves stand without space between them.
    fn read_move(text: &[u8]) -> Option<(Token, usize)> {
        let length = text.iter().take(LONGEST_MOVE + 1).take_while(|byte| !ends_word(**byte)).count();
        let word = match std::str::from_utf8(&text[..length]) {
            Ok(word) => word,
            // The word goes on in the middle of a character.
            Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).ok()?,
        };
        let (word, length) = without_marks(word, length);
        if length <= LONGEST_MOVE
            && word.len() == length
            && let Some(token) = read_word(word, Token::parse)
        {
            return Some((token, length));
        }
        MOVE_CHARS.iter().find_map(|&chars| {
            let (length, _) = word.char_indices().nth(chars)?;
            Token::parse(&word[..length]).map(|token| (token, length))
        })
    }

    fn notation(token: Token) -> u8 {
        u8::from(matches!(token, Token::San(_)))
    }

    /// Ranks 10, which ICCS does not have, are more than ranks 0, which UCI does not have.
    fn is_uci(text: &[u8]) -> bool {
        let is_file = |byte: u8| matches!(byte, b'a'..=b'i' | b'A'..=b'I');
        let before = |place: usize, count| place.checked_sub(count).map_or(b' ', |place| text[place]);
        let ends = |place: usize| {
            let behind = text.get(place + 1).copied().unwrap_or(b' ');
            is_file(behind) || !behind.is_ascii_alphanumeric()
        };
        let (mut tens, mut zeros) = (0, 0);
        for place in memchr::memchr_iter(b'0', text).filter(|&place| ends(place)) {
            let [first, second, third] = [1, 2, 3].map(|count| before(place, count));
            if first == b'1' && is_file(second) && !third.is_ascii_alphabetic() {
                tens += 1;
            } else if is_file(first) && !second.is_ascii_alphabetic() {
                zeros += 1;
            }
        }
        tens > zeros
    }

    fn read_uci(text: &[u8]) -> Option<(Token, usize)> {
        let length = text.iter().take(LONGEST_MOVE + 1).take_while(|byte| !ends_word(**byte)).count();
        let (word, length) = without_marks(std::str::from_utf8(&text[..length]).ok()?, length);
        match read_word(word, Token::parse_uci) {
            Some(token) => Some((token, length)),
            // Coordinates would be another move in ICCS.
            None => Self::read_move(text).filter(|(token, _)| token.origin().is_none()),
        }
    }

    /// It is made of Chinese parts, or begins like a piece and its column, or holds a square as the moves of engines
    /// do (`Che2`, `xe4`).
    fn looks_like_move(word: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(word) else { return false };
        let text: String = text.chars().map(half_width).collect();
        let has_any_of = |letters: &str| text.contains(|letter| letters.contains(letter));
        let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'i' | b'A'..=b'I', b'0'..=b'9']);
        (text.contains(names_piece) || has_any_of(PLACES)) && has_any_of(OTHERS)
            || matches!(text.as_bytes(), [letter, b'0'..=b'9', ..] if letter.is_ascii_alphabetic())
            || text.as_bytes().windows(2).any(is_square)
    }

    /// Names of a result that have at least two characters: one alone may be a word of prose.
    fn outcome_named(word: &str) -> Outcome {
        if word.trim().chars().nth(1).is_some() { outcome_named(word) } else { Outcome::Unknown }
    }

    fn may_name_outcome(text: &[u8]) -> bool {
        OUTCOME_SIGNS.iter().any(|sign| memmem::find(text, sign.as_bytes()).is_some())
    }

    /// Ranks of SAN count from 0 or from 1, whichever a rank 0 or 10 tells or else makes more of the moves legal.
    fn settle_moves(record: &mut GameRecord<Token>) {
        let is_san = |token: &Token| matches!(token, Token::San(_));
        if !record.moves.iter().any(is_san) {
            return;
        }
        let legal = |base: u8| {
            let start = match &record.start {
                Start::Standard => Ok(Xiangqi::start()),
                Start::Fen(fen) => Xiangqi::from_fen(fen),
            };
            let Ok(mut position) = start else { return 0 };
            let play = |token: &&Token| position.play_token(token.with_first_rank(base)).is_ok();
            record.moves.iter().take_while(play).count()
        };
        let told = record.moves.iter().find_map(|token| token.first_rank());
        let base = told.unwrap_or_else(|| u8::from(legal(1) > legal(0)));
        let lines = record.variations.iter_mut().map(|line| &mut line.moves);
        for token in lines.chain([&mut record.moves]).flatten() {
            *token = token.with_first_rank(base);
        }
    }

    /// Some files tell the wrong side to move: it is the other one's turn where only then the first move is legal.
    fn settle_start(start: &mut Start, first: Token) {
        let Start::Fen(fen) = &*start else { return };
        let fits = |fen: &str| Xiangqi::from_fen(fen).is_ok_and(|position| position.resolve(first).is_ok());
        if fits(fen) {
            return;
        }
        let Some((placement, side)) = Placement::read(fen) else { return };
        let other = side.unwrap_or(Side::First).other();
        if fits(&placement.to_fen(other)) {
            *start = placement.start(other);
        }
    }

    /// GB18030 or Big5, whichever gives more of the characters that moves are made of.
    fn charset(text: &[u8]) -> &'static Encoding {
        if std::str::from_utf8(text).is_ok() {
            return GB18030;
        }
        let is_of_moves = |letter: &char| {
            matches!(
                letter,
                '车' | '車' | '马' | '馬' | '炮' | '砲' | '包' | '兵' | '卒' | '进' | '進' | '退' | '平'
            )
        };
        let moves = |charset: &'static Encoding| {
            charset.decode_without_bom_handling(text).0.chars().filter(is_of_moves).count()
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
