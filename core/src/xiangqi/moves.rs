//! Legal moves. In goes a position; out go its moves as codes, as a count, or the answer for one code.
//!
//! Move code: bits 13–7 the origin, bits 6–0 the target; bits 15 and 14 are clear.

use super::Xiangqi;
use super::attacks;
use super::bitboard::Bitboard;
use super::piece::Kind;
use super::safety::Safety;
use super::square::Square;
use crate::game::{Move, MoveList};

/// The order in which kinds are asked for their moves.
const ORDER: [Kind; 6] = [Kind::Rook, Kind::Cannon, Kind::Horse, Kind::Pawn, Kind::Elephant, Kind::Advisor];

/// Returns the code of a move.
pub const fn encode(from: Square, to: Square) -> Move {
    Move((from.index() as u16) << 7 | to.index() as u16)
}

/// Returns origin and target of a code, `None` where it is none.
pub const fn decode(m: Move) -> Option<(Square, Square)> {
    if m.0 >> 14 != 0 {
        return None;
    }
    match (Square::new((m.0 >> 7) as u8), Square::new((m.0 & 0x7f) as u8)) {
        (Some(from), Some(to)) => Some((from, to)),
        _ => None,
    }
}

/// Returns the code of the move that a left-right mirror shows. What is no code stays as it is, [`Move::NONE`] too.
pub fn mirror(m: Move) -> Move {
    match decode(m) {
        Some((from, to)) if m != Move::NONE => encode(from.mirror(), to.mirror()),
        _ => m,
    }
}

impl Xiangqi {
    /// Fills `moves` with the legal moves to points of `wanted`.
    #[inline]
    pub(super) fn generate(&self, wanted: Bitboard, moves: &mut MoveList) {
        moves.clear();
        self.each_origin(wanted, |from, targets| {
            for to in targets {
                moves.push(encode(from, to));
            }
        });
    }

    /// Returns the number of legal moves.
    #[inline]
    pub(super) fn count(&self) -> usize {
        let mut count = 0;
        self.each_origin(Bitboard::ALL, |_, targets| count += targets.len());
        count
    }

    /// Hands the legal targets of each piece to `visit`.
    #[inline]
    fn each_origin(&self, wanted: Bitboard, mut visit: impl FnMut(Square, Bitboard)) {
        let (board, us) = (&self.board, self.side);
        let own = board.side(us);
        let wanted = wanted & !own;
        let safety = Safety::of(board, us);
        for kind in ORDER {
            for from in board.kind(kind) & own {
                visit(from, board.destinations(us, kind, from) & safety.allowed(from) & wanted);
            }
        }
        let general = board.general(us);
        let mut steps = Bitboard::EMPTY;
        for to in attacks::general(us, general) & wanted {
            if !board.is_attacked(us, general, to) {
                steps |= Bitboard::of(to);
            }
        }
        visit(general, steps);
    }

    /// Returns whether a code is a legal move.
    pub(super) fn allows(&self, m: Move) -> bool {
        let (board, us) = (&self.board, self.side);
        let Some((from, to)) = decode(m) else { return false };
        let Some(kind) = board.kind_at(from) else { return false };
        if !board.side(us).contains(from) || board.side(us).contains(to) {
            return false;
        }
        if !board.destinations(us, kind, from).contains(to) {
            return false;
        }
        match kind {
            Kind::General => !board.is_attacked(us, from, to),
            _ => Safety::of(board, us).allowed(from).contains(to),
        }
    }
}
