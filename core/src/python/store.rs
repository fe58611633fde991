//! Tally stores for Python: runs that become parts, and lookups.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::columns::{PyTable, row_tuple, rows_table};
use super::error::schema;
use super::options::{Question, dict};
use super::runs::Run;
use super::steps::in_steps;
use super::tally::{FrequentRows, frequent_answer};
use crate::filter::Cells;
use crate::store::{
    Checksums, PartLookup, PartSummary, Reach, RowInput, check_part as check, count_rows as count_all_rows,
    frequent_rows, holds_row, merge_runs as merge, reduce_games as reduce_all_games, reduce_rows as reduce,
    sum_cells as sum,
};
use crate::tally::{KeyRange, Row, Rows, RowsRef, StorageError};

/// Runs a task that looks at a stop flag, so that Ctrl-C ends it.
fn task<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, StorageError> + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&stop);
    Ok(in_steps(py, &stop, &mut |_| Ok(()), move || work(&shared))??)
}

fn inputs(runs: Vec<Py<Run>>, parts: Vec<PathBuf>) -> Vec<RowInput> {
    let runs = runs.iter().map(|run| RowInput::Run(run.get().inner()));
    runs.chain(parts.into_iter().map(RowInput::Part)).collect()
}

/// Returns how many rows runs and parts come to within a range of keys.
#[pyfunction]
pub fn count_rows(
    py: Python<'_>,
    runs: Vec<Py<Run>>,
    parts: Vec<PathBuf>,
    first: u64,
    last: u64,
) -> PyResult<u64> {
    task(py, move |stop| count_all_rows(&inputs(runs, parts), KeyRange { first, last }, stop))
}

/// Returns whether runs hold a row within a range of keys.
#[pyfunction]
pub fn runs_hold(py: Python<'_>, runs: Vec<Py<Run>>, first: u64, last: u64) -> PyResult<bool> {
    task(py, move |_| holds_row(&inputs(runs, Vec::new()), KeyRange { first, last }))
}

/// Merges a range of keys of runs and parts into one part.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Of one Python call.
pub fn reduce_rows<'py>(
    py: Python<'py>,
    runs: Vec<Py<Run>>,
    parts: Vec<PathBuf>,
    first: u64,
    last: u64,
    target: PathBuf,
    with_cells: bool,
    metadata: Vec<(String, String)>,
    jobs: usize,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let range = KeyRange { first, last };
    let summary = task(py, move |stop| {
        reduce(&inputs(runs, parts), range, &target, with_cells, &metadata, jobs, stop)
    })?;
    summary.map(|summary| told(py, &summary)).transpose()
}

/// Merges the games of runs and parts into parts `<target>-000.parquet` ….
#[pyfunction]
pub fn reduce_games(
    py: Python<'_>,
    runs: Vec<Py<Run>>,
    parts: Vec<PathBuf>,
    names: Vec<String>,
    target: PathBuf,
    metadata: Vec<(String, String)>,
) -> PyResult<Vec<(PathBuf, u64)>> {
    task(py, move |stop| {
        let name = |number: usize| {
            let mut name = target.clone().into_os_string();
            name.push(format!("-{number:03}.parquet"));
            PathBuf::from(name)
        };
        let counts = reduce_all_games(&inputs(runs, parts), &names, &name, &metadata, stop)?;
        Ok(counts.into_iter().enumerate().map(|(number, count)| (name(number), count)).collect())
    })
}

/// Merges neighbouring runs, in order, into one.
#[pyfunction]
pub fn merge_runs(py: Python<'_>, runs: Vec<Py<Run>>, names: Vec<String>, target: PathBuf) -> PyResult<()> {
    let runs: Vec<_> = runs.iter().map(|run| run.get().inner()).collect();
    task(py, move |stop| merge(&runs, &names, &target, stop))
}

