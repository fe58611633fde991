//! Statistics of a table: won, drawn and lost positions by distance, and mutual zugzwangs.
//!
//! Conventions: every placement of the men that the rules allow (chess: no castling, no en passant, pawns on ranks 2 to
//! 7), the side that is not to move not in check, like men without order. "Full" counts positions on the board, `folded`
//! counts them up to the symmetries of the board.

use rayon::prelude::*;

use super::solve::Sides;
use super::space::{Indexed, Orbit, Space, Turn};
use super::value::{Cell, Metric, Value};
use crate::endgame::solve::Table;
use crate::game::Side;

/// Positions of one side to move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Count {
    /// All of them.
    pub legal: u64,
    /// Won by the side to move.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// Lost.
    pub loss: u64,
    /// Wins by plies.
    pub wins: Histogram,
    /// Losses by plies.
    pub losses: Histogram,
}

/// Positions by plies, from 0 on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram(Vec<u64>);

impl Histogram {
    fn add(&mut self, plies: u16, positions: u64) {
        let plies = usize::from(plies);
        if self.0.len() <= plies {
            self.0.resize(plies + 1, 0);
        }
        self.0[plies] += positions;
    }

    /// Returns the plies that some position has, ascending, with their positions.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u16, u64)> + '_ {
        let plies = self.0.iter().enumerate().map(|(plies, &positions)| (plies as u16, positions));
        plies.filter(|&(_, positions)| positions > 0)
    }

    /// Returns the largest distance and its positions; zeros if there is none.
    fn last(&self) -> (u16, u64) {
        self.iter().next_back().unwrap_or((0, 0))
    }
}

/// The census of one side to move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SideStats {
    /// Positions on the board.
    pub full: Count,
    /// Positions up to symmetry.
    pub folded: Count,
    /// Positions in which the side to move is in check and has no move.
    pub mated: u64,
    /// Positions in which it is not in check and has no move.
    pub stalemated: u64,
    /// A position with the longest win.
    pub longest_win: Option<Longest>,
    /// A position with the longest loss.
    pub longest_loss: Option<Longest>,
}

/// A longest line begins here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Longest {
    /// The position.
    pub fen: String,
    /// Plies.
    pub plies: u16,
}

/// The census of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// By side to move.
    pub sides: [SideStats; 2],
    /// Whoever moves loses or no longer wins, in full counts.
    pub zugzwangs: Zugzwangs,
}

/// Mutual zugzwangs, in full counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Zugzwangs {
    /// The first side to move draws, the second to move loses.
    pub first_draws_second_loses: u64,
    /// The first side to move loses, the second to move draws.
    pub first_loses_second_draws: u64,
    /// Whoever moves loses.
    pub both_lose: u64,
}

impl<S: Space> Table<S> {
    /// Returns the census.
    pub fn stats(&self) -> Stats {
        let slices = 0..self.space().slices();
        let parts: Vec<Stats> = slices.into_par_iter().map(|slice| self.slice_stats(slice)).collect();
        let mut stats = Stats::default();
        parts.into_iter().for_each(|part| stats.add(part));
        stats
    }

    fn slice_stats(&self, slice: usize) -> Stats {
        let mut stats = Stats::default();
        let cells: &Sides = &self.slices()[slice];
        for (cell, (&first, &second)) in cells[0].iter().zip(&cells[1]).enumerate() {
            let both = [first, second];
            if both == [Cell::INVALID; 2] {
                continue;
            }
            let Some(men) = self.space().men(slice, cell) else { continue };
            let place = Indexed { slice, cell, men };
            let orbit = self.space().orbit(&place);
            for side in [Side::First, Side::Second] {
                if let Some(value) = both[side.index()].value() {
                    self.count(&mut stats.sides[side.index()], &place, side, value, orbit);
                }
            }
            stats.zugzwangs.count(both, orbit.positions);
        }
        stats
    }

