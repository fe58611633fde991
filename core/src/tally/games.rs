//! The GAMES table: one row per game used, in order of source, member and offset.
//!
//! The texts of a column lie end to end in one buffer.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, BinaryArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType};
use xxhash_rust::xxh3::xxh3_64;

use super::storage::StorageError;
use crate::archive::GameRecord;
use crate::columns::Number;
use crate::replay::GameFacts;

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
}

/// A column of GAMES in memory. A nullable column of numbers or bytes has a value for every game or for none.
trait GameValues: Default {
    const DATA_TYPE: DataType;

    /// Appends a range of another column.
    fn extend(&mut self, other: &Self, range: Range<usize>);

    /// Returns the column for `count` games. A nullable text is null if it is empty.
    fn to_array(&self, count: usize, is_nullable: bool) -> ArrayRef;

    /// Appends the values of a column; `None` if that has another type. Nulls of texts become empty, others are skipped.
    fn append(&mut self, column: &dyn Array) -> Option<()>;

    /// Returns the bytes that values of varying length take.
    fn text_bytes(&self) -> usize {
        0
    }
}

impl<T: Number> GameValues for Vec<T> {
    const DATA_TYPE: DataType = T::Arrow::DATA_TYPE;

    fn extend(&mut self, other: &Vec<T>, range: Range<usize>) {
        if !other.is_empty() {
            self.extend_from_slice(&other[range]);
        }
    }

    fn to_array(&self, count: usize, _is_nullable: bool) -> ArrayRef {
        Arc::new(match self.is_empty() && count > 0 {
            true => PrimitiveArray::<T::Arrow>::new_null(count),
            false => PrimitiveArray::new(self.clone().into(), None),
        })
    }

    fn append(&mut self, column: &dyn Array) -> Option<()> {
        let values = column.as_primitive_opt::<T::Arrow>()?;
        if values.null_count() == 0 {
            self.extend_from_slice(values.values());
        }
        Some(())
    }
}

impl GameValues for TextColumn {
    const DATA_TYPE: DataType = DataType::Utf8;

    fn extend(&mut self, other: &TextColumn, range: Range<usize>) {
        let start = if range.start == 0 { 0 } else { other.ends[range.start - 1] };
        let (ends, before) = (&other.ends[range], self.bytes.len());
        self.bytes.push_str(&other.bytes[start..ends.last().copied().unwrap_or(start)]);
        self.ends.extend(ends.iter().map(|end| end - start + before));
    }

    fn to_array(&self, _count: usize, is_nullable: bool) -> ArrayRef {
        Arc::new(match is_nullable {
            true => self.iter().map(|text| (!text.is_empty()).then_some(text)).collect::<StringArray>(),
            false => StringArray::from_iter_values(self.iter()),
        })
    }

    fn append(&mut self, column: &dyn Array) -> Option<()> {
        column.as_string_opt::<i32>()?.iter().for_each(|text| self.push(text.unwrap_or_default()));
        Some(())
    }

