//! Games as bytes, and sorted games from many places merged into one sorted stream.
//!
//! Order is that of GAMES: name of the source, member, offset, fingerprint.

use super::coding::{Taker, put, put_bytes};
use super::storage::StorageError;
use crate::tally::games::Games;

/// Appends a stretch of games, column by column.
pub fn encode(games: &Games, bytes: &mut Vec<u8>) {
    let fixed = |bytes: &mut Vec<u8>, column: &[u64]| {
        put(bytes, column.len() as u64);
        column.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
    };
    fixed(bytes, &games.fingerprint);
    games.source.iter().for_each(|&source| put(bytes, u64::from(source)));
    games.offset.iter().chain(&games.line).for_each(|&number| put(bytes, number));
    for column in [&games.first_rating, &games.second_rating, &games.year, &games.plies] {
        column.iter().for_each(|&number| put(bytes, u64::from(number)));
    }
    bytes.extend_from_slice(&games.result);
    for column in [&games.member, &games.first_player, &games.second_player, &games.date, &games.event] {
        column.iter().for_each(|text| put_bytes(bytes, text.as_bytes()));
    }
    fixed(bytes, &games.line_hash);
    put(bytes, games.moves.ends.len() as u64);
    games.moves.iter().for_each(|line| put_bytes(bytes, line));
}

/// Returns the games that [`encode`] wrote; `None` if the bytes are others.
pub fn decode(bytes: &[u8]) -> Option<Games> {
    let mut taker = Taker::new(bytes);
    let mut games = Games { fingerprint: fixed(&mut taker)?, ..Games::default() };
    let len = games.len();
    games.source = (0..len).map(|_| taker.small()).collect::<Option<_>>()?;
    games.offset = (0..len).map(|_| taker.number()).collect::<Option<_>>()?;
    games.line = (0..len).map(|_| taker.number()).collect::<Option<_>>()?;
    for column in [&mut games.first_rating, &mut games.second_rating, &mut games.year, &mut games.plies] {
        *column = (0..len).map(|_| taker.small()).collect::<Option<_>>()?;
    }
    games.result = taker.take(len)?.to_vec();
    let texts = [
        &mut games.member,
        &mut games.first_player,
        &mut games.second_player,
        &mut games.date,
        &mut games.event,
    ];
    for column in texts {
        for _ in 0..len {
            column.push(taker.text()?);
        }
    }
    games.line_hash = fixed(&mut taker)?;
    for _ in 0..taker.number()? {
        games.moves.push(taker.bytes()?);
    }
    taker.is_empty().then_some(games)
}

fn fixed(taker: &mut Taker<'_>) -> Option<Vec<u64>> {
    let len = taker.number()?;
    (0..len).map(|_| taker.fixed(8)).collect()
}

/// Games that come in blocks, in order.
pub trait GameBlocks {
    /// Returns the next games; none at the end.
    ///
    /// # Errors
    /// [`StorageError`]: the games cannot be read.
    fn next_block(&mut self) -> Result<Games, StorageError>;
}

impl<T: GameBlocks + ?Sized> GameBlocks for Box<T> {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        (**self).next_block()
    }
}

/// One input and the block of it that is in memory.
struct Input<B> {
    blocks: B,
    games: Games,
    next: usize,
}

/// Sorted inputs merged into one stream.
pub struct MergeGames<B> {
    inputs: Vec<Input<B>>,
    /// Place of each source among all by name; equal for equal names.
    ranks: Vec<u32>,
}

impl<B: GameBlocks> MergeGames<B> {
    /// Returns the merge of sorted inputs; `names` are the names of the sources that their games index.
    ///
    /// # Errors
    /// [`StorageError`]: an input cannot be read.
    pub fn new<N: Ord>(
        inputs: impl IntoIterator<Item = B>,
        names: &[N],
    ) -> Result<MergeGames<B>, StorageError> {
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
    ///
    /// # Errors
    /// [`StorageError`]: an input cannot be read.
    pub fn take(&mut self, limit: usize, games: &mut Games) -> Result<(), StorageError> {
        let enough = games.len() + limit;
        while games.len() < enough && !self.inputs.is_empty() {
            let (first, count) = self.smallest(enough - games.len());
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

    /// Returns the input with the smallest next game, and how many of its games, at most `limit`, come before those
    /// of all others.
    fn smallest(&self, limit: usize) -> (usize, usize) {
        let mut order: Vec<usize> = (0..self.inputs.len()).collect();
        order.sort_unstable_by(|&one, &two| {
            self.place(one, self.inputs[one].next).cmp(&self.place(two, self.inputs[two].next))
        });
        let first = order[0];
        let input = &self.inputs[first];
        let most = (input.games.len() - input.next).min(limit);
        let Some(&second) = order.get(1) else { return (first, most) };
        let bound = self.place(second, self.inputs[second].next);
        let is_before = |count: &usize| self.place(first, input.next + count) <= bound;
        (first, (1..most).take_while(is_before).count() + 1)
    }

    fn place(&self, input: usize, index: usize) -> (u32, &str, u64, u64) {
        let games = &self.inputs[input].games;
        // A source that is not named is a defect of the caller's; its games come last.
        let rank = self.ranks.get(games.source[index] as usize).copied().unwrap_or(u32::MAX);
        (rank, games.member.get(index), games.offset[index], games.fingerprint[index])
    }
}
