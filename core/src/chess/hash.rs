//! Keys and locks of chess positions: `shakmaty`'s published 128-bit Zobrist table, of which the low half is
//! Polyglot's table (the key) and the high half a second, independent one (its low 32 bits are the lock).
//!
//! En passant follows the Polyglot rule: hashed when a pawn of the side to move stands next to the pushed pawn.

use shakmaty::zobrist::{Zobrist128, ZobristValue};
use shakmaty::{
    Bitboard, CastlingSide, Color, EnPassantMode, File, Move, Piece, Position, Rank, Role, Square,
};

use crate::game::{Key, Lock};

/// Returns the Polyglot key in a 128-bit value.
pub fn key(hash: u128) -> Key {
    Key(hash as u64)
}

/// Returns the lock in a 128-bit value.
pub fn lock(hash: u128) -> Lock {
    Lock((hash >> 64) as u32)
}

/// Returns the value of a board, computed from its pieces.
pub fn from_scratch(board: &shakmaty::Chess) -> u128 {
    board.zobrist_hash::<Zobrist128>(EnPassantMode::PseudoLegal).0
}

/// Returns the word of the side to move.
pub fn turn() -> u128 {
    Zobrist128::zobrist_for_white_turn().0
}

/// What is hashed besides pieces and the side to move.
#[derive(Debug, Clone, Copy)]
pub struct State {
    rights: Bitboard,
    en_passant: Option<File>,
}

impl State {
    pub fn of(board: &shakmaty::Chess) -> State {
        State {
            rights: board.castles().castling_rights(),
            en_passant: board.ep_square(EnPassantMode::PseudoLegal).map(Square::file),
        }
    }

    /// Returns whether a legal move surely leaves this state as it is: no right is lost, and there is no en passant before
    /// it or after it.
    pub fn is_kept_by(&self, m: Move) -> bool {
        let Move::Normal { role, from, to, .. } = m else { return false };
        let is_double_step = role == Role::Pawn && from.distance(to) == 2;
        let loses_rights = match role {
            Role::King => self.rights.any(),
            _ => self.rights.contains(from) || self.rights.contains(to),
        };
        self.en_passant.is_none() && !is_double_step && !loses_rights
    }

    /// Returns the XOR of the table words in which this state and the one a move later differ.
    pub fn change_to(&self, next: &State) -> u128 {
        let mut hash = turn();
        if self.rights != next.rights {
            hash ^= rights_words(self.rights) ^ rights_words(next.rights);
        }
        if self.en_passant != next.en_passant {
            hash ^= en_passant_word(self.en_passant) ^ en_passant_word(next.en_passant);
        }
        hash
    }
}

fn rights_words(rights: Bitboard) -> u128 {
    rights.into_iter().fold(0, |hash, square| {
        let color = Color::from_white(square.rank() == Rank::First);
        let side = CastlingSide::from_king_side(square.file() == File::H);
        hash ^ Zobrist128::zobrist_for_castling_right(color, side).0
    })
}

fn en_passant_word(file: Option<File>) -> u128 {
    file.map_or(0, |file| Zobrist128::zobrist_for_en_passant_file(file).0)
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
