//! The board of a game that is being decoded. ChessBase names a piece by its number among the pieces of its kind.
//!
//! Numbers follow the squares a1, a2 … h8. When a piece is captured, the pieces behind it move up, but pawns keep their
//! numbers. A piece that comes from a pawn takes the first free number. Queens, rooks, bishops and knights have three
//! numbers: further ones have none.
//!
//! The start position of a game that does not begin as usual: 28 bytes.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 1 | 1 |
//! | 1 | 1 | bits 0–3: file of a pawn that can be taken en passant, 1 = a; bit 4: Black is to move |
//! | 2 | 1 | castling: White's queen side, king side, Black's queen side, king side |
//! | 3 | 1 | number of the next move |
//! | 4 | 24 | the squares a1, a2 … h8: a bit 0, or 1, the side (1 = Black), and three bits of the kind |

use shakmaty::san::San;
use shakmaty::{Color, File, Piece, Rank, Role, Square};

use crate::archive::Defect;
use crate::archive::formats::board::{self, Numbers};
use crate::archive::formats::cursor::Cursor;

/// Returns the square of an index that goes file by file: a1 = 0, a2 = 1 … h8 = 63.
pub(super) fn square(index: u16) -> Square {
    Square::new(u32::from((index & 7) << 3 | index >> 3 & 7))
}

/// The board with ChessBase's numbers.
pub(super) type Board = board::Board<ByKind>;

/// Squares of the pieces of each side and kind, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct ByKind([[[Option<Square>; 8]; 6]; 2]);

impl ByKind {
    fn of(&mut self, piece: Piece) -> &mut [Option<Square>] {
        let count = match piece.role {
            Role::Pawn => 8,
            Role::King => 1,
            _ => 3,
        };
        &mut self.0[usize::from(piece.color.is_black())][piece.role as usize - 1][..count]
    }
}

impl Numbers for ByKind {
    const CASTLES_TO_FREE_SQUARES: bool = false;

    /// Gives the first free number.
    fn put(&mut self, piece: Piece, at: Square) -> bool {
        let free = self.of(piece).iter_mut().find(|number| number.is_none());
        free.map(|free| *free = Some(at)).is_some()
    }

    fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        if let Some(number) = self.of(piece).iter_mut().find(|number| **number == Some(from)) {
            *number = Some(to);
        }
    }

    fn take(&mut self, piece: Piece, at: Square) {
        let numbers = self.of(piece);
        if let Some(number) = numbers.iter().position(|number| *number == Some(at)) {
            numbers[number] = None;
            if piece.role != Role::Pawn {
                numbers[number..].rotate_left(1);
            }
        }
    }

    fn promote(&mut self, pawn: Piece, promoted: Piece, at: Square) {
        self.take(pawn, at);
        self.put(promoted, at);
    }
}

impl Board {
    pub(super) fn usual() -> Board {
        let (mut board, pieces) = (Board::empty(Color::White), shakmaty::Board::new());
        for at in (0..64).map(square) {
            if let Some(piece) = pieces.piece_at(at) {
                board.put(at, piece);
            }
        }
        board
    }

    /// Returns where a piece of the side to move stands, by its number.
    pub(super) fn find(&self, role: Role, number: usize) -> Option<Square> {
        let numbers = &self.numbers.0[usize::from(self.turn.is_black())][role as usize - 1];
        numbers.get(number).copied().flatten()
    }

    /// Plays a move that may be castling or make a pawn another piece.
    pub(super) fn go_to(&mut self, from: Square, to: Square, promoted: Role) -> Option<San> {
        let role = self.pieces.role_at(from)?;
        if role == Role::King && from.file() == File::E && from.file().distance(to.file()) == 2 {
            return self.castle(to.file() > from.file());
        }
        let promotes = role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
        self.play(from, to, promotes.then_some(promoted))
    }
}

const BLACK_MOVES: u8 = 0x10;
const BITS: usize = 24 * 8;

/// Reads the position; returns it and its FEN.
pub(super) fn read_setup(cursor: &mut Cursor<'_>) -> Result<(Board, String), Defect> {
    let place = cursor.clone();
    let [_, sides, castling, number] = cursor.array("a start position")?;
    let turn = Color::from_black(sides & BLACK_MOVES != 0);
    let bits = cursor.array::<24>("the squares of a start position")?;
    let mut board = Board::empty(turn);
    let mut at = 0;
    for square in (0..64).map(square) {
        if let Some(piece) = piece_at(&bits, &mut at).map_err(|message| place.defect("placement", message))? {
            board.put(square, piece);
        }
    }
    let fen = format!(
        "{} {} {} {} 0 {}",
        board.pieces.board_fen(),
        turn.char(),
        castling_text(castling),
        en_passant(sides & 15, turn),
        number.max(1)
    );
    Ok((board, fen))
}

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

fn castling_text(bits: u8) -> String {
    let rights = [(2, 'K'), (1, 'Q'), (8, 'k'), (4, 'q')].into_iter().filter(|(bit, _)| bits & bit != 0);
    let letters: String = rights.map(|(_, letter)| letter).collect();
    if letters.is_empty() { "-".to_owned() } else { letters }
}

fn en_passant(file: u8, turn: Color) -> String {
    match file {
        1..=8 => format!("{}{}", char::from(b'a' + file - 1), if turn.is_white() { 6 } else { 3 }),
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests;
