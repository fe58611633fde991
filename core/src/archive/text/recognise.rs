//! Detects PGN and its game by the head of a text.
//!
//! Tags name the game, or else the moves do: moves that only xiangqi has are written in
//! Chinese, in WXF (`C2=5`), or go over ranks 0 and 9 of a board that chess does not have.

use encoding_rs::{BIG5, GB18030};
use shakmaty::san::{San, SanPlus};

use memchr::memrchr;

use super::begin::{is_aside, is_tag, odd_tag, tag_name};
use super::fold::{fold, is_wide_blank};
use super::plain::MARK;
use crate::archive::Format;
use crate::xiangqi::{Token, names_piece};

/// Tokens of movetext looked at: more than the numbers, moves and results that games without xiangqi's outer ranks fill.
const TOKENS: usize = 64;

/// Returns the format of a text in lines that end with LF: one of the two kinds of PGN, or `None`.
pub(in crate::archive) fn format_of(head: &[u8]) -> Option<Format> {
    let tags = first_tags(head);
    let is_xiangqi = match game_by_tags(&tags) {
        Some(is_xiangqi) => is_xiangqi,
        None => {
            let readings: Vec<_> = readings(head).iter().map(|text| Movetext::new(text)).collect();
            if !has_tags(head) && !readings.iter().any(Movetext::begins_with_moves) {
                return None;
            }
            readings.iter().any(Movetext::is_xiangqi)
        }
    };
    Some(if is_xiangqi { Format::XiangqiPgn } else { Format::Pgn })
}

/// Returns whether text begins with a PGN tag, or has an Event tag further down.
pub(in crate::archive) fn has_tags(head: &[u8]) -> bool {
    let first = lines(head).find(|line| !line.is_empty() && !matches!(line[0], b'%' | b';'));
    first.is_some_and(is_tag) || lines(head).any(|line| line.starts_with(b"[Event \""))
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = head.strip_prefix(MARK).unwrap_or(head);
    text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii)
}

/// Returns the tags of the first game that has any: names and values, in lower case.
fn first_tags(head: &[u8]) -> Vec<(String, String)> {
    let is_of_tags = |line: &&[u8]| line.is_empty() || is_tag(line) || is_aside(line);
    let run = lines(head).skip_while(|line| !is_tag(line)).take_while(is_of_tags);
    let small = |text: &[u8]| String::from_utf8_lossy(text.trim_ascii()).to_ascii_lowercase();
    let pair = |line: &[u8]| {
        let (name, first) = tag_name(line)?;
        let value = match odd_tag(line) {
            Some(tag) if line[first - 1] != b'"' => tag.value,
            _ => &line[first..memrchr(b'"', line).filter(|last| *last >= first)?],
        };
        Some((small(name), small(value)))
    };
    run.filter_map(pair).collect()
}

/// Returns whether tags name xiangqi, or another game; `None` where they leave it open.
fn game_by_tags(tags: &[(String, String)]) -> Option<bool> {
    let names_xiangqi =
        |value: &str| ["xiangqi", "chinese chess", "cchess"].iter().any(|name| value.contains(name));
    // The Red of a game for four players is not ours: its Variant tag comes first.
    if let Some((_, variant)) = tags.iter().find(|(name, value)| name == "variant" && !value.is_empty()) {
        return Some(names_xiangqi(variant));
    }
    let is_sign = |(name, value): &(String, String)| match name.as_str() {
        "game" => names_xiangqi(value),
        "red" | "redteam" | "redelo" | "ecco" => true,
        "format" => ["chinese", "wxf", "iccs"].contains(&value.as_str()),
        "fen" => has_ten_ranks(value),
        _ => false,
    };
    tags.iter().any(is_sign).then_some(true)
}

/// Returns whether a FEN in lower case is of xiangqi's board of ten ranks, with its pieces only.
fn has_ten_ranks(fen: &str) -> bool {
    let board = fen.split_ascii_whitespace().next().unwrap_or_default();
    board.split('/').count() == 10 && board.bytes().all(|byte| b"/123456789kabenhrcp".contains(&byte))
}

/// Returns a text as it reads in the encodings that it may be in: UTF-8 or, where it is not, GB18030 and Big5.
fn readings(head: &[u8]) -> Vec<String> {
    match std::str::from_utf8(head) {
        Ok(text) => vec![text.to_owned()],
        // The head ends in the middle of a character.
        Err(error) if error.error_len().is_none() => vec![String::from_utf8_lossy(head).into_owned()],
        Err(_) => [GB18030, BIG5].map(|encoding| encoding.decode_without_bom_handling(head).0.into()).into(),
    }
}

/// The first tokens of a text, outside tags and comments, without move numbers.
struct Movetext {
    tokens: Vec<String>,
    is_numbered: bool,
}

impl Movetext {
    fn new(text: &str) -> Movetext {
        let mut plain = String::with_capacity(text.len());
        let mut is_comment = false;
        for line in text.trim_start_matches('\u{feff}').lines() {
            if !is_comment && (line.starts_with('%') || is_tag(line.trim().as_bytes())) {
                continue;
            }
            for char in line.chars() {
                match char {
                    '{' => is_comment = true,
                    '}' if is_comment => is_comment = false,
                    _ if is_comment => {}
                    ';' => break,
                    '(' | ')' => plain.push(' '),
                    _ if is_wide_blank(char) => plain.push(' '),
                    _ => plain.push(fold(char)),
                }
            }
            plain.push('\n');
        }
        let mut is_numbered = None;
        let mut tokens = Vec::new();
        for token in plain.split_whitespace() {
            let rest = token.trim_start_matches(|char: char| char.is_ascii_digit());
            let is_number = rest.len() < token.len() && (rest.is_empty() || rest.starts_with('.'));
            is_numbered.get_or_insert(is_number);
            let token = if is_number { rest } else { token }.trim_start_matches(['.', '…']);
            let is_ruled = token.len() > 2 && token.bytes().all(|byte| b"-=_*~".contains(&byte));
            if !token.is_empty() && !is_ruled && tokens.len() < TOKENS {
                tokens.push(token.to_owned());
            }
        }
        Movetext { tokens, is_numbered: is_numbered.unwrap_or(false) }
    }