/// Adds up the rows of a part with cells, as far as they answer a question, to a table of schema TALLY.
#[pyfunction]
pub fn sum_cells(py: Python<'_>, rows: PyTable, question: Question) -> PyResult<PyTable> {
    let cells = question.cells()?;
    let batches = rows.into_batches();
    let views =
        batches.iter().map(|batch| RowsRef::of(batch, true).map_err(schema)).collect::<PyResult<Vec<_>>>()?;
    let sums = py.detach(|| {
        let rows = views.iter().flat_map(|view| (0..view.len()).map(|index| view.row(index)));
        let (mut sums, mut made) = (Vec::new(), Rows::default());
        sum(rows, &cells, &mut sums);
        made.extend(&sums);
        made
    });
    rows_table(sums)
}

/// Reads a part whole and returns what it holds.
#[pyfunction]
pub fn check_part(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let summary = task(py, move |stop| check(&path, stop))?;
    told(py, &summary)
}

/// Returns the rows of a part whose positions at least `least` games reached, and the numbers of the others.
#[pyfunction]
pub fn frequent_in_part(py: Python<'_>, path: PathBuf, least: u64) -> PyResult<FrequentRows> {
    frequent_answer(task(py, move |stop| frequent_rows(&path, least, stop))?)
}

fn told<'py>(py: Python<'py>, summary: &PartSummary) -> PyResult<Bound<'py, PyDict>> {
    let [games, first_wins, draws, second_wins] = summary.sums;
    Ok(dict! { py,
        "rows": summary.rows,
        "first_key": summary.first_key,
        "last_key": summary.last_key,
        "games": games,
        "first_wins": first_wins,
        "draws": draws,
        "second_wins": second_wins,
        "newest_year": summary.newest_year,
        "checksums": (summary.checksums.start, summary.checksums.end),
    })
}

/// Parts that are asked for positions; each is opened when it is first needed.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct StoreLookup {
    parts: Vec<Part>,
    /// What is asked for where the parts have cells.
    cells: Option<Cells>,
}

struct Part {
    path: PathBuf,
    range: KeyRange,
    checksums: Checksums,
    opened: OnceLock<PartLookup>,
}

#[pymethods]
impl StoreLookup {
    #[new]
    #[pyo3(signature = (parts, question=None))]
    fn new(parts: Vec<(PathBuf, u64, u64, (u64, u64))>, question: Option<Question>) -> PyResult<StoreLookup> {
        let part = |(path, first, last, (start, end))| Part {
            path,
            range: KeyRange { first, last },
            checksums: Checksums { start, end },
            opened: OnceLock::new(),
        };
        let cells = question.map(|question| question.cells()).transpose()?;
        Ok(StoreLookup { parts: parts.into_iter().map(part).collect(), cells })
    }

    fn counts(&self, py: Python<'_>, positions: Vec<(u64, u32)>) -> PyResult<Vec<[u64; 4]>> {
        let sum = |&(key, lock): &(u64, u32)| {
            let mut sums = [0; 4];
            for row in self.find(key, lock, Reach::Counts)? {
                let counts = [row.games, row.first_wins, row.draws, row.second_wins];
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            Ok(sums)
        };
        Ok(py.detach(|| positions.iter().map(sum).collect::<Result<_, StorageError>>())?)
    }

    fn rows<'py>(&self, py: Python<'py>, key: u64, lock: u32) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let rows = py.detach(|| self.find(key, lock, Reach::Whole))?;
        rows.iter().map(|row| row_tuple(py, row)).collect()
    }
}

impl StoreLookup {
    fn find(&self, key: u64, lock: u32, reach: Reach) -> Result<Vec<Row>, StorageError> {
        let mut rows = Vec::new();
        for part in self.parts.iter().filter(|part| part.range.holds(key)) {
            let opened = match part.opened.get() {
                Some(opened) => opened,
                None => {
                    let opened = PartLookup::open(&part.path, part.checksums)?;
                    part.opened.get_or_init(|| opened)
                }
            };
            opened.rows((key, lock), reach, &mut rows)?;
        }
        let Some(cells) = &self.cells else { return Ok(rows) };
        let mut sums = Vec::new();
        sum(rows, cells, &mut sums);
        Ok(sums)
    }
}
