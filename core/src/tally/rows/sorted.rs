//! The observations of a run in the order of its rows, which are made when they are asked for.
//!
//! Most rows count one game. Its observation has all that the row needs in 24 bytes, and the row takes over a hundred.
//! So rows are made where they are used, and those of rare positions are not made at all. Only rows that many games
//! share are added up at once.

use super::frequent::{Frequent, RareKind};
use super::row::{Row, Rows};
use crate::game::Move;
use crate::replay::{GameFacts, Observation};
use crate::tally::storage::KeyRange;

/// The bit of an observation's `game` by which it stands for many games.
pub const ADDED_UP: u32 = 1 << 31;

/// Observations in one board: 96 KiB, which the allocator takes from its heap and not from the system.
pub(super) const BOARD: usize = 4096;

/// Observations of one row from which on they take more memory than the row.
const MANY: usize = size_of::<Row>() / size_of::<Observation>() + 1;

/// The rows of a run, as sorted observations.
#[derive(Debug, Default)]
pub struct SortedRows {
    /// Each with the number of its shelf.
    boards: Vec<(usize, Vec<Observation>)>,
    /// Of each shelf, the rows that its observations stand for.
    added_up: Vec<Vec<Row>>,
    /// Facts of the games; an observation's `game` is an index into them.
    facts: Vec<GameFacts>,
    len: usize,
}

/// Sorted observations of neighbouring positions. A position is whole on one board.
#[derive(Debug, Default)]
pub(super) struct SortedShelf {
    boards: Vec<Vec<Observation>>,
    /// The rows of many games; an observation whose `game` has the bit [`ADDED_UP`] stands for the one at the index that
    /// the other bits are.
    added_up: Vec<Row>,
    rows: usize,
}

/// What identifies a row: key; lock, move and cell.
pub(super) fn identity(observation: &Observation) -> (u64, u64) {
    let Observation { key, lock, played, cell, .. } = *observation;
    (key, u64::from(lock) << 32 | u64::from(played.0) << 16 | u64::from(cell))
}

fn is_one_row(one: &Observation, two: &Observation) -> bool {
    identity(one) == identity(two)
}

fn is_one_position(one: &Observation, two: &Observation) -> bool {
    (one.key, one.lock) == (two.key, two.lock)
}

/// Has the facts of games in the cache: they lie far apart, and added up one by one each would be waited for.
fn fetch(observations: &[Observation], facts: &[GameFacts]) {
    let facts = observations.iter().filter_map(|observation| facts.get(observation.game as usize));
    std::hint::black_box(facts.fold(0, |years, facts| years | facts.year));
}

/// Returns the row of its observations, of which there is at least one.
fn row_of(observations: &[Observation], facts: &[GameFacts], added_up: &[Row]) -> Row {
    let mut row = Row::of(&observations[0]);
    for observation in observations {
        if observation.game & ADDED_UP == 0 {
            row.add_game(observation, &facts[observation.game as usize]);
        } else {
            row.add(&added_up[(observation.game ^ ADDED_UP) as usize]);
        }
    }
    row
}

/// Returns the kind of a row, given by its observations.
fn kind_of(row: &[Observation]) -> RareKind {
    let ply = row.iter().map(|observation| observation.ply).min().unwrap_or(0);
    (row[0].played != Move::NONE, row[0].mover, ply)
}

impl SortedShelf {
    /// Appends sorted observations that come after all others. `added_up` are the rows that some of them stand for.
    pub fn extend(&mut self, sorted: &[Observation], facts: &[GameFacts], added_up: &[Row]) {
        for position in sorted.chunk_by(is_one_position) {
            if self.boards.last().is_none_or(|board| board.capacity() - board.len() < position.len()) {
                self.boards.push(Vec::with_capacity(BOARD.max(position.len())));
            }
            let last = self.boards.len() - 1;
            let board = &mut self.boards[last];
            for row in position.chunk_by(is_one_row) {
                self.rows += 1;
                if row.len() < MANY && row.iter().all(|observation| observation.game & ADDED_UP == 0) {
                    board.extend_from_slice(row);
                } else {
                    fetch(row, facts);
                    let made = row_of(row, facts, added_up);
                    let game = ADDED_UP | self.added_up.len() as u32;
                    board.push(Observation { game, ply: made.ply, ..row[0] });
                    self.added_up.push(made);
                }
            }
        }
    }
}

/// Returns how many games reached a position.
fn games_at(position: &[Observation], facts: &[GameFacts], added_up: &[Row]) -> u64 {
    let games = |observation: &Observation| match observation.game & ADDED_UP {
        0 => facts[observation.game as usize].games.into(),
        _ => added_up[(observation.game ^ ADDED_UP) as usize].games,
    };
    position.iter().map(games).sum()
}

impl SortedRows {
    pub(super) fn new(shelves: Vec<SortedShelf>, facts: Vec<GameFacts>) -> SortedRows {
        let mut rows = SortedRows { facts, ..SortedRows::default() };
        for (number, shelf) in shelves.into_iter().enumerate() {
            rows.boards.extend(shelf.boards.into_iter().map(|board| (number, board)));
            rows.added_up.push(shelf.added_up);
            rows.len += shelf.rows;
        }
        rows
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the rows as columns.
    pub fn unpack(&self) -> Rows {
        let mut rows = Rows::default();
        rows.reserve_exact(self.len);
        let mut block = Vec::new();
        for board in 0..self.boards() {
            block.clear();
            self.take_board(board, KeyRange::ALL, &mut block);
            rows.extend(&block);
        }
        rows
    }

    /// Returns the rows of positions that at least `least` games reached, and the numbers of the others.
    pub fn frequent(&self, least: u64) -> Frequent {
        let mut found = Frequent::new(least);
        let counts_once = self.facts.iter().all(|facts| facts.games == 1);
        let (mut kept, mut block) = (Vec::new(), Vec::new());
        for (shelf, board) in &self.boards {
            kept.clear();
            for position in board.chunk_by(is_one_position) {
                // Most positions are of this kind.
                if let [only] = position
                    && counts_once
                    && least > 1
                    && only.game & ADDED_UP == 0
                {
                    found.leave_out(std::iter::once(kind_of(&[*only])));
                } else if games_at(position, &self.facts, &self.added_up[*shelf]) >= least {
                    kept.extend_from_slice(position);
                } else {
                    found.leave_out(position.chunk_by(is_one_row).map(kind_of));
                }
            }
            block.clear();
            self.make(*shelf, &kept, &mut block);
            found.rows.extend(&block);
        }
        found
    }

    /// Returns the number of boards that the rows lie on, some thousands on each.
    pub fn boards(&self) -> usize {
        self.boards.len()
    }

    /// Appends the rows of a board whose keys lie in a range, in order.
    pub fn take_board(&self, board: usize, range: KeyRange, rows: &mut Vec<Row>) {
        let (shelf, board) = &self.boards[board];
        let start = board.partition_point(|observation| observation.key < range.first);
        let end = board.partition_point(|observation| observation.key <= range.last);
        self.make(*shelf, &board[start..end], rows);
    }

    fn make(&self, shelf: usize, observations: &[Observation], rows: &mut Vec<Row>) {
        fetch(observations, &self.facts);
        let made = observations.chunk_by(is_one_row);
        rows.extend(made.map(|row| row_of(row, &self.facts, &self.added_up[shelf])));
    }
}
