//! Which moves keep the general safe, without playing them.
//!
//! For every piece except the general, computes the points that it may move to without exposing its general. Only enemy
//! pieces matter that attack the general or could do so after one move:
//!
//! | attacker, pieces between it and the general | others may go | the piece between, if own, may go |
//! |---|---|---|
//! | rook or facing general, 0 | between, or take it | |
//! | rook or facing general, 1 | anywhere | along the line, or take the attacker |
//! | cannon, 0 | not between: that would be a screen | |
//! | cannon, 1 (check) | a second screen, or take it | off the line, or take the attacker |
//! | cannon, 2 | anywhere | to an empty point between, or take the attacker |
//! | horse, leg empty | on the leg, or take it | |
//! | horse, leg occupied | anywhere | take the horse |
//! | pawn beside or ahead | take it | |
//!
//! Taking an enemy screen puts a piece in its place, so it changes nothing but where the taker is the other screen.

use arrayvec::ArrayVec;

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::piece::Kind;
use super::square::Square;
use crate::game::Side;

/// Most attackers a side can have: two rooks, two cannons, two horses, a general.
const MAX_BONDS: usize = 7;

/// Where the pieces of the side to move may go, their general permitting. The general's own steps are not covered.
pub(super) struct Safety {
    /// What attackers that bind no piece allow.
    open: Bitboard,
    /// What all attackers together allow an unbound piece.
    unbound: Bitboard,
    /// The pieces that some attacker binds.
    bound: Bitboard,
    bonds: ArrayVec<Bond, MAX_BONDS>,
}

/// What one attacker asks of own pieces that stand between it and the general.
struct Bond {
    pieces: Bitboard,
    /// Where `pieces` may go.
    theirs: Bitboard,
    /// Where all others may go.
    others: Bitboard,
}

impl Safety {
    /// Returns what the enemy's pieces allow `side`.
    #[inline]
    pub fn of(board: &Board, side: Side) -> Safety {
        let mut safety = Safety {
            open: Bitboard::ALL,
            unbound: Bitboard::ALL,
            bound: Bitboard::EMPTY,
            bonds: ArrayVec::new(),
        };
        let general = board.general(side);
        let enemy = board.side(side.other());
        for attacker in board.line_pieces() & enemy & attacks::lines_through(general) {
            safety.add_line(board, side, attacks::between(general, attacker), attacker);
        }
        for horse in board.kind(Kind::Horse) & enemy & attacks::horse_ring(general) {
            safety.add_horse(board, side, attacks::horse_leg(horse, general), horse);
        }
        for pawn in board.kind(Kind::Pawn) & enemy & attacks::pawn_origin(side.other(), general) {
            safety.require(Bitboard::of(pawn));
        }
        safety
    }

    /// Returns where the piece on `from` may go.
    #[inline]
    pub fn allowed(&self, from: Square) -> Bitboard {
        if self.bound.contains(from) { self.allowed_bound(from) } else { self.unbound }
    }

    fn allowed_bound(&self, from: Square) -> Bitboard {
        self.bonds.iter().fold(self.open, |allowed, bond| {
            allowed & if bond.pieces.contains(from) { bond.theirs } else { bond.others }
        })
    }

    #[inline]
    fn add_line(&mut self, board: &Board, side: Side, between: Bitboard, attacker: Square) {
        let screens = between & board.occupied();
        let own = screens & board.side(side);
        let take = Bitboard::of(attacker);
        let past_first = screens.without_lowest();
        let count = match (screens.is_empty(), past_first.is_empty()) {
            (true, _) => 0,
            (_, true) => 1,
            _ if past_first.without_lowest().is_empty() => 2,
            _ => return,
        };
        match (board.kind(Kind::Cannon).contains(attacker), count) {
            (false, 0) => self.require(between | take),
            (false, 1) => self.bind(own, between | take, Bitboard::ALL),
            (false, _) => {}
            (true, 0) => self.require(!between),
            (true, 1) => self.bind(own, !between, between & !screens | take),
            (true, _) => self.bind(own, between & !screens | take, Bitboard::ALL),
        }
    }

    #[inline]
    fn add_horse(&mut self, board: &Board, side: Side, leg: Square, horse: Square) {
        let (leg, take) = (Bitboard::of(leg), Bitboard::of(horse));
        if (leg & board.occupied()).is_empty() {
            self.require(leg | take);
        } else {
            self.bind(leg & board.side(side), take, Bitboard::ALL);
        }
    }

    /// Asks the same of every piece.
    #[inline]
    fn require(&mut self, allowed: Bitboard) {
        self.open &= allowed;
        self.unbound &= allowed;
    }

    /// Asks one thing of `pieces`, which may be none, and another of all others.
    #[inline]
    fn bind(&mut self, pieces: Bitboard, theirs: Bitboard, others: Bitboard) {
        if pieces.is_empty() {
            return self.require(others);
        }
        self.unbound &= others;
        self.bound |= pieces;
        // Room for all: each of the enemy's attackers adds one bond at most.
        let _ = self.bonds.try_push(Bond { pieces, theirs, others });
    }
}
