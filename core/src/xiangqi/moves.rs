//! Legal moves: lists them, counts them, and checks a single code.
//!
//! Move code: bits 13–7 the origin, bits 6–0 the target; bits 15 and 14 are clear.

use super::Xiangqi;
use super::attacks;
use super::bitboard::Bitboard;
use super::piece::Kind;
use super::safety::Safety;
use super::square::Square;
use crate::game::{Move, MoveList};

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

/// Returns the left-right mirror of a move code. Other codes, such as [`Move::NONE`], stay the same.
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

    /// Hands the legal targets of each piece to `visit`, kind by kind.
    #[inline]
    fn each_origin(&self, wanted: Bitboard, mut visit: impl FnMut(Square, Bitboard)) {
        let (board, us) = (&self.board, self.side);
        let wanted = wanted & !board.side(us);
        let safety = Safety::of(board, us);
        // Written out, so that each call is compiled for its kind.
        self.each_of_kind(Kind::Rook, wanted, &safety, &mut visit);
        self.each_of_kind(Kind::Cannon, wanted, &safety, &mut visit);
        self.each_of_kind(Kind::Horse, wanted, &safety, &mut visit);
        self.each_of_kind(Kind::Pawn, wanted, &safety, &mut visit);
        self.each_of_kind(Kind::Elephant, wanted, &safety, &mut visit);
        self.each_of_kind(Kind::Advisor, wanted, &safety, &mut visit);
        let general = board.general(us);
        let mut steps = Bitboard::EMPTY;
        for to in attacks::general(us, general) & wanted {
            if !board.is_attacked(us, general, to) {
                steps |= Bitboard::of(to);
            }
        }
        visit(general, steps);
    }

    #[inline(always)]
    fn each_of_kind(
        &self,
        kind: Kind,
        wanted: Bitboard,
        safety: &Safety,
        visit: &mut impl FnMut(Square, Bitboard),
    ) {
        for from in self.board.pieces(self.side, kind) {
            let targets = self.board.destinations(self.side, kind, from);
            visit(from, targets & safety.allowed(from) & wanted);
        }
    }

    /// Returns whether a code is a legal move.
    pub(super) fn allows(&self, m: Move) -> bool {
        let (board, us) = (&self.board, self.side);
        let Some((from, to)) = decode(m) else { return false };
        let Some(kind) = board.kind_at(from) else { return false };
        if !board.side(us).contains(from) || board.side(us).contains(to) {
            return false;
        }
        let general = if kind == Kind::General { to } else { board.general(us) };
        board.reaches(us, kind, from, to) && !board.is_attacked_after(us, from, to, general)
    }
}

/// The points around the enemy's general that a check has to do with.
pub(super) struct NearGeneral {
    /// A piece that leaves one may uncover a check: the general's lines, the legs of own horses.
    left: Bitboard,
    /// A piece that comes to one may check or be a cannon's screen: the general's lines and the ring of horses.
    reached: Bitboard,
}

impl NearGeneral {
    pub(super) fn of(position: &Xiangqi) -> NearGeneral {
        let (board, us) = (&position.board, position.side);
        let general = board.general(us.other());
        let (lines, ring) = (attacks::lines_through(general), attacks::horse_ring(general));
        let mut left = lines;
        for horse in board.pieces(us, Kind::Horse) & ring {
            left |= Bitboard::of(attacks::horse_leg(horse, general));
        }
        NearGeneral { left, reached: lines | ring }
    }

    /// Returns whether a legal quiet move may give check: all that do, and some others.
    pub(super) fn concerns(&self, m: Move) -> bool {
        decode(m).is_some_and(|(from, to)| self.left.contains(from) || self.reached.contains(to))
    }
}
