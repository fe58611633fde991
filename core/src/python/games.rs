//! The GAMES table for Python: columns of a run, and the columns of a store that identify duplicates.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StringArray, UInt64Array};
use arrow_buffer::{Buffer, OffsetBuffer};
use pyo3::prelude::*;
use super::arrow::PyTable;

use super::columns::{array, batch, column, members};
use super::error::schema;
use super::options::dedupe_named;
use crate::tally::{BytesColumn, Dedupe, Games, Seen, TextColumn, find_duplicates};

/// Returns how many games of either table are copies of games of the other.
#[pyfunction]
pub fn count_copies(py: Python<'_>, dedupe: &str, one: PyTable, other: PyTable) -> PyResult<u64> {
    let policy = dedupe_named(dedupe)?;
    let (known, games) = (known_games(one)?, known_games(other)?);
    Ok(py.detach(|| {
        let found = find_duplicates(policy, &known, &games);
        found.is_dropped.iter().filter(|&&is_dropped| is_dropped).count() as u64 + found.superseded
    }))
}

/// Returns the columns of a table of schema GAMES that identify copies.
fn known_games(table: PyTable) -> PyResult<Games> {
    of_batches(&table.into_batches())
}

fn of_batches(batches: &[RecordBatch]) -> PyResult<Games> {
    let mut games = Games::default();
    for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
        games.fingerprint.extend_from_slice(column::<UInt64Type>("GAMES", batch, "fingerprint")?);
        if batch.column_by_name("line_hash").is_some_and(|hashes| hashes.null_count() == 0) {
            games.line_hash.extend_from_slice(column::<UInt64Type>("GAMES", batch, "line_hash")?);
        }
        games.result.extend_from_slice(column::<UInt8Type>("GAMES", batch, "result")?);
        games.year.extend_from_slice(column::<UInt16Type>("GAMES", batch, "year")?);
        push_texts(batch, "first_player", &mut games.first_player)?;
        push_texts(batch, "second_player", &mut games.second_player)?;
        push_texts(batch, "date", &mut games.date)?;
        push_moves(batch, &mut games.moves)?;
    }
    Ok(games)
}

/// Returns the games of a table of schema GAMES, to compare others with.
pub fn seen_games(policy: Dedupe, table: Option<PyTable>) -> PyResult<Seen> {
    let mut seen = Seen::new(policy, &Games::default());
    for batch in table.into_iter().flat_map(|table| table.into_batches()) {
        seen.add(&of_batches(&[batch])?);
    }
    Ok(seen)
}

/// Returns all columns of a table of schema GAMES. `names` are the names of its sources.
pub fn all_games(table: PyTable, names: &[String]) -> PyResult<Games> {
    let batches = table.into_batches();
    let mut games = of_batches(&batches)?;
    for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
        let mut sources = TextColumn::default();
        push_texts(batch, "source", &mut sources)?;
        for source in sources.iter() {
            let index = names.iter().position(|name| name == source);
            let index =
                index.ok_or_else(|| schema(format!("GAMES names {source}, which is not a source")))?;
            games.source.push(index as u32);
        }
        push_texts(batch, "member", &mut games.member)?;
        push_texts(batch, "event", &mut games.event)?;
        games.offset.extend_from_slice(column::<UInt64Type>("GAMES", batch, "offset")?);
        games.line.extend_from_slice(column::<UInt64Type>("GAMES", batch, "line")?);
        games.first_rating.extend_from_slice(column::<UInt16Type>("GAMES", batch, "first_rating")?);
        games.second_rating.extend_from_slice(column::<UInt16Type>("GAMES", batch, "second_rating")?);
        games.plies.extend_from_slice(column::<UInt16Type>("GAMES", batch, "plies")?);
    }
    Ok(games)
}

fn push_texts(batch: &RecordBatch, name: &str, texts: &mut TextColumn) -> PyResult<()> {
    let found = batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
    let found = found.ok_or_else(|| schema(format!("a GAMES table lacks the column \"{name}\" (string)")))?;
    let text = |index| if found.is_valid(index) { found.value(index) } else { "" };
    (0..found.len()).for_each(|index| texts.push(text(index)));
    Ok(())
}

fn push_moves(batch: &RecordBatch, moves: &mut BytesColumn) -> PyResult<()> {
    let found = batch.column_by_name("moves").and_then(|column| column.as_binary_opt::<i32>());
    let found =
        found.ok_or_else(|| schema("a GAMES table lacks the column \"moves\" (binary)".to_owned()))?;
    (0..found.len()).filter(|&index| found.is_valid(index)).for_each(|index| moves.push(found.value(index)));
    Ok(())
}

/// Returns the games of a run as columns of schema GAMES; `names` are the names of the sources.
pub fn games_batch<N: AsRef<str>>(games: Games, names: &[N]) -> PyResult<RecordBatch> {
    let moves = moves(&games);
    let sources = games.source.iter().map(|&index| &names[index as usize]);
    let sources: ArrayRef = Arc::new(StringArray::from_iter_values(sources));
    let line_hash: ArrayRef = match games.line_hash.is_empty() {
        true => Arc::new(UInt64Array::new_null(games.len())),
        false => array::<UInt64Type>(games.line_hash),
    };
    batch([
        ("fingerprint", array::<UInt64Type>(games.fingerprint)),
        ("source", sources),
        ("member", members(games.member.iter())),
        ("offset", array::<UInt64Type>(games.offset)),
        ("line", array::<UInt64Type>(games.line)),
        ("first_player", texts(games.first_player)?),
        ("second_player", texts(games.second_player)?),
        ("first_rating", array::<UInt16Type>(games.first_rating)),
        ("second_rating", array::<UInt16Type>(games.second_rating)),
        ("date", texts(games.date)?),
        ("year", array::<UInt16Type>(games.year)),
        ("event", texts(games.event)?),
        ("result", array::<UInt8Type>(games.result)),
        ("plies", array::<UInt16Type>(games.plies)),
        ("line_hash", line_hash),
        ("moves", moves),
    ])
}

/// Returns texts as a column, without copying them.
fn texts(column: TextColumn) -> PyResult<ArrayRef> {
    let offsets: Result<Vec<i32>, _> = std::iter::once(0).chain(column.ends).map(i32::try_from).collect();
    let offsets = offsets.map_err(|_| {
        schema("a text column of GAMES exceeds 2 GiB: read fewer archives at once".to_owned())
    })?;
    let values = Buffer::from(column.bytes.into_bytes());
    let array = StringArray::try_new(OffsetBuffer::new(offsets.into()), values, None);
    Ok(Arc::new(array.map_err(|error| schema(error.to_string()))?))
}

/// Returns the lines of the games; nulls where they were not kept.
fn moves(games: &Games) -> ArrayRef {
    let lines: BinaryArray = match games.moves.ends.is_empty() {
        true => BinaryArray::new_null(games.len()),
        false => BinaryArray::from_iter_values(games.moves.iter()),
    };
    Arc::new(lines)
}
