//! Looks positions up in a folder of tables: value, best moves, and the whole line.
//!
//! Files are mapped, blocks are unpacked when first asked for and kept in a cache of fixed size. A position with a right
//! to capture en passant is worth the better of its table value and what those captures lead to. Win/draw/loss
//! tables omit results of conversions: unless a cell is a win, the smaller tables are read as well.
//!
//! Who wins alone does not say how. The distances of a small material can be solved in memory again.
//!
//! A cache of unpacked blocks, set-associative.
//!
//! The number of a block selects a set of slots; within the set, a new block replaces the least recently used one.
//! Consecutive blocks of a file go to consecutive sets, so that sets fill evenly.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrayvec::ArrayVec;

use crate::endgame::build::open;
use crate::endgame::error::EndgameError;
use crate::endgame::file::{Header, TableFile};
use crate::endgame::material::{Material, Men, Reached, Target};
use crate::endgame::solve::{Solver, Table, solve};
use crate::endgame::space::{Board, Space};
use crate::endgame::value::{Irreversible, Metric, Value};
use crate::game::{Game, GameId, HistoryRules, Move, MoveList, Side};

/// The tables of one game in a folder.
pub struct Endgames<S> {
    folder: PathBuf,
    /// By men on the board, both orientations of each material.
    entries: HashMap<u64, Entry>,
    tables: Vec<Tables<S>>,
    cache: Cache,
    most_men: usize,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    table: usize,
    is_flipped: bool,
}

/// The files of a material.
struct Tables<S> {
    space: S,
    files: [Option<TableFile>; 4],
    /// Distances for play, once they are solved; `None` if a smaller table is missing.
    solved: OnceLock<Option<Arc<Table<S>>>>,
}

/// Largest table that is solved in memory; chosen: every material of four men fits, and takes at most some seconds.
const MOST_SOLVED_BYTES: u64 = 32 << 20;

/// A position as its table sees it.
#[derive(Debug, Clone, Copy)]
struct Seat {
    table: usize,
    men: Men,
    to_move: Side,
    /// The square that a double step has passed, where it may be answered en passant.
    passed: Option<u8>,
}

/// The values of a position in all tables of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worth {
    /// 1, 0 or −1: won, drawn, lost.
    pub wdl: i8,
    /// Plies to mate, negative if lost, if there is such a table.
    pub dtm: Option<i32>,
    /// Plies to a conversion or mate.
    pub dtc: Option<i32>,
    /// Plies to a capture, pawn move or mate.
    pub dtz: Option<i32>,
}

/// A move with its value for the side that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// The move.
    pub m: Move,
    /// Its value.
    pub value: Value,
}

/// Returns a number of the men on a board: four bits for each side and kind.
fn signature(men: impl Iterator<Item = (Side, u8)>) -> u64 {
    men.fold(0, |sum, (side, kind)| sum + (1 << (32 * side.index() + 4 * usize::from(kind))))
}

fn men_of(board: &Board) -> u64 {
    signature(board.iter().map(|&(side, kind, _)| (side, kind)))
}

impl<S: Space> Endgames<S> {
    /// Opens every table of the game in a folder.
    pub fn open(folder: &Path) -> Result<Endgames<S>, EndgameError> {
        let mut endgames = Endgames {
            folder: folder.to_owned(),
            entries: HashMap::new(),
            tables: Vec::new(),
            cache: Cache::new(),
            most_men: 0,
        };
        let suffix = format!(".{}.", S::Game::ID.name());
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(EndgameError::io(folder))? {
            let path = entry.map_err(EndgameError::io(folder))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.ends_with(".bbtb") && name.contains(&suffix) && !name.starts_with('.') {
                paths.push(path);
            }
        }
        paths.sort();
        paths.iter().try_for_each(|path| endgames.add(TableFile::open(path)?))?;
        Ok(endgames)
    }

    fn add(&mut self, file: TableFile) -> Result<(), EndgameError> {
        let material = file.header().material.clone();
        if material.game() != S::Game::ID {
            return Ok(());
        }
        let key = signature(material.men().into_iter());
        let table = match self.entries.get(&key) {
            Some(entry) => entry.table,
            None => {
                let space = S::new(&material)?;
                self.tables.push(Tables { space, files: [const { None }; 4], solved: OnceLock::new() });
                self.tables.len() - 1
            }
        };
        if file.header().index.count(&self.tables[table].space) != file.header().cells {
            return Err(EndgameError::damaged(file.path(), "the number of cells", 32));
        }
        let flipped = signature(material.flipped().men().into_iter());
        self.entries.entry(flipped).or_insert(Entry { table, is_flipped: true });
        self.entries.insert(key, Entry { table, is_flipped: false });
        self.most_men = self.most_men.max(material.count());
        let metric = file.header().metric as usize;
        self.tables[table].files[metric] = Some(file);
        Ok(())
    }

