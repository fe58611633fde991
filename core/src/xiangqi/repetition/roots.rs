//! Pins and protectors ("roots"): which captures the own general permits.
//!
//! Decides whether a capture is legal, and whether the opponent could legally recapture, without playing moves. It uses
//! the occupancy after the capture, so captured screens, facing generals and pinned protectors are handled.

use super::super::attacks;
use super::super::bitboard::Bitboard;
use super::super::board::Board;
use super::super::piece::Kind;
use super::super::square::Square;
use crate::game::Side;

/// Returns the enemies from which a piece shields its general: they would attack it without the piece, and do
/// not now.
pub(super) fn pinners(board: &Board, side: Side, square: Square) -> Bitboard {
    let general = board.general(side);
    if square == general || !is_in_reach(general, square) {
        return Bitboard::EMPTY;
    }
    let (occupied, hostile) = (board.occupied(), board.side(side.other()));
    let now = checkers(board, side, general, occupied, hostile);
    checkers(board, side, general, occupied & !Bitboard::of(square), hostile) & !now
}

/// Returns whether a capture leaves the own general no more attacked than it is: what attacked it before the capture
/// is not the capture's doing, since the turn is only supposed.
pub(super) fn is_legal_capture(board: &Board, side: Side, from: Square, to: Square) -> bool {
    let general = board.general(side);
    let hostile = board.side(side.other());
    let occupied = board.occupied();
    let (after, others) = (occupied & !Bitboard::of(from), hostile & !Bitboard::of(to));
    let new = checkers(board, side, general, after, others);
    new.is_empty() || (new & !checkers(board, side, general, occupied, hostile)).is_empty()
}

/// Returns whether `side` could legally take back on `victim` after the enemy's piece on `attacker` took there.
///
/// Where the enemy checks already, that check counts as answered: the capture would be its next move.
pub(super) fn is_protected(board: &Board, side: Side, attacker: Square, victim: Square) -> bool {
    let general = board.general(side);
    let answered = checkers(board, side, general, board.occupied(), board.side(side.other()));
    let occupied = board.occupied() & !Bitboard::of(attacker);
    // The attacker then stands on the victim's point, where it is taken back: it attacks nothing any more.
    let hostile = board.side(side.other()) & !Bitboard::of(attacker);
    let own = board.side(side) & !Bitboard::of(victim);
    takers(board, side, victim, occupied, own).any(|protector| {
        let occupied = occupied & !Bitboard::of(protector);
        if protector == general {
            return checkers(board, side, victim, occupied, hostile).is_empty();
        }
        (checkers(board, side, general, occupied, hostile) & !answered).is_empty()
    })
}

/// Returns the `hostile` pieces that would attack `side`'s general on `general` if `occupied` stood on the board;
/// the other general is one of them along an open file.
fn checkers(board: &Board, side: Side, general: Square, occupied: Bitboard, hostile: Bitboard) -> Bitboard {
    let checkers = takers(board, side.other(), general, occupied, hostile);
    let facing = board.general(side.other());
    let is_open =
        facing.file() == general.file() && (attacks::between(general, facing) & occupied).is_empty();
    if is_open { checkers | Bitboard::of(facing) } else { checkers }
}

/// Returns the `pieces` of `side` that capture on `target` if `occupied` stood on the board.
fn takers(board: &Board, side: Side, target: Square, occupied: Bitboard, pieces: Bitboard) -> Bitboard {
    let of = |kind| board.kind(kind) & pieces;
    let mut takers = of(Kind::Pawn) & attacks::pawn_origin(side, target)
        | of(Kind::Advisor) & attacks::advisor(side, target)
        | of(Kind::General) & attacks::general(side, target)
        | of(Kind::Elephant) & attacks::elephant(target, occupied);
    for horse in of(Kind::Horse) & attacks::horse_ring(target) {
        if !occupied.contains(attacks::horse_leg(horse, target)) {
            takers |= Bitboard::of(horse);
        }
    }
    for piece in (of(Kind::Rook) | of(Kind::Cannon)) & attacks::lines_through(target) {
        let screens = attacks::between(target, piece) & occupied;
        let is_taker = match board.kind_at(piece) {
            Some(Kind::Cannon) => !screens.is_empty() && screens.without_lowest().is_empty(),
            _ => screens.is_empty(),
        };
        if is_taker {
            takers |= Bitboard::of(piece);
        }
    }
    takers
}

/// Returns whether a piece on `square` can stand between the general and an attacker: on a line with it, or on a
/// horse's leg, which is a diagonal neighbour.
fn is_in_reach(general: Square, square: Square) -> bool {
    let is_diagonal =
        general.file().abs_diff(square.file()) == 1 && general.rank().abs_diff(square.rank()) == 1;
    is_diagonal || attacks::lines_through(general).contains(square)
}
