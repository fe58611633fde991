//! Solved tables, the two solvers that make them, and the check of every cell.
//!
//! Both solvers compute a [`Table`] from a space, a metric and the tables of its dependencies, and begin with the values of
//! irreversible moves alone ([`start`]). They agree bit for bit.
//!
//! [`forward`] is the simple solver of the literature: it generates the moves of every open position until nothing changes.
//! In ply n a position is won if some move leads to a position lost in n − 1, and lost if every move leads to one won in
//! n − 1 or sooner. What stays open when no ply can change anything is a draw. Slow, but the definition itself, and the
//! oracle for the other.
//!
//! [`retrograde`] works backward from decided positions. A loss in n makes every position before it a win in n + 1, unless
//! it is one sooner. A win in n takes one move from every position before it; one that has no move left, and no
//! irreversible move that holds, is lost: in n + 1, or when its longest irreversible move has lost. Conversions into other
//! tables are decided from the start, each waiting for its ply. Moves of a position are generated once.

use std::sync::Arc;

use rayon::prelude::*;

use crate::endgame::material::{Material, Men, Reached, Target};
use crate::endgame::space::{Indexed, Space, Turn};
use crate::endgame::value::{Cell, Irreversible, Metric, Value};
use crate::game::Side;
use crate::named::named_enum;

named_enum! {
    /// Which solver to use.
    pub enum Solver {
        /// Asks every open position for its moves until nothing changes.
        Forward => "forward",
        /// Goes backward from decided positions.
        Retrograde => "retrograde",
    }
}

/// Solves a table. `others` are the tables of [`Space::dependencies`], of the same metric, in that order.
pub fn solve<S: Space>(space: S, metric: Metric, others: &[Arc<Table<S>>], solver: Solver) -> Table<S> {
    let mut slices: Vec<Sides> = (0..space.slices()).map(|_| Sides::default()).collect();
    for layer in space.layers() {
        let known = Known { space: &space, metric, others, slices: &slices };
        let solved: Vec<(usize, Sides)> = layer
            .into_par_iter()
            .map(|slice| {
                let solved = match solver {
                    Solver::Forward => forward(&known, slice),
                    Solver::Retrograde => retrograde(&known, slice),
                };
                (slice, solved)
            })
            .collect();
        for (slice, sides) in solved {
            slices[slice] = sides;
        }
    }
    if metric == Metric::Wld {
        let cells = slices.par_iter_mut().flatten().flatten();
        cells.for_each(|cell| *cell = cell.without_distance());
    }
    Table::new(space, metric, slices)
}

/// A solved table.
pub struct Table<S> {
    space: S,
    metric: Metric,
    slices: Vec<Sides>,
}

impl<S: Space> Table<S> {
    /// Returns a table of solved slices.
    pub(in crate::endgame) fn new(space: S, metric: Metric, slices: Vec<Sides>) -> Table<S> {
        Table { space, metric, slices }
    }

    /// Returns the positions.
    pub fn space(&self) -> &S {
        &self.space
    }

    /// Returns the material.
    pub fn material(&self) -> &Material {
        self.space.material()
    }

    /// Returns the metric of distances.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    pub(in crate::endgame) fn slices(&self) -> &[Sides] {
        &self.slices
    }

    pub(in crate::endgame) fn cell(&self, men: &Men, to_move: Side) -> Cell {
        let (slice, cell) = self.space.locate(men);
        self.slices[slice][to_move.index()][cell]
    }

    /// Returns the value of a position; `None` if the side that is not to move is in check.
    pub fn value(&self, men: &Men, to_move: Side) -> Option<Value> {
        self.cell(men, to_move).value()
    }

    /// Returns the bytes that the cells take in memory.
    pub fn bytes(&self) -> u64 {
        2 * 2 * self.space.slices() as u64 * self.space.cells() as u64
    }
}

/// Cells of both sides to move.
pub(in crate::endgame) type Sides = [Vec<Cell>; 2];

/// A table being solved: what is known of it, and the tables it leads to.
struct Known<'a, S> {
    pub space: &'a S,
    pub metric: Metric,
    /// In the order of [`Space::dependencies`].
    pub others: &'a [Arc<Table<S>>],
    /// Solved slices; empty where not solved yet.
    pub slices: &'a [Sides],
}

