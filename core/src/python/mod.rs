//! The door to Python: module `bookbuilder._core`. Nothing else in the crate knows Python.
//!
//! Paths, options and texts come in as plain values, columns cross as Arrow (PyCapsule interface). The game is chosen
//! here, once per call; everything behind is generic. Work over a millisecond runs without the GIL.

mod book;
mod collection;
mod columns;
mod endgame;
mod engine;
mod error;
mod graph;
mod observed;
mod options;
mod position;
mod positions;
mod runs;
mod steps;
mod store;
mod tally;

#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::python::book::{Book, Record, write_book};
    #[pymodule_export]
    use crate::python::collection::{
        GamesRun, convert_games, filter_games, list_games, read_game, sum_comments,
    };
    #[pymodule_export]
    use crate::python::endgame::{Endgames, build_endgames, endgame_stats, verify_endgame};
    #[pymodule_export]
    use crate::python::engine::{Engine, serve_protocol};
    #[pymodule_export]
    use crate::python::graph::{
        expected_visits, follow_games, link_moves, shortest_lines, unplayed_moves, use_threads,
    };
    #[pymodule_export]
    use crate::python::observed::Observer;
    #[pymodule_export]
    use crate::python::options::{check_filters, check_question};
    #[pymodule_export]
    use crate::python::position::{Position, Referee, notations, perft};
    #[pymodule_export]
    use crate::python::positions::{PositionIndex, PositionNumbers, Positions};
    #[pymodule_export]
    use crate::python::runs::{Run, RunGames, count_archives, write_run};
    #[pymodule_export]
    use crate::python::store::{
        StoreLookup, check_part, count_rows, frequent_in_part, merge_runs, reduce_games, reduce_rows,
        runs_hold, sum_cells,
    };
    #[pymodule_export]
    use crate::python::tally::{
        archive_name, count_copies, detect_game, file_digest, frequent_positions, merge_tallies,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        use crate::book::{layout, record};
        module.add("CORE_VERSION", env!("CARGO_PKG_VERSION"))?;
        module.add("BOOK_MAGIC", layout::MAGIC)?;
        module.add("MAX_QUALITY", record::MAX_QUALITY)?;
        module.add("RATING_STEPS", crate::tally::RATING_STEPS)?;
        module.add("MAX_USAGE", record::MAX_USAGE)?;
        module.add("NOWHERE", crate::graph::NOWHERE)?;
        module.add("ARCHIVE_SUFFIXES", crate::archive::SUFFIXES.to_vec())?;
        module.add("GAME_COLUMNS", crate::python::columns::game_columns())?;
        module.add("OBSERVATION_COLUMNS", crate::python::columns::observed_columns())?;
        module.add("TALLY_COLUMNS", crate::python::columns::tally_columns())
    }
}
