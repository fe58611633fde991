//! Xiangqi: material and points, free horses and rooks, exposure of the general, from middlegame to endgame.
//!
//! In comes a position, out go centipawns for the side to move. A position, its left-right mirror, and the one with
//! sides swapped and the board turned get the same.

use super::tapered::{Pair, pair};
use super::xiangqi_tables as tables;
use super::{Evaluate, Exchange, Standard};
use crate::game::{Game, Move, Side};
use crate::xiangqi::{Bitboard, FILES, Kind, RANKS, Square, Xiangqi, decode};

/// Steps along ranks and files.
const STEPS: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

impl Evaluate<Xiangqi> for Standard {
    fn centipawns(&self, position: &Xiangqi) -> i32 {
        let crossing = [Kind::Pawn, Kind::Cannon, Kind::Horse, Kind::Rook];
        let side = |side: Side, kinds: &[Kind]| {
            kinds.iter().fold(Bitboard::EMPTY, |all, &kind| all | position.pieces(side, kind))
        };
        let occupied = side(Side::First, &Kind::ALL) | side(Side::Second, &Kind::ALL);
        if (side(Side::First, &crossing) | side(Side::Second, &crossing)).is_empty() {
            return 0;
        }
        let view = |side: Side| View { position, side, occupied };
        let total = view(Side::First).worth() - view(Side::Second).worth();
        let first = total.at(phase(position), tables::FULL_PHASE);
        tables::TEMPO + if position.side() == Side::First { first } else { -first }
    }

    fn exchange(&self, position: &Xiangqi, m: Move) -> Option<Exchange> {
        let capture = position.capture(m)?;
        let value = |rank: u8| tables::EXCHANGE[usize::from(rank)];
        let (gain, stake) = (value(capture.victim), value(capture.attacker));
        let (_, target) = decode(m)?;
        let is_safe = stake > gain && !position.is_guarded(position.side().other(), target);
        Some(Exchange { gain, risk: if is_safe { 0 } else { stake } })
    }

    fn zugzwang_threatens(&self, position: &Xiangqi) -> bool {
        [Kind::Cannon, Kind::Horse, Kind::Rook]
            .iter()
            .all(|&kind| position.pieces(position.side(), kind).is_empty())
    }
}

/// One side of a position.
struct View<'a> {
    position: &'a Xiangqi,
    side: Side,
    occupied: Bitboard,
}

impl View<'_> {
    fn worth(&self) -> Pair {
        let mut sum = pair(0, 0);
        for kind in Kind::ALL {
            for square in self.own(kind) {
                sum += tables::POINTS[kind as usize][relative(self.side, square)];
            }
        }
        for horse in self.own(Kind::Horse) {
            sum += tables::HORSE_LEG * self.free_legs(horse);
        }
        for rook in self.own(Kind::Rook) {
            let free = STEPS.map(|step| self.free_points(rook, step));
            sum += tables::ROOK_POINT * free.iter().sum();
        }
        for cannon in self.own(Kind::Cannon) {
            if self.is_hollow(cannon) {
                sum += tables::HOLLOW_CANNON;
            }
        }
        sum.middle -= self.exposure();
        sum
    }

    fn own(&self, kind: Kind) -> Bitboard {
        self.position.pieces(self.side, kind)
    }

    fn free_legs(&self, horse: Square) -> i32 {
        let is_free = |&&(files, ranks): &&(i8, i8)| {
            step(horse, files, ranks).is_some_and(|leg| !self.occupied.contains(leg))
        };
        STEPS.iter().filter(is_free).count() as i32
    }

    fn free_points(&self, from: Square, (files, ranks): (i8, i8)) -> i32 {
        let mut free = 0;
        let mut at = step(from, files, ranks);
        while let Some(square) = at.filter(|&square| !self.occupied.contains(square)) {
            free += 1;
            at = step(square, files, ranks);
        }
        free
    }

    /// Returns whether nothing stands between a cannon and the enemy's general on its file: any piece that comes
    /// between is a screen.
    fn is_hollow(&self, cannon: Square) -> bool {
        let mut generals = self.position.pieces(self.side.other(), Kind::General);
        let Some(general) = generals.next().filter(|general| general.file() == cannon.file()) else {
            return false;
        };
        let (low, high) = (cannon.rank().min(general.rank()), cannon.rank().max(general.rank()));
        (low + 1..high)
            .all(|rank| Square::at(cannon.file(), rank).is_none_or(|at| !self.occupied.contains(at)))
    }

    /// What the side's general suffers from guards that are gone, by what the enemy still has to attack with.
    fn exposure(&self) -> i32 {
        let guards = self.own(Kind::Advisor).len() + self.own(Kind::Elephant).len();
        let missing = 4 - (guards as i32).min(4);
        let attackers = [Kind::Cannon, Kind::Horse, Kind::Rook].iter().zip(tables::MISSING_GUARD);
        let enemy = self.side.other();
        let weight: i32 =
            attackers.map(|(&kind, weight)| self.position.pieces(enemy, kind).len() as i32 * weight).sum();
        missing * weight
    }
}

/// Returns 16 with all attacking pieces on the board, 0 with none.
fn phase(position: &Xiangqi) -> i32 {
    let count = |kind: Kind| {
        let both = position.pieces(Side::First, kind) | position.pieces(Side::Second, kind);
        both.len() as i32 * tables::PHASE[kind as usize]
    };
    Kind::ALL.map(count).iter().sum::<i32>().min(tables::FULL_PHASE)
}

/// Returns the point as its side sees it, a0 = 0.
fn relative(side: Side, square: Square) -> usize {
    let rank = match side {
        Side::First => square.rank(),
        Side::Second => RANKS - 1 - square.rank(),
    };
    usize::from(rank * FILES + square.file())
}

fn step(square: Square, files: i8, ranks: i8) -> Option<Square> {
    Square::at(square.file().checked_add_signed(files)?, square.rank().checked_add_signed(ranks)?)
}

#[cfg(test)]
mod tests;
