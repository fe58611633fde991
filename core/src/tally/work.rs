//! One worker of a tally: blocks in; observations, game rows and rejects out, each block's apart so that they can be
//! put in order afterwards.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::combine::Harvest;
use super::games::Games;
use super::{Progress, TallyOptions};
use crate::archive::{Archived, Block, GameRecord, ReadOptions, name_of};
use crate::game::Game;
use crate::replay::{Fault, Filtered, GameFacts, Observation, Replay, Replayed};

/// A game, or the rest of one, that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// Index of the source file.
    pub source: u32,
    /// Member of a container, if any.
    pub member: String,
    /// Offset of the game in the decompressed member.
    pub offset: u64,
    /// Line of the game; 0 in binary formats.
    pub line: u64,
    /// Number of the game in its source, from 1.
    pub number: u64,
    /// What is wrong and where in the game.
    pub fault: Fault,
}

/// What one source held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceReport {
    /// The source file, or `-` for standard input ([`name_of`]).
    pub path: PathBuf,
    /// Games found.
    pub games_read: u64,
    /// Games counted, prefixes included.
    pub games_used: u64,
    /// Games left out by choice, by reason.
    pub filtered: BTreeMap<&'static str, u64>,
    /// Games that could not be used, by reason.
    pub rejects: BTreeMap<&'static str, u64>,
    /// Members that hold no games of this run: name, stable code and why.
    pub skipped: Vec<(String, &'static str, String)>,
}

impl SourceReport {
    pub(super) fn new(path: &Path) -> SourceReport {
        SourceReport { path: name_of(path).to_owned(), ..SourceReport::default() }
    }

    pub(super) fn skip(&mut self, member: Option<&str>, code: &'static str, reason: String) {
        let skipped = (member.unwrap_or_default().to_owned(), code, reason);
        // A member that comes in many blocks is told once.
        if self.skipped.last() != Some(&skipped) {
            self.skipped.push(skipped);
        }
    }

    pub(super) fn add(&mut self, block: &BlockDone) {
        self.games_read += block.games_read;
        self.games_used += block.games.len() as u64;
        for (filtered, count) in Filtered::ALL.into_iter().zip(block.filtered) {
            if count > 0 {
                *self.filtered.entry(filtered.code()).or_default() += count;
            }
        }
        for reject in &block.rejects {
            *self.rejects.entry(reject.fault.reason).or_default() += 1;
        }
    }
}

/// What one block came to.
#[derive(Debug)]
pub(super) struct BlockDone {
    pub source: u32,
    pub sequence: u64,
    pub games_read: u64,
    /// Rows of the worker's GAMES table.
    pub games: Range<usize>,
    pub filtered: [u64; Filtered::ALL.len()],
    /// Numbered from 1 within the block.
    pub rejects: Vec<Reject>,
}

/// Replays blocks and keeps what they bring.
#[derive(Debug)]
pub(super) struct Worker {
    replay: Replay,
    reading: ReadOptions,
    limit: Option<u64>,
    harvest: Harvest,
    games: Games,
    done: Vec<BlockDone>,
    /// Those of one game, on their way to the parts.
    observations: Vec<Observation>,
}

impl Worker {
    pub fn new(options: &TallyOptions) -> Worker {
        // One move is read even under ply limit 0: it tells a game from a record without moves.
        let max_ply = options.replay.max_ply.map(|limit| usize::from(limit).max(1));
        let reading = ReadOptions { max_ply, full: options.replay.full_check, ..ReadOptions::default() };
        Worker {
            replay: Replay::new(options.replay),
            reading,
            limit: options.limit,
            harvest: Harvest::default(),
            games: Games::default(),
            done: Vec::new(),
            observations: Vec::new(),
        }
    }

    /// Returns whether as many games are used as were asked for.
    pub fn is_done(&self) -> bool {
        self.limit.is_some_and(|limit| self.games.len() as u64 >= limit)
    }

    /// Replays all games of a block.
    pub fn block<G: Archived>(&mut self, source: u32, sequence: u64, block: &Block, progress: &Progress) {
        let first = self.games.len();
        let mut done = BlockDone {
            source,
            sequence,
            games_read: 0,
            games: first..first,
            filtered: [0; Filtered::ALL.len()],
            rejects: Vec::new(),
        };
        let member = block.member.as_deref().unwrap_or_default();
        let reading = self.reading;
        G::read_block(block, &reading, &mut |record| {
            if !self.is_done() {
                self.game::<G>(record, member, &mut done);
            }
        });
        done.games.end = self.games.len();
        progress.games.fetch_add(done.games_read, Ordering::Relaxed);
        progress.rejects.fetch_add(done.rejects.len() as u64, Ordering::Relaxed);
        self.done.push(done);
    }

    fn game<G: Game>(&mut self, record: &GameRecord<G::Token>, member: &str, done: &mut BlockDone) {
        done.games_read += 1;
        let index = self.harvest.facts.len() as u32;
        match self.replay.game::<G>(record, index, &mut self.observations) {
            Replayed::Used(facts) => self.keep(record, facts, member, done),
            Replayed::Filtered(filtered) => done.filtered[filtered as usize] += 1,
            Replayed::Rejected(fault) => done.rejects.push(reject(record, fault, member, done)),
            Replayed::Prefix(facts, fault) => {
                done.rejects.push(reject(record, fault, member, done));
                self.keep(record, facts, member, done);
            }
        }
        self.harvest.parts.scatter(&mut self.observations);
    }

    fn keep<T>(&mut self, record: &GameRecord<T>, facts: GameFacts, member: &str, done: &BlockDone) {
        self.games.push(done.source, member, record, &facts);
        self.harvest.facts.push(facts);
    }

    pub fn take_done(&mut self) -> Vec<BlockDone> {
        std::mem::take(&mut self.done)
    }

    pub fn take_games(&mut self) -> Games {
        std::mem::take(&mut self.games)
    }

    pub fn games(&self) -> &Games {
        &self.games
    }

    pub fn into_harvest(self) -> Harvest {
        self.harvest
    }
}

fn reject<T>(record: &GameRecord<T>, fault: Fault, member: &str, done: &BlockDone) -> Reject {
    Reject {
        source: done.source,
        member: member.to_owned(),
        offset: record.offset,
        line: record.line,
        number: done.games_read,
        fault,
    }
}
