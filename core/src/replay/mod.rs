//! Replays one [`GameRecord`] by the rules, and returns observations and facts of the game, or the reason why it cannot be
//! used.
//!
//! The counting rule: a position counts once in a game, even if it occurs several times, with the first move played from it,
//! or [`Move::NONE`] if the game ended (or reached the ply limit) there. With ply limit L the positions after 0 … L plies
//! are observed: what happens later changes nothing. Positions are identified as in books, so in a folded tally a position and its mirror are one.
//!
//! `variations` describes how variations count; `line` describes the identity of a game's line.

mod fault;
mod line;
mod variations;

#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64;

use crate::archive::{GameRecord, Start};
use crate::filter::Filtered;
use crate::game::{Foldable, Game, Move, Outcome, Replayable, Side, Symmetry, Verdict};

pub use fault::Fault;
pub(crate) use fault::{move_fault, reader_fault, starting_position};
pub(crate) use line::{line_of, split};
pub use variations::Followed;

/// What becomes of a game with a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// It is dropped.
    #[default]
    Drop,
    /// Its legal prefix is kept and counts with an unknown result.
    Prefix,
}

/// What a run asks of the replay.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplayOptions {
    /// Positions after at most this many plies are observed; `None` = all.
    pub max_ply: Option<u16>,
    /// Resolve moves beyond the ply limit too, so that an illegal one rejects the game.
    pub full_check: bool,
    /// What becomes of a game with a fault.
    pub on_error: OnError,
    /// Observe the variations of a record too.
    pub variations: bool,
    /// Use games that start from a set-up position; otherwise they are filtered.
    pub custom_starts: bool,
    /// Identify a position with its left-right mirror (xiangqi).
    pub fold: bool,
}

/// One (position, move) of one game, 24 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// Key of the position before the move.
    pub key: u64,
    /// Lock of the position before the move.
    pub lock: u32,
    /// Index of the game's [`GameFacts`] in its run.
    pub game: u32,
    /// The move code; 0 = the game ended here or the ply limit was reached.
    pub played: Move,
    /// First ply at which the game had the position.
    pub ply: u16,
    /// Annotation mark of the move.
    pub mark: i8,
    /// 0 = the first side is to move, 1 = the second.
    pub mover: u8,
    /// The cell of the game, where a run keeps facets apart; else 0.
    pub cell: u16,
}

const _: () = assert!(size_of::<Observation>() == 24);

/// What all observations of a game share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameFacts {
    /// Hash of the start, the moves replayed, players, date and result. A run that checks prefixes does not know the
    /// moves beyond its ply limit, and to read them only for this would cost what such a run saves; so games that
    /// differ there alone share one. Fingerprints of runs with other ply limits differ, but their tallies do not add
    /// up anyway.
    pub fingerprint: u64,
    /// Ratings of the first and the second side's player, 0 = unknown.
    pub ratings: [u16; 2],
    /// Year of the game, 0 = unknown.
    pub year: u16,
    /// Plies replayed.
    pub plies: u16,
    /// The recorded result.
    pub outcome: Outcome,
    /// Games that an observation stands for: 1, or 0 for a move beside the one that counts (see `variations`).
    pub games: u8,
}

/// What became of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replayed {
    /// Its observations were appended.
    Used(GameFacts),
    /// It was skipped on purpose.
    Filtered(Filtered),
    /// It was dropped for a fault; nothing was appended.
    Rejected(Fault),
    /// Its legal prefix was appended and the rest dropped for a fault.
    Prefix(GameFacts, Fault),
}

/// One ply that a game begins with, played before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPly {
    /// Key of the position before the move, as it is observed.
    pub key: u64,
    /// Lock of that position.
    pub lock: u32,
    /// The move as the game has it, not folded.
    pub played: Move,
}

/// Replays games one by one; owns the scratch space that they share.
#[derive(Debug, Default)]
pub struct Replay {
    options: ReplayOptions,
    /// Bit `k` is set when a position whose key ends in `k` was observed in this game: most are new, and
    /// this says so without a search.
    seen: Seen,
    /// Plies of this game that were played before, and are not observed here.
    known: Vec<KnownPly>,
    /// The bytes that are hashed to the fingerprint; the bytes of the line come first.
    print: Vec<u8>,
    /// How many bytes of `print` are the line's.
    line_bytes: usize,
    /// Variations of the last game.
    followed: Followed,
    /// Whether the last game ends in a mate or stalemate that its result denies; known with `full_check`.
    is_contradicted: bool,
}

