//! Many positions of one game at once, for walks over books that Python makes level by level.
//!
//! In come columns of indices and move codes; out go the positions after them, and keys, boards, FENs and move texts
//! as columns. Nothing is kept between calls but the positions themselves.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, StringArray};
use pyo3::prelude::*;
use shakmaty::Position as _;

use super::columns::{PyTable, array, column, table, whole_column};
use super::error::{schema, usage};
use super::options::{Either, game_id, mapped, of_game, with};
use super::position::{formatted, named};
use crate::chess::Chess;
use crate::game::{Foldable, Game, Key, Lock, Move, MoveList, Notated};
use crate::graph::{self, NOWHERE};
use crate::xiangqi::{SQUARES, Square, Xiangqi};

/// Positions of one game, in order; immutable.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Positions(Either<Vec<Chess>, Vec<Xiangqi>>);

#[pymethods]
impl Positions {
    #[new]
    #[pyo3(signature = (game, fens=None))]
    fn new(game: &str, fens: Option<Vec<String>>) -> PyResult<Positions> {
        Ok(Positions(of_game!(game_id(game)?, read(&fens)?)))
    }

    fn __len__(&self) -> usize {
        with!(&self.0, positions => positions.len())
    }

    #[getter]
    fn game(&self) -> &'static str {
        self.0.id().name()
    }

    fn keys(&self, py: Python<'_>, fold: bool) -> PyResult<PyTable> {
        py.detach(|| with!(&self.0, positions => keys_of(positions, fold)))
    }

    fn boards(&self, py: Python<'_>) -> PyResult<PyTable> {
        let codes = py.detach(|| match &self.0 {
            Either::Chess(positions) => positions.iter().flat_map(chess_board).collect::<Vec<_>>(),
            Either::Xiangqi(positions) => positions.iter().flat_map(xiangqi_board).collect(),
        });
        table([("piece", array::<UInt8Type>(codes))])
    }

    fn fens(&self, py: Python<'_>) -> PyResult<PyTable> {
        let fens: StringArray =
            py.detach(|| with!(&self.0, positions => positions.iter().map(|p| Some(p.to_fen())).collect()));
        table([("fen", Arc::new(fens))])
    }

    fn legal_moves(&self, py: Python<'_>) -> PyResult<PyTable> {
        let (of, codes) = py.detach(|| with!(&self.0, positions => legal_moves(positions)));
        table([("index", array::<UInt32Type>(of)), ("move", array::<UInt16Type>(codes))])
    }

    fn play(&self, py: Python<'_>, moves: PyTable) -> PyResult<(Positions, PyTable)> {
        let moves = self.moves_in(moves)?;
        let (after, is_legal) = py.detach(|| {
            let is_legal: Vec<bool> =
                with!(&self.0, positions => moves.iter().map(|&(of, m)| positions[of].is_legal(m)).collect());
            let legal = || moves.iter().zip(&is_legal).filter(|&(_, &is)| is).map(|(m, _)| m);
            let after =
                mapped!(&self.0, positions => legal().map(|&(of, m)| positions[of].after(m)).collect());
            (after, is_legal)
        });
        let is_legal: ArrayRef = Arc::new(BooleanArray::from(is_legal));
        Ok((Positions(after), table([("legal", is_legal)])?))
    }

    fn take(&self, py: Python<'_>, rows: PyTable) -> PyResult<Positions> {
        let rows = whole_column::<UInt32Type>("ROWS", &rows.into_batches(), "index")?;
        let chosen = rows.into_iter().map(|index| self.checked(index)).collect::<PyResult<Vec<_>>>()?;
        Ok(Positions(py.detach(
            || mapped!(&self.0, positions => chosen.iter().map(|&index| positions[index].clone()).collect()),
        )))
    }

    fn texts(&self, py: Python<'_>, moves: PyTable, notation: &str) -> PyResult<PyTable> {
        let moves = self.moves_in(moves)?;
        let texts = with!(&self.0, positions => texts(py, positions, &moves, notation)?);
        table([("text", Arc::new(texts))])
    }
}

impl Positions {
    /// Returns the rows of a table of columns index and move.
    fn moves_in(&self, moves: PyTable) -> PyResult<Vec<(usize, Move)>> {
        let moves = moves.into_batches();
        let indices = whole_column::<UInt32Type>("MOVES", &moves, "index")?.into_iter();
        let codes = whole_column::<UInt16Type>("MOVES", &moves, "move")?;
        indices.zip(codes).map(|(index, code)| Ok((self.checked(index)?, Move(code)))).collect()
    }

    fn checked(&self, index: u32) -> PyResult<usize> {
        let (index, count) = (index as usize, self.__len__());
        if index < count {
            return Ok(index);
        }
        Err(usage(format!("index {index} is beyond the {count} positions")))
    }
}

/// Positions in ascending order of (key, lock), found by them.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct PositionIndex(graph::PositionIndex);

#[pymethods]
impl PositionIndex {
    #[new]
    fn new(positions: PyTable) -> PyResult<PositionIndex> {
        let (keys, locks) = keys_in(positions)?;
        if !keys.is_sorted() {
            return Err(schema("positions are not sorted by key".to_owned()));
        }
        Ok(PositionIndex(graph::PositionIndex::new(keys, locks)?))
    }

    fn find(&self, py: Python<'_>, positions: PyTable) -> PyResult<PyTable> {
        let (keys, locks) = keys_in(positions)?;
        let lock = |row: usize| locks.as_ref().map(|locks| Lock(locks[row]));
        let find = |(row, &key): (usize, &u64)| self.0.find(Key(key), lock(row)).unwrap_or(NOWHERE);
        let places = py.detach(|| keys.iter().enumerate().map(find).collect());
        table([("place", array::<UInt32Type>(places))])
    }