    /// Returns whether the text begins with a move after a number, with two moves, or with a move and a result.
    fn begins_with_moves(&self) -> bool {
        let is_move = |token: &str| is_chess_move(token) || is_coordinates(token) || is_xiangqi_move(token);
        let is_result = |token: &str| ["1-0", "0-1", "1/2-1/2", "*"].contains(&token);
        let mut tokens = self.tokens.iter();
        tokens.next().is_some_and(|token| is_move(token))
            && (self.is_numbered || tokens.next().is_some_and(|token| is_move(token) || is_result(token)))
    }

    /// Returns whether the moves are of xiangqi: two of them, or one in text that begins with coordinates.
    fn is_xiangqi(&self) -> bool {
        let starts_so =
            self.tokens.first().is_some_and(|token| is_coordinates(token) || is_xiangqi_move(token));
        let enough = if starts_so { 1 } else { 2 };
        self.tokens.iter().filter(|token| is_xiangqi_move(token)).take(enough).count() == enough
    }
}

fn is_chess_move(token: &str) -> bool {
    let token = token.trim_end_matches(['!', '?']);
    ["0-0", "0-0-0"].contains(&token.trim_end_matches(['+', '#']))
        || SanPlus::from_ascii(token.as_bytes()).is_ok_and(|san| san.san != San::Null)
}

/// Returns the four signs of a move in coordinates: `e2e4`, `e2-e4`, `H2-E2`.
fn coordinates(token: &str) -> Option<[u8; 4]> {
    let bytes = token.as_bytes();
    let (from, to) = (bytes.get(..2)?, bytes.get(2..)?.strip_prefix(b"-").unwrap_or(&bytes[2..]));
    let is_square = |square: &[u8]| matches!(square, [file, rank] if (b'a'..=b'i').contains(&file.to_ascii_lowercase()) && rank.is_ascii_digit());
    (is_square(from) && is_square(to)).then(|| [from[0], from[1], to[0], to[1]])
}

fn is_coordinates(token: &str) -> bool {
    // A promotion has one letter more.
    coordinates(token).is_some()
        || token.char_indices().nth(4).is_some_and(|(end, _)| {
            coordinates(&token[..end]).is_some() && ["q", "r", "b", "n"].contains(&&token[end..])
        })
}

/// Returns whether a token is a move that chess does not have.
fn is_xiangqi_move(token: &str) -> bool {
    is_off_chess_board(token)
        || is_wxf(token)
        || has_chinese_move(token)
        || Token::parse_uci(token).is_some_and(|_| token.contains("10"))
        || is_off_chess_board_in_san(token)
}

/// Returns whether a token is a piece's move in SAN to a file or rank that chess does not have: `Rb0`, `Hxi7+`.
fn is_off_chess_board_in_san(token: &str) -> bool {
    let word = token.trim_end_matches(['+', '#']);
    let rank = word.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let file = word[..word.len() - rank.len()].chars().next_back();
    word.starts_with(|sign: char| sign.is_ascii_uppercase())
        && (matches!(rank, "0" | "9" | "10") || file == Some('i'))
        && Token::parse_san(word).is_some()
}

fn is_off_chess_board(token: &str) -> bool {
    coordinates(token)
        .is_some_and(|[_, from, _, to]| [from, to].iter().any(|rank| matches!(rank, b'0' | b'9')))
}

/// Returns whether a token is one move in WXF, or two without a blank between: `C2=5`, `C2=5H8+7`.
fn is_wxf(token: &str) -> bool {
    let is_one = |move_: &[u8]| {
        let piece = |byte: u8| b"kagebhnrcps".contains(&byte.to_ascii_lowercase());
        let column = |byte: u8| matches!(byte, b'1'..=b'9' | b'+' | b'-' | b'=');
        matches!(move_, &[a, b, b'=' | b'+' | b'-' | b'.', b'1'..=b'9']
            if piece(a) && column(b) || matches!(a, b'+' | b'-') && piece(b))
    };
    let bytes = token.as_bytes();
    matches!(bytes.len(), 4 | 8) && bytes.chunks(4).all(is_one)
}

/// Returns whether a move in Chinese lies in a token: `炮二平五`, `前馬進7`.
fn has_chinese_move(token: &str) -> bool {
    const PLACES: &str = "前后後中一二三四五六七八九123456789";
    const WAYS: &str = "进進退平";
    const DIGITS: &str = "一二三四五六七八九123456789";
    let chars: Vec<char> = token.chars().collect();
    chars.windows(4).any(|signs| {
        let is_place = |char| PLACES.contains(char);
        let (first, second) = (signs[0], signs[1]);
        (names_piece(first) && is_place(second)
            || is_place(first) && (names_piece(second) || is_place(second)))
            && WAYS.contains(signs[2])
            && DIGITS.contains(signs[3])
    })
}

#[cfg(test)]
mod tests;
