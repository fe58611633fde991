//! Clustered books for Python: write, open, probe, verify.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use super::arrow::{PyArray, PyBatches, PyTable};
use arrow_array::{RecordBatchReader, UInt32Array};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::book_error::Signals;
use super::book_table::{check_schema, records_of, rows_of};
use super::columns::table;
use super::error::{schema, usage};
use super::game::game_id;
use super::position::{Either, Position, with};
use crate::book::{self, Scheme, records_at};
use crate::chess::Chess;
use crate::xiangqi::Xiangqi;

/// The schemes of all games, computed once: each is a walk through some hundred positions.
static SCHEMES: LazyLock<Vec<Scheme>> =
    LazyLock::new(|| vec![Scheme::of::<Chess>(), Scheme::of::<Xiangqi>()]);

fn scheme(game: &str) -> PyResult<Scheme> {
    let id = game_id(game)?;
    let known = SCHEMES.iter().find(|scheme| scheme.game == id);
    known.copied().ok_or_else(|| usage(format!("this build has no keys for {game}")))
}

/// Writes a clustered book atomically.
#[pyfunction]
#[pyo3(signature = (path, records, *, game, fold, columns, recipe))]
pub fn write_book(
    py: Python<'_>,
    path: PathBuf,
    records: PyBatches,
    game: &str,
    fold: bool,
    columns: bool,
    recipe: &str,
) -> PyResult<()> {
    let options = book::Options { scheme: scheme(game)?, is_folded: fold, has_columns: columns, recipe };
    let records = records.0;
    check_schema(records.schema().as_ref())?;
    // A batch may be made by a Python iterator, or by threads that need the interpreter's lock.
    let batches =
        py.detach(|| records.collect::<Result<Vec<_>, _>>()).map_err(|error| schema(error.to_string()))?;
    let rows = batches.iter().map(rows_of).collect::<PyResult<Vec<_>>>()?;
    let signals = Signals::default();
    py.detach(|| book::write(&path, &options, &rows, &|| signals.ask())).map_err(|error| signals.or(error))
}

/// The record of one position.
#[pyclass(frozen, eq, hash, from_py_object, module = "bookbuilder._core")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Record(book::record::Record);

#[pymethods]
impl Record {
    #[getter]
    fn key(&self) -> u64 {
        self.0.key.0
    }

    #[getter]
    fn lock(&self) -> Option<u32> {
        self.0.lock.map(|lock| lock.0)
    }

    #[getter]
    fn usage(&self) -> u32 {
        self.0.word.usage()
    }

    #[getter]
    fn seen_first_win(&self) -> bool {
        self.0.word.seen()[0]
    }

    #[getter]
    fn seen_draw(&self) -> bool {
        self.0.word.seen()[1]
    }

    #[getter]
    fn seen_second_win(&self) -> bool {
        self.0.word.seen()[2]
    }

    #[getter]
    fn quality(&self) -> u8 {
        self.0.word.quality()
    }

    #[getter]
    fn wins(&self) -> Option<u32> {
        self.0.counts.map(|counts| counts.wins)
    }

    #[getter]
    fn draws(&self) -> Option<u32> {
        self.0.counts.map(|counts| counts.draws)
    }

    #[getter]
    fn losses(&self) -> Option<u32> {
        self.0.counts.map(|counts| counts.losses)
    }

    fn __repr__(&self) -> String {
        let word = self.0.word;
        let counts = self.0.counts.map_or_else(String::new, |counts| {
            format!(", wins={}, draws={}, losses={}", counts.wins, counts.draws, counts.losses)
        });
        let (key, usage, quality) = (self.key(), word.usage(), word.quality());
        format!("<Record: key=0x{key:016x}, usage={usage}, quality={quality}{counts}>")
    }
}

/// A clustered book, memory-mapped.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Book {
    inner: Arc<book::Book>,
}

impl Book {
    /// Returns the book itself.
    pub fn inner(&self) -> &Arc<book::Book> {
        &self.inner
    }

    fn require(&self, position: &Position) -> PyResult<()> {
        let (found, expected) = (position.id(), self.inner.game());
        if found == expected {
            return Ok(());
        }
        Err(usage(format!("a position of {} in a book of {}", found.name(), expected.name())))
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
        facts.set_item("format_version", book::layout::VERSION)?;
        facts.set_item("key_scheme", format!("0x{:016x}", self.inner.header().scheme.fingerprint))?;
        facts.set_item("recipe", self.recipe()?)?;
        Ok(facts)
    }

    /// Returns the record of a position.
    fn probe_position(&self, position: &Position) -> PyResult<Option<Record>> {
        self.require(position)?;
        let at = position.folded(self.fold());
        Ok(self.inner.probe(at.key, at.lock)?.map(Record))
    }

    /// Returns code and record of each book move at a position, the most used first; of two mirrored moves the usual one.
    fn moves_at(&self, position: &Position) -> PyResult<Vec<(u16, Record)>> {
        self.require(position)?;
        let found = with!(position, here => records_at(&self.inner, here))?;
        let mut moves = Vec::with_capacity(found.len());
        for (place, played) in found {
            moves.push((played.0, Record(self.inner.record(place)?)));
        }
        moves.sort_by_key(|(code, record)| (std::cmp::Reverse(record.0.word.usage()), *code));
        Ok(moves)
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let signals = Signals::default();
        py.detach(|| self.inner.verify(&|| signals.ask())).map_err(|error| signals.or(error))
    }

    fn records(&self, py: Python<'_>) -> PyResult<PyTable> {
        let signals = Signals::default();
        py.detach(|| self.inner.check_whole(&|| signals.ask())).map_err(|error| signals.or(error))?;
        table(py.detach(|| records_of(&self.inner))?)
    }

    fn cluster_sizes(&self) -> PyArray {
        let sizes = self.inner.cluster_sizes().map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        PyArray(Arc::new(UInt32Array::from_iter_values(sizes)))
    }
}
