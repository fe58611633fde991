//! The start position of a game that does not begin as usual: 28 bytes.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 1 | 1 |
//! | 1 | 1 | bits 0–3: file of a pawn that can be taken en passant, 1 = a; bit 4: Black is to move |
//! | 2 | 1 | castling: White's queen side, king side, Black's queen side, king side |
//! | 3 | 1 | number of the next move |
//! | 4 | 24 | the squares a1, a2 … h8: a bit 0, or 1, the side (1 = Black), and three bits of the kind |

use shakmaty::{CastlingSide, Color, Piece, Role};

use super::board::{Board, Place, square};
use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;

const BLACK_MOVES: u8 = 0x10;
const BITS: usize = 24 * 8;

/// Reads the position; returns it and its FEN.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<(Board, String), Defect> {
    let place = cursor.clone();
    let [_, sides, castling, number] = cursor.array("a start position")?;
    let turn = Color::from_black(sides & BLACK_MOVES != 0);
    let bits = cursor.array::<24>("the squares of a start position")?;
    let mut board = Board::empty(turn);
    let mut at = 0;
    for square in 0..64 {
        if let Some(piece) = piece_at(&bits, &mut at).map_err(|message| place.defect("placement", message))? {
            board.put(square, piece);
        }
    }
    let fen = format!(
        "{} {} {} {} 0 {}",
        placement(&board),
        turn.char(),
        castling_text(castling),
        en_passant(sides & 15, turn),
        number.max(1)
    );
    Ok((board, fen))
}

/// Reads the next square from the bits.
fn piece_at(bits: &[u8; 24], at: &mut usize) -> Result<Option<Piece>, String> {
    let mut bit = || {
        let value = (*at < BITS).then(|| bits[*at / 8] >> (7 - *at % 8) & 1);
        *at += 1;
        value.ok_or("expected at most 32 pieces")
    };
    if bit()? == 0 {
        return Ok(None);
    }
    let color = Color::from_black(bit()? == 1);
    let kind = bit()? << 2 | bit()? << 1 | bit()?;
    let role = match kind {
        1 => Role::King,
        2 => Role::Queen,
        3 => Role::Knight,
        4 => Role::Bishop,
        5 => Role::Rook,
        6 => Role::Pawn,
        other => return Err(format!("expected a kind of piece from 1 to 6, found {other}")),
    };
    Ok(Some(Piece { color, role }))
}

/// Returns the first field of the FEN.
fn placement(board: &Board) -> String {
    let pieces =
        (0..64).filter_map(|at: Place| Some((square(at), board.at(at)?))).collect::<shakmaty::Board>();
    pieces.board_fen().to_string()
}

fn castling_text(bits: u8) -> String {
    let rights = [
        (2, Color::White, CastlingSide::KingSide),
        (1, Color::White, CastlingSide::QueenSide),
        (8, Color::Black, CastlingSide::KingSide),
        (4, Color::Black, CastlingSide::QueenSide),
    ];
    let letters: String = rights
        .into_iter()
        .filter(|(bit, ..)| bits & bit != 0)
        .map(|(_, color, side)| {
            Piece { color, role: if side.is_king_side() { Role::King } else { Role::Queen } }.char()
        })
        .collect();
    if letters.is_empty() { "-".to_owned() } else { letters }
}

fn en_passant(file: u8, turn: Color) -> String {
    match file {
        1..=8 => format!("{}{}", char::from(b'a' + file - 1), if turn.is_white() { 6 } else { 3 }),
        _ => "-".to_owned(),
    }
}
