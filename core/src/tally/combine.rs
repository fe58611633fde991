//! Observations in, sorted and combined tally rows out: partition by the top bits of the key while they come, then
//! sort each part in cache and add up neighbours in one pass.
//!
//! A part is sorted by a second radix step on the key's next bits, which leaves buckets of a few observations; only
//! the buckets of often seen positions are larger. Measured design: `append + partition + sort` needs half the time
//! and memory of a hash table, and the order is the book's.

use rayon::prelude::*;

use super::rows::{Row, Rows};
use crate::game::{Move, Outcome, Side};
use crate::replay::{GameFacts, Observation};

/// Top bits of the key that name a part. 1,024 parts keep the write streams in the translation buffer and the parts
/// of some ten million observations in the second-level cache.
const PART_BITS: u32 = 10;
const PARTS: usize = 1 << PART_BITS;

/// Observations in one chunk of a part, 3 KiB.
const CHUNK: usize = 128;

/// The full chunks of one part, and at the end what it had begun.
type Part = Vec<Vec<Observation>>;

/// Observations of one worker, parted by the top bits of their keys. A part fills its stretch of one open area, so
/// that an observation costs one store; full stretches are moved away as chunks.
#[derive(Debug)]
pub struct Parts {
    open: Vec<Observation>,
    /// Observations in each part's open stretch.
    begun: Vec<u16>,
    full: Vec<Part>,
    len: u64,
}

impl Default for Parts {
    fn default() -> Parts {
        let nothing = Observation { key: 0, lock: 0, game: 0, played: Move::NONE, ply: 0, mark: 0, mover: 0 };
        Parts {
            open: vec![nothing; PARTS * CHUNK],
            begun: vec![0; PARTS],
            full: vec![Part::new(); PARTS],
            len: 0,
        }
    }
}

impl Parts {
    /// Moves observations into their parts; `observations` is empty afterwards.
    pub fn scatter(&mut self, observations: &mut Vec<Observation>) {
        self.len += observations.len() as u64;
        for observation in observations.drain(..) {
            let part = (observation.key >> (64 - PART_BITS)) as usize;
            let begun = &mut self.begun[part];
            self.open[part * CHUNK + usize::from(*begun)] = observation;
            *begun += 1;
            if usize::from(*begun) == CHUNK {
                self.close(part);
            }
        }
    }

    /// Moves a part's open stretch to its chunks.
    fn close(&mut self, part: usize) {
        let begun = usize::from(std::mem::take(&mut self.begun[part]));
        if begun > 0 {
            self.full[part].push(self.open[part * CHUNK..][..begun].to_vec());
        }
    }

    fn into_parts(mut self) -> Vec<Part> {
        (0..PARTS).for_each(|part| self.close(part));
        self.full
    }

    /// Drops the observations of games that are not to be kept.
    pub fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        (0..PARTS).for_each(|part| self.close(part));
        for part in &mut self.full {
            part.iter_mut().for_each(|chunk| chunk.retain(|observation| is_kept(observation.game)));
            part.retain(|chunk| !chunk.is_empty());
        }
        self.len = self.full.iter().flatten().map(|chunk| chunk.len() as u64).sum();
    }

    /// Returns the number of observations.
    pub fn len(&self) -> u64 {
        self.len
    }
}

/// What one worker brings: observations, and the facts of the games they belong to.
#[derive(Debug, Default)]
pub struct Harvest {
    /// The observations.
    pub parts: Parts,
    /// Facts of the games; an observation's `game` is an index into them.
    pub facts: Vec<GameFacts>,
}

