//! Moves of chess men: the cells that reversible moves lead to, and the positions after captures, promotions and pawn
//! moves.

use shakmaty::{Bitboard, Color, Square, attacks};

use crate::endgame::chess::ChessSpace;
use crate::endgame::chess::kings::{PAWNLESS, reflect};
use crate::endgame::material::KING;
use crate::endgame::space::{Indexed, Men, Reached, Space as _, Target, Turn};
use crate::endgame::value::Irreversible;
use crate::game::Side;

/// Returns where a man attacks.
#[inline]
fn reach(side: Side, kind: u8, square: u8, occupied: u64) -> u64 {
    let (at, occupied) = (Square::new(u32::from(square)), Bitboard(occupied));
    let reached = match kind {
        0 => attacks::king_attacks(at),
        1 => attacks::queen_attacks(at, occupied),
        2 => attacks::rook_attacks(at, occupied),
        3 => attacks::bishop_attacks(at, occupied),
        4 => attacks::knight_attacks(at),
        _ => attacks::pawn_attacks(if side == Side::First { Color::White } else { Color::Black }, at),
    };
    reached.0
}

/// The squares of a set.
fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            square
        })
    })
}

impl ChessSpace {
    /// Returns whether a side's king is attacked, ignoring a captured man.
    pub(super) fn is_attacked(&self, men: &Men, side: Side, victim: Option<usize>) -> bool {
        let king = 1 << men[side.index()];
        let mut occupied = 0;
        for man in (0..self.roster.men.len()).filter(|&man| Some(man) != victim) {
            occupied |= 1 << men[man];
        }
        (0..self.roster.men.len()).any(|man| {
            let (of, kind) = self.roster.men[man];
            of != side && Some(man) != victim && reach(of, kind, men[man], occupied) & king != 0
        })
    }

    /// See [`crate::endgame::space::Space::quiet_moves`]. But for pawns, chess moves are their own un-moves.
    #[inline]
    pub(super) fn quiet(&self, place: &Indexed, turn: Turn, visit: &mut impl FnMut(usize) -> bool) -> bool {
        let mover = turn.mover();
        let occupied = self.occupied(&place.men);
        for piece in &self.pieces[mover.index()] {
            let mut targets = reach(mover, piece.kind, place.men[piece.man], occupied) & !occupied;
            let others = place.cell & !(63 << piece.shift);
            while targets != 0 {
                let cell = moved(others, piece, &place.men, targets.trailing_zeros() as u8);
                targets &= targets - 1;
                if !visit(cell) {
                    return false;
                }
            }
        }
        let king = mover.index();
        let other = reach(mover, KING, place.men[1 - king], 0);
        let targets = reach(mover, KING, place.men[king], 0) & !occupied & !other;
        if self.has_pawns() {
            let shift = self.bits + if king == 0 { 6 } else { 0 };
            let others = place.cell & !(63 << shift);
            squares(targets).all(|target| visit(others | usize::from(target) << shift))
        } else {
            squares(targets).all(|target| self.step(place, king, target, turn, visit))
        }
    }

    /// A king's step without pawns. A step off the diagonal of both kings is one step of each twin, and is taken back
    /// from one side only: from the other side the twin takes it back. A step onto it leads to one twin, and is taken
    /// back from both.
    fn step(
        &self,
        place: &Indexed,
        king: usize,
        target: u8,
        turn: Turn,
        visit: &mut impl FnMut(usize) -> bool,
    ) -> bool {
        let mut men = place.men;
        men[king] = target;
        let oriented = PAWNLESS.oriented(men[0], men[1]);
        let pair = usize::from(oriented.pair);
        // Most steps leave the board's orientation, and with it all other men of the cell.
        let cell = match oriented.symmetry {
            0 => pair << self.bits | place.cell & ((1 << self.bits) - 1),
            symmetry => self.cell(pair, &self.image(&men, symmetry)),
        };
        if matches!(turn, Turn::Back(_)) {
            let (is_diagonal, was_diagonal) = (self.is_diagonal(cell), self.is_diagonal(place.cell));
            if was_diagonal && !is_diagonal && target > reflect(target) {
                return true;
            }
            if is_diagonal && !was_diagonal {
                let twin = self.reflected(&self.image(&men, oriented.symmetry));
                return visit(cell) && visit(self.cell(pair, &twin));
            }
        }
        visit(cell)
    }

