//! Tuning: fits the numbers of an evaluation to the results of games.
//!
//! Logistic regression: the result (1, ½, 0) is predicted as 1 / (1 + e^(−s/K)) from the evaluation s in centipawns; the
//! numbers maximize the likelihood of the results. A small pull towards their start values keeps rare terms in place. K is
//! fitted first and stays fixed, so that the scale of a centipawn does not drift. Only some quiet positions of each game
//! are used (no check, no capture that gains).

use super::{Evaluate, Standard};

use crate::evaluate::{Group, Pair, Trace};
use crate::game::{GameId, Move, MoveList, Notated, Outcome, Replayable, SearchMoves};

/// Plies skipped at the start of a game, and plies between samples.
const FIRST_PLY: usize = 12;
const EVERY: usize = 5;
/// One of `TEST_EVERY` games is kept for testing. Whole games, because positions of one game share its result. Not a
/// multiple of `EVERY`, so that samples begin at different plies too.
const TEST_EVERY: usize = 21;
/// Adam (Kingma, Ba 2014): step in centipawns, decay of both moments, and what keeps the quotient finite.
const STEP: f32 = 1.0;
const DECAY: [f32; 2] = [0.9, 0.999];
const LEAST: f32 = 1e-8;
/// Assumed error of the start values, in centipawns: each number is pulled back as by one measurement with this error.
const ERROR: f32 = 25.0;

/// A game whose evaluation is a sum of numbered terms.
pub trait Tunable: Replayable + SearchMoves + Notated {
    /// Returns the terms, in the order of their numbers.
    fn groups() -> &'static [Group];

    /// Returns the numbers that ship.
    fn numbers() -> &'static [Pair];

    /// Returns the terms of a position; `None` where the evaluation is more than their sum.
    fn sample(&self) -> Option<Sample>;
}

/// The terms of a position and its game phase.
pub struct Sample {
    terms: Box<[(u16, i16)]>,
    middle: f32,
}

impl Sample {
    pub(super) fn new(trace: Trace, phase: i32, full: i32) -> Sample {
        let mut terms = trace.0;
        terms.sort_unstable();
        let mut merged: Vec<(u16, i16)> = Vec::with_capacity(terms.len());
        for (term, count) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == term => last.1 += count,
                _ => merged.push((term, count)),
            }
        }
        merged.retain(|&(_, count)| count != 0);
        Sample { terms: merged.into(), middle: phase as f32 / full as f32 }
    }

    /// Returns what the first side's terms are worth.
    fn score(&self, numbers: &[[f32; 2]]) -> f32 {
        let worth = |&(term, count): &(u16, i16)| {
            let [middle, end] = numbers[usize::from(term)];
            f32::from(count) * (middle * self.middle + end * (1.0 - self.middle))
        };
        self.terms.iter().map(worth).sum()
    }
}

/// What tuning reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// Games that took part.
    pub games: usize,
    /// Number of positions used for fitting, and for testing.
    pub positions: [usize; 2],
    /// Centipawns by which the odds of a point change e-fold.
    pub scale: f32,
    /// Mean cross-entropy of the positions kept apart, before and after.
    pub error: [f32; 2],
    /// The file of numbers, ready to be compiled.
    pub text: String,
}

/// Gathers positions of games and fits numbers to them.
pub struct Tuner<G> {
    train: Vec<(Sample, f32)>,
    test: Vec<(Sample, f32)>,
    games: usize,
    game: std::marker::PhantomData<G>,
}

impl<G: Tunable> Default for Tuner<G>
where
    Standard: Evaluate<G>,
{
    fn default() -> Tuner<G> {
        Tuner { train: Vec::new(), test: Vec::new(), games: 0, game: std::marker::PhantomData }
    }
}

impl<G: Tunable> Tuner<G>
where
    Standard: Evaluate<G>,
{
    /// Takes the quiet positions of a game from the starting position: its moves and how it ended. A game without a
    /// result teaches nothing.
    pub fn take(&mut self, moves: &[Move], outcome: Outcome) {
        let result = match outcome {
            Outcome::FirstWins => 1.0,
            Outcome::Draw => 0.5,
            Outcome::SecondWins => 0.0,
            Outcome::Unknown => return,
        };
        self.games += 1;
        let samples = if self.games.is_multiple_of(TEST_EVERY) { &mut self.test } else { &mut self.train };
        let mut position = G::start();
        // Games begin at different plies, so that all plies of the opening are met.
        let shift = self.games % EVERY;
        for (ply, &m) in moves.iter().enumerate() {
            if ply >= FIRST_PLY && ply % EVERY == shift && is_quiet(&position) {
                samples.extend(position.sample().map(|sample| (sample, result)));
            }
            position.play_unchecked(m);
        }
    }

    /// Takes a game written as coordinates and a result at the end of a line; returns whether it could be read.
    pub fn take_line(&mut self, line: &str) -> bool {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let outcome = match words.pop() {
            Some("1-0") => Outcome::FirstWins,
            Some("1/2-1/2") => Outcome::Draw,
            Some("0-1") => Outcome::SecondWins,
            _ => return false,
        };
        let mut position = G::start();
        let mut moves = Vec::with_capacity(words.len());
        for word in words {
            let Ok(m) = G::coordinates().parse(&position, word) else { return false };
            position.play_unchecked(m);
            moves.push(m);
        }
        self.take(&moves, outcome);
        true
    }

    /// Fits the numbers in several passes over all positions.
    pub fn tune(&self, passes: usize) -> Tuned {
        let start: Vec<[f32; 2]> = G::numbers().iter().map(|n| [n.middle as f32, n.end as f32]).collect();
        let (train, test) = (&self.train, &self.test);
        let scale = best_scale(train, &start);
        let mut numbers = start.clone();
        let pull = 1.0 / (ERROR * ERROR * train.len().max(1) as f32);
        let mut moments = vec![[[0.0_f32; 2]; 2]; numbers.len()];
        for pass in 1..=passes {
            let slope = slope(train, &numbers, scale);
            for (index, number) in numbers.iter_mut().enumerate() {
                for part in 0..2 {
                    let slope = slope[index][part] + pull * (number[part] - start[index][part]);
                    let rest = 1.0 - 0.9 * pass as f32 / passes as f32;
                    number[part] -= rest * step(&mut moments[index][part], slope, pass);
                }
            }
        }
        let error = [error(test, &start, scale), error(test, &numbers, scale)];
        let positions = [train.len(), test.len()];
        let origin = format!(
            "{} games, {} quiet positions, {passes} passes; cross-entropy of {} of other games {:.4} before, {:.4} after",
            self.games,
            train.len(),
            test.len(),
            error[0],
            error[1]
        );
        Tuned { games: self.games, positions, scale, error, text: write::<G>(&numbers, &origin) }
    }
}

