//! Adds games to the row of a position and move.
//!
//! What the ratings of the players promise, and how much more than that a result is.
//!
//! The player who is d points ahead is expected to score 1 / (1 + 10^(−d/400)) (Elo's logistic formula). It is rounded
//! to hundredths of a game, as in FIDE's table of the same thing (Rating Regulations 8.1.2), so that sums are whole
//! numbers and equal on every machine. On 153,525 rated games the formula is nearer to the results than the normal
//! curve that FIDE's table comes from, where the difference is above 200 points, and a cut at 400 points is further
//! from them, so there is none.

use super::row::{Row, earlier};
use crate::filter::mean_rating;
use crate::game::{Outcome, Side};
use crate::replay::{GameFacts, Observation};

impl Row {
    /// Returns the row of no game at the position, move and cell of an observation.
    pub(in crate::tally) fn of(observation: &Observation) -> Row {
        Row {
            key: observation.key,
            lock: observation.lock,
            played: observation.played.0,
            mover: observation.mover,
            ply: observation.ply,
            // Any game is the better sample.
            sample: u64::MAX,
            cell: observation.cell,
            ..Row::default()
        }
    }

    /// Adds one observation and the game it belongs to.
    #[inline]
    pub(in crate::tally) fn add_game(&mut self, observation: &Observation, facts: &GameFacts) {
        let rating = facts.ratings[usize::from(self.mover != Side::First as u8)];
        self.games += u64::from(facts.games);
        self.first_wins += u64::from(facts.outcome == Outcome::FirstWins);
        self.draws += u64::from(facts.outcome == Outcome::Draw);
        self.second_wins += u64::from(facts.outcome == Outcome::SecondWins);
        self.ply = self.ply.min(observation.ply);
        self.rating_sum += u64::from(rating);
        self.rated += u64::from(rating > 0);
        self.year_min = earlier(self.year_min, facts.year);
        self.year_max = self.year_max.max(facts.year);
        self.marks += i64::from(observation.mark);
        self.offer_sample(facts.fingerprint, mean_rating(facts.ratings));
        if let Some(surplus) = surplus(facts) {
            self.paired += 1;
            self.surplus += surplus;
        }
    }
}

/// Smallest differences at which 51, 52 … 100 hundredths are expected: the formula, turned round at 50.5, 51.5 … 99.5.
pub(crate) const STEPS: [u16; 50] = [
    4, 11, 18, 25, 32, 39, 46, 53, 60, 67, 75, 82, 89, 97, 104, 112, 120, 127, 135, 144, 152, 160, 169, 178,
    187, 196, 206, 215, 225, 236, 247, 258, 270, 282, 295, 309, 323, 339, 355, 373, 392, 413, 437, 464, 495,
    531, 577, 637, 727, 920,
];

/// The difference from which the better player is expected to score everything.
const LAST: usize = STEPS[STEPS.len() - 1] as usize;

/// Hundredths that the better player is expected to score, by the difference.
static EXPECTED: [u8; LAST + 1] = expected();

const fn expected() -> [u8; LAST + 1] {
    let mut table = [50; LAST + 1];
    let (mut ahead, mut step) = (0, 0);
    while ahead <= LAST {
        while step < STEPS.len() && STEPS[step] as usize <= ahead {
            step += 1;
        }
        table[ahead] = 50 + step as u8;
        ahead += 1;
    }
    table
}

/// Returns the first side's score less what the ratings promise, in hundredths of a game; `None` if the result or a
/// rating is unknown.
#[inline]
pub(super) fn surplus(facts: &GameFacts) -> Option<i64> {
    let [first, second] = facts.ratings;
    let scored = match facts.outcome {
        Outcome::FirstWins => 100,
        Outcome::Draw => 50,
        Outcome::SecondWins => 0,
        Outcome::Unknown => return None,
    };
    if first == 0 || second == 0 {
        return None;
    }
    let ahead = i64::from(EXPECTED[usize::from(first.abs_diff(second)).min(LAST)]);
    Some(scored - if first >= second { ahead } else { 100 - ahead })
}

#[cfg(test)]
mod tests;