impl<S: Space> Known<'_, S> {
    /// Returns what an irreversible move is worth to the side that makes it.
    fn conversion(&self, step: Irreversible, reached: &Reached) -> Value {
        let mut after = self.lookup(reached);
        if let Some(passed) = reached.en_passant {
            after = self.with_en_passant(reached, passed, after);
        }
        self.metric.converted(step, after)
    }

    /// Returns the value of a position that a legal move reaches, ignoring rights to capture en passant.
    fn lookup(&self, reached: &Reached) -> Value {
        let cell = match reached.target {
            Target::Own => {
                let (slice, cell) = self.space.locate(&reached.men);
                self.slices[slice][reached.to_move.index()][cell]
            }
            Target::Other(table) => self.others[table].cell(&reached.men, reached.to_move),
        };
        debug_assert!(cell.is_valid(), "a legal move reaches a position");
        cell.value().unwrap_or(Value::Draw)
    }

    /// Returns the better of a value and the values of captures en passant. Without other legal moves only these count.
    fn with_en_passant(&self, reached: &Reached, passed: u8, plain: Value) -> Value {
        let mut best: Option<Value> = None;
        self.space.en_passant(&reached.men, reached.to_move, passed, &mut |taken| {
            let value = self.metric.converted(Irreversible::Conversion, self.lookup(&taken));
            best = best.into_iter().chain([value]).max_by_key(|value| value.preference());
        });
        let Some(captured) = best else { return plain };
        let has_others =
            plain.wdl() != 0 && plain != Value::Loss(0) || self.has_move(&reached.men, reached.to_move);
        if has_others && plain.preference() > captured.preference() { plain } else { captured }
    }

    /// Returns whether a side has a legal move other than captures en passant.
    fn has_move(&self, men: &Men, to_move: Side) -> bool {
        let mut is_found = false;
        self.space.conversions(men, to_move, &mut |_, _| is_found = true);
        if is_found {
            return true;
        }
        let (slice, cell) = self.space.locate(men);
        let Some(men) = self.space.men(slice, cell) else { return false };
        let place = Indexed { slice, cell, men };
        let after = &self.slices[slice][to_move.other().index()];
        !self.space.quiet_moves(&place, Turn::Forward(to_move), &mut |cell| !after[cell].is_valid())
    }
}

/// Cells that one task looks at.
const CHUNK: usize = 1 << 14;

/// Both sides in order.
const SIDES: [Side; 2] = [Side::First, Side::Second];

struct CellSet(Vec<u64>);

impl CellSet {
    #[inline]
    pub fn contains(&self, cell: usize) -> bool {
        self.0[cell >> 6] >> (cell & 63) & 1 != 0
    }
}

/// A slice as solvers begin with it.
struct Start {
    /// Wins, losses and pending losses by irreversible moves, mates and stalemates.
    pub values: Sides,
    /// The legal reversible moves of each open cell; `u8::MAX` where it does not matter.
    pub moves: [Vec<u8>; 2],
}

fn start<S: Space>(known: &Known<S>, slice: usize) -> Start {
    let valid = positions(known.space, slice);
    let side = |mover: Side| {
        let cells = known.space.cells();
        let mut values = vec![Cell::INVALID; cells];
        let mut moves = vec![0; cells];
        values.par_chunks_mut(CHUNK).zip(moves.par_chunks_mut(CHUNK)).enumerate().for_each(
            |(chunk, (values, moves))| {
                for (at, (value, moves)) in values.iter_mut().zip(moves).enumerate() {
                    let cell = chunk * CHUNK + at;
                    if valid[mover.index()].contains(cell)
                        && let Some(men) = known.space.men(slice, cell)
                    {
                        let place = Indexed { slice, cell, men };
                        (*value, *moves) = begin(known, &place, mover, &valid[mover.other().index()]);
                    }
                }
            },
        );
        (values, moves)
    };
    let (first, second) = (side(Side::First), side(Side::Second));
    Start { values: [first.0, second.0], moves: [first.1, second.1] }
}

/// Returns the cells of a slice that are positions, for each side to move.
fn positions<S: Space>(space: &S, slice: usize) -> [CellSet; 2] {
    let words = space.cells().div_ceil(64);
    let pairs: Vec<[u64; 2]> = (0..words)
        .into_par_iter()
        .with_min_len(CHUNK / 64)
        .map(|word| {
            let mut sets = [0, 0];
            for cell in word * 64..space.cells().min(word * 64 + 64) {
                if let Some(men) = space.men(slice, cell) {
                    for side in SIDES {
                        // The side that is not to move may not be in check.
                        let is_legal = !space.is_check(&men, side.other());
                        sets[side.index()] |= u64::from(is_legal) << (cell & 63);
                    }
                }
            }
            sets
        })
        .collect();
    [0, 1].map(|side| CellSet(pairs.iter().map(|sets| sets[side]).collect()))
}

