//! The board of a game that is being decoded. Scid names a piece by its number among all pieces of its side.
//!
//! In a position that is set up, pieces are numbered from a8 to h8, then from a7 on, down to h1; the king changes places
//! with number 0. The usual start has numbers of its own. When a piece is captured, the last piece of its side takes its
//! number. A piece that a pawn becomes keeps the pawn's number.
//!
//! Where a piece goes, by the low four bits of a move's byte. The high four bits are the piece's number.
//!
//! | piece | code |
//! |---|---|
//! | king | 0 null move, 1–8 directions, 9 castling long, 10 short |
//! | queen | as a rook; its own file: a second byte has 64 plus the target |
//! | rook | 0–7 file of the target, 8–15 8 plus its rank |
//! | bishop | file of the target; plus 8 where it goes up to the left or down to the right |
//! | knight | 1–8 directions |
//! | pawn | 0–2 captures to the low file, goes on, captures to the high file, as White sees it; 3–14 the same with promotion to queen, rook, bishop, knight; 15 two steps |
//!
//! Pawns of Black go the same ways, turned around.

use shakmaty::{Color, File, Piece, Rank, Role, Square};

use crate::archive::formats::board::{self, Numbers};

const MAX_PIECES: usize = 16;

/// The board with Scid's numbers.
pub(super) type Board = board::Board<BySide>;

/// Numbers of the pieces of each side: 0 is the king's.
#[derive(Debug, Clone)]
pub(super) struct BySide {
    squares: [[Square; MAX_PIECES]; 2],
    counts: [usize; 2],
}

impl Default for BySide {
    fn default() -> BySide {
        BySide { squares: [[Square::A1; MAX_PIECES]; 2], counts: [0; 2] }
    }
}

impl BySide {
    /// Returns the number of the piece on a square.
    fn number(&self, side: usize, at: Square) -> Option<usize> {
        self.squares[side][..self.counts[side]].iter().position(|square| *square == at)
    }
}

impl Numbers for BySide {
    const CASTLES_TO_FREE_SQUARES: bool = true;

    fn put(&mut self, piece: Piece, at: Square) -> bool {
        let side = side_of(piece.color);
        let count = self.counts[side];
        if count == MAX_PIECES {
            return false;
        }
        self.squares[side][count] = at;
        if piece.role == Role::King {
            self.squares[side].swap(0, count);
        }
        self.counts[side] += 1;
        true
    }

    fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        let side = side_of(piece.color);
        if let Some(number) = self.number(side, from) {
            self.squares[side][number] = to;
        }
    }

    fn take(&mut self, piece: Piece, at: Square) {
        let side = side_of(piece.color);
        if let Some(number) = self.number(side, at) {
            self.counts[side] -= 1;
            self.squares[side].swap(number, self.counts[side]);
        }
    }

    fn promote(&mut self, _pawn: Piece, _promoted: Piece, _at: Square) {}
}

impl Board {
    /// Returns the usual start: first the king, then the other pieces from the a-file to the h-file, then the pawns.
    pub(super) fn usual() -> Board {
        let (mut board, pieces) = (Board::empty(Color::White), shakmaty::Board::new());
        for square in [4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map(Square::new) {
            for square in [square, square.flip_vertical()] {
                if let Some(piece) = pieces.piece_at(square) {
                    board.put(square, piece);
                }
            }
        }
        board
    }

    /// Returns the position of a FEN, of which placement and side to move matter here.
    pub(super) fn of_fen(fen: &str) -> Result<Board, &'static str> {
        let mut fields = fen.split_ascii_whitespace();
        let placement = fields.next().unwrap_or_default();
        let pieces = shakmaty::Board::from_ascii_board_fen(placement.as_bytes())
            .map_err(|_| "expected a FEN for the start position")?;
        let mut board = Board::empty(Color::from_black(fields.next() == Some("b")));
        for rank in Rank::ALL.into_iter().rev() {
            for square in File::ALL.map(|file| Square::from_coords(file, rank)) {
                let Some(piece) = pieces.piece_at(square) else { continue };
                if !board.put(square, piece) {
                    return Err("expected at most 16 pieces of a side");
                }
            }
        }
        Ok(board)
    }

    /// Returns the piece of the side to move that has a number, and its square.
    pub(super) fn find(&self, number: usize) -> Option<(Square, Role)> {
        let side = side_of(self.turn);
        let square = *self.numbers.squares[side][..self.numbers.counts[side]].get(number)?;
        Some((square, self.pieces.role_at(square)?))
    }
}

fn side_of(color: Color) -> usize {
    usize::from(color.is_black())
}

const KING_WAYS: [i16; 9] = [0, -9, -8, -7, -1, 1, 7, 8, 9];
const KNIGHT_WAYS: [i16; 9] = [0, -17, -15, -10, -6, 6, 10, 15, 17];
const PAWN_WAYS: [i16; 3] = [7, 8, 9];
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// What a code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// No move, and the other side is to move.
    Null,
    /// Castling, to the king's side or to the queen's.
    Castle { is_short: bool },
    /// To a square, where a pawn may become another piece.
    To(Square, Option<Role>),
    /// A second byte has the target.
    Second,
}

/// Returns what a code of a piece says; `None` if it says nothing.
pub(super) fn decode(role: Role, color: Color, from: Square, code: u8) -> Option<Way> {
    let code = code & 15;
    let by = |way: i16| {
        let target = u32::try_from(i16::from(u8::from(from)) + way).ok()?;
        Some(Way::To(Square::try_from(target).ok()?, None))
    };
    match role {
        Role::King => match code {
            0 => Some(Way::Null),
            1..=8 => by(KING_WAYS[usize::from(code)]),
            9 | 10 => Some(Way::Castle { is_short: code == 10 }),
            _ => None,
        },
        Role::Queen if u32::from(code) == u32::from(from.file()) => Some(Way::Second),
        Role::Queen | Role::Rook => {
            let from = u8::from(from);
            let target = if code < 8 { from & !7 | code } else { (code & 7) << 3 | from & 7 };
            Some(Way::To(Square::try_from(target).ok()?, None))
        }
        Role::Bishop => {
            let files = i16::from(code & 7) - i16::from(u8::from(from) & 7);
            by(files * if code < 8 { 9 } else { -7 })
        }
        Role::Knight => by(*KNIGHT_WAYS.get(usize::from(code)).filter(|way| **way != 0)?),
        Role::Pawn => {
            let ahead = color.fold_wb(1, -1);
            if code == 15 {
                return by(16 * ahead);
            }
            let Way::To(to, _) = by(PAWN_WAYS[usize::from(code % 3)] * ahead)? else { return None };
            let promotion = (code / 3).checked_sub(1).map(|kind| PROMOTIONS[usize::from(kind)]);
            Some(Way::To(to, promotion))
        }
    }
}

/// Returns the target that the second byte of a queen's move has.
pub(super) fn target_of(byte: u8) -> Option<Square> {
    byte.checked_sub(64).and_then(|square| Square::try_from(square).ok())
}
