//! Xiangqi: material and points, mobility, guards against attackers, threats, pressure on the palace, cannons and screens.
//!
//! Scores are centipawns for the side to move. A position, its left-right mirror, and the position with sides swapped
//! and the board turned get the same score. This file counts the terms; `numbers` has their values.

mod exchange;
mod numbers;
mod terms;

use arrayvec::ArrayVec;

use super::{Evaluate, MaterialTable, Standard, Sum};
use crate::game::{Game, Move, Side};
use crate::xiangqi::board::Board;
use crate::xiangqi::{Bitboard, FILES, Kind, RANKS, Square, Xiangqi, attacks};
use numbers::NUMBERS;

/// Weight of each kind in the game phase; 16 in total at the start.
const PHASE: [i32; 7] = [0, 0, 0, 1, 1, 2, 0];
const FULL_PHASE: i32 = 16;
const MOST_PIECES: usize = 16;
/// Weight of each kind that attacks the palace: pawn, cannon, horse, rook.
const ATTACKER: [i32; 7] = [1, 0, 0, 2, 2, 3, 0];
/// Missing elephants by enemy rooks, cannons, horses.
const ELEPHANTS: [usize; 3] =
    [terms::ELEPHANTS_BY_ROOKS, terms::ELEPHANTS_BY_CANNONS, terms::ELEPHANTS_BY_HORSES];
const CROSSING: [Kind; 4] = [Kind::Pawn, Kind::Cannon, Kind::Horse, Kind::Rook];

impl Evaluate<Xiangqi> for Standard {
    type Memory = MaterialTable<Material>;

    fn memory(&self) -> MaterialTable<Material> {
        MaterialTable::new()
    }

    fn judge(&self, position: &Xiangqi, memory: &mut MaterialTable<Material>) -> i32 {
        let material = memory.look_up(men(position.board()), || Material::of(position));
        if material.is_dead {
            return 0;
        }
        let mut sum = Sum::new(&NUMBERS);
        add_terms(position, &mut sum);
        let first = sum.total.at(material.phase, FULL_PHASE);
        NUMBERS[terms::TEMPO].at(material.phase, FULL_PHASE)
            + if position.side() == Side::First { first } else { -first }
    }

    fn gain(&self, position: &Xiangqi, m: Move) -> Option<i32> {
        exchange::gain(position, m)
    }

    fn holds(&self, position: &Xiangqi, m: Move, least: i32) -> bool {
        exchange::holds(position, m, least)
    }

    fn zugzwang_threatens(&self, position: &Xiangqi) -> bool {
        [Kind::Cannon, Kind::Horse, Kind::Rook]
            .iter()
            .all(|&kind| position.pieces(position.side(), kind).is_empty())
    }
}

/// Facts that depend on the numbers of men alone.
#[derive(Clone, Copy, Default)]
pub struct Material {
    /// 16 with all pieces on the board, 0 with none.
    phase: i32,
    is_dead: bool,
}

impl Material {
    fn of(position: &Xiangqi) -> Material {
        Material { phase: phase(position.board()), is_dead: position.has_insufficient_material() }
    }
}

/// Returns how many men of each kind but the generals there are, the first side's and the second's.
fn men(board: &Board) -> impl Iterator<Item = u64> + '_ {
    let count = |side: Side, kind: Kind| board.pieces(side, kind).len() as u64;
    let kinds = Kind::ALL.into_iter().filter(|&kind| kind != Kind::General);
    kinds.flat_map(move |kind| [count(Side::First, kind), count(Side::Second, kind)])
}

fn add_terms(position: &Xiangqi, sum: &mut Sum) {
    let board = position.board();
    let [first, second] = [View::new(board, Side::First), View::new(board, Side::Second)];
    for (side, other) in [(&first, &second), (&second, &first)] {
        side.add_pieces(other, sum);
        side.add_guards(other, sum);
        side.add_threats(other, sum);
        side.add_relations(other, sum);
    }
}

/// One side's pieces and the points that they attack.
struct View<'a> {
    board: &'a Board,
    side: Side,
    pub(super) sign: i32,
    own: Bitboard,
    general: Square,
    /// What each kind attacks, own pieces included.
    seen: [Bitboard; 7],
    all_seen: Bitboard,
    pieces: ArrayVec<(Kind, Square, Bitboard), MOST_PIECES>,
}

