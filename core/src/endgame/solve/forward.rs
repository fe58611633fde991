//! The simple solver of the literature: generate the moves of every open position until nothing changes.
//!
//! In ply n a position is won if some move leads to a position lost in n − 1, and lost if every move leads to one won in
//! n − 1 or sooner. What stays open when no ply can change anything is a draw.

use super::start::{Known, SIDES, Sides, Start, start};
use crate::endgame::space::{Indexed, Space, Turn};
use crate::endgame::value::{Cell, Value};

/// Solves a slice whose dependencies are known.
pub(super) fn solve<S: Space>(known: &Known<S>, slice: usize) -> Sides {
    let Start { mut values, .. } = start(known, slice);
    let mut plies = 1;
    // Irreversible moves may decide a position long after the last change.
    while plies <= 1 + farthest(&values) {
        for side in 0..2 {
            for cell in 0..known.space.cells() {
                if values[side][cell].may_win_in(plies)
                    && let Some(men) = known.space.men(slice, cell)
                {
                    let place = Indexed { slice, cell, men };
                    if let Some(decided) = decide(known.space, &values, &place, side, plies) {
                        values[side][cell] = decided;
                    }
                }
            }
        }
        plies += 1;
    }
    values.iter_mut().flatten().for_each(|cell| *cell = cell.settled());
    values
}

/// Returns the largest distance of any decided cell.
fn farthest(values: &Sides) -> u16 {
    let plies = |cell: &Cell| match cell.decided() {
        Some(Value::Win(plies) | Value::Loss(plies)) => plies,
        Some(Value::Draw) | None => 0,
    };
    values.iter().flatten().map(plies).max().unwrap_or(0)
}

/// Returns the value of an open position if `plies` decides it.
fn decide<S: Space>(space: &S, values: &Sides, place: &Indexed, side: usize, plies: u16) -> Option<Cell> {
    let mut has_loss = false;
    let mut all_won = true;
    space.quiet_moves(place, Turn::Forward(SIDES[side]), &mut |cell| {
        let after = values[1 - side][cell];
        match after.value() {
            None => {}
            Some(Value::Loss(left)) if left < plies => has_loss = true,
            Some(Value::Win(left)) if left < plies => {}
            Some(_) => all_won = false,
        }
        !has_loss
    });
    if has_loss {
        return Some(Cell::win(plies));
    }
    if !all_won {
        return None;
    }
    values[side][place.cell].lost_in(plies).map(Cell::loss)
}