/// Returns whether nothing is about to change hands: neither a check nor a capture that gains.
fn is_quiet<G: SearchMoves>(position: &G) -> bool
where
    Standard: Evaluate<G>,
{
    let mut noisy = MoveList::new();
    position.noisy_moves(&mut noisy);
    !position.is_check() && !noisy.iter().any(|&m| Standard.holds(position, m, 1))
}

fn predicted(score: f32, scale: f32) -> f32 {
    1.0 / (1.0 + (-score / scale).exp())
}

fn error(samples: &[(Sample, f32)], numbers: &[[f32; 2]], scale: f32) -> f32 {
    let one = |(sample, result): &(Sample, f32)| {
        let p = predicted(sample.score(numbers), scale).clamp(1e-6, 1.0 - 1e-6);
        -f64::from(result * p.ln() + (1.0 - result) * (1.0 - p).ln())
    };
    (samples.iter().map(one).sum::<f64>() / samples.len().max(1) as f64) as f32
}

/// Returns the scale under which the numbers predict best, by golden-section search.
fn best_scale(samples: &[(Sample, f32)], numbers: &[[f32; 2]]) -> f32 {
    let (mut low, mut high) = (50.0_f32, 800.0_f32);
    let golden = 0.618_034;
    while high - low > 1.0 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if error(samples, numbers, a) < error(samples, numbers, b) { high = b } else { low = a }
    }
    (low + high) / 2.0
}

/// Returns the slope of the mean error in each number.
fn slope(samples: &[(Sample, f32)], numbers: &[[f32; 2]], scale: f32) -> Vec<[f32; 2]> {
    let mut slope = vec![[0.0_f32; 2]; numbers.len()];
    let share = 1.0 / (scale * samples.len().max(1) as f32);
    for (sample, result) in samples {
        let miss = (predicted(sample.score(numbers), scale) - result) * share;
        for &(term, count) in &sample.terms {
            let part = &mut slope[usize::from(term)];
            part[0] += miss * f32::from(count) * sample.middle;
            part[1] += miss * f32::from(count) * (1.0 - sample.middle);
        }
    }
    slope
}

fn step(moments: &mut [f32; 2], slope: f32, pass: usize) -> f32 {
    moments[0] = DECAY[0] * moments[0] + (1.0 - DECAY[0]) * slope;
    moments[1] = DECAY[1] * moments[1] + (1.0 - DECAY[1]) * slope * slope;
    let mean = moments[0] / (1.0 - DECAY[0].powi(pass as i32));
    let square = moments[1] / (1.0 - DECAY[1].powi(pass as i32));
    STEP * mean / (square.sqrt() + LEAST)
}

/// Writes the file of numbers of a game.
fn write<G: Tunable>(numbers: &[[f32; 2]], origin: &str) -> String {
    let title = if G::ID == GameId::Chess { "chess" } else { "xiangqi" };
    let mut text = format!(
        "//! Numbers of the {title} evaluation, middlegame and endgame, in centipawns; written by `examples/tune.rs`.\n//!\n\
         //! Origin: {origin}.\n\n\
         use super::terms::COUNT;\nuse crate::evaluate::{{Pair, pair}};\n\n\
         #[rustfmt::skip]\npub(super) static NUMBERS: [Pair; COUNT] = [\n"
    );
    let mut rest = numbers;
    for group in G::groups() {
        text += &format!("    // {}\n", group.name);
        let (own, others) = rest.split_at(group.size);
        rest = others;
        for line in own.chunks(group.width) {
            let cells: Vec<String> =
                line.iter().map(|n| format!("pair({}, {}),", n[0].round(), n[1].round())).collect();
            text += &format!("    {}\n", cells.join(" "));
        }
    }
    text + "];\n"
}

/// Returns a number as the sum of the first side's view of it; for tests of what tuning is given.
#[cfg(test)]
pub(crate) fn worth<G: Tunable>(sample: &Sample) -> f32 {
    let numbers: Vec<[f32; 2]> = G::numbers().iter().map(|n| [n.middle as f32, n.end as f32]).collect();
    sample.score(&numbers)
}

#[cfg(test)]
mod tests;