    fn count(&self, stats: &mut SideStats, place: &Indexed, side: Side, value: Value, orbit: Orbit) {
        stats.full.add(value, orbit.positions);
        stats.folded.add(value, u64::from(orbit.is_representative));
        let longest = match value {
            Value::Draw => None,
            Value::Win(plies) => Some((&mut stats.longest_win, plies)),
            Value::Loss(plies) => Some((&mut stats.longest_loss, plies)),
        };
        if let Some((longest, plies)) = longest
            && longest.as_ref().is_none_or(|longest| longest.plies < plies)
        {
            *longest = Some(Longest { fen: self.space().fen(&place.men, side), plies });
        }
        let is_terminal = match value {
            Value::Loss(0) => self.metric() != Metric::Wld || !self.has_move(place, side),
            Value::Draw => !S::STALEMATE_LOSES && !self.has_move(place, side),
            _ => false,
        };
        if is_terminal {
            let is_check = self.space().is_check(&place.men, side);
            *(if is_check { &mut stats.mated } else { &mut stats.stalemated }) += orbit.positions;
        }
    }

    fn has_move(&self, place: &Indexed, side: Side) -> bool {
        let after = &self.slices()[place.slice][side.other().index()];
        let is_stuck =
            self.space().quiet_moves(place, Turn::Forward(side), &mut |cell| !after[cell].is_valid());
        let mut has_conversion = false;
        self.space().conversions(&place.men, side, &mut |_, _| has_conversion = true);
        !is_stuck || has_conversion
    }
}

impl Count {
    fn add(&mut self, value: Value, positions: u64) {
        if positions == 0 {
            return;
        }
        self.legal += positions;
        match value {
            Value::Draw => self.draw += positions,
            Value::Win(plies) => {
                self.win += positions;
                self.wins.add(plies, positions);
            }
            Value::Loss(plies) => {
                self.loss += positions;
                self.losses.add(plies, positions);
            }
        }
    }

    fn merge(&mut self, other: &Count) {
        self.legal += other.legal;
        self.win += other.win;
        self.draw += other.draw;
        self.loss += other.loss;
        other.wins.iter().for_each(|(plies, positions)| self.wins.add(plies, positions));
        other.losses.iter().for_each(|(plies, positions)| self.losses.add(plies, positions));
    }

    /// Returns the longest win, and how many positions have it; zeros if there is none.
    pub fn max_win(&self) -> (u16, u64) {
        self.wins.last()
    }

    /// Returns the longest loss, and how many positions have it; zeros if there is none.
    pub fn max_loss(&self) -> (u16, u64) {
        self.losses.last()
    }
}

impl Stats {
    fn add(&mut self, other: Stats) {
        for (mine, theirs) in self.sides.iter_mut().zip(other.sides) {
            mine.full.merge(&theirs.full);
            mine.folded.merge(&theirs.folded);
            mine.mated += theirs.mated;
            mine.stalemated += theirs.stalemated;
            keep_longer(&mut mine.longest_win, theirs.longest_win);
            keep_longer(&mut mine.longest_loss, theirs.longest_loss);
        }
        let (mine, theirs) = (&mut self.zugzwangs, other.zugzwangs);
        mine.first_draws_second_loses += theirs.first_draws_second_loses;
        mine.first_loses_second_draws += theirs.first_loses_second_draws;
        mine.both_lose += theirs.both_lose;
    }
}

fn keep_longer(mine: &mut Option<Longest>, theirs: Option<Longest>) {
    let plies = |longest: &Option<Longest>| longest.as_ref().map(|longest| longest.plies);
    if plies(&theirs) > plies(mine) {
        *mine = theirs;
    }
}

impl Zugzwangs {
    fn count(&mut self, cells: [Cell; 2], positions: u64) {
        match cells.map(Cell::value) {
            [Some(Value::Draw), Some(Value::Loss(_))] => self.first_draws_second_loses += positions,
            [Some(Value::Loss(_)), Some(Value::Draw)] => self.first_loses_second_draws += positions,
            [Some(Value::Loss(_)), Some(Value::Loss(_))] => self.both_lose += positions,
            _ => {}
        }
    }
}
