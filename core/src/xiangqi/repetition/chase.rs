//! Chases: the attacks of a move that threaten to win a piece.
//!
//! Compares the boards before and after a move to find the enemy pieces that the move newly chases. Each rule is one small
//! function, with the number of its article (AXF 2003):
//!
//! | rule | function |
//! |---|---|
//! | generals and pawns chase freely (28, 29) | [`may_chase`] |
//! | a pinned piece threatens only what pins it (27) | [`attacked_by`], [`pinners`] |
//! | a general is checked, not chased; a pawn before the river may be chased (25) | [`victims`] |
//! | the capture must be legal | [`is_legal_capture`] |
//! | horse or cannon on rook chase although it is protected (15, 26), advisor and elephant on more | [`outranks`] |
//! | else the victim must be without a real protector (17, 18, 35) | [`is_protected`] |
//! | like on like is an exchange, unless the victim cannot take back (24) | [`is_exchange`] |
//! | an attack that existed before the move is not a chase (appendix) | [`new_chases`] |
//!
//! Attacks that the move opens for another piece (screens, legs, lines: 25, 26) and protectors that it pins or cuts off
//! (appendix) need no extra rules: the positions before and after it differ in them.
//!
//! Pins and protectors ("roots"): which captures the own general permits.
//!
//! Decides whether a capture is legal, and whether the opponent could legally recapture, without playing moves. It uses
//! the occupancy after the capture, so captured screens, facing generals and pinned protectors are handled.

use crate::game::{Move, Side};
use crate::xiangqi::attacks;
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::board::Board;
use crate::xiangqi::moves::decode;
use crate::xiangqi::piece::Kind;
use crate::xiangqi::square::Square;

/// The enemy pieces that a move newly threatens to win.
#[derive(Clone, Copy, Default)]
pub(super) struct NewChases {
    /// By an attack that could not be carried out before the move.
    pub attacked: Bitboard,
    /// By an attack that could, but won nothing then: the move has taken away the victim's protection or its power to
    /// take the attacker first.
    pub undermined: Bitboard,
}

impl NewChases {
    pub fn is_empty(self) -> bool {
        self.attacked.is_empty() && self.undermined.is_empty()
    }
}

/// Returns what the move that led from one board to the other newly chases.
///
/// Whether an attack is new is asked of each pair of attacker and victim: a second attacker that joins the first chases
/// too.
pub(super) fn new_chases(before: &Board, after: &Board, m: Move) -> NewChases {
    let mut new = NewChases::default();
    let Some((from, to)) = decode(m) else { return new };
    let Some((side, _)) = after.piece_at(to) else { return new };
    for attacker in may_chase(after, side) {
        for victim in attacked_by(after, side, attacker) {
            if !wins(after, side, attacker, victim) {
                continue;
            }
            let earlier = if attacker == to { from } else { attacker };
            if !attacked_by(before, side, earlier).contains(victim) {
                new.attacked |= Bitboard::of(victim);
            } else if !wins(before, side, earlier, victim) {
                new.undermined |= Bitboard::of(victim);
            }
        }
    }
    new
}

/// Returns `side`'s rooks that an enemy horse pins by the leg (AXF 19).
pub(super) fn rooks_pinned_by_horse(board: &Board, side: Side) -> Bitboard {
    let general = board.general(side);
    let horses = board.pieces(side.other(), Kind::Horse) & attacks::horse_ring(general);
    let legs =
        horses.fold(Bitboard::EMPTY, |legs, horse| legs | Bitboard::of(attacks::horse_leg(horse, general)));
    legs & board.pieces(side, Kind::Rook)
}

/// Returns the victims that a piece could legally take. A pinned piece takes only what pins it (AXF 27).
fn attacked_by(board: &Board, side: Side, attacker: Square) -> Bitboard {
    let Some(kind) = board.kind_at(attacker) else { return Bitboard::EMPTY };
    let mut attacked = board.destinations(side, kind, attacker) & victims(board, side.other());
    if !attacked.is_empty() {
        let pinners = pinners(board, side, attacker);
        if !pinners.is_empty() {
            attacked &= pinners;
        }
    }
    let legal = |victim: &Square| is_legal_capture(board, side, attacker, *victim);
    attacked.filter(legal).fold(Bitboard::EMPTY, |attacked, victim| attacked | Bitboard::of(victim))
}

/// Returns whether an attack on the piece on `victim` wins it, or one of more worth.
fn wins(board: &Board, side: Side, attacker: Square, victim: Square) -> bool {
    let (Some(kind), Some(victim_kind)) = (board.kind_at(attacker), board.kind_at(victim)) else {
        return false;
    };
    outranks(kind, victim_kind)
        || !is_exchange(board, side, (attacker, kind), (victim, victim_kind))
            && !is_protected(board, side.other(), attacker, victim)
}

/// Returns a side's pieces whose attacks can be chases: all but its general and pawns (AXF 28, 29).
fn may_chase(board: &Board, side: Side) -> Bitboard {
    board.side(side) & !board.pieces(side, Kind::General) & !board.pieces(side, Kind::Pawn)
}

/// Returns a side's pieces that can be chased: not its general, and pawns only once over the river (AXF 25).
fn victims(board: &Board, side: Side) -> Bitboard {
    let home_pawns = board.pieces(side, Kind::Pawn) & attacks::home(side);
    board.side(side) & !board.pieces(side, Kind::General) & !home_pawns
}

/// Returns whether an attack wins material although the victim is protected (AXF 15, 16, 26).
fn outranks(attacker: Kind, victim: Kind) -> bool {
    match attacker {
        Kind::Horse | Kind::Cannon => victim == Kind::Rook,
        Kind::Advisor | Kind::Elephant => matches!(victim, Kind::Rook | Kind::Cannon | Kind::Horse),
        Kind::Pawn | Kind::Rook | Kind::General => false,
    }
}

/// Returns whether a piece attacks a piece of the same kind that can capture it first: an offer to exchange (AXF 24).
///
/// A horse whose leg is blocked and a piece that is pinned cannot.
fn is_exchange(board: &Board, side: Side, attacker: (Square, Kind), victim: (Square, Kind)) -> bool {
    attacker.1 == victim.1
        && board.destinations(side.other(), victim.1, victim.0).contains(attacker.0)
        && is_legal_capture(board, side.other(), victim.0, attacker.0)
}

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
            Some(Kind::Cannon) => screens.is_one(),
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
