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

use crate::archive::Defect;
use crate::archive::formats::cursor::Cursor;
use shakmaty::san::San;
use shakmaty::{CastlingSide, Color, File, Piece, Rank, Role, Square};

/// Index of a square, file by file: a1 = 0, a2 = 1 … h8 = 63.
pub(super) type Place = u8;

/// Returns the index of a square, if it is on the board.
pub(super) fn place(file: i8, rank: i8) -> Option<Place> {
    let is_on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    is_on_board.then_some((file * 8 + rank) as Place)
}

/// Returns the square of an index below 64.
pub(super) fn square(at: Place) -> Square {
    Square::from_coords(File::new(u32::from(at >> 3 & 7)), Rank::new(u32::from(at & 7)))
}

const NOWHERE: Place = 64;
const E_FILE: i8 = 4;

/// Pieces, their numbers, and who is to move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Board {
    squares: [Option<Piece>; 64],
    numbered: [[[Place; 8]; 6]; 2],
    turn: Color,
}

impl Board {
    pub(super) fn empty(turn: Color) -> Board {
        Board { squares: [None; 64], numbered: [[[NOWHERE; 8]; 6]; 2], turn }
    }

    pub(super) fn usual() -> Board {
        let mut board = Board::empty(Color::White);
        for at in 0..64 {
            if let Some(piece) = shakmaty::Board::new().piece_at(square(at)) {
                board.put(at, piece);
            }
        }
        board
    }

    pub(super) fn turn(&self) -> Color {
        self.turn
    }

    pub(super) fn at(&self, at: Place) -> Option<Piece> {
        self.squares[usize::from(at & 63)]
    }

    /// Puts a piece on a square, with the first free number.
    pub(super) fn put(&mut self, at: Place, piece: Piece) {
        self.squares[usize::from(at & 63)] = Some(piece);
        if let Some(free) = self.numbers(piece).iter_mut().find(|number| **number == NOWHERE) {
            *free = at;
        }
    }

    /// Returns where a piece of the side to move stands, by its number.
    pub(super) fn find(&self, role: Role, number: usize) -> Option<Place> {
        let numbers = &self.numbered[usize::from(self.turn.is_black())][role as usize - 1];
        numbers.get(number).copied().filter(|at| *at != NOWHERE)
    }

    /// Plays a move; `None` if no piece of the side to move stands on its origin. It need not be legal.
    pub(super) fn play(&mut self, from: Place, to: Place, promoted: Role) -> Option<San> {
        let piece = self.at(from).filter(|piece| piece.color == self.turn)?;
        let (from_file, to_file) = ((from >> 3) as i8, (to >> 3) as i8);
        if piece.role == Role::King && from_file == E_FILE && (to_file - from_file).abs() == 2 {
            return self.castle(to_file > from_file);
        }
        let is_pawn = piece.role == Role::Pawn;
        let captured = match self.at(to) {
            None if is_pawn && from_file != to_file => (to & !7) | (from & 7),
            _ => to,
        };
        let is_capture = self.take(captured);
        let promotion = Some(promoted).filter(|_| is_pawn && matches!(to & 7, 0 | 7));
        self.go(from, to, piece);
        if let Some(role) = promotion {
            self.take(to);
            self.put(to, Piece { color: piece.color, role });
        }
        self.turn = self.turn.other();
        let origin = square(from);
        let (file, rank) = (Some(origin.file()), Some(origin.rank()));
        Some(San::Normal { role: piece.role, file, rank, capture: is_capture, to: square(to), promotion })
    }

    /// Castles; `None` if king or rook are not where they must be.
    pub(super) fn castle(&mut self, is_short: bool) -> Option<San> {
        let rank = if self.turn.is_white() { 0 } else { 7 };
        let (king_to, rook_from, rook_to) = if is_short { (6, 7, 5) } else { (2, 0, 3) };
        let corner = |file: i8| place(file, rank);
        let (king, rook) = (self.turn.king(), self.turn.rook());
        let (king_from, rook_from) = (corner(E_FILE)?, corner(rook_from)?);
        if self.at(king_from) != Some(king) || self.at(rook_from) != Some(rook) {
            return None;
        }
        self.go(king_from, corner(king_to)?, king);
        self.go(rook_from, corner(rook_to)?, rook);
        self.turn = self.turn.other();
        Some(San::Castle(CastlingSide::from_king_side(is_short)))
    }

    pub(super) fn pass(&mut self) -> San {
        self.turn = self.turn.other();
        San::Null
    }

    /// Moves a piece to an empty square; it keeps its number.
    fn go(&mut self, from: Place, to: Place, piece: Piece) {
        self.squares[usize::from(from & 63)] = None;
        self.squares[usize::from(to & 63)] = Some(piece);
        if let Some(number) = self.numbers(piece).iter_mut().find(|number| **number == from) {
            *number = to;
        }
    }

    /// Takes what stands on a square from the board; returns whether anything did.
    fn take(&mut self, at: Place) -> bool {
        let Some(piece) = self.squares[usize::from(at & 63)].take() else { return false };
        let numbers = self.numbers(piece);
        if let Some(number) = numbers.iter().position(|number| *number == at) {
            numbers[number] = NOWHERE;
            if piece.role != Role::Pawn {
                numbers[number..].rotate_left(1);
            }
        }
        true
    }

    fn numbers(&mut self, piece: Piece) -> &mut [Place] {
        let count = match piece.role {
            Role::Pawn => 8,
            Role::King => 1,
            _ => 3,
        };
        &mut self.numbered[usize::from(piece.color.is_black())][piece.role as usize - 1][..count]
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

#[cfg(test)]
mod tests;
