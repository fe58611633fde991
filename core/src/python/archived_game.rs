//! One game of an archive for Python.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::error::usage;
use super::game::{for_game, game_id};
use crate::archive::ArchiveError;
use crate::collection;

/// A game of an archive.
#[pyclass(frozen, get_all, module = "bookbuilder._core")]
pub struct ArchivedGame {
    first_player: String,
    second_player: String,
    date: String,
    length: u64,
    pgn: Option<String>,
    moves: Vec<String>,
}

/// Returns the game that begins at an offset of a member of an archive, `None` if there is none.
#[pyfunction]
#[pyo3(signature = (source, member, offset, game, *, max_inflate=None))]
pub fn read_game(
    py: Python<'_>,
    source: PathBuf,
    member: Option<&str>,
    offset: u64,
    game: &str,
    max_inflate: Option<u64>,
) -> PyResult<Option<ArchivedGame>> {
    let game = game_id(game)?;
    let found =
        py.detach(|| for_game!(game, G => collection::read_game::<G>(&source, member, offset, max_inflate)));
    let found = found.map_err(|error| match error {
        ArchiveError::MaxInflate { .. } => usage(error.to_string()),
        error => error.into(),
    })?;
    Ok(found.map(|found| {
        let collection::ArchivedGame { first_player, second_player, date, length, pgn, moves } = found;
        ArchivedGame { first_player, second_player, date, length, pgn, moves }
    }))
}
