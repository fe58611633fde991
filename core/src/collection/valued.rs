//! Adds up what comments of games say that positions are worth: `[%eval 0.31]` or `[%eval #3]` after a move, for White,
//! as lichess writes it.

use std::collections::HashMap;

use super::{Archives, CollectionError, Report, each_game};
use crate::archive::{Archived, GameRecord, Note, NoteKind, ReadOptions};
use crate::game::{Foldable, Key, Lock, Replayable, Side};
use crate::graph::stored;
use crate::replay::starting_position;
use crate::tally::Progress;

/// Value of a mate; two for each move to it are taken off.
const MATE: i64 = 30_000;

/// The positions that are asked for.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    places: HashMap<(Key, Lock), usize>,
    /// How many were asked for.
    count: usize,
    /// Whether left-right mirrors are one position.
    is_folded: bool,
}

impl Asked {
    /// Asks for no position yet; `is_folded` makes left-right mirrors one position.
    pub fn new(is_folded: bool) -> Asked {
        Asked { is_folded, ..Asked::default() }
    }

    /// Adds a position. One that is asked for twice has its comments at the first place.
    pub fn push(&mut self, key: Key, lock: Lock) {
        self.places.entry((key, lock)).or_insert(self.count);
        self.count += 1;
    }
}

/// What comments say of each position, in the order in which they were asked for.
#[derive(Debug, Clone, Default)]
pub struct Valued {
    /// The sum of the values in centipawns, for the side to move.
    pub total: Vec<i64>,
    /// The number of comments.
    pub count: Vec<u64>,
}

/// Adds up the comments on positions. Variations, games of other variants and what follows an illegal move do not count.
///
/// # Errors
/// [`CollectionError`]: an archive fails, or the run is stopped.
pub fn valued<G: Archived>(
    archives: &Archives,
    asked: &Asked,
    progress: &Progress,
) -> Result<(Valued, Report), CollectionError> {
    let reading = ReadOptions { notes: true, ..ReadOptions::default() };
    let mut sums = Valued { total: vec![0; asked.count], count: vec![0; asked.count] };
    let report = each_game::<G>(archives, &reading, progress, &mut |game| {
        Ok(game.record.variant.is_none() && sums.add::<G>(game.record, asked))
    })?;
    Ok((sums, report))
}

impl Valued {
    /// Adds the comments of a game; returns whether it has any.
    fn add<G: Replayable + Foldable>(&mut self, record: &GameRecord<G::Token>, asked: &Asked) -> bool {
        let mut values = record.notes.iter().filter_map(value_at).peekable();
        if values.peek().is_none() {
            return false;
        }
        let Ok(mut position) = starting_position::<G>(record) else { return false };
        let mut ply = 0;
        for (at, value) in values {
            for &token in record.moves.iter().take(at).skip(ply) {
                if position.play_token(token).is_err() {
                    return true;
                }
                ply += 1;
            }
            let here = stored(&position, asked.is_folded);
            if let Some(&place) = asked.places.get(&(here.key, here.lock)).filter(|_| ply == at) {
                self.total[place] += if position.side() == Side::First { value } else { -value };
                self.count[place] += 1;
            }
        }
        true
    }
}

/// Returns the ply and the value that a note of the main line has, for White.
fn value_at(note: &Note) -> Option<(usize, i64)> {
    match &note.kind {
        NoteKind::Comment(text) if note.line == 0 => Some((note.ply as usize, value_in(text)?)),
        _ => None,
    }
}

/// Returns the first value in a comment.
fn value_in(comment: &str) -> Option<i64> {
    let (_, text) = comment.split_once("[%eval ")?;
    let text = text.split([']', ',']).next()?.trim();
    match text.strip_prefix('#') {
        Some(moves) => match moves.parse::<i64>().ok()? {
            moves if moves.unsigned_abs() > MATE.unsigned_abs() / 2 => None,
            moves if moves > 0 => Some(MATE - 2 * moves),
            // White is mated where the distance is zero.
            moves => Some(-MATE - 2 * moves),
        },
        None => centipawns(text),
    }
}

/// Returns a number of pawns in centipawns; decimals behind the second are cut.
fn centipawns(text: &str) -> Option<i64> {
    const MOST_DIGITS: usize = 6;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (pawns, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if pawns.len() + rest.len() == 0 || pawns.len() > MOST_DIGITS || !is_number(pawns) || !is_number(rest) {
        return None;
    }
    let hundredths =
        rest.bytes().chain(*b"00").take(2).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let pawns = if pawns.is_empty() { 0 } else { pawns.parse::<i64>().ok()? };
    Some(sign * (pawns * 100 + hundredths))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_comments_are_centipawns_for_white() {
        for (comment, value) in [
            ("[%eval 0.31] [%clk 0:03:00]", Some(31)),
            ("good [%clk 0:03:00] [%eval -1.2]", Some(-120)),
            ("[%eval +3]", Some(300)),
            ("[%eval 0.005,23]", Some(0)),
            ("[%eval -0.5,18]", Some(-50)),
            ("[%eval .5]", Some(50)),
            ("[%eval #3]", Some(29_994)),
            ("[%eval #-1]", Some(-29_998)),
            ("[%eval #0]", Some(-30_000)),
            ("[%eval #99999]", None),
            ("[%eval broken]", None),
            ("[%eval 1.2.3]", None),
            ("[%eval ]", None),
            ("[%eval -]", None),
            ("[%eval 99999999999999999999]", None),
            ("0.31", None),
        ] {
            assert_eq!(value_in(comment), value, "{comment}");
        }
    }
}
