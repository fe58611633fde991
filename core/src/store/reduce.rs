//! Merges runs and parts into parts, one range of keys at a time: the second half of a run.
//!
//! Each function is a task that only reads and writes files. Repeated, it writes the same bytes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::columns::{GROUP_ROWS, PartSummary, RowGroup};
use super::games::{GROUP_GAMES, GamesPart, GamesWriter};
use super::part::PartWriter;
use super::reader::{PartGroups, PartRows};
use crate::filter::Cells;
use crate::tally::{
    Frequent, GameBlocks, Games, KeyRange, Kind, Merge, MergeGames, Row, RowBlocks, Run, RunWriter,
    StorageError,
};

/// Sorted rows, or sorted games.
#[derive(Debug, Clone)]
pub enum RowInput {
    /// A run.
    Run(Run),
    /// A part of a store: of TALLY or of GAMES. Its digest has been checked.
    Part(PathBuf),
}

const GAMES_PER_PART: usize = 1 << 20;
/// Rows that are merged between two looks at the stop flag.
const STEP_ROWS: usize = 4096;

fn merged(inputs: &[RowInput], range: KeyRange) -> Result<Merge<'static>, StorageError> {
    let open = |input: &RowInput| -> Result<Box<dyn RowBlocks>, StorageError> {
        Ok(match input {
            RowInput::Run(run) => run.rows(range)?,
            RowInput::Part(path) => Box::new(PartRows::open(path, range)?),
        })
    };
    Merge::new(inputs.iter().map(open).collect::<Result<Vec<_>, _>>()?)
}

fn go_on(stop: &AtomicBool) -> Result<(), StorageError> {
    if stop.load(Ordering::Relaxed) { Err(StorageError::Stopped) } else { Ok(()) }
}

/// Returns the number of merged rows in a range: each position, move and cell once.
pub fn count_rows(inputs: &[RowInput], range: KeyRange, stop: &AtomicBool) -> Result<u64, StorageError> {
    let mut merge = merged(inputs, range)?;
    let (mut rows, mut count) = (Vec::new(), 0);
    while merge.fill(&mut rows)? {
        go_on(stop)?;
        count += rows.len() as u64;
    }
    Ok(count)
}

/// Returns whether the inputs have a row within a range.
pub fn holds_row(inputs: &[RowInput], range: KeyRange) -> Result<bool, StorageError> {
    merged(inputs, range)?.fill(&mut Vec::new())
}

