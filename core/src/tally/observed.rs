//! Observations as a table: one row for each position of a game and the move played from it, in the order of the archives.

use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use crate::columns::{Number, array};
use crate::game::Side;
use crate::replay::{GameFacts, Observation};

/// Calls a macro with the columns of OBSERVATIONS in order. Of each: name, type, unit and meaning.
macro_rules! for_observed_columns {
    ($use:ident) => {
        $use! {
            key "key" u64 "key" "64-bit key of the position before the move";
            lock "lock" u32 "key" "second, independent key of that position";
            played "move" u16 "move code" "move played; 0 = the game ended here or at the ply limit";
            mover "mover" u8 "side" "side to move: 0 first, 1 second";
            ply "ply" u16 "plies" "plies before the position";
            result "result" u8 "result" "of the game: 0 unknown, 1 first side won, 2 draw, 3 second side won";
            rating "rating" u16 "rating points" "rating of the player to move; 0 = unknown";
            opponent "opponent" u16 "rating points" "rating of the other player; 0 = unknown";
            year "year" u16 "year" "year of the game; 0 = unknown";
            mark "mark" i8 "marks" "annotation mark of the move: ‼ +3 … ⁇ −3";
            game "game" u64 "number" "number of the game among the games used, from 0";
        }
    };
}
#[cfg(feature = "python")]
pub(crate) use for_observed_columns;

macro_rules! observed {
    ($($field:ident $name:literal $type:ident $unit:literal $meaning:literal;)*) => {
        /// Columns of OBSERVATIONS, all of one length.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct Observed {
            $(#[doc = $meaning] pub $field: Vec<$type>,)*
        }

        impl Observed {
            fn reserve(&mut self, more: usize) {
                $(self.$field.reserve(more);)*
            }

            /// Returns the columns as a table.
            ///
            /// # Errors
            /// Columns of different lengths.
            pub fn into_batch(self) -> Result<RecordBatch, ArrowError> {
                RecordBatch::try_from_iter_with_nullable([
                    $(($name, array::<<$type as Number>::Arrow>(self.$field), false),)*
                ])
            }
        }
    };
}

for_observed_columns!(observed);

/// What one worker observed, in the order in which it met the games.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'w> {
    pub observations: &'w [Observation],
    /// An observation's `game` is an index into them …
    pub facts: &'w [GameFacts],
    /// … and into the games' rows among those of the worker.
    pub owners: &'w [u32],
}

impl Observed {
    /// Appends what a worker observed of a block with these rows of its games; `numbers` are those of the games, or
    /// `None` for a game that is dropped.
    pub(super) fn add(
        &mut self,
        seen: Seen<'_>,
        block: Range<usize>,
        games: &Range<usize>,
        numbers: &[Option<u64>],
    ) {
        self.reserve(block.len());
        for observation in &seen.observations[block] {
            let row = seen.owners[observation.game as usize] as usize;
            if let Some(number) = numbers[row - games.start] {
                let facts = &seen.facts[observation.game as usize];
                let mover = usize::from(observation.mover != Side::First as u8);
                self.key.push(observation.key);
                self.lock.push(observation.lock);
                self.played.push(observation.played.0);
                self.mover.push(observation.mover);
                self.ply.push(observation.ply);
                self.result.push(facts.outcome as u8);
                self.rating.push(facts.ratings[mover]);
                self.opponent.push(facts.ratings[1 - mover]);
                self.year.push(facts.year);
                self.mark.push(observation.mark);
                self.game.push(number);
            }
        }
    }
}
