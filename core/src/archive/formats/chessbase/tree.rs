//! Moves and variations. The main line comes first: where lines fork, a mark stands before the first continuation, and
//! the next one follows when that has ended.

use shakmaty::san::San;
use shakmaty::{File, Rank, Role, Square};

use super::board::{Board, square};
use super::opcodes::{self, Opcode};
use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::lines::{Lines, Place};
use crate::chess::Token;

/// Most forks that are open at a time. Known games have a few dozen.
const MAX_FORKS: usize = 4096;

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// Reads the moves into `lines`, and the place behind each of them into `places`, in the order of the file. If no
/// variations and notes are asked for, it stops as soon as the main line is there.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    board: Board,
    lines: &mut Lines<Token>,
    places: &mut Vec<Place>,
) -> Result<(), Defect> {
    let mut reading = Reading { board, place: Place::START, is_alternative: false, moves: 0 };
    let mut forks = Vec::new();
    loop {
        let before = cursor.clone();
        let [byte] = cursor.array("a move, or the end of the game")?;
        match opcodes::decode(byte, reading.moves) {
            Opcode::Padding => {}
            Opcode::Fork if forks.len() == MAX_FORKS => {
                return Err(before.defect("nesting", format!("expected at most {MAX_FORKS} open variations")));
            }
            Opcode::Fork => forks.push((reading.board.clone(), reading.place)),
            Opcode::End => match forks.pop() {
                Some((board, place)) if !lines.is_main_line_enough() => {
                    reading = Reading { board, place, is_alternative: true, ..reading };
                }
                _ => return Ok(()),
            },
            opcode => {
                let Some(san) = reading.play(opcode, cursor)? else {
                    return Err(before.defect("bad-move", "expected a move of a piece that is there"));
                };
                let is_alternative = std::mem::take(&mut reading.is_alternative);
                reading.place = lines.put(reading.place, Some(Token::from(san)), is_alternative);
                places.push(reading.place);
                if reading.place.line.is_none() && lines.is_main_line_enough() {
                    return Ok(());
                }
            }
        }
    }
}

/// Where reading is.
struct Reading {
    board: Board,
    place: Place,
    /// Whether the next move is an alternative to one that is known.
    is_alternative: bool,
    /// Moves so far, of all lines.
    moves: u8,
}

impl Reading {
    /// Plays the move of an opcode; `None` if there is no such piece.
    fn play(&mut self, opcode: Opcode, cursor: &mut Cursor<'_>) -> Result<Option<San>, Defect> {
        let board = &mut self.board;
        let san = match opcode {
            Opcode::Null => Some(board.pass()),
            Opcode::Castle { is_short } => board.castle(is_short),
            Opcode::Go { role, number, files, ranks } => {
                let ahead = if role == Role::Pawn { board.turn.fold_wb(1, -1) } else { 1 };
                board.find(role, number).and_then(|from| {
                    let file = (from.file() as i8 + ahead * files).rem_euclid(8);
                    let rank = (from.rank() as i8 + ahead * ranks).rem_euclid(8);
                    let to = Square::from_coords(File::new(file as u32), Rank::new(rank as u32));
                    board.go_to(from, to, Role::Queen)
                })
            }
            Opcode::Squares => {
                let bytes = cursor.array::<2>("origin and target of a move")?;
                let [high, low] = bytes.map(|byte| u16::from(opcodes::plain(byte, self.moves)));
                let squares = high << 8 | low;
                board.go_to(square(squares), square(squares >> 6), PROMOTIONS[usize::from(squares >> 12 & 3)])
            }
            Opcode::Padding | Opcode::Fork | Opcode::End | Opcode::Unknown => None,
        };
        self.moves = self.moves.wrapping_add(1);
        Ok(san)
    }
}
