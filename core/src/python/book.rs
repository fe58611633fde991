//! Clustered books for Python: write, open, probe, verify; their records as Arrow columns, in both directions.
//!
//! The lock and count columns of a file have the layout of Arrow, so they are shared without a copy and keep the book
//! mapped as long as they live. Keys and words are interleaved in the file and are copied.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use arrow_array::types::{ArrowPrimitiveType, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{
    ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchReader, UInt8Array, UInt32Array,
    UInt64Array,
};
use arrow_buffer::ScalarBuffer;
use arrow_data::ArrayData;
use arrow_pyarrow::PyArrowType;
use arrow_schema::Schema;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::columns::{PyBatches, PyTable, column, whole_column};
use super::error::{schema, usage};
use super::options::{dict, game_id, with};
use super::position::Position;
use super::steps::Signals;
use crate::book::record::{Valued, Word};
use crate::book::{self, Column, Lines, Rows, Scheme, records_at};
use crate::chess::Chess;
use crate::game::{Key, Move};
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
#[pyclass(frozen, eq, hash, get_all, from_py_object, module = "bookbuilder._core")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Record {
    key: u64,
    lock: Option<u32>,
    usage: u32,
    seen_first_win: bool,
    seen_draw: bool,
    seen_second_win: bool,
    quality: u8,
    wins: Option<u32>,
    draws: Option<u32>,
    losses: Option<u32>,
    value: Option<i16>,
    depth: Option<u8>,
    best: Option<u16>,
}

impl From<book::record::Record> for Record {
    fn from(record: book::record::Record) -> Record {
        let (word, counts, valued) = (record.word, record.counts, record.valued);
        let [seen_first_win, seen_draw, seen_second_win] = word.seen();
        Record {
            key: record.key.0,
            lock: record.lock.map(|lock| lock.0),
            usage: word.usage(),
            seen_first_win,
            seen_draw,
            seen_second_win,
            quality: word.quality(),
            wins: counts.map(|counts| counts.wins),
            draws: counts.map(|counts| counts.draws),
            losses: counts.map(|counts| counts.losses),
            value: valued.map(|valued| valued.value),
            depth: valued.map(|valued| valued.depth),
            best: valued.map(|valued| valued.best).filter(|&best| best != Move::NONE).map(|best| best.0),
        }
    }
}

#[pymethods]
impl Record {
    fn __repr__(&self) -> String {
        let Record { key, usage, quality, .. } = self;
        let counts = match (self.wins, self.draws, self.losses) {
            (Some(wins), Some(draws), Some(losses)) => {
                format!(", wins={wins}, draws={draws}, losses={losses}")
            }
            _ => String::new(),
        };
        format!("<Record: key=0x{key:016x}, usage={usage}, quality={quality}{counts}>")
    }
}

/// A clustered book, memory-mapped.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Book {
    inner: Arc<book::Book>,
}

impl Book {
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
    fn has_values(&self) -> bool {
        self.inner.header().has_values
    }

    #[getter]
    fn recipe(&self) -> PyResult<&str> {
        Ok(self.inner.recipe()?)
    }

    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(dict! { py,
            "game": self.game(),
            "records": self.inner.len(),
            "clusters_used": self.inner.cluster_sizes().filter(|&size| size > 0).count(),
            "bytes": self.inner.file_bytes(),
            "fold": self.fold(),
            "columns": self.has_columns(),
            "values": self.has_values(),
            "format_version": book::layout::VERSION,
            "key_scheme": format!("0x{:016x}", self.inner.header().scheme.fingerprint),
            "recipe": self.recipe()?,
        })
    }

    fn probe_position(&self, position: &Position) -> PyResult<Option<Record>> {
        self.require(position)?;
        let at = position.folded(self.fold());
        Ok(self.inner.probe(at.key, at.lock)?.map(Record::from))
    }

    /// Returns code and record of each book move at a position, the most used first; of two mirrored moves the usual one.
    fn moves_at(&self, position: &Position) -> PyResult<Vec<(u16, Record)>> {
        self.require(position)?;
        let found = with!(&position.0, here => records_at(&self.inner, here))?;
        let mut moves = Vec::with_capacity(found.len());
        for (place, played) in found {
            moves.push((played.0, Record::from(self.inner.record(place)?)));
        }
        moves.sort_by_key(|(code, record)| (std::cmp::Reverse(record.usage), *code));
        Ok(moves)
    }

    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let signals = Signals::default();
        py.detach(|| self.inner.verify(&|| signals.ask())).map_err(|error| signals.or(error))
    }

    fn records(&self, py: Python<'_>) -> PyResult<PyTable> {
        let signals = Signals::default();
        py.detach(|| self.inner.check_whole(&|| signals.ask())).map_err(|error| signals.or(error))?;
        Ok(py.detach(|| records_of(&self.inner))?.into())
    }

    fn cluster_sizes(&self) -> PyArrowType<ArrayData> {
        let sizes = self.inner.cluster_sizes().map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        PyArrowType(UInt32Array::from_iter_values(sizes).into())
    }
}

/// Names and types of the columns that a writer needs; other columns are ignored.
const WRITTEN: [(&str, arrow_schema::DataType); 7] = [
    ("key", UInt64Type::DATA_TYPE),
    ("lock", UInt32Type::DATA_TYPE),
    ("usage", UInt64Type::DATA_TYPE),
    ("wins", UInt64Type::DATA_TYPE),
    ("draws", UInt64Type::DATA_TYPE),
    ("losses", UInt64Type::DATA_TYPE),
    ("quality", UInt8Type::DATA_TYPE),
];

