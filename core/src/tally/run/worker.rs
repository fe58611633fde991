//! One worker of a tally: it replays blocks into observations, game rows and rejects. The results of each block are kept
//! apart, so that they can be sorted afterwards.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::duplicates::Dedupe;
use super::openings::Openings;
use crate::archive::{Archived, Block, Digest, GameRecord, ReadOptions, name_of};
use crate::filter::Filtered;
use crate::replay::{Fault, Followed, GameFacts, Observation, Replay, Replayed};
use crate::tally::games::Games;
use crate::tally::observed::Seen;
use crate::tally::reject::{Reject, raw_bytes};
use crate::tally::rows::combine::Harvest;
use crate::tally::rows::sorted::ADDED_UP;
use crate::tally::{Progress, TallyOptions};

/// What one source held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceReport {
    /// The source file, or `-` for standard input ([`name_of`]).
    pub path: PathBuf,
    /// Games found.
    pub games_read: u64,
    /// Games counted, prefixes included.
    pub games_used: u64,
    /// Games skipped on purpose, by reason.
    pub filtered: BTreeMap<&'static str, u64>,
    /// Games skipped as variants of the game, by the variant's name as tagged.
    pub variants: BTreeMap<String, u64>,
    /// Games skipped as copies of others.
    pub duplicates: u64,
    /// Games counted whose result tag names another result than the moves end with.
    pub other_tags: u64,
    /// Games counted whose result contradicts a mate or stalemate at their end.
    pub contradicted: u64,
    /// Words among the moves of the games read that were ignored.
    pub ignored_words: u64,
    /// Moves with an annotation mark, of the games used.
    pub marks: u64,
    /// Variations of the games counted.
    pub variations: Followed,
    /// Games that could not be used, by reason.
    pub rejects: BTreeMap<&'static str, u64>,
    /// Members without games of this run: name, stable code and reason.
    pub skipped: Vec<(String, &'static str, String)>,
    /// What the source is known by, if that was asked for and it can be read.
    pub digest: Option<Digest>,
}

impl SourceReport {
    pub(in crate::tally) fn new(path: &Path) -> SourceReport {
        SourceReport { path: name_of(path).into_owned(), ..SourceReport::default() }
    }

    /// Returns what the source is called.
    pub fn name(&self) -> Cow<'_, str> {
        self.path.to_string_lossy()
    }

    /// Notes that the source, or a member of it, was skipped, and why.
    pub(crate) fn skip(&mut self, member: Option<&str>, code: &'static str, reason: String) {
        let skipped = (member.unwrap_or_default().to_owned(), code, reason);
        // A member with many blocks is reported once.
        if self.skipped.last() != Some(&skipped) {
            self.skipped.push(skipped);
        }
    }

    /// Adds what a block of the source held.
    pub(in crate::tally) fn add(&mut self, block: SourceReport) {
        self.games_read += block.games_read;
        self.games_used += block.games_used;
        self.other_tags += block.other_tags;
        self.contradicted += block.contradicted;
        self.ignored_words += block.ignored_words;
        self.marks += block.marks;
        self.variations.add(block.variations);
        add_counts(&mut self.filtered, block.filtered);
        add_counts(&mut self.variants, block.variants);
        add_counts(&mut self.rejects, block.rejects);
    }

    fn leave_out<T>(&mut self, record: &GameRecord<T>, filtered: Filtered) {
        *self.filtered.entry(filtered.name()).or_default() += 1;
        if filtered == Filtered::Variant
            && let Some(name) = &record.variant
        {
            *self.variants.entry(name.clone()).or_default() += 1;
        }
    }
}

fn add_counts<K: Ord>(sums: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    more.into_iter().for_each(|(name, count)| *sums.entry(name).or_default() += count);
}

/// The result of one block.
#[derive(Debug, Default)]
pub(in crate::tally) struct BlockDone {
    pub source: u32,
    pub sequence: u64,
    /// Rows of the worker's GAMES table.
    pub games: Range<usize>,
    /// Observations of the worker, where it keeps them one by one.
    pub observations: Range<usize>,
    pub report: SourceReport,
    /// Numbered from 1 within the block.
    pub rejects: Vec<Reject>,
}

