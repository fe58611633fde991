//! Adds up what comments of games say that positions are worth.
//!
//! | comment | written by | meaning |
//! |---|---|---|
//! | `[%eval 0.31]`, `[%eval #3]` | lichess | pawns for White; mate |
//! | `[%eval 31,18]` | ChessBase, ChessOK | centipawns for White; depth |
//! | `[%evp 0,2,18,29,24]` | ChessBase | first and last ply, then centipawns for White after each |
//! | `+0.31/12 0.5s`, `-M3/20` | programs that play matches | pawns for the side that moved; depth |

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
        let mut values: Vec<(usize, Value)> = record.notes.iter().flat_map(values_at).collect();
        values.sort_by_key(|(ply, _)| *ply);
        let mut values = values.into_iter().peekable();
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
                let is_for_first = position.side() == Side::First;
                self.total[place] += match value {
                    Value::Mover(value) => -value,
                    Value::First(value) if is_for_first => value,
                    Value::First(value) => -value,
                };
                self.count[place] += 1;
            }
        }
        true
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    First(i64),
    /// For the side that has just moved.
    Mover(i64),
}

/// Returns the plies and the values that a note of the main line has.
fn values_at(note: &Note) -> Vec<(usize, Value)> {
    let NoteKind::Comment(text) = &note.kind else { return Vec::new() };
    if note.line != 0 {
        return Vec::new();
    }
    if let Some((_, profile)) = text.split_once("[%evp ") {
        return profile_values(profile).unwrap_or_default();
    }
    let value = value_in(text).map(Value::First).or_else(|| match_value(text).map(Value::Mover));
    value.map(|value| (note.ply as usize, value)).into_iter().collect()
}

/// Returns the values of a profile: its first and last ply, then centipawns, of which 32767 is none and 30000 − n a mate.
fn profile_values(text: &str) -> Option<Vec<(usize, Value)>> {
    const NONE: i64 = 32_767;
    let numbers = text.split(']').next()?.split(',').map(|number| number.trim().parse::<i64>());
    let numbers: Vec<i64> = numbers.collect::<Result<_, _>>().ok()?;
    let (first, values) = (usize::try_from(*numbers.first()?).ok()?, numbers.get(2..)?);
    let is_known = |value: &i64| *value != NONE && value.unsigned_abs() <= MATE.unsigned_abs();
    let places = values.iter().enumerate().filter(|(_, value)| is_known(value));
    Some(places.map(|(index, value)| (first + index, Value::First(*value))).collect())
}

/// Returns the value at the head of a comment of a match, which a slash and a depth follow: `+0.31/12 0.5s`.
fn match_value(comment: &str) -> Option<i64> {
    let (value, rest) = comment.trim_start().split_once('/')?;
    // XBoard writes a comma where the language of the system does.
    let value = value.replace(',', ".");
    if !rest.starts_with(|sign: char| sign.is_ascii_digit()) || !value.starts_with(['+', '-']) {
        return None;
    }
    match value[1..].strip_prefix('M') {
        Some(moves) => mate(moves.parse().ok()?)
            .map(|value_of| if value.starts_with('-') { -value_of } else { value_of }),
        None => value.contains('.').then(|| centipawns(&value)).flatten(),
    }
}

/// Returns the value of a mate in a number of moves.
fn mate(moves: i64) -> Option<i64> {
    match moves {
        moves if moves.unsigned_abs() > MATE.unsigned_abs() / 2 => None,
        moves if moves > 0 => Some(MATE - 2 * moves),
        // White is mated where the distance is zero.
        moves => Some(-MATE - 2 * moves),
    }
}

/// Returns the first value in a comment. A whole number other than 0 is in centipawns.
fn value_in(comment: &str) -> Option<i64> {
    let (_, text) = comment.split_once("[%eval ")?;
    let text = text.split([']', ',']).next()?.trim();
    match text.strip_prefix('#') {
        Some(moves) => mate(moves.parse().ok()?),
        None if text.contains('.') => centipawns(text),
        None => text.parse::<i64>().ok().filter(|value| value.unsigned_abs() <= MATE.unsigned_abs()),
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
mod tests;
