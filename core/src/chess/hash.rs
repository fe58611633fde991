//! Keys and locks of chess positions: `shakmaty`'s published 128-bit Zobrist table, of which the low half is
//! Polyglot's table (the key) and the high half a second, independent one (its low 32 bits are the lock).
//!
//! In goes a board, or what a move changes on it; out goes the 128-bit value that both halves are cut from.
//! En passant follows the Polyglot rule: hashed when a pawn of the side to move stands beside the pushed pawn.

use shakmaty::zobrist::{Zobrist128, ZobristValue};
use shakmaty::{Bitboard, CastlingSide, Color, EnPassantMode, File, Move, Piece, Position, Role, Square};

use crate::game::{Key, Lock};

/// Returns the Polyglot key in a 128-bit value.
pub fn key_part(hash: u128) -> u64 {
    hash as u64
}

/// Returns the lock in a 128-bit value.
pub fn lock_part(hash: u128) -> u32 {
    (hash >> 64) as u32
}

/// Returns key and lock of a board, computed from its pieces.
pub fn from_scratch(board: &shakmaty::Chess) -> (Key, Lock) {
    let hash = board.zobrist_hash::<Zobrist128>(EnPassantMode::PseudoLegal).0;
    (Key(key_part(hash)), Lock(lock_part(hash)))
}

/// What is hashed besides pieces: side to move, castling rights, en passant.
pub struct State {
    turn: Color,
    rights: Bitboard,
    en_passant: Option<File>,
}

impl State {
    /// Returns the state of a board.
    pub fn of(board: &shakmaty::Chess) -> State {
        State {
            turn: board.turn(),
            rights: board.castles().castling_rights(),
            en_passant: board.ep_square(EnPassantMode::PseudoLegal).map(Square::file),
        }
    }

    /// Returns the XOR of the table words of this state.
    pub fn hash(&self) -> u128 {
        let mut hash = Zobrist128::default();
        if self.turn.is_white() {
            hash ^= Zobrist128::zobrist_for_white_turn();
        }
        for square in self.rights {
            let color = Color::from_white(square.rank() == shakmaty::Rank::First);
            let side = CastlingSide::from_king_side(square.file() == File::H);
            hash ^= Zobrist128::zobrist_for_castling_right(color, side);
        }
        if let Some(file) = self.en_passant {
            hash ^= Zobrist128::zobrist_for_en_passant_file(file);
        }
        hash.0
    }
}

/// Returns the XOR of the table words of the pieces that `m` takes away and puts down.
pub fn moved_pieces(board: &shakmaty::Chess, m: Move) -> u128 {
    let us = board.turn();
    let word = |color: Color, role: Role, square: Square| {
        Zobrist128::zobrist_for_piece(square, Piece { color, role }).0
    };
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            let taken = capture.map_or(0, |victim| word(!us, victim, to));
            taken ^ word(us, role, from) ^ word(us, promotion.unwrap_or(role), to)
        }
        Move::EnPassant { from, to } => {
            let taken = Square::from_coords(to.file(), from.rank());
            word(us, Role::Pawn, from) ^ word(us, Role::Pawn, to) ^ word(!us, Role::Pawn, taken)
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king.file() < rook.file());
            word(us, Role::King, king)
                ^ word(us, Role::King, side.king_to(us))
                ^ word(us, Role::Rook, rook)
                ^ word(us, Role::Rook, side.rook_to(us))
        }
        // No drops in chess.
        Move::Put { .. } => 0,
    }
}
