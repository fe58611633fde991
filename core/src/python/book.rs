//! Clustered books for Python: selected rows in, a file out; a path in, probes and columns out.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use arrow_array::UInt32Array;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyArray, PyTable};

use super::book_error::Signals;
use super::book_table::{check_schema, records_of, rows_of};
use super::error::usage;
use super::game_id;
use super::stream::table;
use crate::book::layout::VERSION;
use crate::book::{self, Scheme};
use crate::chess::Chess;
use crate::game::{Key, Lock};
use crate::xiangqi::Xiangqi;

/// The schemes of all games, taken once: each is a walk through some hundred positions.
static SCHEMES: LazyLock<Vec<Scheme>> =
    LazyLock::new(|| vec![Scheme::of::<Chess>(), Scheme::of::<Xiangqi>()]);

fn scheme(game: &str) -> PyResult<Scheme> {
    let id = game_id(game)?;
    let known = SCHEMES.iter().find(|scheme| scheme.game == id);
    known.copied().ok_or_else(|| usage(format!("this build has no keys for {game}")))
}

/// Writes a clustered book whole or not at all.
#[pyfunction]
#[pyo3(signature = (path, records, *, game, fold, columns, recipe))]
pub fn write_book(
    py: Python<'_>,
    path: PathBuf,
    records: AnyRecordBatch,
    game: &str,
    fold: bool,
    columns: bool,
    recipe: &str,
) -> PyResult<()> {
    let options = book::Options { scheme: scheme(game)?, is_folded: fold, has_columns: columns, recipe };
    check_schema(records.schema()?.as_ref())?;
    let (batches, _) = py.detach(|| records.into_table())?.into_inner();
    let rows = batches.iter().map(rows_of).collect::<PyResult<Vec<_>>>()?;
    let signals = Signals::default();
    py.detach(|| book::write(&path, &options, &rows, &|| signals.ask())).map_err(|error| signals.or(error))
}

/// A clustered book, memory-mapped.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Book {
    inner: Arc<book::Book>,
}

impl Book {
    /// Returns the book for the rooms behind the door.
    pub fn inner(&self) -> &Arc<book::Book> {
        &self.inner
    }
}

#[pymethods]
impl Book {
    #[staticmethod]
    #[pyo3(signature = (path, game=None))]
    fn open(py: Python<'_>, path: PathBuf, game: Option<&str>) -> PyResult<Book> {
        let accepted =
            game.map_or_else(|| Ok(SCHEMES.clone()), |game| Ok::<_, PyErr>(vec![scheme(game)?]))?;
        let inner = py.detach(|| book::Book::open(&path, &accepted))?;
        Ok(Book { inner: Arc::new(inner) })
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    #[getter]
    fn game(&self) -> &'static str {
        self.inner.game().name()
    }

    #[getter]
    fn fold(&self) -> bool {
        self.inner.header().is_folded
    }

    #[getter]
    fn has_columns(&self) -> bool {
        self.inner.header().has_columns
    }

    #[getter]
    fn recipe(&self) -> PyResult<&str> {
        Ok(self.inner.recipe()?)
    }

    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        facts.set_item("game", self.game())?;
        facts.set_item("records", self.inner.len())?;
        facts.set_item("clusters_used", self.inner.cluster_sizes().filter(|&size| size > 0).count())?;
        facts.set_item("bytes", self.inner.file_bytes())?;
        facts.set_item("fold", self.fold())?;
        facts.set_item("columns", self.has_columns())?;
        facts.set_item("format_version", VERSION)?;
        facts.set_item("key_scheme", format!("0x{:016x}", self.inner.header().scheme.fingerprint))?;
        facts.set_item("recipe", self.recipe()?)?;
        Ok(facts)
    }

    fn probe<'py>(&self, py: Python<'py>, key: u64, lock: u32) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(record) = self.inner.probe(Key(key), Lock(lock)) else { return Ok(None) };
        let [first_win, draw, second_win] = record.word.seen();
        let answer = PyDict::new(py);
        answer.set_item("key", record.key.0)?;
        answer.set_item("lock", record.lock.map(|lock| lock.0))?;
        answer.set_item("usage", record.word.usage())?;
        answer.set_item("seen_first_win", first_win)?;
        answer.set_item("seen_draw", draw)?;
        answer.set_item("seen_second_win", second_win)?;
        answer.set_item("quality", record.word.quality())?;
        answer.set_item("wins", record.counts.map(|counts| counts.wins))?;
        answer.set_item("draws", record.counts.map(|counts| counts.draws))?;
        answer.set_item("losses", record.counts.map(|counts| counts.losses))?;
        Ok(Some(answer))
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let signals = Signals::default();
        py.detach(|| self.inner.verify(&|| signals.ask())).map_err(|error| signals.or(error))
    }

    fn records(&self, py: Python<'_>) -> PyResult<PyTable> {
        table(py.detach(|| records_of(&self.inner))?)
    }

    fn cluster_sizes(&self) -> PyArray {
        let sizes = self.inner.cluster_sizes().map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        PyArray::from_array_ref(Arc::new(UInt32Array::from_iter_values(sizes)))
    }
}
