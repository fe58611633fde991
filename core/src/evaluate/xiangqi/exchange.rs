//! Static exchange evaluation of xiangqi: a move and the captures on its target that follow it.
//!
//! Both sides capture with their least valuable piece first and stop when that is better. Each capture changes screens,
//! legs and eyes, so the attackers are computed again after each capture. Legality is ignored, except that a general does
//! not capture a protected piece.

use crate::game::{Game, Move, Side};
use crate::xiangqi::attacks;
use crate::xiangqi::{Bitboard, KINDS, Kind, Square, Xiangqi, decode};

/// What each kind counts for in exchanges, in centipawns; chosen. Horses and cannons are even: neither exchange loses.
pub(super) const VALUES: [i32; KINDS] = [70, 120, 120, 260, 260, 540, 0];

/// Kinds in the order in which they take.
const ORDER: [Kind; KINDS] =
    [Kind::Pawn, Kind::Advisor, Kind::Elephant, Kind::Horse, Kind::Cannon, Kind::Rook, Kind::General];

/// Returns the value that a legal move captures; `None` for a quiet move.
pub(super) fn gain(position: &Xiangqi, m: Move) -> Option<i32> {
    let (_, to) = decode(m)?;
    position.board().kind_at(to).map(value)
}

/// Returns whether a legal move gains at least `least`, all captures on its target considered.
pub(super) fn holds(position: &Xiangqi, m: Move, least: i32) -> bool {
    let Some((from, to)) = decode(m) else { return least <= 0 };
    let board = position.board();
    let mut balance = board.kind_at(to).map_or(0, value) - least;
    if balance < 0 {
        return false;
    }
    balance -= board.kind_at(from).map_or(0, value);
    if balance >= 0 {
        return true;
    }
    let us = position.side();
    let mut duel = Duel { position, to, occupied: board.occupied() & !Bitboard::of(from) | Bitboard::of(to) };
    let mut side = us.other();
    while let Some((kind, square)) = duel.least_valuable(side) {
        if kind == Kind::General && duel.least_valuable(side.other()).is_some() {
            break;
        }
        duel.occupied &= !Bitboard::of(square);
        side = side.other();
        balance = -balance - 1 - value(kind);
        if balance >= 0 {
            break;
        }
    }
    side != us
}

fn value(kind: Kind) -> i32 {
    VALUES[kind as usize]
}

/// The pieces that still take part in the exchanges on one point.
struct Duel<'a> {
    position: &'a Xiangqi,
    to: Square,
    occupied: Bitboard,
}

impl Duel<'_> {
    /// Returns the least valuable piece of `side` that attacks the target.
    fn least_valuable(&self, side: Side) -> Option<(Kind, Square)> {
        ORDER.into_iter().find_map(|kind| {
            let near = self.position.pieces(side, kind) & self.occupied & around(side, kind, self.to);
            { near }.find(|&from| self.attacks(kind, from)).map(|from| (kind, from))
        })
    }

    /// Returns whether a piece that is near enough attacks the target over what stands between.
    fn attacks(&self, kind: Kind, from: Square) -> bool {
        let between = attacks::between(from, self.to) & self.occupied;
        match kind {
            Kind::Pawn | Kind::Advisor | Kind::General => true,
            Kind::Elephant => attacks::elephant(from, self.occupied).contains(self.to),
            Kind::Horse => !self.occupied.contains(attacks::horse_leg(from, self.to)),
            Kind::Rook => between.is_empty(),
            Kind::Cannon => between.is_one(),
        }
    }
}

/// Returns the points from which a piece attacks a point, if nothing or the right thing stands between.
fn around(side: Side, kind: Kind, to: Square) -> Bitboard {
    match kind {
        Kind::Pawn => attacks::pawn_origin(side, to),
        Kind::Advisor => attacks::advisor(side, to),
        Kind::General => attacks::general(side, to),
        Kind::Elephant => attacks::elephant(to, Bitboard::EMPTY),
        Kind::Horse => attacks::horse_ring(to),
        Kind::Rook | Kind::Cannon => attacks::lines_through(to),
    }
}