/// Replays blocks and keeps what they bring.
#[derive(Debug)]
pub(in crate::tally) struct Worker<'a, G: Archived> {
    options: &'a TallyOptions,
    replay: Replay,
    /// `None` if counted games may be dropped, or have variations or cells.
    openings: Option<Openings<G>>,
    reading: ReadOptions,
    harvest: Harvest,
    pub games: Games,
    /// Row of GAMES that each of the harvest's facts belongs to.
    owners: Vec<u32>,
    pub done: Vec<BlockDone>,
    /// Those of one game, on their way to the parts.
    observations: Vec<Observation>,
    /// Those of all games, where they are kept one by one.
    kept: Vec<Observation>,
    /// Games used before this worker's, which the limit counts too.
    used_before: u64,
    /// Bytes of the rejects of all blocks.
    reject_bytes: u64,
}

impl<'a, G: Archived> Worker<'a, G> {
    /// Returns a worker that begins when `used_before` games are used already.
    pub fn new(options: &'a TallyOptions, used_before: u64) -> Worker<'a, G> {
        let are_final = options.dedupe == Dedupe::Off
            && !options.replay.variations
            && !options.facets.is_any()
            && !options.observe;
        // One move is read even under ply limit 0: it tells a game from a record without moves.
        let least = options.filter.min_plies.max(1);
        let reading = ReadOptions {
            max_ply: options.replay.max_ply.map(|limit| usize::from(limit).max(least)),
            full: options.replay.full_check,
            tags: options.filter.needs_tags() || options.facets.speed,
            variations: options.replay.variations,
            ..ReadOptions::default()
        };
        Worker {
            options,
            replay: Replay::new(options.replay),
            openings: are_final.then(|| Openings::new(&options.replay)),
            reading,
            harvest: Harvest::default(),
            games: Games::default(),
            owners: Vec::new(),
            done: Vec::new(),
            observations: Vec::new(),
            kept: Vec::new(),
            used_before,
            reject_bytes: 0,
        }
    }

    /// Returns about how many bytes the worker holds.
    pub fn held_bytes(&self) -> u64 {
        (self.harvest.parts.len() + self.kept.len() as u64) * size_of::<Observation>() as u64
            + (self.harvest.facts.len() * (size_of::<GameFacts>() + size_of::<u32>())) as u64
            + self.games.held_bytes()
            + self.reject_bytes
    }

    /// Returns whether as many games are used as were asked for.
    pub fn is_done(&self) -> bool {
        self.options.limit.is_some_and(|limit| self.used_before + self.games.len() as u64 >= limit)
    }

    /// Replays all games of a block.
    pub fn block(&mut self, source: u32, sequence: u64, block: &Block, progress: &Progress) {
        let (first, observed) = (self.games.len(), self.kept.len());
        let mut done = BlockDone { source, sequence, games: first..first, ..BlockDone::default() };
        let (reading, filter) = (self.reading, &self.options.filter);
        let is_done = Cell::new(self.is_done());
        let read = Cell::new(0);
        let mut by_tags = BTreeMap::new();
        let mut wants = |record: &GameRecord<G::Token>| {
            let reason = filter.reason_by_tags(record);
            if let Some(reason) = reason.filter(|_| !is_done.get()) {
                *by_tags.entry(reason.name()).or_default() += 1;
                read.set(read.get() + 1);
            }
            reason.is_none()
        };
        G::read_games(block, &reading, &mut wants, &mut |record| {
            if !is_done.get() {
                read.set(read.get() + 1);
                done.report.games_read = read.get();
                self.game(record, block, &mut done);
                is_done.set(self.is_done());
            }
        });
        done.report.games_read = read.get();
        add_counts(&mut done.report.filtered, by_tags);
        done.games.end = self.games.len();
        done.report.games_used = done.games.len() as u64;
        done.observations = observed..self.kept.len();
        progress.games.fetch_add(done.report.games_read, Ordering::Relaxed);
        progress.rejects.fetch_add(done.rejects.len() as u64, Ordering::Relaxed);
        self.done.push(done);
    }

    fn game(&mut self, record: &GameRecord<G::Token>, block: &Block, done: &mut BlockDone) {
        done.report.ignored_words += u64::from(record.ignored);
        if let Some(filtered) = self.options.filter.reason(record) {
            done.report.leave_out(record, filtered);
            return;
        }
        match self.replay_game(record) {
            Replayed::Used(facts) => self.keep(record, facts, block, done),
            Replayed::Filtered(filtered) => done.report.leave_out(record, filtered),
            Replayed::Rejected(fault) => self.reject(record, fault, block, done),
            Replayed::Prefix(facts, fault) => {
                self.reject(record, fault, block, done);
                self.keep(record, facts, block, done);
            }
        }
        if self.options.facets.is_any() {
            let cell = self.options.facets.cell(record, &self.options.filter);
            self.observations.iter_mut().for_each(|observation| observation.cell = cell);
        }
        if self.options.observe {
            self.kept.append(&mut self.observations);
        } else {
            self.harvest.parts.scatter(&mut self.observations);
        }
    }

    /// Replays a game, its first plies by memory where they are known.
    fn replay_game(&mut self, record: &GameRecord<G::Token>) -> Replayed {
        let index = self.harvest.facts.len() as u32;
        let Some(openings) = &mut self.openings else {
            return self.replay.game::<G>(record, None, index, &mut self.observations);
        };
        let known = openings.follow(record);
        let is_known = known.is_some();
        let replayed = self.replay.game(record, known, index, &mut self.observations);
        if let Replayed::Used(facts) | Replayed::Prefix(facts, _) = &replayed {
            if is_known {
                openings.add(record, facts);
            }
            openings.grow(record);
        }
        replayed
    }

    fn keep<T>(&mut self, record: &GameRecord<T>, facts: GameFacts, block: &Block, done: &mut BlockDone) {
        let row = self.games.len() as u32;
        let member = block.member.as_deref().unwrap_or_default();
        self.games.push(done.source, member, record, &facts);
        if self.options.dedupe != Dedupe::Off {
            self.games.push_line(self.replay.line(), self.options.dedupe == Dedupe::Prefix);
        }
        let report = &mut done.report;
        report.other_tags += u64::from(record.has_other_tag());
        report.marks += record.marks.iter().filter(|&&mark| mark != 0).count() as u64;
        report.contradicted += u64::from(self.replay.is_contradicted());
        report.variations.add(self.replay.followed());
        self.harvest.facts.push(facts);
        if self.options.replay.variations && !record.variations.is_empty() {
            self.harvest.facts.extend(facts.of_variations());
        }
        self.owners.resize(self.harvest.facts.len(), row);
    }

    fn reject<T>(&mut self, record: &GameRecord<T>, fault: Fault, block: &Block, done: &mut BlockDone) {
        let raw = if self.options.keep_rejected { raw_bytes(block, record) } else { Vec::new() };
        self.reject_bytes +=
            (size_of::<Reject>() + raw.len() + fault.token.len() + fault.message.len()) as u64;
        *done.report.rejects.entry(fault.reason).or_default() += 1;
        done.rejects.push(Reject {
            source: done.source,
            member: block.member.as_deref().unwrap_or_default().to_owned(),
            offset: record.offset,
            line: record.line,
            number: done.report.games_read,
            fault,
            raw,
        });
    }

    /// Drops the observations of games, given by their rows of GAMES.
    pub fn drop_games(&mut self, is_dropped: &[bool]) {
        let owners = &self.owners;
        self.harvest.parts.retain(|game| !is_dropped[owners[game as usize] as usize]);
    }

    /// Returns the observations that are kept one by one.
    pub fn seen(&self) -> Seen<'_> {
        Seen { observations: &self.kept, facts: &self.harvest.facts, owners: &self.owners }
    }

    /// Returns what the games came to, and the number of observations made.
    pub fn into_harvest(mut self) -> (Harvest, u64) {
        let mut observed = self.harvest.parts.len();
        for (observation, row) in self.openings.into_iter().flat_map(Openings::into_rows) {
            observed += row.games;
            let game = ADDED_UP | self.harvest.added_up.len() as u32;
            self.observations.push(Observation { game, ..observation });
            self.harvest.added_up.push(row);
        }
        self.harvest.parts.scatter(&mut self.observations);
        (self.harvest, observed)
    }
}
