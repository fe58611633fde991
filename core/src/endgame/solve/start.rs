//! The start of both solvers: valid positions, values of irreversible moves, and positions without a move.

use rayon::prelude::*;

use super::{Known, Sides};
use crate::endgame::space::{Indexed, Space, Turn};
use crate::endgame::value::{Cell, Value};
use crate::game::Side;

/// Cells that one task looks at.
const CHUNK: usize = 1 << 14;

/// Both sides in order.
pub(super) const SIDES: [Side; 2] = [Side::First, Side::Second];

/// A set of cells.
pub(super) struct CellSet(Vec<u64>);

impl CellSet {
    #[inline]
    pub fn contains(&self, cell: usize) -> bool {
        self.0[cell >> 6] >> (cell & 63) & 1 != 0
    }
}

/// A slice as solvers begin with it.
pub(super) struct Start {
    /// Wins, losses and pending losses by irreversible moves, mates and stalemates.
    pub values: Sides,
    /// The legal reversible moves of each open cell; `u8::MAX` where it does not matter.
    pub moves: [Vec<u8>; 2],
}

/// Returns the start of a slice.
pub(super) fn start<S: Space>(known: &Known<S>, slice: usize) -> Start {
    let valid = positions(known.space, slice);
    let side = |mover: Side| {
        let cells = known.space.cells();
        let mut values = vec![Cell::INVALID; cells];
        let mut moves = vec![0; cells];
        values.par_chunks_mut(CHUNK).zip(moves.par_chunks_mut(CHUNK)).enumerate().for_each(
            |(chunk, (values, moves))| {
                for (at, (value, moves)) in values.iter_mut().zip(moves).enumerate() {
                    let cell = chunk * CHUNK + at;
                    if valid[mover.index()].contains(cell)
                        && let Some(men) = known.space.men(slice, cell)
                    {
                        let place = Indexed { slice, cell, men };
                        (*value, *moves) = begin(known, &place, mover, &valid[mover.other().index()]);
                    }
                }
            },
        );
        (values, moves)
    };
    let (first, second) = (side(Side::First), side(Side::Second));
    Start { values: [first.0, second.0], moves: [first.1, second.1] }
}

/// Returns the cells of a slice that are positions, for each side to move.
pub(super) fn positions<S: Space>(space: &S, slice: usize) -> [CellSet; 2] {
    let words = space.cells().div_ceil(64);
    let pairs: Vec<[u64; 2]> = (0..words)
        .into_par_iter()
        .with_min_len(CHUNK / 64)
        .map(|word| {
            let mut sets = [0, 0];
            for cell in word * 64..space.cells().min(word * 64 + 64) {
                if let Some(men) = space.men(slice, cell) {
                    for side in SIDES {
                        // The side that is not to move may not be in check.
                        let is_legal = !space.is_check(&men, side.other());
                        sets[side.index()] |= u64::from(is_legal) << (cell & 63);
                    }
                }
            }
            sets
        })
        .collect();
    [0, 1].map(|side| CellSet(pairs.iter().map(|sets| sets[side]).collect()))
}

/// Returns the value and the number of reversible moves with which a position begins.
fn begin<S: Space>(known: &Known<S>, place: &Indexed, mover: Side, valid: &CellSet) -> (Cell, u8) {
    let mut moves = 0;
    known.space.quiet_moves(place, Turn::Forward(mover), &mut |cell| {
        moves += u8::from(valid.contains(cell));
        true
    });
    let mut best: Option<Value> = None;
    known.space.conversions(&place.men, mover, &mut |step, reached| {
        let value = known.conversion(step, &reached);
        best = best.into_iter().chain([value]).max_by_key(|value| value.preference());
    });
    match best {
        Some(Value::Win(plies)) => (Cell::win(plies), u8::MAX),
        Some(Value::Draw) => (Cell::SAFE, u8::MAX),
        Some(Value::Loss(plies)) if moves == 0 => (Cell::loss(plies), u8::MAX),
        Some(Value::Loss(plies)) => (Cell::pending(plies), moves),
        None if moves > 0 => (Cell::UNKNOWN, moves),
        None if S::STALEMATE_LOSES || known.space.is_check(&place.men, mover) => (Cell::loss(0), u8::MAX),
        None => (Cell::SAFE, u8::MAX),
    }
}