/// Combines what all workers brought into one sorted table; each thread of the current pool takes a stretch of parts.
pub fn combine(harvests: Vec<Harvest>) -> Rows {
    let mut facts = Vec::new();
    let mut parts: Vec<Part> = vec![Part::new(); PARTS];
    for mut harvest in harvests {
        let base = facts.len() as u32;
        facts.append(&mut harvest.facts);
        for (part, mut chunks) in parts.iter_mut().zip(harvest.parts.into_parts()) {
            if base > 0 {
                chunks.iter_mut().flatten().for_each(|observation| observation.game += base);
            }
            part.append(&mut chunks);
        }
    }
    let stretch = PARTS.div_ceil(rayon::current_num_threads());
    let mut tables: Vec<Rows> =
        parts.par_chunks_mut(stretch).map(|stretch| combine_stretch(stretch, &facts)).collect();
    let mut rows = tables.remove(0);
    rows.reserve_exact(tables.iter().map(Rows::len).sum());
    tables.iter().for_each(|table| rows.append(table));
    rows
}

/// Sorts and adds up part after part. Columns are made for as many rows as there are observations: what is left over
/// is memory that is never touched, so it costs nothing.
fn combine_stretch(parts: &mut [Part], facts: &[GameFacts]) -> Rows {
    let mut room = Vec::new();
    let mut rows = Rows::default();
    rows.reserve_exact(parts.iter().flatten().map(Vec::len).sum());
    let mut of_part = Vec::new();
    for part in parts {
        of_part.clear();
        add_up(radix_sort(part, &mut room), facts, &mut of_part);
        part.clear();
        rows.extend(&of_part);
    }
    rows
}

fn identity(observation: &Observation) -> (u64, u64) {
    (observation.key, u64::from(observation.lock) << 16 | u64::from(observation.played.0))
}

/// Sorts a part by (key, lock, move) into `room`: one counting pass over the key's next bits, then each small
/// bucket by itself.
fn radix_sort<'a>(part: &Part, room: &'a mut Vec<Observation>) -> &'a [Observation] {
    let Some(&filler) = part.first().and_then(|chunk| chunk.first()) else { return &[] };
    let len: usize = part.iter().map(Vec::len).sum();
    // About four observations a bucket if all keys differ; 2^12 counters stay in the first-level cache.
    let bits = len.ilog2().saturating_sub(2).clamp(1, 12);
    let digit = |o: &Observation| (o.key << PART_BITS >> (64 - bits)) as usize;
    let mut ends = vec![0usize; 1 << bits];
    for observation in part.iter().flatten() {
        ends[digit(observation)] += 1;
    }
    let mut total = 0;
    for end in &mut ends {
        (*end, total) = (total, total + *end);
    }
    if room.len() < len {
        room.resize(len, filler);
    }
    let sorted = &mut room[..len];
    for observation in part.iter().flatten() {
        let slot = &mut ends[digit(observation)];
        sorted[*slot] = *observation;
        *slot += 1;
    }
    let mut start = 0;
    for end in ends {
        sorted[start..end].sort_unstable_by_key(identity);
        start = end;
    }
    sorted
}

/// Appends one row for each position and move of a sorted part.
fn add_up(sorted: &[Observation], facts: &[GameFacts], rows: &mut Vec<Row>) {
    let mut sum: Option<Sum> = None;
    for observation in sorted {
        let facts = &facts[observation.game as usize];
        match &mut sum {
            Some(sum) if sum.is_of(observation) => sum.add(observation, facts),
            _ => {
                let next = Sum::start(observation, facts);
                rows.extend(sum.replace(next).map(Sum::into_row));
            }
        }
    }
    rows.extend(sum.map(Sum::into_row));
}

/// The row of one position and move while observations are added to it.
struct Sum {
    row: Row,
    /// Smallest year less one: 0 = unknown wraps to the largest, so that any known year is smaller.
    year_min: u16,
}

impl Sum {
    fn start(first: &Observation, facts: &GameFacts) -> Sum {
        let row = Row {
            key: first.key,
            lock: first.lock,
            played: first.played.0,
            mover: first.mover,
            games: 0,
            first_wins: 0,
            draws: 0,
            second_wins: 0,
            ply: first.ply,
            rating_sum: 0,
            rated: 0,
            year_min: 0,
            year_max: 0,
            marks: 0,
            sample: facts.fingerprint,
            sample_rating: 0,
        };
        let mut sum = Sum { row, year_min: u16::MAX };
        sum.add(first, facts);
        sum
    }

