//! The GAMES table: one row per game used, in order of source, member and offset.
//!
//! The texts of a column lie end to end in one buffer.

use std::cmp::Ordering;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::archive::GameRecord;
use crate::replay::GameFacts;

/// A column of byte strings, kept as [`TextColumn`] keeps texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BytesColumn {
    /// The byte strings end to end.
    pub bytes: Vec<u8>,
    /// End of each in `bytes`.
    pub ends: Vec<usize>,
}

impl BytesColumn {
    /// Appends a byte string.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    /// Returns the byte strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len()).map(|index| self.get(index))
    }

    /// Returns byte string `index`.
    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

/// A column of texts: all bytes end to end, and where each text ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextColumn {
    /// The texts end to end.
    pub bytes: String,
    /// End of each text in `bytes`.
    pub ends: Vec<usize>,
}

impl TextColumn {
    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    /// Returns text `index`.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// Returns the texts in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|index| self.get(index))
    }

    fn extend(&mut self, other: &TextColumn, range: Range<usize>) {
        let start = if range.start == 0 { 0 } else { other.ends[range.start - 1] };
        let (ends, before) = (&other.ends[range], self.bytes.len());
        self.bytes.push_str(&other.bytes[start..ends.last().copied().unwrap_or(start)]);
        self.ends.extend(ends.iter().map(|end| end - start + before));
    }
}

/// Columns of GAMES, all of one length. The source is an index into the run's list of paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Games {
    /// Hash of start, moves, players, date and result.
    pub fingerprint: Vec<u64>,
    /// Index of the source file.
    pub source: Vec<u32>,
    /// Member of a container; empty for a bare file.
    pub member: TextColumn,
    /// Offset of the game in the decompressed member.
    pub offset: Vec<u64>,
    /// Line of the game, 0 in binary formats.
    pub line: Vec<u64>,
    /// Player of the first side.
    pub first_player: TextColumn,
    /// Player of the second side.
    pub second_player: TextColumn,
    /// Rating of the first side's player, 0 = unknown.
    pub first_rating: Vec<u16>,
    /// Rating of the second side's player, 0 = unknown.
    pub second_rating: Vec<u16>,
    /// Date as written.
    pub date: TextColumn,
    /// Year, 0 = unknown.
    pub year: Vec<u16>,
    /// Event as written.
    pub event: TextColumn,
    /// 0 unknown, 1 first side won, 2 draw, 3 second side won.
    pub result: Vec<u8>,
    /// Plies replayed.
    pub plies: Vec<u16>,
    /// Hash of [`crate::replay::Replay::line`]; of no game unless duplicates are looked for.
    pub line_hash: Vec<u64>,
    /// [`crate::replay::Replay::line`] itself; of no game unless duplicates are looked for by their beginnings.
    pub moves: BytesColumn,
}

impl Games {
    /// Returns the number of games.
    pub fn len(&self) -> usize {
        self.fingerprint.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.fingerprint.is_empty()
    }

    /// Returns about how many bytes the columns take.
    pub fn held_bytes(&self) -> u64 {
        let texts = [&self.member, &self.first_player, &self.second_player, &self.date, &self.event];
        let bytes: usize = texts.iter().map(|column| column.bytes.len()).sum();
        // Numbers and the ends of texts of one game take 96 bytes, twice that while they are put in order.
        (2 * (bytes + self.moves.bytes.len()) + 192 * self.len()) as u64
    }

    /// Appends a game.
    pub fn push<T>(&mut self, source: u32, member: &str, record: &GameRecord<T>, facts: &GameFacts) {
        self.fingerprint.push(facts.fingerprint);
        self.source.push(source);
        self.member.push(member);
        self.offset.push(record.offset);
        self.line.push(record.line);
        self.first_player.push(&record.first_player);
        self.second_player.push(&record.second_player);
        self.first_rating.push(facts.ratings[0]);
        self.second_rating.push(facts.ratings[1]);
        self.date.push(&record.date);
        self.year.push(facts.year);
        self.event.push(&record.event);
        self.result.push(facts.outcome as u8);
        self.plies.push(facts.plies);
    }

    /// Appends what tells copies of the last game: the hash of its line and, if `is_kept`, the line itself.
    pub fn push_line(&mut self, line: &[u8], is_kept: bool) {
        self.line_hash.push(xxh3_64(line));
        if is_kept {
            self.moves.push(line);
        }
    }

    /// Appends a range of another table's games.
    pub fn extend(&mut self, other: &Games, range: Range<usize>) {
        let at = range.clone();
        self.fingerprint.extend_from_slice(&other.fingerprint[at.clone()]);
        self.source.extend_from_slice(&other.source[at.clone()]);
        self.offset.extend_from_slice(&other.offset[at.clone()]);
        self.line.extend_from_slice(&other.line[at.clone()]);
        self.first_rating.extend_from_slice(&other.first_rating[at.clone()]);
        self.second_rating.extend_from_slice(&other.second_rating[at.clone()]);
        self.year.extend_from_slice(&other.year[at.clone()]);
        self.result.extend_from_slice(&other.result[at.clone()]);
        self.plies.extend_from_slice(&other.plies[at.clone()]);
        if !other.line_hash.is_empty() {
            self.line_hash.extend_from_slice(&other.line_hash[at]);
        }
        if !other.moves.ends.is_empty() {
            range.clone().for_each(|index| self.moves.push(other.moves.get(index)));
        }
        self.member.extend(&other.member, range.clone());
        self.first_player.extend(&other.first_player, range.clone());
        self.second_player.extend(&other.second_player, range.clone());
        self.date.extend(&other.date, range.clone());
        self.event.extend(&other.event, range);
    }

    /// Returns the games in order of source name, member, offset and fingerprint; `names` are the names of the sources.
    pub fn sorted<N: AsRef<str>>(self, names: &[N]) -> Games {
        let name = |index: usize| names.get(self.source[index] as usize).map(AsRef::as_ref);
        let place = |index: usize| (self.offset[index], self.fingerprint[index]);
        let compare = |one: usize, other: usize| {
            let sources = match self.source[one] == self.source[other] {
                true => Ordering::Equal,
                false => name(one).cmp(&name(other)),
            };
            let members = || match self.member.bytes.is_empty() {
                true => Ordering::Equal,
                false => self.member.get(one).cmp(self.member.get(other)),
            };
            sources.then_with(members).then_with(|| place(one).cmp(&place(other)))
        };
        if (1..self.len()).all(|index| compare(index - 1, index).is_le()) {
            return self;
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by(|&one, &other| compare(one, other));
        let mut sorted = Games::default();
        order.into_iter().for_each(|index| sorted.extend(&self, index..index + 1));
        sorted
    }

    /// Returns the games that are not dropped, in order.
    pub fn without(&self, is_dropped: &[bool]) -> Games {
        let mut kept = Games::default();
        let mut start = 0;
        for run in is_dropped.chunk_by(|one, two| one == two) {
            if !run[0] {
                kept.extend(self, start..start + run.len());
            }
            start += run.len();
        }
        kept
    }
}
