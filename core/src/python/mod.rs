//! The door to Python: module `bookbuilder._core`. Nothing else in the crate knows Python.
//!
//! Paths, options and texts come in as plain values, columns cross as Arrow (PyCapsule interface). Work over a
//! millisecond runs without the GIL.

mod book;
mod book_error;
mod book_table;
mod error;

use pyo3::prelude::*;

use crate::game::GameId;
use error::usage;

/// Returns the game of that name.
fn game_id(name: &str) -> PyResult<GameId> {
    match name {
        "chess" => Ok(GameId::Chess),
        "xiangqi" => Ok(GameId::Xiangqi),
        _ => Err(usage(format!("unknown game \"{name}\": expected \"chess\" or \"xiangqi\""))),
    }
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_USAGE", crate::book::record::MAX_USAGE)?;
    module.add("MAX_QUALITY", crate::book::record::MAX_QUALITY)?;
    module.add_class::<book::Book>()?;
    module.add_function(wrap_pyfunction!(book::write_book, module)?)?;
    Ok(())
}