impl Replay {
    /// Returns a replay with the given options.
    pub fn new(options: ReplayOptions) -> Replay {
        Replay { options, ..Replay::default() }
    }

    /// Returns what identifies the line of the last game that was not filtered or rejected (see `line`).
    pub fn line(&self) -> &[u8] {
        &self.print[..self.line_bytes]
    }

    /// Returns whether the result of the last game contradicts a mate or stalemate on the board. Only a run with
    /// `full_check` looks.
    pub fn is_contradicted(&self) -> bool {
        self.is_contradicted
    }

    /// Returns how many variations of the last game were followed.
    pub fn followed(&self) -> Followed {
        self.followed
    }

    /// Replays one game, appends its observations to `out`, and says what became of it. The observations have the
    /// index `game`; observations of variations have the next two (see [`GameFacts::of_variations`]).
    ///
    /// Plies from the standard start that are `known`, with the position after them, are not observed.
    pub fn game<G: Replayable + Foldable>(
        &mut self,
        record: &GameRecord<G::Token>,
        known: Option<(&[KnownPly], G)>,
        game: u32,
        out: &mut Vec<Observation>,
    ) -> Replayed {
        if let Some(filtered) = self.filter(record) {
            return Replayed::Filtered(filtered);
        }
        let (known, start) = match known.map_or_else(|| Ok((&[][..], starting_position(record)?)), Ok) {
            Ok(begun) => begun,
            Err(fault) => return Replayed::Rejected(fault),
        };
        self.begin_line(&start, record, known);
        let first = out.len();
        let (plies, fault) = self.main_line(start.clone(), record, game, out);
        self.line_bytes = self.print.len();
        let fault = fault.or_else(|| reader_fault(record, plies));
        let is_kept = fault.is_none() || self.options.on_error == OnError::Prefix && plies > 0;
        if !is_kept {
            out.truncate(first);
        } else if self.options.variations && !record.variations.is_empty() {
            self.followed = self.variations(start, record, game, first, out);
        }
        let outcome = if fault.is_some() { Outcome::Unknown } else { record.outcome };
        let facts = self.facts(record, plies, outcome);
        match fault {
            None => Replayed::Used(facts),
            Some(fault) if is_kept => Replayed::Prefix(facts, fault),
            Some(fault) => Replayed::Rejected(fault),
        }
    }

    /// Returns the codes of the moves of the last game.
    fn moves(&self) -> impl Iterator<Item = Move> {
        let (_, moves) = split(self.line());
        moves.chunks_exact(2).map(|code| Move(u16::from_le_bytes([code[0], code[1]])))
    }

    /// Forgets the game before and begins the line of this one.
    fn begin_line<G: Replayable>(&mut self, start: &G, record: &GameRecord<G::Token>, known: &[KnownPly]) {
        self.followed = Followed::default();
        self.is_contradicted = false;
        self.seen.clear();
        self.print.clear();
        self.known.clear();
        self.known.extend_from_slice(known);
        for ply in known {
            self.seen.insert(ply.key);
            line::push(&mut self.print, ply.played);
        }
        line::push_start(&mut self.print, start, record);
    }

    fn filter<T>(&self, record: &GameRecord<T>) -> Option<Filtered> {
        if record.variant.is_some() {
            Some(Filtered::Variant)
        } else if record.start != Start::Standard && !self.options.custom_starts {
            Some(Filtered::CustomStart)
        } else if record.moves.is_empty() && record.defect.is_none() {
            Some(Filtered::NoMoves)
        } else {
            None
        }
    }

