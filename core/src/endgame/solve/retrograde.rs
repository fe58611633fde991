//! The fast solver: ply by ply, backward from decided positions.
//!
//! A loss in n makes every position before it a win in n + 1, unless it is one sooner. A win in n takes one move from
//! every position before it; one that has no move left, and no irreversible move that holds, is lost: in n + 1, or when
//! its longest irreversible move has lost. Conversions into other tables are decided from the start, each waiting for its
//! ply. Moves of a position are generated once.

use super::start::{Known, SIDES, Sides, Start, start};
use crate::endgame::space::{Indexed, Space, Turn};
use crate::endgame::value::{Cell, Value};

/// Cells by distance, for each side to move.
#[derive(Default)]
struct Frontier(Vec<[Vec<u32>; 2]>);

impl Frontier {
    fn push(&mut self, plies: u16, side: usize, cell: usize) {
        let plies = usize::from(plies);
        if self.0.len() <= plies {
            self.0.resize_with(plies + 1, Default::default);
        }
        self.0[plies][side].push(cell as u32);
    }

    fn take(&mut self, plies: u16, side: usize) -> Vec<u32> {
        self.0.get_mut(usize::from(plies)).map(|sides| std::mem::take(&mut sides[side])).unwrap_or_default()
    }

    fn plies(&self) -> usize {
        self.0.len()
    }
}

struct Backward<'a, S> {
    space: &'a S,
    slice: usize,
    start: Start,
    wins: Frontier,
    losses: Frontier,
}

/// Solves a slice whose dependencies are known.
pub(super) fn solve<S: Space>(known: &Known<S>, slice: usize) -> Sides {
    let start = start(known, slice);
    let mut work =
        Backward { space: known.space, slice, start, wins: Frontier::default(), losses: Frontier::default() };
    work.collect();
    let mut plies = 0;
    while usize::from(plies) < work.wins.plies().max(work.losses.plies()) {
        for side in SIDES {
            for cell in work.losses.take(plies, side.index()) {
                work.before_loss(cell as usize, side.index(), plies + 1);
            }
            for cell in work.wins.take(plies, side.index()) {
                work.before_win(cell as usize, side.index(), plies);
            }
        }
        plies += 1;
    }
    let mut values = work.start.values;
    values.iter_mut().flatten().for_each(|cell| *cell = cell.settled());
    values
}

impl<S: Space> Backward<'_, S> {
    /// Puts what is decided at the start where its ply will find it.
    fn collect(&mut self) {
        for side in 0..2 {
            for (cell, value) in self.start.values[side].iter().enumerate() {
                match value.decided() {
                    Some(Value::Win(plies)) => self.wins.push(plies, side, cell),
                    Some(Value::Loss(plies)) => self.losses.push(plies, side, cell),
                    Some(Value::Draw) | None => {}
                }
            }
        }
    }

    fn before_loss(&mut self, cell: usize, side: usize, plies: u16) {
        let Some(men) = self.space.men(self.slice, cell) else { return };
        let place = Indexed { slice: self.slice, cell, men };
        let mover = 1 - side;
        let (values, wins) = (&mut self.start.values[mover], &mut self.wins);
        self.space.quiet_moves(&place, Turn::Back(SIDES[mover]), &mut |before| {
            if values[before].may_win_in(plies) {
                values[before] = Cell::win(plies);
                wins.push(plies, mover, before);
            }
            true
        });
    }

    fn before_win(&mut self, cell: usize, side: usize, plies: u16) {
        // A win that turned out quicker has been here before.
        if self.start.values[side][cell] != Cell::win(plies) {
            return;
        }
        let Some(men) = self.space.men(self.slice, cell) else { return };
        let place = Indexed { slice: self.slice, cell, men };
        let mover = 1 - side;
        let (values, moves) = (&mut self.start.values[mover], &mut self.start.moves[mover]);
        let losses = &mut self.losses;
        self.space.quiet_moves(&place, Turn::Back(SIDES[mover]), &mut |before| {
            // Gaps begin with no move and count down through 255: they have fewer neighbours than that.
            moves[before] = moves[before].wrapping_sub(1);
            if moves[before] == 0
                && let Some(lost_in) = values[before].lost_in(plies + 1)
            {
                values[before] = Cell::loss(lost_in);
                losses.push(lost_in, mover, before);
            }
            true
        });
    }
}
