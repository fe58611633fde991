//! The row of one position and move while games are added to it.

use super::rating_expectation::surplus;
use super::row::Row;
use crate::game::{Outcome, Side};
use crate::replay::{GameFacts, Observation};

/// A row in the making; that of no game until one is added.
#[derive(Debug, Clone, Copy)]
pub(in crate::tally) struct Sum {
    row: Row,
    /// Smallest year less one: 0 = unknown wraps to the largest, so that any known year is smaller.
    year_min: u16,
}

impl Sum {
    /// Returns the sum of no game at the position, move and cell of an observation.
    pub fn of(observation: &Observation) -> Sum {
        let row = Row {
            key: observation.key,
            lock: observation.lock,
            played: observation.played.0,
            mover: observation.mover,
            ply: observation.ply,
            // Any game is the better sample.
            sample: u64::MAX,
            cell: observation.cell,
            ..Row::default()
        };
        Sum { row, year_min: u16::MAX }
    }

    /// Adds one observation and the game it belongs to.
    #[inline]
    pub fn add(&mut self, observation: &Observation, facts: &GameFacts) {
        let row = &mut self.row;
        let rating = facts.ratings[usize::from(row.mover != Side::First as u8)];
        row.games += u64::from(facts.games);
        row.first_wins += u64::from(facts.outcome == Outcome::FirstWins);
        row.draws += u64::from(facts.outcome == Outcome::Draw);
        row.second_wins += u64::from(facts.outcome == Outcome::SecondWins);
        row.ply = row.ply.min(observation.ply);
        row.rating_sum += u64::from(rating);
        row.rated += u64::from(rating > 0);
        self.year_min = self.year_min.min(facts.year.wrapping_sub(1));
        row.year_max = row.year_max.max(facts.year);
        row.marks += i64::from(observation.mark);
        row.offer_sample(facts.fingerprint, facts.mean_rating());
        if let Some(surplus) = surplus(facts) {
            row.paired += 1;
            row.surplus += surplus;
        }
    }

    /// Adds the row of games of the same position and move.
    pub fn add_row(&mut self, other: &Row) {
        self.row.add(other);
        self.year_min = self.year_min.min(other.year_min.wrapping_sub(1));
    }

    /// Returns the row.
    pub fn into_row(self) -> Row {
        Row { year_min: self.year_min.wrapping_add(1), ..self.row }
    }
}
