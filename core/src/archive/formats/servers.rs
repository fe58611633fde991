//! Reads the formats of three game servers that store nothing but moves.
//!
//! | format | server | layout |
//! |---|---|---|
//! | CHE | QQ | decimal numbers, each with one separator: one of unknown meaning, the number of moves, then ten a move, of which the 4th to 7th are rank and file of origin and target |
//! | CHN | 联众 | from byte 188, 32 bytes a move: 16 numbers of two bytes, of which the 3rd to 6th are file and row of origin and target |
//! | CCM | 中国游戏中心 | 7 bytes a move: the 4th and 5th are the files of origin and target, the 6th and 7th their rows |
//!
//! Rows count from black's side, or all squares from the other side if the first move, which is red's, would start in
//! black's half. Nothing is known of results and names.
//!
//! Source: ElephantEye's converters, the only description; no real file was at hand.

use super::cursor::Cursor;
use super::facts::Facts;
use super::king_capture::{self, Move};
use super::lines::{Lines, Place};
use crate::archive::{Block, Defect, Format, ReadOptions, Sink};
use crate::xiangqi::{FILES, RANKS, Square, Token};

/// Bytes before the moves of a CHN file.
const CHN_HEAD_BYTES: usize = 188;

/// Parses a file of one of the three formats.
pub(super) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut cursor = Cursor::new(&block.bytes, block.offset);
    let mut moves = Vec::new();
    let read = match block.format {
        Format::Che => read_che(&mut cursor, &mut moves),
        Format::Chn => read_chn(&mut cursor, &mut moves),
        _ => read_ccm(&mut cursor, &mut moves),
    };
    king_capture::cut(&mut moves);
    let mut lines = Lines::new(options);
    moves.iter().fold(Place::START, |place, &squares| lines.extend(place, Some(squares)));
    let mut facts = Facts::default();
    if let Err(defect) = read {
        facts.fail(defect);
    }
    sink(&facts.into_record(lines, options, block.offset, block.bytes.len() as u64));
}

fn read_che(cursor: &mut Cursor<'_>, moves: &mut Vec<Move>) -> Result<(), Defect> {
    read_number(cursor, "a number")?;
    let count = read_number(cursor, "the number of moves")?;
    for number in 1..=count {
        let start = cursor.clone();
        let mut fields = [0; 10];
        for field in &mut fields {
            *field = read_number(cursor, &format!("move {number} of {count}"))?;
        }
        let square = |rank: u32, file: u32| Square::at(file.try_into().ok()?, rank.try_into().ok()?);
        let squares = square(fields[3], fields[4]).zip(square(fields[5], fields[6]));
        moves.push(squares.ok_or_else(|| off_the_board(&start))?);
    }
    Ok(())
}

/// Reads the digits of a number and the separator behind them.
fn read_number(cursor: &mut Cursor<'_>, expected: &str) -> Result<u32, Defect> {
    let digits = cursor.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        let reason = if cursor.rest().is_empty() { "truncated" } else { "bad-number" };
        return Err(cursor.defect(reason, format!("expected {expected}")));
    }
    let start = cursor.clone();
    let text = cursor.take(digits, expected)?;
    let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    // The separator is missing at the end of the file.
    let _separator = cursor.take(1, expected);
    number.ok_or_else(|| start.defect("bad-number", format!("expected {expected}, found too many digits")))
}

fn read_chn(cursor: &mut Cursor<'_>, moves: &mut Vec<Move>) -> Result<(), Defect> {
    cursor.take(CHN_HEAD_BYTES, "a header of 188 bytes")?;
    read_records::<32>(cursor, moves, |record| {
        let field = |index: usize| {
            let number = u16::from_le_bytes([record[2 * index], record[2 * index + 1]]);
            u8::try_from(number).unwrap_or(u8::MAX)
        };
        [field(2), field(3), field(4), field(5)]
    })
}

fn read_ccm(cursor: &mut Cursor<'_>, moves: &mut Vec<Move>) -> Result<(), Defect> {
    read_records::<7>(cursor, moves, |record| [record[3], record[5], record[4], record[6]])
}

/// Reads records of `N` bytes, of which `fields` returns file and row of origin and target.
fn read_records<const N: usize>(
    cursor: &mut Cursor<'_>,
    moves: &mut Vec<Move>,
    fields: impl Fn(&[u8; N]) -> [u8; 4],
) -> Result<(), Defect> {
    let mut is_turned = None;
    while !cursor.rest().is_empty() {
        let start = cursor.clone();
        let [from_file, from_row, to_file, to_row] = fields(&cursor.array("a move")?);
        let is_turned = *is_turned.get_or_insert(from_row < RANKS / 2);
        let square = |file: u8, row: u8| match is_turned {
            false => Square::at(file, (RANKS - 1).checked_sub(row)?),
            true => Square::at((FILES - 1).checked_sub(file)?, row),
        };
        let squares = square(from_file, from_row).zip(square(to_file, to_row));
        moves.push(squares.ok_or_else(|| off_the_board(&start))?);
    }
    Ok(())
}

fn off_the_board(cursor: &Cursor<'_>) -> Defect {
    cursor.defect("bad-square", "expected files 0 to 8 and ranks 0 to 9")
}