/// Returns the value and the number of reversible moves with which a position begins.
fn begin<S: Space>(known: &Known<S>, place: &Indexed, mover: Side, valid: &CellSet) -> (Cell, u8) {
    let mut moves = 0;
    known.space.quiet_moves(place, Turn::Forward(mover), &mut |cell| {
        moves += u8::from(valid.contains(cell));
        true
    });
    let mut best: Option<Value> = None;
    known.space.conversions(&place.men, mover, &mut |step, reached| {
        let value = known.conversion(step, &reached);
        best = best.into_iter().chain([value]).max_by_key(|value| value.preference());
    });
    match best {
        Some(Value::Win(plies)) => (Cell::win(plies), u8::MAX),
        Some(Value::Draw) => (Cell::SAFE, u8::MAX),
        Some(Value::Loss(plies)) if moves == 0 => (Cell::loss(plies), u8::MAX),
        Some(Value::Loss(plies)) => (Cell::pending(plies), moves),
        None if moves > 0 => (Cell::UNKNOWN, moves),
        None if S::STALEMATE_LOSES || known.space.is_check(&place.men, mover) => (Cell::loss(0), u8::MAX),
        None => (Cell::SAFE, u8::MAX),
    }
}

/// A cell that does not follow from its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The position.
    pub fen: String,
    /// The value in the table; `None` if it says that there is no position.
    pub found: Option<Value>,
    /// What the moves say.
    pub expected: Option<Value>,
}

impl<S: Space> Table<S> {
    /// Compares every cell with what its moves and the tables they lead to say; returns how many were compared and
    /// the first that differ, at most `most` a slice and side.
    pub fn verify(&self, others: &[Arc<Table<S>>], most: usize) -> (u64, Vec<Mismatch>) {
        let known = Known { space: self.space(), metric: self.metric(), others, slices: self.slices() };
        let mut wrong = Vec::new();
        for slice in 0..self.space().slices() {
            let valid = positions(self.space(), slice);
            for side in SIDES {
                let differs = |&cell: &usize| {
                    let found = self.slices()[slice][side.index()][cell];
                    let expected =
                        valid[side.index()].contains(cell).then(|| expected(&known, slice, cell, side));
                    !self.agree(found.value(), expected.flatten())
                };
                let cells: Vec<usize> =
                    (0..self.space().cells()).into_par_iter().with_min_len(1 << 12).filter(differs).collect();
                wrong.extend(cells.into_iter().take(most).map(|cell| {
                    Mismatch {
                        fen: self
                            .space()
                            .men(slice, cell)
                            .map_or_else(String::new, |men| self.space().fen(&men, side)),
                        found: self.slices()[slice][side.index()][cell].value(),
                        expected: expected(&known, slice, cell, side),
                    }
                }));
            }
        }
        (2 * self.space().slices() as u64 * self.space().cells() as u64, wrong)
    }

    /// Returns whether two values are the same by the metric.
    fn agree(&self, a: Option<Value>, b: Option<Value>) -> bool {
        match self.metric() {
            Metric::Wld => a.map(Value::wdl) == b.map(Value::wdl),
            Metric::Dtm | Metric::Dtc | Metric::Dtz => a == b,
        }
    }
}

/// Returns what the moves of a position say it is worth.
fn expected<S: Space>(known: &Known<S>, slice: usize, cell: usize, side: Side) -> Option<Value> {
    let men = known.space.men(slice, cell)?;
    let place = Indexed { slice, cell, men };
    let mut best: Option<Value> = None;
    let mut better = |value: Value| {
        if best.is_none_or(|best| value.preference() > best.preference()) {
            best = Some(value);
        }
    };
    known.space.conversions(&men, side, &mut |step, reached| better(known.conversion(step, &reached)));
    let after: &Sides = &known.slices[slice];
    let after: &[Cell] = &after[side.other().index()];
    known.space.quiet_moves(&place, Turn::Forward(side), &mut |cell| {
        after[cell].value().into_iter().for_each(|value| better(value.before()));
        true
    });
    let is_lost = || S::STALEMATE_LOSES || known.space.is_check(&men, side);
    Some(best.unwrap_or_else(|| if is_lost() { Value::Loss(0) } else { Value::Draw }))
}

/// Solves a slice whose dependencies are known, forward.
fn forward<S: Space>(known: &Known<S>, slice: usize) -> Sides {
    let Start { mut values, .. } = start(known, slice);
    let mut plies = 1;
    // Irreversible moves may decide a position long after the last change.
    while plies <= 1 + farthest(&values) {
        for side in 0..2 {
            for cell in 0..known.space.cells() {
                if values[side][cell].may_win_in(plies)
                    && let Some(men) = known.space.men(slice, cell)
                {
                    let place = Indexed { slice, cell, men };
                    if let Some(decided) = decide(known.space, &values, &place, side, plies) {
                        values[side][cell] = decided;
                    }
                }
            }
        }
        plies += 1;
    }
    values.iter_mut().flatten().for_each(|cell| *cell = cell.settled());
    values
}