    /// Hands `visit` every legal capture, promotion and pawn move.
    pub(super) fn convert(&self, men: &Men, mover: Side, visit: &mut impl FnMut(Irreversible, Reached)) {
        let occupied = self.occupied(men);
        let enemies = (2..self.roster.men.len()).filter(|&man| self.roster.men[man].0 != mover);
        let enemies = enemies.fold(0u64, |set, man| set | 1 << men[man]);
        for man in (0..self.roster.men.len()).filter(|&man| self.roster.men[man].0 == mover) {
            let kind = self.roster.men[man].1;
            for target in squares(reach(mover, kind, men[man], occupied) & enemies) {
                let victim = (2..self.roster.men.len()).find(|&man| men[man] == target);
                self.leave(men, (man, target), victim, visit);
            }
            if kind == PAWN {
                self.push(men, man, occupied, visit);
            }
        }
    }

    /// Plays a capture or a pawn's step, with each promotion where it ends on the last rank.
    fn leave(
        &self,
        men: &Men,
        (man, target): (usize, u8),
        victim: Option<usize>,
        visit: &mut impl FnMut(Irreversible, Reached),
    ) {
        let (mover, kind) = self.roster.men[man];
        let mut after = *men;
        after[man] = target;
        if self.is_attacked(&after, mover, victim) {
            return;
        }
        let to_move = mover.other();
        let is_last_rank = kind == PAWN && !(8..56).contains(&target);
        if is_last_rank {
            for promoted in 1..PAWN {
                let reached = self.roster.routes.reached(
                    ChessSpace::flip,
                    &after,
                    victim,
                    Some((man, promoted)),
                    to_move,
                );
                reached.into_iter().for_each(|reached| visit(Irreversible::Conversion, reached));
            }
        } else if victim.is_some() {
            let reached = self.roster.routes.reached(ChessSpace::flip, &after, victim, None, to_move);
            reached.into_iter().for_each(|reached| visit(Irreversible::Conversion, reached));
        } else {
            let is_double = men[man].abs_diff(target) == 16;
            let en_passant = is_double.then_some((men[man] + target) / 2);
            visit(Irreversible::Push, Reached { target: Target::Own, men: after, to_move, en_passant });
        }
    }

    fn push(&self, men: &Men, man: usize, occupied: u64, visit: &mut impl FnMut(Irreversible, Reached)) {
        let ahead = |square: u8| if self.roster.men[man].0 == Side::First { square + 8 } else { square - 8 };
        let is_free = |square: u8| occupied >> square & 1 == 0;
        let home = if self.roster.men[man].0 == Side::First { 1 } else { 6 };
        let one = ahead(men[man]);
        if !is_free(one) {
            return;
        }
        self.leave(men, (man, one), None, visit);
        if men[man] >> 3 == home && is_free(ahead(one)) {
            self.leave(men, (man, ahead(one)), None, visit);
        }
    }

    /// Hands `visit` the legal captures en passant of a side on the square that a double step has passed.
    pub(super) fn take_en_passant(
        &self,
        men: &Men,
        mover: Side,
        passed: u8,
        visit: &mut impl FnMut(Reached),
    ) {
        // The pawn stands a rank beyond, as its side sees it.
        let stands = if mover == Side::First { passed - 8 } else { passed + 8 };
        let victim =
            self.pawns.iter().copied().find(|&man| self.roster.men[man].0 != mover && men[man] == stands);
        for &man in self.pawns.iter().filter(|&&man| self.roster.men[man].0 == mover) {
            if victim.is_none() || reach(mover, PAWN, men[man], 0) >> passed & 1 == 0 {
                continue;
            }
            let mut after = *men;
            after[man] = passed;
            if !self.is_attacked(&after, mover, victim) {
                self.roster
                    .routes
                    .reached(ChessSpace::flip, &after, victim, None, mover.other())
                    .into_iter()
                    .for_each(&mut *visit);
            }
        }
    }
}

/// Returns the cell in which a piece has moved; like men are kept in order.
#[inline]
fn moved(others: usize, piece: &Piece, men: &Men, target: u8) -> usize {
    let Some(partner) = piece.partner else { return others | usize::from(target) << piece.shift };
    let stays = men[partner.man];
    let (low, high) = (usize::from(stays.min(target)), usize::from(stays.max(target)));
    let rest = others & !(63 << partner.shift);
    // The earlier man has the higher shift and the lower square.
    rest | low << piece.shift.max(partner.shift) | high << piece.shift.min(partner.shift)
}

/// Kind of a pawn.
pub(super) const PAWN: u8 = 5;

/// A man other than king and pawn, and its 6 bits of a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) man: usize,
    pub(super) kind: u8,
    pub(super) shift: u32,
    /// The other man of its kind, whose square is the higher if `is_lower`, and its shift.
    pub(super) partner: Option<Partner>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Partner {
    pub(super) man: usize,
    pub(super) shift: u32,
}
