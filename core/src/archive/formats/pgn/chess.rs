//! What is particular to chess in PGN: SAN, texts in Latin-1 and Cyrillic, names of the standard game.

use encoding_rs::{Encoding, WINDOWS_1251, WINDOWS_1252};

use super::Recorded;
use crate::archive::Start;
use crate::archive::text::fold::fold;
use crate::chess::{Chess, Token, san};

impl Recorded for Chess {
    #[inline]
    fn read_move(text: &[u8]) -> Option<(Token, usize)> {
        san::read(text)
    }

    /// Castling without hyphens or with mixed letters, squares in capitals, pieces in small letters, and ICCF's four digits.
    fn read_odd(word: &str) -> Option<Token> {
        let plain = |text: &str| san::read(text.as_bytes()).filter(|(_, length)| *length == text.len());
        let letters = word.trim_end_matches(['+', '#']).replace(['-', '.'], "");
        if letters.bytes().all(|letter| b"Oo0".contains(&letter)) {
            return match letters.len() {
                2 => plain("O-O"),
                3 => plain("O-O-O"),
                _ => None,
            }
            .map(|(token, _)| token);
        }
        if let [file, rank, to_file, to_rank, promotion @ ..] = word.as_bytes()
            && [file, rank, to_file, to_rank].iter().all(|digit| (b'1'..=b'8').contains(digit))
            && matches!(promotion, [] | [b'1'..=b'4'])
        {
            let letter = |digit: u8| char::from(digit - b'1' + b'a');
            let piece = promotion.first().map_or("", |digit| ["q", "r", "b", "n"][usize::from(digit - b'1')]);
            let squares = [letter(*file), char::from(*rank), letter(*to_file), char::from(*to_rank)];
            return plain(&(String::from_iter(squares) + piece)).map(|(token, _)| token);
        }
        let small = word.to_ascii_lowercase();
        let first = small.chars().next().filter(char::is_ascii)?;
        let piece = first.to_ascii_uppercase().to_string() + &small[1..];
        // A bishop or the file b: where both can be meant, none is.
        match (plain(&small), plain(&piece).filter(|_| "kqrbn".contains(first))) {
            (Some((token, _)), None) | (None, Some((token, _))) => Some(token),
            _ => None,
        }
    }

    /// The letter of a piece, or a part of castling.
    fn may_join(word: &str) -> bool {
        let is_piece = |sign: char| "KQRBN".contains(sign) || ('\u{2654}'..='\u{265f}').contains(&sign);
        let mut signs = word.chars();
        signs.next().is_some_and(is_piece) && signs.next().is_none()
            || word.len() < 5 && !word.is_empty() && word.bytes().all(|sign| b"Oo0-".contains(&sign))
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
                | [b'K' | b'Q' | b'R' | b'B']
                | [b'a'..=b'h', b'x', b'a'..=b'h', ..]
                | [b'O' | b'0', b'-', b'O' | b'0', ..]
                // Dashes of typographers, in UTF-8 and as Windows has them.
                | [b'O', 0xe2, 0x80, 0x90..=0x95, b'O', ..]
                | [b'O', 0x96 | 0x97, b'O', ..]
        );
        let is_in_capitals = word.iter().all(|letter| b"ABCDEFGHKQRNX12345678:=+#-".contains(letter));
        let is_capital = |pair: &[u8]| matches!(pair, [b'A'..=b'H', b'1'..=b'8']);
        is_piece
            || word.windows(2).any(is_square)
            || is_in_capitals && word.windows(2).any(is_capital)
            || std::str::from_utf8(word).is_ok_and(has_folded_square)
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
            false => Start::Fen(without_lost_rights(fen.trim())),
        }
    }

    /// Chess960 has eight pieces on each back rank, in the same order, and rights to castle that chess does not give.
    fn variant_of(start: &Start) -> Option<&'static str> {
        let Start::Fen(fen) = start else { return None };
        let ranks: Vec<&str> = fen.split(' ').next()?.split('/').collect();
        let [eighth, .., first] = ranks[..] else { return None };
        let is_whole = first.bytes().filter(u8::is_ascii_uppercase).count() == 8;
        let is_other = is_whole && eighth.eq_ignore_ascii_case(first) && first != "RNBQKBNR";
        let has_rights = fen.split(' ').nth(2).is_some_and(|rights| rights != "-");
        (is_other && has_rights).then_some("Chess960")
    }

    /// A name that means none, or that of an opening.
    fn is_standard_variant(name: &str) -> bool {
        const STANDARD: [&str; 6] = ["Standard", "Chess", "From Position", "Normal", "Classical", "Regular"];
        const OPENINGS: [&str; 7] =
            ["variation", "defence", "defense", "gambit", "opening", "attack", "system"];
        let small = name.to_ascii_lowercase();
        STANDARD.iter().any(|standard| standard.eq_ignore_ascii_case(name))
            || OPENINGS.iter().any(|word| small.contains(word))
            || !name.chars().any(char::is_alphanumeric)
    }
}

/// Returns a FEN without rights to castle that no king and rook on their squares have. Chess960 keeps its rights.
fn without_lost_rights(fen: &str) -> String {
    let start = Start::Fen(fen.to_owned());
    let mut fields: Vec<&str> = fen.split_ascii_whitespace().collect();
    let Some(rights) = fields.get(2).copied().filter(|_| Chess::variant_of(&start).is_none()) else {
        return fen.to_owned();
    };
    let Ok(board) = shakmaty::Board::from_ascii_board_fen(fields[0].as_bytes()) else {
        return fen.to_owned();
    };
    let has = |right: char| {
        let (rank, rook) =
            (if right.is_ascii_uppercase() { 0 } else { 56 }, if matches!(right, 'K' | 'k') { 7 } else { 0 });
        let piece =
            |place: u32| board.piece_at(shakmaty::Square::new(rank + place)).map(shakmaty::Piece::char);
        let same_case =
            |piece: char| if right.is_ascii_uppercase() { piece } else { piece.to_ascii_lowercase() };
        piece(4) == Some(same_case('K')) && piece(rook) == Some(same_case('R'))
    };
    if !rights.chars().all(|right| "KQkq".contains(right)) || rights.chars().all(has) {
        return fen.to_owned();
    }
    let kept: String = rights.chars().filter(|right| has(*right)).collect();
    fields[2] = if kept.is_empty() { "-" } else { &kept };
    fields.join(" ")
}

/// Returns whether a word holds a square once its signs are folded.
fn has_folded_square(word: &str) -> bool {
    !word.is_ascii() && {
        let text: String = word.chars().map(fold).collect();
        text.as_bytes().windows(2).any(|pair| matches!(pair, [b'a'..=b'h', b'1'..=b'8']))
    }
}

/// Words that are looked at, and letters that must be in Cyrillic ones: two short names. Chosen, not tuned.
const WORDS: usize = 256;
const LETTERS: usize = 6;

/// Returns whether most letters that are not ASCII stand in words of three or more of them, which only the first may be a
/// capital of. Capitals are the bytes C0 to DF of windows-1251, small letters E0 to FF; KOI8-R has them the other way
/// round. Words of Western languages have one or two such letters, and UTF-8 has bytes below C0 in each.
pub(in crate::archive) fn looks_cyrillic(text: &[u8]) -> bool {
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