    /// Returns the maximum men of any table; 0 without tables.
    pub fn most_men(&self) -> usize {
        self.most_men
    }

    /// Returns the open files.
    pub fn files(&self) -> impl Iterator<Item = &TableFile> {
        self.tables.iter().flat_map(|tables| tables.files.iter().flatten())
    }

    /// Returns the value of a position by the tables of a metric; `None` if there is no table for it. Tables of any
    /// metric know the result: `wld` reads the first one, and its distances mean nothing.
    pub fn value(&self, position: &S::Game, metric: Metric) -> Result<Option<Value>, EndgameError> {
        self.seat(position).map_or(Ok(None), |seat| self.seated(position, &seat, metric))
    }

    /// Returns the values of a position in all tables; `None` without a table.
    pub fn worth(&self, position: &S::Game) -> Result<Option<Worth>, EndgameError> {
        let Some(seat) = self.seat(position) else { return Ok(None) };
        let by = |metric| self.seated(position, &seat, metric);
        let [dtm, dtc, dtz] = [by(Metric::Dtm)?, by(Metric::Dtc)?, by(Metric::Dtz)?];
        let any = match dtm.or(dtc).or(dtz) {
            None => by(Metric::Wld)?,
            known => known,
        };
        let plies = |value: Option<Value>| value.map(Value::signed_plies);
        Ok(any.map(|any| Worth { wdl: any.wdl(), dtm: plies(dtm), dtc: plies(dtc), dtz: plies(dtz) }))
    }

    /// Returns the tables of a won position that could be solved in memory and are not: they say only who wins.
    fn unsolved(&self, position: &S::Game) -> Option<&Tables<S>> {
        let tables = &self.tables[self.seat(position)?.table];
        let bytes = 4 * tables.space.slices() as u64 * tables.space.cells() as u64;
        let is_small = bytes <= MOST_SOLVED_BYTES && tables.solved.get().is_none();
        let has_distance = || tables.files[1..].iter().any(Option::is_some);
        let is_won =
            || self.value(position, Metric::Wld).is_ok_and(|value| value.is_some_and(|v| v.wdl() == 1));
        (is_small && !has_distance() && is_won()).then_some(tables)
    }

    /// Returns whether [`Endgames::solve`] has distances of the position to solve.
    pub fn lacks_distances(&self, position: &S::Game) -> bool {
        self.unsolved(position).is_some()
    }

    /// Solves the distances of a won position's material in memory if its tables say only who wins. Probes then know
    /// them. A missing or damaged smaller table leaves them unknown.
    pub fn solve(&self, position: &S::Game) {
        if let Some(tables) = self.unsolved(position) {
            self.distances(tables);
        }
    }

    /// Returns the distances of a material: to mate, unless promotions lead to tables of as many men, which would take
    /// too long to solve.
    fn distances(&self, tables: &Tables<S>) -> Option<Arc<Table<S>>> {
        let solved = tables.solved.get_or_init(|| {
            let space = S::new(tables.space.material()).ok()?;
            let others = space.dependencies();
            let promotes = others.iter().any(|other| other.count() == space.material().count());
            let metric = if promotes { Metric::Dtz } else { Metric::Dtm };
            let known = |other: &Material| {
                if promotes {
                    return open::<S>(&self.folder, other, Metric::Wld).ok();
                }
                let entry = self.entries.get(&signature(other.men().into_iter()))?;
                self.distances(&self.tables[entry.table])
            };
            let others = others.iter().map(known).collect::<Option<Vec<_>>>()?;
            Some(Arc::new(solve(space, metric, &others, Solver::Retrograde)))
        });
        solved.clone()
    }

    /// Returns a position as its table sees it.
    fn seat(&self, position: &S::Game) -> Option<Seat> {
        if S::men_count(position) > self.most_men || S::flaw(position).is_some() {
            return None;
        }
        let (entry, men) = self.find(&S::men_on_board(position)?)?;
        let side = position.side();
        let passed = S::passed_square(position);
        Some(Seat {
            table: entry.table,
            men,
            to_move: if entry.is_flipped { side.other() } else { side },
            passed: passed.map(|square| if entry.is_flipped { S::flip(square) } else { square }),
        })
    }

    fn seated(&self, position: &S::Game, seat: &Seat, metric: Metric) -> Result<Option<Value>, EndgameError> {
        let Some(plain) = self.read(seat.table, metric, &seat.men, seat.to_move)? else { return Ok(None) };
        let Some(passed) = seat.passed else { return Ok(Some(plain)) };
        self.with_en_passant(position, seat, passed, (metric, plain)).map(Some)
    }

