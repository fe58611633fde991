//! Moves of xiangqi men, forward and back: the cells that reversible moves lead to, and the positions after captures.
//! The board of the rules generates the moves.

use super::{Attacker, KINDS_BY_NAME, XiangqiSpace};
use crate::endgame::space::{Indexed, Men, Reached, Space as _, Turn};
use crate::endgame::value::Irreversible;
use crate::game::Side;
use crate::xiangqi::attacks::{horse_leg, horse_ring, pawn_origin};
use crate::xiangqi::board::Board;
use crate::xiangqi::{Bitboard, Kind, Square};

fn square(index: u8) -> Square {
    Square::of(usize::from(index))
}

/// Returns the empty points from which a man may have come. But for horse and pawn, men come as they go.
fn origins(board: &Board, side: Side, kind: Kind, at: Square) -> Bitboard {
    let empty = !board.occupied();
    match kind {
        // The leg is next to the point that it came from.
        Kind::Horse => (horse_ring(at) & empty)
            .filter(|&from| empty.contains(horse_leg(from, at)))
            .fold(Bitboard::EMPTY, |set, from| set | Bitboard::of(from)),
        Kind::Pawn => pawn_origin(side, at) & empty,
        _ => board.destinations(side, kind, at) & empty,
    }
}

impl XiangqiSpace {
    /// Returns the board of men.
    pub(super) fn board(&self, men: &Men) -> Board {
        let mut board = Board::empty();
        for (&(side, kind), &at) in self.roster.men.iter().zip(men) {
            board.put(side, KINDS_BY_NAME[usize::from(kind)], square(at));
        }
        board
    }

    /// See [`crate::endgame::space::Space::quiet_moves`].
    pub(super) fn quiet(&self, place: &Indexed, turn: Turn, visit: &mut impl FnMut(usize) -> bool) -> bool {
        let mover = turn.mover();
        let board = self.board(&place.men);
        let targets = |kind: u8, at: u8| {
            let kind = KINDS_BY_NAME[usize::from(kind)];
            match turn {
                Turn::Forward(_) => board.destinations(mover, kind, square(at)) & !board.occupied(),
                Turn::Back(_) => origins(&board, mover, kind, square(at)),
            }
        };
        for attacker in self.attackers.iter().filter(|attacker| attacker.side == mover) {
            for target in targets(attacker.kind, place.men[attacker.man]) {
                if !visit(self.moved(place, attacker, target.index())) {
                    return false;
                }
            }
        }
        let [first, second] = &self.defences;
        let states = [place.cell / self.inner / second.len(), place.cell / self.inner % second.len()];
        let rest = place.cell % self.inner;
        let defence = &self.defences[mover.index()];
        for (man, kind) in defence.men() {
            for target in targets(kind, place.men[man]) {
                let state = defence.moved(&place.men, man, target);
                let state = match mover {
                    Side::First => state * second.len() + states[1],
                    Side::Second => states[0] * second.len() + state,
                };
                debug_assert!(state < first.len() * second.len());
                if !visit(state * self.inner + rest) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the cell in which an attacker has moved; like men are kept in order.
    fn moved(&self, place: &Indexed, attacker: &Attacker, target: usize) -> usize {
        let here = usize::from(place.men[attacker.man]);
        let Some(partner) = attacker.partner else {
            return place.cell + target * attacker.stride - here * attacker.stride;
        };
        let mut after = place.men;
        after[attacker.man] = target as u8;
        let (low, high) = (attacker.man.min(partner), attacker.man.max(partner));
        if after[low] > after[high] {
            after.swap(low, high);
        }
        let inner = self.attackers.iter().map(|each| usize::from(after[each.man]) * each.stride);
        place.cell / self.inner * self.inner + inner.sum::<usize>()
    }

    /// Hands `visit` every legal capture.
    pub(super) fn captures(&self, men: &Men, mover: Side, visit: &mut impl FnMut(Irreversible, Reached)) {
        let board = self.board(men);
        let enemies = board.side(mover.other());
        for man in (0..self.roster.men.len()).filter(|&man| self.roster.men[man].0 == mover) {
            let kind = KINDS_BY_NAME[usize::from(self.roster.men[man].1)];
            let from = square(men[man]);
            for target in board.destinations(mover, kind, from) & enemies {
                let victim = (2..self.roster.men.len()).find(|&man| men[man] == target.index() as u8);
                let mut after = board.clone();
                after.shift(mover, kind, from, target);
                let general = if kind == Kind::General { target } else { square(men[mover.index()]) };
                // A general is not taken: a position in which it could be is none.
                if victim.is_none() || after.is_attacked(mover, general, general) {
                    continue;
                }
                let mut there = *men;
                there[man] = target.index() as u8;
                let reached =
                    self.roster.routes.reached(XiangqiSpace::flip, &there, victim, None, mover.other());
                reached.into_iter().for_each(|reached| visit(Irreversible::Conversion, reached));
            }
        }
    }
}