impl<'a> View<'a> {
    fn new(board: &'a Board, side: Side) -> View<'a> {
        let mut seen = [Bitboard::EMPTY; 7];
        let mut pieces = ArrayVec::new();
        for kind in Kind::ALL {
            for square in board.pieces(side, kind) {
                let reach = reach(board, side, kind, square);
                seen[kind as usize] |= reach;
                // Room for all: no side has more than a set.
                let _ = pieces.try_push((kind, square, reach));
            }
        }
        let all_seen = seen.into_iter().fold(Bitboard::EMPTY, |all, some| all | some);
        let sign = if side == Side::First { 1 } else { -1 };
        View {
            board,
            side,
            sign,
            own: board.side(side),
            general: board.general(side),
            seen,
            all_seen,
            pieces,
        }
    }

    fn of(&self, kind: Kind) -> Bitboard {
        self.board.pieces(self.side, kind)
    }

    /// Points, mobility, and the pressure on the other palace.
    fn add_pieces(&self, other: &View, sum: &mut Sum) {
        let palace = attacks::palace(other.side) | attacks::horse_ring(other.general);
        let (mut attackers, mut weight) = (0, 0);
        let free = !self.own;
        for &(kind, square, seen) in &self.pieces {
            sum.add(terms::POINTS + kind as usize * terms::HALF + relative(self.side, square), self.sign);
            // A cannon presses where it moves as well as where it captures.
            let seen = if kind == Kind::Cannon { seen | self.board.cannon_quiets(square) } else { seen };
            match kind {
                Kind::Cannon => {
                    sum.add(terms::CANNON_MOBILITY + (seen & free).len().min(17), self.sign);
                }
                Kind::Horse => {
                    let count = (seen & free & !other.seen[Kind::Pawn as usize]).len();
                    sum.add(terms::HORSE_MOBILITY + count, self.sign);
                }
                Kind::Rook => sum.add(terms::ROOK_MOBILITY + (seen & free).len(), self.sign),
                _ => {}
            }
            if ATTACKER[kind as usize] > 0 {
                let near = (seen & palace).len() as i32;
                if near > 0 {
                    attackers += 1;
                    weight += ATTACKER[kind as usize] + near.min(4);
                }
            }
        }
        if attackers >= 2 {
            sum.add(terms::DANGER + weight.min(23) as usize, self.sign);
        }
        let across = CROSSING.map(|kind| (self.of(kind) & attacks::home(other.side)).len());
        sum.add(terms::ACROSS + across.iter().sum::<usize>().min(9), self.sign);
    }

    /// Missing advisors and elephants, by the enemy's attacking pieces.
    fn add_guards(&self, other: &View, sum: &mut Sum) {
        let missing = |kind| 2 - self.of(kind).len().min(2);
        let attackers = [Kind::Rook, Kind::Cannon, Kind::Horse].map(|kind| other.of(kind).len().min(2));
        for (index, count) in attackers.into_iter().enumerate() {
            sum.add(terms::ADVISORS + 9 * index + 3 * missing(Kind::Advisor) + count, self.sign);
            sum.add(ELEPHANTS[index] + 3 * missing(Kind::Elephant) + count, self.sign);
        }
    }

    fn add_threats(&self, other: &View, sum: &mut Sum) {
        let seen = |kind: Kind| self.seen[kind as usize];
        let minors = seen(Kind::Advisor) | seen(Kind::Elephant) | seen(Kind::Cannon) | seen(Kind::Horse);
        for kind in &Kind::ALL[..6] {
            let victims = other.of(*kind);
            let index = *kind as usize;
            let count = |attackers: Bitboard| self.sign * (victims & attackers).len() as i32;
            sum.add(terms::PAWN_ATTACKS + index, count(seen(Kind::Pawn)));
            sum.add(terms::MINOR_ATTACKS + index, count(minors));
            sum.add(terms::ROOK_ATTACKS + index, count(seen(Kind::Rook)));
            sum.add(terms::UNGUARDED + index, count(self.all_seen & !other.all_seen));
        }
    }

    /// Cannons before the general, blocked horses, pawns side by side, cannons without horses.
    fn add_relations(&self, other: &View, sum: &mut Sum) {
        let occupied = self.board.occupied();
        for cannon in self.of(Kind::Cannon) {
            if cannon.file() != other.general.file() {
                continue;
            }
            let between = attacks::between(cannon, other.general);
            let screens = between & occupied;
            match screens.len() {
                0 => sum.add(terms::BARE_FILE + between.len().min(9), self.sign),
                2 => sum.add(terms::TWO_SCREENS + (screens & other.own).len(), self.sign),
                _ => {}
            }
        }
        for horse in self.of(Kind::Horse) {
            let ahead =
                if self.side == Side::First { horse.rank() + 1 } else { horse.rank().wrapping_sub(1) };
            let is_blocked = Square::at(horse.file(), ahead).is_some_and(|leg| occupied.contains(leg));
            sum.add(terms::BLOCKED_HORSE, self.sign * i32::from(is_blocked));
        }
        let crossed = self.of(Kind::Pawn) & attacks::home(other.side);
        for pawn in crossed {
            let right = Square::at(pawn.file() + 1, pawn.rank());
            sum.add(terms::PAWN_PAIR, self.sign * i32::from(right.is_some_and(|at| crossed.contains(at))));
        }
        let [cannons, horses] = [Kind::Cannon, Kind::Horse].map(|kind| self.of(kind).len());
        let rooks = self.of(Kind::Rook).len().min(2);
        match (cannons, horses) {
            (1.., 0) => sum.add(terms::CANNONS_ONLY + rooks, self.sign),
            (0, 1..) => sum.add(terms::CANNONS_ONLY + rooks, -self.sign),
            _ => {}
        }
    }
}

/// Returns what a piece attacks; of a cannon, what it would capture on.
fn reach(board: &Board, side: Side, kind: Kind, square: Square) -> Bitboard {
    match kind {
        Kind::Cannon => board.cannon_attacks(square),
        _ => board.destinations(side, kind, square),
    }
}

/// Returns 16 with all attacking pieces on the board, 0 with none.
fn phase(board: &Board) -> i32 {
    let count = |kind: Kind| board.kind(kind).len() as i32 * PHASE[kind as usize];
    Kind::ALL.map(count).iter().sum::<i32>().min(FULL_PHASE)
}

/// Returns the point as its side sees it on the half of the board that it shares with its mirror: a0 = 0, e9 = 49.
fn relative(side: Side, square: Square) -> usize {
    let rank = match side {
        Side::First => square.rank(),
        Side::Second => RANKS - 1 - square.rank(),
    };
    usize::from(rank * 5 + square.file().min(FILES - 1 - square.file()))
}

#[cfg(test)]
mod tests;
