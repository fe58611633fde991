//! Reads MXQ, the format of the game server 弈天.
//!
//! The file is a run of texts, each a length byte and GBK: site, date, `red-胜-black` (or 和, 负), ratings of red and
//! black, five texts whose meaning is not known, a closing comment, `Moves`, the moves, `Ends`. Later bytes are not part
//! of the game. A move is `2D-2E`: file 0 to 8 from red's left, rank A (red's back rank) to J.
//!
//! Cuts the end off games of servers that allow to capture a king.
//!
//! On such servers a player may leave the king in check, and the opponent takes it. By the rules the game ended before:
//! the move that left the king in check and all later ones are removed. Other illegal moves stay and are reported.

use super::cursor::Cursor;
use super::facts::{Facts, outcome_named};
use super::lines::{Lines, Place};
use super::placement::{Placement, STANDARD_FEN};
use crate::archive::text::plain::decode_gb18030;
use crate::archive::{Block, Defect, ReadOptions, Sink};
use crate::game::{Game, Outcome, Replayable};
use crate::xiangqi::{Square, Token, Xiangqi};

/// Texts before `Moves`.
const HEAD_TEXTS: usize = 11;

/// Returns whether a file begins like MXQ: eleven texts, then `Moves`.
pub(in crate::archive) fn is_mxq(head: &[u8]) -> bool {
    let mut cursor = Cursor::new(head, 0);
    (0..HEAD_TEXTS).all(|_| cursor.pascal("a text").is_ok())
        && cursor.pascal("a text").is_ok_and(|text| text == b"Moves")
}

pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut facts = Facts::default();
    let mut cursor = Cursor::new(&block.bytes, block.offset);
    let mut moves = Vec::new();
    let mut comment = String::new();
    let read = read_head(&mut cursor, &mut facts).and_then(|text| {
        comment = text;
        read_moves(&mut cursor, &mut moves)
    });
    if let Err(defect) = read {
        facts.fail(defect);
    }
    cut_king_capture(&mut moves);
    let mut lines = Lines::new(options);
    let token = |&(from, to): &Move| Some(Token::new(from, to));
    let end = moves.iter().fold(Place::START, |place, move_| lines.put(place, token(move_), false));
    lines.comment(end, &comment);
    sink(&facts.into_record(lines, options, block.offset, block.bytes.len() as u64));
}

/// Reads the texts before the moves; returns the closing comment.
fn read_head(cursor: &mut Cursor<'_>, facts: &mut Facts) -> Result<String, Defect> {
    let texts = (0..HEAD_TEXTS).map(|_| cursor.pascal("a text of the head").map(decode_gb18030));
    let texts = texts.collect::<Result<Vec<String>, Defect>>()?;
    let defect = cursor.defect("magic", "expected the text \"Moves\" behind eleven texts");
    if cursor.pascal("the text \"Moves\"")? != b"Moves" {
        return Err(defect);
    }
    let ([red, black], outcome) = names_and_outcome(&texts[2]);
    facts.outcome = outcome;
    facts.add("Red", red.to_owned());
    facts.add("Black", black.to_owned());
    let mut texts = texts.into_iter();
    for (name, text) in ["Site", "Date", "Title", "RedElo", "BlackElo"].into_iter().zip(&mut texts) {
        facts.add(name, text);
    }
    Ok(texts.next_back().unwrap_or_default())
}

/// Splits `red-胜-black`. Names may contain hyphens; the result stands between two of them.
fn names_and_outcome(title: &str) -> ([&str; 2], Outcome) {
    const MARKS: [(&str, Outcome); 3] =
        [("-胜-", Outcome::FirstWins), ("-和-", Outcome::Draw), ("-负-", Outcome::SecondWins)];
    let split = |&(mark, outcome)| Some((title.split_once(mark)?.into(), outcome));
    MARKS.iter().find_map(split).unwrap_or(([""; 2], outcome_named(title)))
}

fn read_moves(cursor: &mut Cursor<'_>, moves: &mut Vec<Move>) -> Result<(), Defect> {
    loop {
        let start = cursor.clone();
        let text = cursor.pascal("a move or the text \"Ends\"")?;
        if text == b"Ends" {
            return Ok(());
        }
        let Some(squares) = squares_of(text) else {
            let message =
                format!("expected a move such as 2D-2E or \"Ends\", found \"{}\"", decode_gb18030(text));
            return Err(start.defect("bad-move", message));
        };
        moves.push(squares);
    }
}

fn squares_of(text: &[u8]) -> Option<Move> {
    let &[from_file, from_rank, b'-', to_file, to_rank] = text else { return None };
    let square = |file: u8, rank: u8| Square::at(file.checked_sub(b'0')?, rank.checked_sub(b'A')?);
    Some((square(from_file, from_rank)?, square(to_file, to_rank)?))
}

/// Origin and target.
type Move = (Square, Square);

/// Cuts a game from the standard start before its first illegal move, if a king is captured from there on.
fn cut_king_capture(moves: &mut Vec<Move>) {
    let mut position = Xiangqi::start();
    let is_illegal = |&(from, to): &Move| position.play_token(Token::new(from, to)).is_err();
    let Some(first_illegal) = moves.iter().position(is_illegal) else { return };
    let Some((mut placement, _)) = Placement::read(STANDARD_FEN) else { return };
    let captured = moves.iter().map(|&(from, to)| placement.shift(from, to));
    if captured.skip(first_illegal).any(|letter| matches!(letter, Some(b'k' | b'K'))) {
        moves.truncate(first_illegal);
    }
}
