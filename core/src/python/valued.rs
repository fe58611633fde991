//! What comments of games say that positions are worth, for Python.

use std::path::PathBuf;

use super::arrow::PyTable;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use pyo3::prelude::*;

use super::collection::GamesRun;
use super::columns::{array, batch, column, table};
use super::game::{for_game, game_id};
use super::steps::in_progress;
use crate::collection::{self, Archives, Asked};
use crate::game::{Key, Lock};

/// Adds up the comments on positions: a row for each, with the sum of the values and their number, and what was read.
#[pyfunction]
#[pyo3(signature = (paths, game, positions, *, fold=false))]
pub fn sum_comments(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    game: &str,
    positions: PyTable,
    fold: bool,
) -> PyResult<(PyTable, GamesRun)> {
    let game = game_id(game)?;
    let mut asked = Asked::new(fold);
    for batch in positions.into_batches().iter().filter(|batch| batch.num_rows() > 0) {
        let keys = column::<UInt64Type>("positions", batch, "key")?;
        let locks = column::<UInt32Type>("positions", batch, "lock")?;
        keys.iter().zip(locks).for_each(|(&key, &lock)| asked.push(Key(key), Lock(lock)));
    }
    let archives = Archives { paths, max_inflate: None };
    let (sums, report) = in_progress(
        py,
        None,
        move |state| for_game!(game, G => collection::valued::<G>(&archives, &asked, state)),
    )?;
    let rows =
        batch([("total", array::<Int64Type>(sums.total)), ("count", array::<UInt64Type>(sums.count))])?;
    Ok((table(rows)?, GamesRun::new(report)))
}