    fn successors(&self, py: Python<'_>, positions: &Positions, fold: bool) -> PyResult<PyTable> {
        let (mut of, mut codes, mut places) = (Vec::new(), Vec::new(), Vec::new());
        py.detach(|| {
            with!(&positions.0, positions => for (index, position) in (0u32..).zip(positions) {
                self.0.successors(position, fold, |m, place| {
                    of.push(index);
                    codes.push(m.0);
                    places.push(place);
                });
            })
        });
        table([
            ("index", array::<UInt32Type>(of)),
            ("move", array::<UInt16Type>(codes)),
            ("place", array::<UInt32Type>(places)),
        ])
    }
}

/// Numbers of positions, in the order in which they are first met.
#[pyclass(module = "bookbuilder._core")]
#[derive(Default)]
pub struct PositionNumbers(HashMap<(u64, u32), u32>);

#[pymethods]
impl PositionNumbers {
    #[new]
    fn new() -> PositionNumbers {
        PositionNumbers::default()
    }

    fn number(&mut self, py: Python<'_>, positions: PyTable) -> PyResult<(PyTable, PyTable)> {
        let (keys, locks) = keys_in(positions)?;
        let (mut numbers, mut new) = (Vec::with_capacity(keys.len()), Vec::new());
        py.detach(|| {
            for (row, &key) in keys.iter().enumerate() {
                let lock = locks.as_ref().map_or(0, |locks| locks[row]);
                let next = self.0.len() as u32;
                let number = *self.0.entry((key, lock)).or_insert(next);
                if number == next {
                    new.push(row as u32);
                }
                numbers.push(number);
            }
        });
        let column = |name, values| table([(name, array::<UInt32Type>(values))]);
        Ok((column("number", numbers)?, column("index", new)?))
    }
}

/// Returns the columns key and lock of a table; without the second one locks are unknown.
fn keys_in(positions: PyTable) -> PyResult<(Vec<u64>, Option<Vec<u32>>)> {
    let (mut keys, mut locks) = (Vec::new(), None);
    for batch in positions.into_batches() {
        keys.extend(column::<UInt64Type>("POSITIONS", &batch, "key")?);
        if batch.column_by_name("lock").is_some() {
            let more = column::<UInt32Type>("POSITIONS", &batch, "lock")?;
            locks.get_or_insert_with(Vec::new).extend(more);
        }
    }
    Ok((keys, locks))
}

fn read<G: Game>(fens: &Option<Vec<String>>) -> PyResult<Vec<G>> {
    match fens {
        None => Ok(vec![G::start()]),
        Some(fens) => fens.iter().map(|fen| Ok(G::from_fen(fen)?)).collect(),
    }
}

fn keys_of<G: Foldable>(positions: &[G], fold: bool) -> PyResult<PyTable> {
    let stored: Vec<(Key, Lock, u8)> = positions
        .iter()
        .map(|position| {
            let folded = position.folded();
            match fold {
                true => (folded.key, folded.lock, folded.symmetry as u8),
                false => (position.key(), position.lock(), folded.symmetry as u8),
            }
        })
        .collect();
    table([
        ("key", array::<UInt64Type>(stored.iter().map(|row| row.0.0).collect())),
        ("lock", array::<UInt32Type>(stored.iter().map(|row| row.1.0).collect())),
        ("symmetry", array::<UInt8Type>(stored.iter().map(|row| row.2).collect())),
        ("side", array::<UInt8Type>(positions.iter().map(|position| position.side() as u8).collect())),
    ])
}

fn legal_moves<G: Game>(positions: &[G]) -> (Vec<u32>, Vec<u16>) {
    let (mut of, mut codes) = (Vec::new(), Vec::new());
    let mut moves = MoveList::new();
    for (index, position) in (0u32..).zip(positions) {
        position.legal_moves(&mut moves);
        of.extend(moves.iter().map(|_| index));
        codes.extend(moves.iter().map(|m| m.0));
    }
    (of, codes)
}

fn texts<G: Notated>(
    py: Python<'_>,
    positions: &[G],
    moves: &[(usize, Move)],
    notation: &str,
) -> PyResult<StringArray> {
    let notation = named::<G>(notation)?;
    let written = |&(of, m): &(usize, Move)| formatted(&positions[of], m, notation);
    let written = py.detach(|| moves.iter().map(written).collect::<PyResult<Vec<String>>>())?;
    if written.iter().map(String::len).sum::<usize>() > i32::MAX as usize {
        return Err(schema("the texts of these moves exceed 2 GiB: ask for fewer at once".to_owned()));
    }
    Ok(StringArray::from_iter_values(written))
}

/// 0 = empty; pawn 1, knight, bishop, rook, queen, king 6 of the first side, 7 … 12 of the second; a1, b1 … h8.
fn chess_board(position: &Chess) -> [u8; 64] {
    let mut codes = [0; 64];
    for (square, piece) in position.board().board().clone() {
        codes[usize::from(square)] = piece.role as u8 + if piece.color.is_white() { 0 } else { 6 };
    }
    codes
}

/// 0 = empty; the kinds in their order 1 … 7 of the first side, 8 … 14 of the second; a0, b0 … i9.
fn xiangqi_board(position: &Xiangqi) -> [u8; SQUARES] {
    std::array::from_fn(|index| {
        let piece = Square::new(index as u8).and_then(|square| position.piece_at(square));
        piece.map_or(0, |(side, kind)| kind as u8 + 1 + 7 * side as u8)
    })
}