    fn is_of(&self, observation: &Observation) -> bool {
        (self.row.key, self.row.lock, self.row.played)
            == (observation.key, observation.lock, observation.played.0)
    }

    fn add(&mut self, observation: &Observation, facts: &GameFacts) {
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
    }

    fn into_row(self) -> Row {
        Row { year_min: self.year_min.wrapping_add(1), ..self.row }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::merge;
    use super::*;
    use proptest::prelude::*;

    fn observation() -> impl Strategy<Value = Observation> {
        // Few positions, some of them sharing keys, so that rows do combine.
        (0..40u64, 0..2u32, 0..8u32, 0..4u16, 0..60u16, -3..=3i8).prop_map(
            |(key, lock, game, played, ply, mark)| Observation {
                key: key.wrapping_mul(0x9e37_79b9_7f4a_7c15),
                lock,
                game,
                played: Move(played),
                ply,
                mark,
                mover: (key & 1) as u8,
            },
        )
    }

    fn facts() -> impl Strategy<Value = Vec<GameFacts>> {
        let one = (any::<u64>(), [0..3u16, 0..3u16], 0..3u16, 0..4u8).prop_map(
            |(fingerprint, ratings, year, outcome)| GameFacts {
                fingerprint,
                ratings: ratings.map(|rating| rating * 1200),
                year: year * 1000,
                plies: 1,
                outcome: match outcome {
                    0 => Outcome::Unknown,
                    1 => Outcome::FirstWins,
                    2 => Outcome::Draw,
                    _ => Outcome::SecondWins,
                },
                games: 1,
            },
        );
        prop::collection::vec(one, 8)
    }

    fn harvest(observations: &[Observation], facts: &[GameFacts]) -> Harvest {
        let mut parts = Parts::default();
        parts.scatter(&mut observations.to_vec());
        Harvest { parts, facts: facts.to_vec() }
    }

    proptest! {
        #[test]
        fn any_split_and_order_gives_the_same_table(
            observations in prop::collection::vec(observation(), 0..300),
            facts in facts(),
            cuts in prop::collection::vec(0..300usize, 0..4),
        ) {
            let whole = combine(vec![harvest(&observations, &facts)]);
            prop_assert_eq!(whole.view().disorder(), None);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(observations.len())).collect();
            cuts.extend([0, observations.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[Observation]> =
                cuts.windows(2).rev().map(|pair| &observations[pair[0]..pair[1]]).collect();
            // By workers of one run …
            let together = combine(pieces.iter().map(|piece| harvest(piece, &facts)).collect());
            prop_assert_eq!(&together, &whole);
            // … and by merging the tables of several runs.
            let tables: Vec<Rows> = pieces.iter().map(|piece| combine(vec![harvest(piece, &facts)])).collect();
            let views: Vec<_> = tables.iter().map(Rows::view).collect();
            prop_assert_eq!(&merge(&views), &whole);
        }

        #[test]
        fn a_row_counts_its_observations(
            observations in prop::collection::vec(observation(), 0..200),
            facts in facts(),
        ) {
            let rows = combine(vec![harvest(&observations, &facts)]);
            prop_assert_eq!(rows.games.iter().sum::<u64>(), observations.len() as u64);
            for index in 0..rows.len() {
                let identity = rows.view().identity(index);
                let same: Vec<_> = observations
                    .iter()
                    .filter(|o| (o.key, o.lock, o.played.0) == identity)
                    .collect();
                prop_assert_eq!(rows.games[index], same.len() as u64);
                prop_assert_eq!(Some(rows.ply[index]), same.iter().map(|o| o.ply).min());
                let drawn = same.iter().filter(|o| facts[o.game as usize].outcome == Outcome::Draw);
                prop_assert_eq!(rows.draws[index], drawn.count() as u64);
                let years = same.iter().map(|o| facts[o.game as usize].year).filter(|&year| year > 0);
                prop_assert_eq!(rows.year_min[index], years.min().unwrap_or(0));
            }
        }
    }
}