    /// Plays the main line and observes its positions; returns the plies played and what stopped them early.
    fn main_line<G: Replayable + Foldable>(
        &mut self,
        mut position: G,
        record: &GameRecord<G::Token>,
        game: u32,
        out: &mut Vec<Observation>,
    ) -> (usize, Option<Fault>) {
        let first = out.len();
        let limit = self.options.max_ply.map_or(usize::MAX, usize::from);
        let resolved = if self.options.full_check { usize::MAX } else { limit };
        let mut plies = self.known.len();
        let mut fault = None;
        for (&token, &mark) in record.moves.iter().zip(&record.marks).take(resolved).skip(plies) {
            let observed = (plies <= limit).then(|| Observed::of(&position, self.options.fold));
            let played = match position.play_token(token) {
                Ok(played) => played,
                Err(error) => {
                    // The legal prefix ends on the position before the fault.
                    fault = Some(move_fault(&error, plies));
                    break;
                }
            };
            line::push(&mut self.print, played);
            if let Some(observed) = observed {
                let (played, mark) = if plies < limit { (played, mark) } else { (Move::NONE, 0) };
                self.observe(observed.with::<G>(played, plies, mark, game), first, out);
            }
            plies += 1;
        }
        if plies <= limit {
            let last = Observed::of(&position, self.options.fold).with::<G>(Move::NONE, plies, 0, game);
            self.observe(last, first, out);
        }
        self.is_contradicted =
            self.options.full_check && fault.is_none() && contradicts(&position, record.outcome);
        (plies, fault)
    }

    /// Appends an observation, unless the game had the position before.
    #[inline]
    fn observe(&mut self, new: Observation, first: usize, out: &mut Vec<Observation>) {
        let is_same = |key, lock| (key, lock) == (new.key, new.lock);
        let is_met = self.seen.insert(new.key)
            && (out[first..].iter().any(|old| is_same(old.key, old.lock))
                || self.known.iter().any(|ply| is_same(ply.key, ply.lock)));
        if !is_met {
            out.push(new);
        }
    }

    fn facts<T>(&mut self, record: &GameRecord<T>, plies: usize, outcome: Outcome) -> GameFacts {
        for text in [&record.first_player, &record.second_player, &record.date] {
            self.print.extend_from_slice(text.as_bytes());
            self.print.push(0);
        }
        self.print.push(outcome as u8);
        GameFacts {
            fingerprint: xxh3_64(&self.print),
            ratings: record.ratings,
            year: record.year,
            plies: plies.min(usize::from(u16::MAX)) as u16,
            outcome,
            games: 1,
        }
    }
}

/// Returns whether the side to move has no legal move and the result is another than the rules give.
fn contradicts<G: Game>(position: &G, outcome: Outcome) -> bool {
    let ending = position.verdict().filter(|verdict| matches!(verdict, Verdict::Mate | Verdict::Stalemate));
    ending.is_some_and(|verdict| {
        let right = match verdict.winner(G::ID, position.side()) {
            Some(Side::First) => Outcome::FirstWins,
            Some(Side::Second) => Outcome::SecondWins,
            None => Outcome::Draw,
        };
        outcome != Outcome::Unknown && outcome != right
    })
}

/// The stored identity of a position, before it is known what was played from it.
pub(crate) struct Observed {
    key: u64,
    lock: u32,
    symmetry: Symmetry,
    mover: u8,
}

impl Observed {
    pub(crate) fn of<G: Foldable>(position: &G, fold: bool) -> Observed {
        let mover = position.side() as u8;
        if fold {
            let folded = position.folded();
            Observed { key: folded.key.0, lock: folded.lock.0, symmetry: folded.symmetry, mover }
        } else {
            let (key, lock) = (position.key().0, position.lock().0);
            Observed { key, lock, symmetry: Symmetry::Itself, mover }
        }
    }

    pub(crate) fn with<G: Foldable>(self, played: Move, plies: usize, mark: i8, game: u32) -> Observation {
        let played = if played == Move::NONE { played } else { G::fold_move(self.symmetry, played) };
        let ply = plies.min(usize::from(u16::MAX)) as u16;
        Observation { key: self.key, lock: self.lock, game, played, ply, mark, mover: self.mover, cell: 0 }
    }
}

/// A bitmap over the last ten bits of keys.
#[derive(Debug, Default)]
struct Seen([u64; 16]);

impl Seen {
    fn clear(&mut self) {
        self.0 = [0; 16];
    }

    /// Returns whether a key with the same last ten bits was inserted before.
    fn insert(&mut self, key: u64) -> bool {
        let word = &mut self.0[(key >> 6 & 15) as usize];
        let bit = 1 << (key & 63);
        let seen = *word & bit != 0;
        *word |= bit;
        seen
    }
}