    /// Returns the tables of men, and the men in their order and orientation.
    #[inline]
    fn find(&self, board: &Board) -> Option<(Entry, Men)> {
        let entry = *self.entries.get(&men_of(board))?;
        let space = &self.tables[entry.table].space;
        let mut men = Men::default();
        let mut is_placed = 0u32;
        for &(side, kind, square) in board {
            let side = if entry.is_flipped { side.other() } else { side };
            let listed = space.listed();
            let man =
                (0..listed.len()).find(|&man| listed[man] == (side, kind) && is_placed >> man & 1 == 0)?;
            is_placed |= 1 << man;
            men[man] = if entry.is_flipped { S::flip(square) } else { square };
        }
        Some((entry, men))
    }

    /// Reads the value of a position, ignoring rights to capture en passant.
    fn read(
        &self,
        table: usize,
        metric: Metric,
        men: &Men,
        to_move: Side,
    ) -> Result<Option<Value>, EndgameError> {
        let tables = &self.tables[table];
        let file = match metric {
            Metric::Wld => tables.files.iter().flatten().next(),
            _ => tables.files[metric as usize].as_ref(),
        };
        let Some(file) = file else {
            let solved =
                tables.solved.get().and_then(Option::as_ref).filter(|table| table.metric() == metric);
            return Ok(solved.and_then(|table| table.value(men, to_move)));
        };
        let (seen, side) = file.seen(&tables.space, men, to_move);
        let (block, at) = file.cell_of(file.header().index.number(&tables.space, &seen), side);
        let value = self.cell((table, file), block, at)?;
        let value =
            if file.leaves_out(value) { self.with_conversions(table, men, to_move, value)? } else { value };
        Ok(Some(told(metric, value)))
    }

    /// Reads a cell of a block.
    fn cell(
        &self,
        (table, file): (usize, &TableFile),
        block: usize,
        at: usize,
    ) -> Result<Value, EndgameError> {
        let Header { bits, metric, .. } = *file.header();
        let key = (4 * table as u32 + metric as u32, block as u32);
        self.cache.read(key, || file.block(block), |cells| bits.value(bits.get(cells, at)))
    }

    /// Returns the better of the value of a cell and the values of conversions.
    fn with_conversions(
        &self,
        table: usize,
        men: &Men,
        to_move: Side,
        cell: Value,
    ) -> Result<Value, EndgameError> {
        let space = &self.tables[table].space;
        let mut best = Ok(cell);
        space.conversions(men, to_move, &mut |_, reached| {
            if let (Target::Other(_), Ok(value)) = (reached.target, &best)
                && value.wdl() < 1
            {
                let after = self.reached(space, &reached, Metric::Wld);
                best = after.map(|after| value.at_least(-after.wdl()));
            }
        });
        best
    }

    fn with_en_passant(
        &self,
        position: &S::Game,
        seat: &Seat,
        passed: u8,
        (metric, plain): (Metric, Value),
    ) -> Result<Value, EndgameError> {
        let space = &self.tables[seat.table].space;
        let mut captures = Vec::new();
        space.en_passant(&seat.men, seat.to_move, passed, &mut |reached| captures.push(reached));
        let mut best: Option<Value> = None;
        for reached in &captures {
            let value = told(
                metric,
                metric.converted(Irreversible::Conversion, self.reached(space, reached, metric)?),
            );
            best = best.into_iter().chain([value]).max_by_key(|value| value.preference());
        }
        let Some(captured) = best else { return Ok(plain) };
        let has_others = position.count_legal_moves() > captures.len();
        Ok(if has_others && plain.preference() > captured.preference() { plain } else { captured })
    }

    fn reached(&self, space: &S, reached: &Reached, metric: Metric) -> Result<Value, EndgameError> {
        let material = match reached.target {
            Target::Own => space.material(),
            Target::Other(number) => &space.dependencies()[number],
        };
        let entry = self.entries.get(&signature(material.men().into_iter()));
        let changes = reached.target != Target::Own;
        let value = match entry {
            Some(entry) => self.read(entry.table, metric.after(changes), &reached.men, reached.to_move)?,
            None => None,
        };
        value.ok_or_else(|| self.missing(material))
    }

    fn missing(&self, material: &Material) -> EndgameError {
        EndgameError::Missing(self.folder.clone(), material.to_string())
    }

