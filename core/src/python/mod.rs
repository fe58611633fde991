//! The door to Python: module `bookbuilder._core`. Nothing else in the crate knows Python.
//!
//! Paths, options and texts come in as plain values, columns cross as Arrow (PyCapsule interface). The game is chosen
//! here, once per call; everything behind is generic. Work over a millisecond runs without the GIL.

mod archived_game;
mod arrow;
mod book;
mod book_error;
mod book_table;
mod collection;
mod columns;
mod digest;
mod endgame;
mod engine;
mod error;
mod filter;
mod game;
mod games;
mod graph;
mod judge;
mod observed;
mod options;
mod position;
mod positions;
mod protocol;
mod runs;
mod steps;
mod store;
mod tally;
mod valued;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_constants(module)?;
    add_positions(module)?;
    add_counting(module)?;
    add_stores(module)?;
    add_collections(module)?;
    add_books(module)?;
    add_engine(module)
}

fn add_constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ARCHIVE_SUFFIXES", crate::archive::SUFFIXES.to_vec())?;
    module.add("CORE_VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("BOOK_MAGIC", crate::book::layout::MAGIC)?;
    module.add("CLUSTERS", crate::book::layout::CLUSTERS)?;
    module.add("NOWHERE", crate::graph::NOWHERE)?;
    module.add("MAX_USAGE", crate::book::record::MAX_USAGE)?;
    module.add("MAX_COUNT", u32::MAX)?;
    module.add("MAX_QUALITY", crate::book::record::MAX_QUALITY)?;
    module.add("TALLY_COLUMNS", columns::tally_columns())?;
    module.add("GAME_COLUMNS", columns::game_columns())?;
    module.add("OBSERVATION_COLUMNS", columns::observed_columns())?;
    module.add("HEADER_BYTES", crate::book::layout::HEADER_BYTES)?;
    module.add("RECORD_BYTES", crate::book::layout::RECORD_BYTES)?;
    module.add("INDEX_ENTRIES", crate::book::layout::INDEX_ENTRIES)?;
    module.add("CLUSTER_SHIFT", crate::book::layout::CLUSTER_SHIFT)?;
    Ok(())
}

fn add_positions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<position::Position>()?;
    module.add_class::<positions::Positions>()?;
    module.add_class::<positions::PositionIndex>()?;
    module.add_class::<positions::PositionNumbers>()?;
    module.add_function(wrap_pyfunction!(position::notations, module)?)?;
    module.add_function(wrap_pyfunction!(position::perft, module)?)?;
    Ok(())
}

fn add_counting(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(digest::file_digest, module)?)?;
    module.add_function(wrap_pyfunction!(runs::count_archives, module)?)?;
    module.add_class::<observed::Observer>()?;
    module.add_function(wrap_pyfunction!(filter::check_filters, module)?)?;
    module.add_function(wrap_pyfunction!(filter::check_question, module)?)?;
    module.add_function(wrap_pyfunction!(games::count_copies, module)?)?;
    module.add_function(wrap_pyfunction!(tally::detect_game, module)?)?;
    module.add_function(wrap_pyfunction!(tally::frequent_positions, module)?)?;
    module.add_function(wrap_pyfunction!(tally::merge_tallies, module)?)?;
    Ok(())
}

fn add_stores(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<runs::Run>()?;
    module.add_class::<store::StoreLookup>()?;
    module.add_function(wrap_pyfunction!(runs::count_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(runs::run_index, module)?)?;
    module.add_function(wrap_pyfunction!(store::count_rows, module)?)?;
    module.add_function(wrap_pyfunction!(store::runs_hold, module)?)?;
    module.add_function(wrap_pyfunction!(store::reduce_rows, module)?)?;
    module.add_function(wrap_pyfunction!(store::reduce_games, module)?)?;
    module.add_function(wrap_pyfunction!(store::merge_runs, module)?)?;
    module.add_function(wrap_pyfunction!(runs::write_run, module)?)?;
    module.add_function(wrap_pyfunction!(store::check_part, module)?)?;
    module.add_function(wrap_pyfunction!(store::frequent_in_part, module)?)?;
    module.add_function(wrap_pyfunction!(store::sum_cells, module)?)?;
    Ok(())
}

fn add_collections(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<collection::GamesRun>()?;
    module.add_class::<archived_game::ArchivedGame>()?;
    module.add_function(wrap_pyfunction!(archived_game::read_game, module)?)?;
    module.add_function(wrap_pyfunction!(collection::list_games, module)?)?;
    module.add_function(wrap_pyfunction!(collection::convert_games, module)?)?;
    module.add_function(wrap_pyfunction!(collection::filter_games, module)?)?;
    module.add_function(wrap_pyfunction!(valued::sum_comments, module)?)?;
    Ok(())
}

fn add_books(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(graph::link_moves, module)?)?;
    module.add_function(wrap_pyfunction!(graph::follow_games, module)?)?;
    module.add_class::<book::Record>()?;
    module.add_class::<book::Book>()?;
    module.add_function(wrap_pyfunction!(book::write_book, module)?)?;
    Ok(())
}

fn add_engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<engine::Engine>()?;
    module.add_class::<endgame::Endgames>()?;
    module.add_function(wrap_pyfunction!(endgame::build_endgames, module)?)?;
    module.add_function(wrap_pyfunction!(endgame::endgame_stats, module)?)?;
    module.add_function(wrap_pyfunction!(endgame::verify_endgame, module)?)?;
    module.add_class::<judge::Referee>()?;
    module.add_function(wrap_pyfunction!(protocol::serve_protocol, module)?)?;
    Ok(())
}
