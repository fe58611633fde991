//! Reads games as lines of coordinates.
//!
//! A game is a line of moves, four characters each and no space between (`h2e2h9g7…`), and below it, if it does not begin
//! at the standard start, a line with the FEN, its side letter often glued to the board. About one such letter in thirty
//! is wrong: the first piece moved tells the side.

use super::lines::{Lines, Place};
use super::placement::{Placement, STANDARD_FEN};
use crate::archive::text::plain::text_lines;
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink};
use crate::game::Side;
use crate::xiangqi::{Square, Token};

/// Returns whether the first line that is not blank holds moves, as far as it is at hand, and the first of them leaves a
/// square on which a piece stands: chess moves look alike.
pub(in crate::archive) fn is_coordinate_text(head: &[u8]) -> bool {
    let mut lines = text_lines(head);
    let Some(line) = lines.next().map(|line| line.text) else { return false };
    let chunks = line.chunks_exact(4);
    // The last move may be cut where the head ends; a blank or a result behind moves is another format's.
    let is_cut_in_a_move = chunks.remainder().iter().all(u8::is_ascii_alphanumeric);
    let mut moves = chunks.map(token_of);
    let Some(origin) = moves.next().flatten().and_then(Token::origin) else { return false };
    let board = lines.next().and_then(|below| read_fen(below.text)).or_else(|| Placement::read(STANDARD_FEN));
    is_cut_in_a_move
        && moves.all(|token| token.is_some())
        && board.is_some_and(|(placement, _)| placement.letter_at(origin).is_some())
}

pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut lines = text_lines(&block.bytes).peekable();
    while let Some(line) = lines.next() {
        let mut record = GameRecord::at(block.offset + line.offset as u64, line.length as u64);
        record.line = block.line + line.number;
        let mut moves = Lines::new(options);
        record.defect = read_moves(line.text, record.offset, &mut moves).err();
        if let Some((placement, side)) = lines.peek().and_then(|below| read_fen(below.text))
            && let Some(below) = lines.next()
        {
            record.length = (below.offset + below.length - line.offset) as u64;
            record.start = placement.start_of(moves.first_origin(), side.unwrap_or(Side::First));
        }
        moves.fill(&mut record);
        sink(&record);
    }
}

fn read_moves(line: &[u8], offset: u64, lines: &mut Lines<Token>) -> Result<(), Defect> {
    let mut place = Place::START;
    for (index, text) in line.chunks(4).enumerate() {
        let token = token_of(text);
        if token.is_none() {
            let message =
                format!("expected a move such as h2e2, found \"{}\"", String::from_utf8_lossy(text));
            return Err(Defect::new("bad-move", offset + index as u64 * 4, message));
        }
        place = lines.put(place, token, false);
    }
    Ok(())
}

fn token_of(text: &[u8]) -> Option<Token> {
    let &[from_file, from_rank, to_file, to_rank] = text else { return None };
    let square = |file: u8, rank: u8| {
        Square::at(file.to_ascii_lowercase().checked_sub(b'a')?, rank.checked_sub(b'0')?)
    };
    Some(Token::new(square(from_file, from_rank)?, square(to_file, to_rank)?))
}

fn read_fen(line: &[u8]) -> Option<(Placement, Option<Side>)> {
    str::from_utf8(line).ok().and_then(Placement::read)
}
