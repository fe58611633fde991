//! Legal moves, and the codes of moves.
//!
//! Move code: bits 13–7 the origin, bits 6–0 the target; bits 15 and 14 are clear.
//!
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

use super::bitboard::Bitboard;
use super::board::Board;
use super::piece::Kind;
use super::square::Square;
use super::{Xiangqi, attacks};
use crate::game::{Move, MoveList, Side};

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

    /// Hands the legal targets of each piece to `visit`, kind by kind.
    #[inline]
    pub(super) fn each_origin(&self, wanted: Bitboard, mut visit: impl FnMut(Square, Bitboard)) {
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

/// Most attackers a side can have: two rooks, two cannons, two horses, a general.
const MAX_BONDS: usize = 7;

/// Where the pieces of the side to move may go, their general permitting. The general's own steps are not covered.
struct Safety {
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
