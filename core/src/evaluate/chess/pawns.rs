//! Pawn structure, and the table that remembers it.
//!
//! Structures change far more rarely than positions, so a search finds most of them in the table.

use shakmaty::{Bitboard, Board, Color, Square, attacks};

use super::numbers::NUMBERS;
use super::terms;
use crate::evaluate::{Pair, Sum, pair};

/// Number of structures in the table, 1 MiB in all; chosen.
const SLOTS: usize = 1 << 14;

/// The evaluation of the pawns alone.
#[derive(Clone, Copy)]
pub(super) struct Structure {
    pub worth: Pair,
    pub passed: Bitboard,
    /// What white and black pawns attack.
    pub attacks: [Bitboard; 2],
    /// The pawns themselves, white and black: they are the key.
    pawns: [Bitboard; 2],
}

/// A hash table of structures, one slot per index. The default table has no slots.
#[derive(Default)]
pub struct PawnTable {
    slots: Vec<Structure>,
}

impl PawnTable {
    pub(super) fn new() -> PawnTable {
        let none = Bitboard::EMPTY;
        // No position has a pawn on every square: the slot is empty.
        let empty =
            Structure { worth: pair(0, 0), passed: none, attacks: [none; 2], pawns: [Bitboard::FULL; 2] };
        PawnTable { slots: vec![empty; SLOTS] }
    }

    pub(super) fn look_up(&mut self, board: &Board) -> Structure {
        let pawns = [board.white() & board.pawns(), board.black() & board.pawns()];
        // Odd constants of the golden ratio and of the square root of two spread the bits.
        let mixed =
            pawns[0].0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ pawns[1].0.wrapping_mul(0xb504_f333_f9de_6485);
        let index = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 50;
        let Some(slot) = self.slots.get_mut(index as usize) else { return fresh(board) };
        if slot.pawns != pawns {
            *slot = fresh(board);
        }
        *slot
    }
}

fn fresh(board: &Board) -> Structure {
    let mut sum = Sum::new(&NUMBERS);
    let structure = structure(board, &mut sum);
    Structure { worth: sum.total, ..structure }
}

/// Adds the terms of the pawns and returns their structure, without its value.
pub(super) fn structure(board: &Board, sum: &mut Sum) -> Structure {
    let pawns = [board.white() & board.pawns(), board.black() & board.pawns()];
    let seen = [pawn_attacks(pawns[0], Color::White), pawn_attacks(pawns[1], Color::Black)];
    let mut passed = Bitboard::EMPTY;
    for (own, color) in [(0, Color::White), (1, Color::Black)] {
        for pawn in pawns[own] {
            passed |= add_pawn(pawn, color, (pawns[own], pawns[1 - own]), seen[1 - own], sum);
        }
    }
    Structure { worth: pair(0, 0), passed, attacks: seen, pawns }
}

/// Adds the terms of a pawn; returns the pawn if it is passed.
fn add_pawn(
    pawn: Square,
    color: Color,
    (own, theirs): (Bitboard, Bitboard),
    their_attacks: Bitboard,
    sum: &mut Sum,
) -> Bitboard {
    let sign = if color.is_white() { 1 } else { -1 };
    let rank = relative(color, pawn) / 8;
    sum.add(terms::SQUARES + relative(color, pawn), sign);
    let file = Bitboard::from_file(pawn.file());
    let beside = neighbours(file);
    let front = ahead(color, pawn);
    let is_guarded = (attacks::pawn_attacks(!color, pawn) & own).any();
    let has_neighbour = (beside & own & Bitboard::from_rank(pawn.rank())).any();
    if has_neighbour {
        sum.add(terms::BESIDE + rank, sign);
    }
    if is_guarded {
        sum.add(terms::GUARDED + rank, sign);
    }
    if (own & beside).is_empty() {
        sum.add(terms::ISOLATED, sign);
    } else if !is_guarded && !has_neighbour && (own & beside & !front).is_empty() {
        let next = pawn.offset(if color.is_white() { 8 } else { -8 });
        if next.is_some_and(|next| their_attacks.contains(next)) {
            sum.add(terms::BACKWARD, sign);
        }
    }
    if (own & file & front).any() {
        sum.add(terms::DOUBLED, sign);
    } else if (theirs & (file | beside) & front).is_empty() {
        sum.add(terms::PASSED + rank, sign);
        return Bitboard::from(pawn);
    }
    Bitboard::EMPTY
}

/// Returns all squares on the ranks before a square, as its side moves.
pub(super) fn ahead(color: Color, square: Square) -> Bitboard {
    let rank = square.rank() as u32;
    let all = u64::MAX;
    Bitboard(if color.is_white() {
        all.checked_shl(8 * (rank + 1)).unwrap_or(0)
    } else {
        !(all << (8 * rank))
    })
}

/// Returns the squares to the left and right of some.
pub(super) fn neighbours(squares: Bitboard) -> Bitboard {
    let [left, right] = sideways(squares);
    left | right
}

pub(super) fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    one_rank_on(neighbours(pawns), color)
}

/// Returns the squares that two of the pawns attack.
pub(super) fn attacked_twice(pawns: Bitboard, color: Color) -> Bitboard {
    let [left, right] = sideways(pawns);
    one_rank_on(left & right, color)
}

/// Returns the squares to the left of some, and those to the right.
fn sideways(squares: Bitboard) -> [Bitboard; 2] {
    let not_a = !Bitboard::from_file(shakmaty::File::A);
    let not_h = !Bitboard::from_file(shakmaty::File::H);
    [Bitboard((squares & not_a).0 >> 1), Bitboard((squares & not_h).0 << 1)]
}

#[inline]
pub(super) fn one_rank_on(squares: Bitboard, color: Color) -> Bitboard {
    Bitboard(if color.is_white() { squares.0 << 8 } else { squares.0 >> 8 })
}

/// Returns the square as its side sees it, a1 = 0.
pub(super) fn relative(color: Color, square: Square) -> usize {
    let flip = if color.is_white() { 0 } else { 56 };
    square as usize ^ flip
}
