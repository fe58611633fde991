//! Finds duplicates among the games of a run.
//!
//! | policy | a game is skipped if |
//! |---|---|
//! | exact | an earlier game has the same start, moves and result |
//! | players | an earlier game has the same start and moves, surnames of the players and date |
//! | prefix | its start and moves begin another game, earlier or later, or equal an earlier game |
//!
//! The games of the store that a run adds to are earlier than the run's, which are in order of source, member and offset.
//! Neither the number of threads nor the order in which they finish matters. Whole lines are compared, whatever the ply
//! limit, so games must be resolved to their end.
//!
//! Names are compared by surname, since archives spell the rest differently (`Carlsen,M`, `Carlsen, Magnus`, `Magnus
//! Carlsen`): the text before a comma or, without one, the last word; letters and digits only, in lower case.

use std::collections::HashSet;

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::filter::PartialDate;
use crate::named::named_enum;
use crate::tally::games::{GameBlocks, Games};
use crate::tally::storage::StorageError;

named_enum! {
    /// Which games count as copies of another.
    #[derive(Default)]
    pub enum Dedupe {
        /// None.
        #[default]
        Off => "off",
        /// Games with the same moves and result.
        Exact => "exact",
        /// Games with the same moves, players and date.
        Players => "players",
        /// Games whose moves begin another game.
        Prefix => "prefix",
    }
}

/// The duplicates of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Duplicates {
    /// Whether each game of the run is a copy.
    pub is_dropped: Vec<bool>,
    /// Known games that begin games of this run.
    pub superseded: u64,
}

/// What is kept of games that others may be copies of: a hash each, and for [`Dedupe::Prefix`] their lines.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    policy: Dedupe,
    keys: HashSet<u64>,
    lines: Vec<Box<[u8]>>,
}

impl Seen {
    /// Returns what is kept of `games`.
    pub fn new(policy: Dedupe, games: &Games) -> Seen {
        let mut seen = Seen { policy, ..Seen::default() };
        seen.add(games);
        seen
    }

    /// Adds games that are known not to be copies.
    pub fn add(&mut self, games: &Games) {
        match self.policy {
            Dedupe::Off => {}
            Dedupe::Exact | Dedupe::Players => {
                self.keys.extend((0..games.len()).map(|index| key(self.policy, games, index)));
            }
            Dedupe::Prefix => self.lines.extend_from_slice(&games.moves),
        }
    }

    /// Adds games that come in blocks.
    pub fn add_all(&mut self, games: &mut dyn GameBlocks) -> Result<(), StorageError> {
        if self.policy == Dedupe::Off {
            return Ok(());
        }
        loop {
            let some = games.next_block()?;
            if some.is_empty() {
                return Ok(());
            }
            self.add(&some);
        }
    }

    /// Finds the copies among games, given in order. The other games are known from then on. With [`Dedupe::Prefix`] all
    /// games must be given at once.
    pub fn find(&mut self, games: &Games) -> Duplicates {
        match self.policy {
            Dedupe::Off => Duplicates { is_dropped: vec![false; games.len()], superseded: 0 },
            Dedupe::Exact | Dedupe::Players => {
                let is_new = |index| self.keys.insert(key(self.policy, games, index));
                let is_dropped = (0..games.len()).map(is_new).map(|is_new| !is_new).collect();
                Duplicates { is_dropped, superseded: 0 }
            }
            Dedupe::Prefix => beginnings(&self.lines, &games.moves),
        }
    }
}

/// Returns what is equal in copies, as a hash.
fn key(policy: Dedupe, games: &Games, index: usize) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&games.line_hash[index].to_le_bytes());
    if policy == Dedupe::Players {
        for name in [games.first_player.get(index), games.second_player.get(index)] {
            hash.update(surname(name).as_bytes());
            hash.update(&[0]);
        }
        let date = PartialDate::of_record(games.date.get(index), games.year[index]);
        hash.update(&date.map_or(0, PartialDate::first_day).to_le_bytes());
    } else {
        hash.update(&[games.result[index]]);
    }
    hash.digest()
}

fn surname(name: &str) -> String {
    let surname = match name.split_once(',') {
        Some((surname, _)) => surname,
        None => name.split_whitespace().next_back().unwrap_or_default(),
    };
    surname.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Finds lines that begin other lines. In sorted order a line stands directly before the lines that it begins.
fn beginnings(known: &[Box<[u8]>], new: &[Box<[u8]>]) -> Duplicates {
    let old = known.len();
    let line = |index: usize| if index < old { &known[index] } else { &new[index - old] };
    let mut order: Vec<usize> = (0..old + new.len()).collect();
    order.par_sort_unstable_by(|&one, &two| line(one).cmp(line(two)).then(one.cmp(&two)));
    let mut found = Duplicates { is_dropped: vec![false; new.len()], superseded: 0 };
    let equal: Vec<&[usize]> = order.chunk_by(|&one, &two| line(one) == line(two)).collect();
    for (place, group) in equal.iter().enumerate() {
        let begins_next = equal.get(place + 1).is_some_and(|next| line(next[0]).starts_with(line(group[0])));
        // The first of equal games stays, unless all of them begin another.
        let stays = usize::from(!begins_next);
        for &index in &group[stays.min(group.len())..] {
            match index.checked_sub(old) {
                Some(index) => found.is_dropped[index] = true,
                None => found.superseded += 1,
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