    fn text_bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl GameValues for Vec<Box<[u8]>> {
    const DATA_TYPE: DataType = DataType::Binary;

    fn extend(&mut self, other: &Vec<Box<[u8]>>, range: Range<usize>) {
        if !other.is_empty() {
            self.extend_from_slice(&other[range]);
        }
    }

    fn to_array(&self, count: usize, _is_nullable: bool) -> ArrayRef {
        Arc::new(match self.is_empty() {
            true => BinaryArray::new_null(count),
            false => BinaryArray::from_iter_values(self),
        })
    }

    fn append(&mut self, column: &dyn Array) -> Option<()> {
        column.as_binary_opt::<i32>()?.iter().flatten().for_each(|bytes| self.push(bytes.into()));
        Some(())
    }

    fn text_bytes(&self) -> usize {
        self.iter().map(|bytes| size_of::<Box<[u8]>>() + bytes.len()).sum()
    }
}

/// Calls a macro with the columns of GAMES in order, apart from the source, which is the second. Of each: name, type in
/// memory, whether it may be null, unit and meaning.
macro_rules! for_game_columns {
    ($use:ident) => {
        $use! {
            fingerprint (Vec<u64>) false "fingerprint" "hash of start, moves replayed, players, date and result";
            member (TextColumn) true "path" "member of a tar or zip archive; null for a bare file";
            offset (Vec<u64>) false "bytes" "first byte of the game in the decompressed member";
            line (Vec<u64>) false "lines" "first line of the game, from 1; 0 in binary formats";
            first_player (TextColumn) false "name" "player of the first side";
            second_player (TextColumn) false "name" "player of the second side";
            first_rating (Vec<u16>) false "rating points" "rating of the first side's player; 0 = unknown";
            second_rating (Vec<u16>) false "rating points" "rating of the second side's player; 0 = unknown";
            date (TextColumn) false "date" "date as written";
            year (Vec<u16>) false "year" "year of the date; 0 = unknown";
            event (TextColumn) false "name" "event as written";
            result (Vec<u8>) false "result" "0 unknown, 1 first side won, 2 draw, 3 second side won";
            plies (Vec<u16>) false "plies" "length of the main line that was read";
            line_hash (Vec<u64>) true "hash" "hash of start and moves; null unless copies are skipped";
            moves (Vec<Box<[u8]>>) true "move codes" "start and moves; null unless dedupe is prefix";
        }
    };
}

/// The declaration of a column: name, type, unit, meaning, and whether it may hold nulls.
pub type GameColumn = (&'static str, DataType, &'static str, &'static str, bool);

macro_rules! game_columns {
    (
        $first:ident ($first_type:ty) $first_null:literal $first_unit:literal $first_meaning:literal;
        $($field:ident ($type:ty) $is_nullable:literal $unit:literal $meaning:literal;)*
    ) => {
        /// Columns of GAMES, all of one length, but for nullable ones, which may be empty.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct Games {
            #[doc = $first_meaning]
            pub $first: $first_type,
            /// Index of the source file in the list of names of its run.
            pub source: Vec<u32>,
            $(#[doc = $meaning] pub $field: $type,)*
        }

        /// The declaration of GAMES.
        pub static GAME_COLUMNS: [GameColumn; 16] = [
            (stringify!($first), <$first_type>::DATA_TYPE, $first_unit, $first_meaning, $first_null),
            ("source", DataType::Utf8, "path", "archive file", false),
            $((stringify!($field), <$type>::DATA_TYPE, $unit, $meaning, $is_nullable),)*
        ];

        impl Games {
            /// Appends a range of another table's games.
            pub fn extend(&mut self, other: &Games, range: Range<usize>) {
                GameValues::extend(&mut self.$first, &other.$first, range.clone());
                GameValues::extend(&mut self.source, &other.source, range.clone());
                $(GameValues::extend(&mut self.$field, &other.$field, range.clone());)*
            }

            /// Returns about how many bytes the columns take.
            pub fn held_bytes(&self) -> u64 {
                let texts = [$(self.$field.text_bytes()),*];
                // Numbers and the ends of texts of one game take 96 bytes, twice that while they are put in order.
                (2 * texts.iter().sum::<usize>() + 192 * self.len()) as u64
            }

            fn batch_with(&self, source: ArrayRef) -> Result<RecordBatch, ArrowError> {
                let count = self.len();
                RecordBatch::try_from_iter_with_nullable([
                    (stringify!($first), self.$first.to_array(count, $first_null), $first_null),
                    ("source", source, false),
                    $((stringify!($field), self.$field.to_array(count, $is_nullable), $is_nullable),)*
                ])
            }

            /// Appends the games of a table of schema GAMES without their sources.
            pub fn append_columns(&mut self, batch: &RecordBatch) -> Result<(), String> {
                append(batch, stringify!($first), &mut self.$first)?;
                $(append(batch, stringify!($field), &mut self.$field)?;)*
                Ok(())
            }
        }
    };
}

for_game_columns!(game_columns);

/// Appends a column of a batch.
fn append(batch: &RecordBatch, name: &str, values: &mut impl GameValues) -> Result<(), String> {
    let found = batch.column_by_name(name).and_then(|column| values.append(column));
    found.ok_or_else(|| format!("a GAMES table lacks the column \"{name}\", or it has another type"))
}

impl Games {
    /// Returns the games as a table in which sources are indices.
    pub fn to_batch(&self) -> Result<RecordBatch, ArrowError> {
        self.batch_with(self.source.to_array(self.len(), false))
    }

    /// Returns the games as a table of schema GAMES; `names` are the names of the sources.
    pub fn to_named_batch<N: AsRef<str>>(&self, names: &[N]) -> Result<RecordBatch, ArrowError> {
        let sources = self.source.iter().map(|&index| &names[index as usize]);
        self.batch_with(Arc::new(StringArray::from_iter_values(sources)))
    }

    /// Appends the games of a table that [`Games::to_batch`] made.
    pub fn append_batch(&mut self, batch: &RecordBatch) -> Result<(), String> {
        append(batch, "source", &mut self.source)?;
        self.append_columns(batch)
    }

    /// Appends the games of a table of schema GAMES; `indices` gives the index of each source by its name.
    pub fn append_named_batch(
        &mut self,
        batch: &RecordBatch,
        indices: &HashMap<String, u32>,
    ) -> Result<(), String> {
        let mut sources = TextColumn::default();
        append(batch, "source", &mut sources)?;
        for name in sources.iter() {
            let index = indices.get(name);
            self.source.push(*index.ok_or_else(|| format!("GAMES names {name}, which is not a source"))?);
        }
        self.append_columns(batch)
    }

    /// Returns the number of games.
    pub fn len(&self) -> usize {
        self.fingerprint.len()
    }

    /// Returns how many games have the fingerprint of another one before them.
    pub fn repeats(&self) -> usize {
        let mut sorted = self.fingerprint.clone();
        sorted.sort_unstable();
        sorted.windows(2).filter(|pair| pair[0] == pair[1]).count()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.fingerprint.is_empty()
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
            self.moves.push(line.into());
        }
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

/// Games that come in blocks, in order.
pub trait GameBlocks {
    /// Returns the next games; none at the end.
    fn next_block(&mut self) -> Result<Games, StorageError>;
}

/// One input and the block of it that is in memory.
struct Input {
    blocks: Box<dyn GameBlocks>,
    games: Games,
    next: usize,
}

/// Sorted inputs merged into one stream.
pub struct MergeGames {
    inputs: Vec<Input>,
    /// Place of each source among all by name; equal for equal names.
    ranks: Vec<u32>,
}

impl MergeGames {
    /// Returns the merge of sorted inputs; `names` are the names of the sources that their games index.
    pub fn new<N: Ord>(inputs: Vec<Box<dyn GameBlocks>>, names: &[N]) -> Result<MergeGames, StorageError> {
        let mut sorted: Vec<&N> = names.iter().collect();
        sorted.sort_unstable();
        let ranks = names.iter().map(|name| sorted.partition_point(|each| *each < name) as u32).collect();
        let inputs = inputs.into_iter().map(|mut blocks| {
            let games = blocks.next_block()?;
            Ok(Input { blocks, games, next: 0 })
        });
        let mut merge = MergeGames { inputs: inputs.collect::<Result<_, StorageError>>()?, ranks };
        merge.inputs.retain(|input| !input.games.is_empty());
        Ok(merge)
    }

    /// Appends the next games, at most `limit`; fewer only at the end.
    pub fn take(&mut self, limit: usize, games: &mut Games) -> Result<(), StorageError> {
        let enough = games.len() + limit;
        while games.len() < enough && !self.inputs.is_empty() {
            let mut order: Vec<usize> = (0..self.inputs.len()).collect();
            order.sort_unstable_by(|&one, &two| self.place(one, 0).cmp(&self.place(two, 0)));
            let (first, second) = (order[0], order.get(1).map(|&second| self.place(second, 0)));
            let is_before = |&ahead: &usize| second.is_none_or(|second| self.place(first, ahead) <= second);
            let input = &self.inputs[first];
            let most = (input.games.len() - input.next).min(enough - games.len());
            let count = (0..most).take_while(is_before).count();
            let input = &mut self.inputs[first];
            games.extend(&input.games, input.next..input.next + count);
            input.next += count;
            if input.next == input.games.len() {
                (input.games, input.next) = (input.blocks.next_block()?, 0);
                if input.games.is_empty() {
                    self.inputs.swap_remove(first);
                }
            }
        }
        Ok(())
    }

    /// Returns where a game belongs that is so far ahead of the next one of an input.
    fn place(&self, input: usize, ahead: usize) -> (u32, &str, u64, u64) {
        let Input { games, next, .. } = &self.inputs[input];
        let index = next + ahead;
        // A source that is not named is a defect of the caller's; its games come last.
        let rank = self.ranks.get(games.source[index] as usize).copied().unwrap_or(u32::MAX);
        (rank, games.member.get(index), games.offset[index], games.fingerprint[index])
    }
}
