//! Sorts observations in the order of tally rows. Observations are partitioned by the top bits of their keys as they
//! arrive. Then each part is sorted in cache.
//!
//! A part is sorted by a second radix step on the key's next bits, which leaves buckets of a few observations; only
//! the buckets of often seen positions are larger. Measured design: `append + partition + sort` needs half the time
//! and memory of a hash table, and the order is the book's.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::row::Row;
use super::sorted::{ADDED_UP, BOARD, SortedRows, SortedShelf, identity};
use crate::game::Move;
use crate::replay::{GameFacts, Observation};

/// Top bits of the key that name a part. 1,024 parts keep the write streams in the translation buffer and the parts
/// of some ten million observations in the second-level cache.
const PART_BITS: u32 = 10;
const PARTS: usize = 1 << PART_BITS;

/// Observations that a part takes before they are put on a shelf: 1.5 KiB.
const CHUNK: usize = 64;

/// Neighbouring parts that share a shelf.
const SHELF_PARTS: usize = 32;
const SHELVES: usize = PARTS / SHELF_PARTS;

/// Observations of one worker, parted by the top bits of their keys. A part fills its stretch of one open area, so
/// that an observation costs one store; full stretches are put on shelves as chunks.
#[derive(Debug)]
pub struct Parts {
    open: Vec<Observation>,
    /// Observations in each part's open stretch.
    begun: Vec<u16>,
    shelves: Vec<Shelf>,
    len: u64,
}

/// Chunks of some neighbouring parts. They are combined together, and the memory they leave is that of whole boards,
/// which the rows of the next shelf can take.
#[derive(Debug, Default)]
struct Shelf {
    boards: Vec<Vec<Observation>>,
    chunks: [Vec<Chunk>; SHELF_PARTS],
}

/// Where observations of one part lie on a shelf.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    board: u32,
    start: u16,
    len: u16,
}

impl Default for Parts {
    fn default() -> Parts {
        let nothing =
            Observation { key: 0, lock: 0, game: 0, played: Move::NONE, ply: 0, mark: 0, mover: 0, cell: 0 };
        let shelves = (0..SHELVES).map(|_| Shelf::default()).collect();
        Parts { open: vec![nothing; PARTS * CHUNK], begun: vec![0; PARTS], shelves, len: 0 }
    }
}

impl Parts {
    /// Moves observations into their parts; `observations` is empty afterwards.
    pub fn scatter(&mut self, observations: &mut Vec<Observation>) {
        self.len += observations.len() as u64;
        for observation in observations.iter() {
            let part = (observation.key >> (64 - PART_BITS)) as usize;
            let begun = &mut self.begun[part];
            self.open[part * CHUNK + usize::from(*begun)] = *observation;
            *begun += 1;
            if usize::from(*begun) == CHUNK {
                self.close(part);
            }
        }
        observations.clear();
    }

    /// Puts a part's open stretch on its shelf.
    fn close(&mut self, part: usize) {
        let begun = usize::from(std::mem::take(&mut self.begun[part]));
        if begun > 0 {
            self.shelves[part / SHELF_PARTS].put(part % SHELF_PARTS, &self.open[part * CHUNK..][..begun]);
        }
    }

    fn into_shelves(mut self) -> Vec<Shelf> {
        (0..PARTS).for_each(|part| self.close(part));
        self.shelves
    }

    /// Drops the observations of games that are not to be kept.
    pub fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        (0..PARTS).for_each(|part| self.close(part));
        self.shelves.iter_mut().for_each(|shelf| shelf.retain(&is_kept));
        self.len = self.shelves.iter().map(Shelf::len).sum();
    }

    /// Returns the number of observations.
    pub fn len(&self) -> u64 {
        self.len
    }
}

impl Shelf {
    /// Takes observations of one of the shelf's parts.
    fn put(&mut self, part: usize, observations: &[Observation]) {
        if self.boards.last().is_none_or(|board| board.capacity() - board.len() < observations.len()) {
            self.boards.push(Vec::with_capacity(BOARD));
        }
        let last = self.boards.len() - 1;
        let board = &mut self.boards[last];
        let chunk = Chunk { board: last as u32, start: board.len() as u16, len: observations.len() as u16 };
        self.chunks[part].push(chunk);
        board.extend_from_slice(observations);
    }

    /// Returns the observations of one of the shelf's parts.
    fn part(&self, part: usize) -> impl Iterator<Item = &[Observation]> {
        self.chunks[part].iter().map(|chunk| {
            let start = usize::from(chunk.start);
            &self.boards[chunk.board as usize][start..start + usize::from(chunk.len)]
        })
    }

    fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        for chunk in self.chunks.iter_mut().flatten() {
            let start = usize::from(chunk.start);
            let place = &mut self.boards[chunk.board as usize][start..start + usize::from(chunk.len)];
            let mut kept = 0;
            for index in 0..place.len() {
                if is_kept(place[index].game) {
                    place[kept] = place[index];
                    kept += 1;
                }
            }
            chunk.len = kept as u16;
        }
    }

    fn len(&self) -> u64 {
        self.chunks.iter().flatten().map(|chunk| u64::from(chunk.len)).sum()
    }
}

/// What one worker brings: observations, and what they stand for.
#[derive(Debug, Default)]
pub struct Harvest {
    /// The observations.
    pub parts: Parts,
    /// Facts of the games; an observation's `game` is an index into them.
    pub facts: Vec<GameFacts>,
    /// What many games have added up to already; an observation whose `game` has the bit [`ADDED_UP`] stands for the
    /// one at the index that the other bits are.
    pub added_up: Vec<Row>,
}

/// The offsets of a worker's facts and rows among the facts and rows of all workers.
#[derive(Debug, Clone, Copy)]
struct Base {
    facts: u32,
    added_up: u32,
}

impl Base {
    /// Returns a worker's observation as one of all workers.
    fn shift(self, observation: &Observation) -> Observation {
        let base = if observation.game & ADDED_UP == 0 { self.facts } else { self.added_up };
        Observation { game: observation.game + base, ..*observation }
    }
}

/// Combines what all workers brought into one sorted table, shelf after shelf, on the threads of the
/// pool or, without one, on the thread that made the observations, whose memory the sorted ones can take.
pub fn combine(harvests: Vec<Harvest>, pool: Option<&ThreadPool>) -> SortedRows {
    // What the observations of all workers stand for.
    let (mut facts, mut added_up) = (Vec::new(), Vec::new());
    let mut shelves: Vec<Vec<(Base, Shelf)>> = (0..SHELVES).map(|_| Vec::new()).collect();
    for mut harvest in harvests {
        let base = Base { facts: facts.len() as u32, added_up: added_up.len() as u32 };
        facts.append(&mut harvest.facts);
        added_up.append(&mut harvest.added_up);
        for (all, shelf) in shelves.iter_mut().zip(harvest.parts.into_shelves()) {
            all.push((base, shelf));
        }
    }
    let work = |room: &mut Vec<Observation>, shelf: Vec<(Base, Shelf)>| {
        let mut sorted = SortedShelf::default();
        for part in 0..SHELF_PARTS {
            let chunks =
                || shelf.iter().flat_map(|(base, shelf)| shelf.part(part).map(move |chunk| (*base, chunk)));
            sorted.extend(radix_sort(chunks, room), &facts, &added_up);
        }
        sorted
    };
    let sorted = match pool {
        Some(pool) => pool.install(|| shelves.into_par_iter().map_init(Vec::new, work).collect()),
        None => {
            let mut room = Vec::new();
            shelves.into_iter().map(|shelf| work(&mut room, shelf)).collect()
        }
    };
    SortedRows::new(sorted, facts)
}

/// Sorts a part by (key, lock, move, cell) into `room`: one counting pass over the key's next bits, then each small
/// bucket by itself.
fn radix_sort<'a, 'b, I>(chunks: impl Fn() -> I, room: &'b mut Vec<Observation>) -> &'b [Observation]
where
    I: Iterator<Item = (Base, &'a [Observation])>,
{
    let len: usize = chunks().map(|(_, chunk)| chunk.len()).sum();
    let Some(&filler) = chunks().find_map(|(_, chunk)| chunk.first()) else { return &[] };
    // About four observations a bucket if all keys differ; 2^12 counters stay in the first-level cache.
    let bits = len.ilog2().saturating_sub(2).clamp(1, 12);
    let digit = |o: &Observation| (o.key << PART_BITS >> (64 - bits)) as usize;
    let mut ends = vec![0usize; 1 << bits];
    for observation in chunks().flat_map(|(_, chunk)| chunk) {
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
    for (base, chunk) in chunks() {
        for observation in chunk {
            let slot = &mut ends[digit(observation)];
            sorted[*slot] = base.shift(observation);
            *slot += 1;
        }
    }
    let mut start = 0;
    for end in ends {
        sorted[start..end].sort_unstable_by_key(identity);
        start = end;
    }
    sorted
}

#[cfg(test)]
mod tests;