    /// Returns every legal move with its value by a metric, best first, then in the order of move generation.
    pub fn moves(&self, position: &S::Game, metric: Metric) -> Result<Vec<Ranked>, EndgameError> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let men = |position: &S::Game| S::men_on_board(position).map(|board| men_of(&board));
        let before = men(position);
        let mut ranked = Vec::with_capacity(moves.len());
        for &m in &moves {
            let mut next = position.clone();
            next.play_unchecked(m);
            let changes = men(&next) != before;
            let after = self.value(&next, metric.after(changes))?.ok_or_else(|| self.unknown(&next))?;
            let value = match step(position, m, changes) {
                Some(step) => metric.converted(step, after),
                None => after.before(),
            };
            ranked.push(Ranked { m, value: told(metric, value) });
        }
        ranked.sort_by_key(|ranked| -ranked.value.preference());
        Ok(ranked)
    }

    fn unknown(&self, position: &S::Game) -> EndgameError {
        let material = S::men_on_board(position).and_then(|board| {
            Material::of_men(S::Game::ID, board.iter().map(|&(side, kind, _)| (side, kind)))
        });
        match material {
            Some(material) => self.missing(&material.canonical().0),
            None => outside(S::flaw(position).unwrap_or("no table can have these men"), position),
        }
    }

    /// Returns the value of a position that must be in a table.
    pub fn find_value(&self, position: &S::Game, metric: Metric) -> Result<Value, EndgameError> {
        if let Some(reason) = S::flaw(position) {
            return Err(outside(reason, position));
        }
        self.value(position, metric)?.ok_or_else(|| self.unknown(position))
    }

    /// Returns perfect play by a metric that has distances, from a position to mate; empty where it is a draw.
    pub fn line(&self, position: &S::Game, metric: Metric) -> Result<Vec<Move>, EndgameError> {
        let mut position = position.clone();
        let mut line = Vec::new();
        while self.find_value(&position, metric)? != Value::Draw {
            let Some(best) = self.moves(&position, metric)?.first().copied() else { break };
            position.play_unchecked(best.m);
            line.push(best.m);
        }
        Ok(line)
    }
}

/// Returns the error of a position that no table holds.
fn outside<G: Game>(reason: &str, position: &G) -> EndgameError {
    EndgameError::Position(position.to_fen(), reason.to_owned())
}

/// Returns the kind of an irreversible move; `changes` says whether the material changes.
fn step<G: HistoryRules>(before: &G, m: Move, changes: bool) -> Option<Irreversible> {
    // Chess pawns cannot come back; xiangqi pawns can move sideways within their table.
    let is_push = G::ID == GameId::Chess && before.is_irreversible(m);
    if changes { Some(Irreversible::Conversion) } else { is_push.then_some(Irreversible::Push) }
}

/// Returns a value in a metric: win/draw/loss has no distance.
fn told(metric: Metric, value: Value) -> Value {
    match (metric, value) {
        (Metric::Wld, Value::Win(_)) => Value::Win(0),
        (Metric::Wld, Value::Loss(_)) => Value::Loss(0),
        (_, value) => value,
    }
}

/// Sets of slots.
const SETS: usize = 1 << 9;
/// Slots of a set: with blocks of 16 KiB, 64 MiB in all.
const SLOTS: usize = 8;
/// Distance in sets between the first blocks of files.
const STEP: usize = 0x9d;

/// The file and the number of a block.
pub(super) type Key = (u32, u32);

/// Blocks by key.
pub(super) struct Cache(Vec<Mutex<Set>>);

#[derive(Default)]
struct Set {
    slots: ArrayVec<Slot, SLOTS>,
    /// Number of lookups in the set.
    asked: u64,
}

struct Slot {
    key: Key,
    block: Vec<u8>,
    /// The lookup that used this block last.
    last: u64,
}

impl Cache {
    /// Returns an empty cache.
    pub fn new() -> Cache {
        Cache((0..SETS).map(|_| Mutex::default()).collect())
    }

    /// Returns the result of `read` on a block. If the cache does not hold the block, `unpack` provides it.
    pub fn read<T, E>(
        &self,
        key: Key,
        unpack: impl FnOnce() -> Result<Vec<u8>, E>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, E> {
        let (file, number) = (key.0 as usize, key.1 as usize);
        let set = &self.0[(number + file * STEP) % SETS];
        // Slots change as a whole, so a thread that panicked has left them valid.
        let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
        set.asked += 1;
        let last = set.asked;
        if let Some(slot) = set.slots.iter_mut().find(|slot| slot.key == key) {
            slot.last = last;
            return Ok(read(&slot.block));
        }
        let block = unpack()?;
        let value = read(&block);
        let slot = Slot { key, block, last };
        if let Err(full) = set.slots.try_push(slot)
            && let Some(oldest) = set.slots.iter_mut().min_by_key(|slot| slot.last)
        {
            *oldest = full.element();
        }
        Ok(value)
    }
}