/// Merges the rows of a range of keys into a part, with cells or without, on `jobs` threads and this one, and returns its
/// summary. Without rows no part is written.
pub fn reduce_rows(
    inputs: &[RowInput],
    range: KeyRange,
    target: &Path,
    with_cells: bool,
    metadata: &[(String, String)],
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<PartSummary>, StorageError> {
    let mut merge = merged(inputs, range)?;
    let (mut summary, mut rows) = (PartSummary::default(), Vec::with_capacity(STEP_ROWS));
    let mut take = |group: &mut RowGroup| -> Result<(), StorageError> {
        group.clear();
        while group.len < GROUP_ROWS {
            go_on(stop)?;
            rows.clear();
            merge.take(STEP_ROWS.min(GROUP_ROWS - group.len), &mut rows)?;
            if rows.is_empty() {
                break;
            }
            rows.iter().for_each(|row| summary.add(row));
            group.push(&rows);
        }
        Ok(())
    };
    let (mut group, mut next) = (RowGroup::new(with_cells), RowGroup::new(with_cells));
    take(&mut group)?;
    if group.len == 0 {
        return Ok(None);
    }
    let mut writer = PartWriter::create(target, with_cells, metadata, jobs)?;
    while group.len > 0 {
        writer.group(&group, || take(&mut next))?;
        std::mem::swap(&mut group, &mut next);
    }
    let checksums = writer.finish()?;
    Ok(Some(PartSummary { checksums, ..summary }))
}

/// Merges the games of runs and parts into parts of GAMES, `name(0)`, `name(1)` …, and returns how many games each
/// holds. `names` are the names of the sources: first the sources that the runs' games index, then all others.
pub fn reduce_games(
    inputs: &[RowInput],
    names: &[String],
    name: &dyn Fn(usize) -> PathBuf,
    metadata: &[(String, String)],
    stop: &AtomicBool,
) -> Result<Vec<u64>, StorageError> {
    let indices = names.iter().enumerate().map(|(index, name)| (name.clone(), index as u32));
    let indices: Arc<HashMap<_, _>> = Arc::new(indices.collect());
    let open = |input: &RowInput| -> Result<Box<dyn GameBlocks>, StorageError> {
        Ok(match input {
            RowInput::Run(run) => run.games()?,
            RowInput::Part(path) => Box::new(GamesPart::open(path, &indices)?),
        })
    };
    let inputs = inputs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut merge = MergeGames::new(inputs, names)?;
    let mut counts = Vec::new();
    let mut writer: Option<(GamesWriter, usize)> = None;
    loop {
        go_on(stop)?;
        let mut games = Games::default();
        merge.take(GROUP_GAMES, &mut games)?;
        let is_full = writer.as_ref().is_some_and(|(_, held)| *held >= GAMES_PER_PART);
        if let Some((ended, _)) = writer.take_if(|_| is_full || games.is_empty()) {
            counts.push(ended.finish()?);
        }
        if games.is_empty() {
            return Ok(counts);
        }
        let (writer, held) = match &mut writer {
            Some(begun) => begun,
            none => none.insert((GamesWriter::create(&name(counts.len()), metadata)?, 0)),
        };
        writer.group(&games, names)?;
        *held += games.len();
    }
}

/// Merges runs of neighbouring stretches of one plan, in order, into one run file; `names` are the names of the sources.
pub fn merge_runs(
    runs: &[Run],
    names: &[String],
    target: &Path,
    stop: &AtomicBool,
) -> Result<(), StorageError> {
    let mut writer = RunWriter::create(target)?;
    let inputs: Vec<RowInput> = runs.iter().cloned().map(RowInput::Run).collect();
    let mut merge = merged(&inputs, KeyRange::ALL)?;
    let mut rows = Vec::new();
    while merge.fill(&mut rows)? {
        go_on(stop)?;
        writer.rows(&rows)?;
    }
    let mut merge = MergeGames::new(runs.iter().map(Run::games).collect::<Result<_, _>>()?, names)?;
    loop {
        go_on(stop)?;
        let mut games = Games::default();
        merge.take(STEP_ROWS, &mut games)?;
        if games.is_empty() {
            break;
        }
        writer.games(&games)?;
    }
    for kind in [Kind::Rejects, Kind::Rejected, Kind::Figures] {
        for run in runs {
            for text in run.texts(kind)? {
                writer.block(kind, KeyRange::ALL, &text)?;
            }
        }
    }
    writer.finish()
}

/// Reads a part whole and returns what it holds.
pub fn check_part(path: &Path, stop: &AtomicBool) -> Result<PartSummary, StorageError> {
    let mut part = PartRows::open(path, KeyRange::ALL)?;
    let mut summary = PartSummary::default();
    let mut rows = Vec::new();
    while part.fill(&mut rows)? {
        go_on(stop)?;
        rows.iter().for_each(|row| summary.add(row));
    }
    Ok(summary)
}

/// Returns the rows of a part whose positions at least `least` games reached, and the numbers of the others.
pub fn frequent_rows(path: &Path, least: u64, stop: &AtomicBool) -> Result<Frequent, StorageError> {
    let mut groups = PartGroups::open(path, KeyRange::ALL)?;
    let mut found = Frequent::new(least);
    while let Some(rows) = groups.next_group()? {
        go_on(stop)?;
        found.take(&rows.view());
    }
    found.close();
    Ok(found)
}

/// Appends the sums over the selected cells: one row per (position, move), of cell 0. `rows` are sorted, so the rows of a
/// position and move are neighbours.
pub fn sum_cells(rows: impl IntoIterator<Item = Row>, cells: &Cells, sums: &mut Vec<Row>) {
    let first = sums.len();
    for row in rows.into_iter().filter(|row| cells.admit(row.cell)) {
        let row = Row { cell: 0, ..row };
        match sums[first..].last_mut() {
            Some(sum) if sum.identity() == row.identity() => sum.add(&row),
            _ => sums.push(row),
        }
    }
}