/// Checks the columns of a table to write. A table without rows has no batches, so its schema is checked.
pub fn check_schema(found: &Schema) -> PyResult<()> {
    for (name, expected) in WRITTEN {
        let found = found.field_with_name(name).map(|field| field.data_type());
        let what = match found {
            Ok(found) if *found == expected => continue,
            Ok(found) => format!("column \"{name}\" of the records is {found}, expected {expected}"),
            Err(_) => format!("the records lack the column \"{name}\" ({expected})"),
        };
        return Err(schema(what));
    }
    Ok(())
}

/// Returns the rows of a batch as the writer takes them, without a copy.
pub fn rows_of(batch: &RecordBatch) -> PyResult<Rows<'_>> {
    Ok(Rows {
        keys: column::<UInt64Type>("records", batch, "key")?,
        locks: column::<UInt32Type>("records", batch, "lock")?,
        usage: column::<UInt64Type>("records", batch, "usage")?,
        wins: column::<UInt64Type>("records", batch, "wins")?,
        draws: column::<UInt64Type>("records", batch, "draws")?,
        losses: column::<UInt64Type>("records", batch, "losses")?,
        quality: column::<UInt8Type>("records", batch, "quality")?,
        values: batch
            .column_by_name("valued")
            .map(|_| column::<UInt64Type>("records", batch, "valued"))
            .transpose()?,
    })
}

/// Returns all records of a book that has been checked whole: key, usage, results seen, quality and, if the book has them, lock and counts.
fn records_of(book: &Arc<book::Book>) -> PyResult<RecordBatch> {
    let raw = book.raw_records();
    let keys: UInt64Array = book.iter().map(|record| record.key.0).collect::<Vec<_>>().into();
    let words: Vec<_> =
        raw.iter().map(|[.., a, b, c, d]| Word(u32::from_le_bytes([*a, *b, *c, *d]))).collect();
    let seen = |which: usize| -> ArrayRef {
        Arc::new(BooleanArray::from_iter(words.iter().map(|word| Some(word.seen()[which]))))
    };
    let mut columns: Vec<(&str, ArrayRef)> = vec![("key", Arc::new(keys))];
    columns.extend(mapped(book, Column::Lock).map(|lock| ("lock", lock)));
    columns.push(("usage", Arc::new(words.iter().map(|word| word.usage()).collect::<UInt32Array>())));
    columns.extend([("seen_first_win", seen(0)), ("seen_draw", seen(1)), ("seen_second_win", seen(2))]);
    columns.push(("quality", Arc::new(words.iter().map(|word| word.quality()).collect::<UInt8Array>())));
    for (name, column) in [("wins", Column::Wins), ("draws", Column::Draws), ("losses", Column::Losses)] {
        columns.extend(mapped(book, column).map(|column| (name, column)));
    }
    if book.header().has_values {
        let bits = book.iter().map(|record| record.valued.map_or(0, Valued::pack)).collect::<Vec<_>>();
        columns.push(("valued", Arc::new(UInt64Array::from(bits))));
    }
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, false)))
        .map_err(|error| schema(error.to_string()))
}

/// Returns a column of the file as an array that shares the file's pages.
fn mapped(book: &Arc<book::Book>, column: Column) -> Option<ArrayRef> {
    let values = book.raw_column(column)?;
    let array = if cfg!(target_endian = "little") {
        PrimitiveArray::<UInt32Type>::new(shared(book, values), None)
    } else {
        values.iter().map(|value| u32::from_le_bytes(*value)).collect::<Vec<_>>().into()
    };
    Some(Arc::new(array))
}

/// Returns the values as a buffer that holds on to the book.
fn shared(book: &Arc<book::Book>, values: &[[u8; 4]]) -> ScalarBuffer<u32> {
    let bytes = values.as_flattened();
    let owner: Arc<dyn arrow_buffer::alloc::Allocation> = Arc::<book::Book>::clone(book);
    // SAFETY: the bytes are in the map that `owner` keeps, are never written, and belong to a section that starts at a
    // multiple of 64 of a page-aligned map, so they are aligned for u32; the pointer of a slice is not null.
    #[allow(unsafe_code)]
    let buffer = unsafe {
        arrow_buffer::Buffer::from_custom_allocation(
            std::ptr::NonNull::from(bytes).cast(),
            bytes.len(),
            owner,
        )
    };
    ScalarBuffer::new(buffer, 0, values.len())
}

/// A table of the moves of a book, and whether it holds left-right mirrors as one position.
#[derive(FromPyObject)]
pub struct MovesOfBook(PyTable, bool);

impl MovesOfBook {
    /// Returns the moves by position.
    pub fn lines(self) -> PyResult<Lines> {
        let mut lines = Lines { is_folded: self.1, ..Lines::default() };
        let moves = self.0.into_batches();
        let keys = whole_column::<UInt64Type>("BOOK_MOVES", &moves, "key")?.into_iter();
        let codes = whole_column::<UInt16Type>("BOOK_MOVES", &moves, "move")?;
        let weights = whole_column::<UInt64Type>("BOOK_MOVES", &moves, "weight")?;
        for ((key, code), weight) in keys.zip(codes).zip(weights) {
            lines.moves.entry(Key(key)).or_default().push((Move(code), weight));
        }
        Ok(lines)
    }
}