/// Returns the largest distance of any decided cell.
fn farthest(values: &Sides) -> u16 {
    let plies = |cell: &Cell| match cell.decided() {
        Some(Value::Win(plies) | Value::Loss(plies)) => plies,
        Some(Value::Draw) | None => 0,
    };
    values.iter().flatten().map(plies).max().unwrap_or(0)
}

/// Returns the value of an open position if `plies` decides it.
fn decide<S: Space>(space: &S, values: &Sides, place: &Indexed, side: usize, plies: u16) -> Option<Cell> {
    let mut has_loss = false;
    let mut all_won = true;
    space.quiet_moves(place, Turn::Forward(SIDES[side]), &mut |cell| {
        let after = values[1 - side][cell];
        match after.value() {
            None => {}
            Some(Value::Loss(left)) if left < plies => has_loss = true,
            Some(Value::Win(left)) if left < plies => {}
            Some(_) => all_won = false,
        }
        !has_loss
    });
    if has_loss {
        return Some(Cell::win(plies));
    }
    if !all_won {
        return None;
    }
    values[side][place.cell].lost_in(plies).map(Cell::loss)
}

/// Cells by distance, for each side to move.
#[derive(Default)]
struct Frontier(Vec<[Vec<u32>; 2]>);

impl Frontier {
    fn push(&mut self, plies: u16, side: usize, cell: usize) {
        let plies = usize::from(plies);
        if self.0.len() <= plies {
            self.0.resize_with(plies + 1, Default::default);
        }
        self.0[plies][side].push(cell as u32);
    }

    fn take(&mut self, plies: u16, side: usize) -> Vec<u32> {
        self.0.get_mut(usize::from(plies)).map(|sides| std::mem::take(&mut sides[side])).unwrap_or_default()
    }

    fn plies(&self) -> usize {
        self.0.len()
    }
}

struct Backward<'a, S> {
    space: &'a S,
    slice: usize,
    start: Start,
    wins: Frontier,
    losses: Frontier,
}

/// Solves a slice whose dependencies are known, backward.
fn retrograde<S: Space>(known: &Known<S>, slice: usize) -> Sides {
    let start = start(known, slice);
    let mut work =
        Backward { space: known.space, slice, start, wins: Frontier::default(), losses: Frontier::default() };
    work.collect();
    let mut plies = 0;
    while usize::from(plies) < work.wins.plies().max(work.losses.plies()) {
        for side in SIDES {
            for cell in work.losses.take(plies, side.index()) {
                work.before_loss(cell as usize, side.index(), plies + 1);
            }
            for cell in work.wins.take(plies, side.index()) {
                work.before_win(cell as usize, side.index(), plies);
            }
        }
        plies += 1;
    }
    let mut values = work.start.values;
    values.iter_mut().flatten().for_each(|cell| *cell = cell.settled());
    values
}

impl<S: Space> Backward<'_, S> {
    /// Puts what is decided at the start where its ply will find it.
    fn collect(&mut self) {
        for side in 0..2 {
            for (cell, value) in self.start.values[side].iter().enumerate() {
                match value.decided() {
                    Some(Value::Win(plies)) => self.wins.push(plies, side, cell),
                    Some(Value::Loss(plies)) => self.losses.push(plies, side, cell),
                    Some(Value::Draw) | None => {}
                }
            }
        }
    }

    fn before_loss(&mut self, cell: usize, side: usize, plies: u16) {
        let Some(men) = self.space.men(self.slice, cell) else { return };
        let place = Indexed { slice: self.slice, cell, men };
        let mover = 1 - side;
        let (values, wins) = (&mut self.start.values[mover], &mut self.wins);
        self.space.quiet_moves(&place, Turn::Back(SIDES[mover]), &mut |before| {
            if values[before].may_win_in(plies) {
                values[before] = Cell::win(plies);
                wins.push(plies, mover, before);
            }
            true
        });
    }

    fn before_win(&mut self, cell: usize, side: usize, plies: u16) {
        // A win that turned out quicker has been here before.
        if self.start.values[side][cell] != Cell::win(plies) {
            return;
        }
        let Some(men) = self.space.men(self.slice, cell) else { return };
        let place = Indexed { slice: self.slice, cell, men };
        let mover = 1 - side;
        let (values, moves) = (&mut self.start.values[mover], &mut self.start.moves[mover]);
        let losses = &mut self.losses;
        self.space.quiet_moves(&place, Turn::Back(SIDES[mover]), &mut |before| {
            // Gaps begin with no move and count down through 255: they have fewer neighbours than that.
            moves[before] = moves[before].wrapping_sub(1);
            if moves[before] == 0
                && let Some(lost_in) = values[before].lost_in(plies + 1)
            {
                values[before] = Cell::loss(lost_in);
                losses.push(lost_in, mover, before);
            }
            true
        });
    }
}
