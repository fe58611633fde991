//! Builds tables into a folder.
//!
//! Tables are built after the tables that they depend on, independent tables in parallel. Existing files are kept, so an
//! interrupted build can be resumed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::EndgameError;
use super::file::{Index, TableFile, file_name};
use super::material::Material;
use super::solve::{Solver, solve};
use super::space::Space;
use super::value::Metric;
use crate::disk::create_folder;
use crate::endgame::solve::Table;
use crate::game::{Game, GameId};

/// Options of a build.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// The folder of the files; created if it is missing.
    pub folder: PathBuf,
    /// The metric of distances.
    pub metric: Metric,
    /// Maximum bytes of tables in memory.
    pub memory_bytes: u64,
    /// Whether every cell is compared with its moves before a file is written.
    pub verifies: bool,
    /// How tables are solved; the files are the same.
    pub solver: Solver,
    /// How files number positions.
    pub index: Index,
}

/// A table that is finished.
#[derive(Debug, Clone)]
pub struct Built {
    /// The material.
    pub material: Material,
    /// Whether the file was there before.
    pub was_there: bool,
    /// Bytes of the file.
    pub bytes: u64,
    /// Seconds of wall time that solving and writing took.
    pub seconds: f64,
    /// Number of finished tables, including this one, and of all tables.
    pub progress: (usize, usize),
}

/// Receives the progress of a build and can stop it.
pub trait Watch: Sync {
    /// Returns whether to go on.
    fn goes_on(&self) -> bool;
    /// Called for each finished table.
    fn finished(&self, built: Built);
}

/// Returns materials with their dependencies, by level: a table depends on lower levels only.
fn levels(wanted: &[Material]) -> Vec<Vec<Material>> {
    fn level(material: &Material, known: &mut BTreeMap<Material, usize>) -> usize {
        if let Some(&level) = known.get(material) {
            return level;
        }
        let below = material.successors().iter().map(|next| level(next, known) + 1).max().unwrap_or(0);
        known.insert(material.clone(), below);
        below
    }
    let mut known = BTreeMap::new();
    let count = wanted.iter().map(|material| level(material, &mut known) + 1).max().unwrap_or(0);
    let mut levels = vec![Vec::new(); count];
    for (material, level) in known {
        levels[level].push(material);
    }
    levels
}

/// A build under way.
struct Build<'a, S> {
    options: &'a BuildOptions,
    watch: &'a dyn Watch,
    /// Tables in memory that are still needed.
    held: Loaded<'a, S>,
    finished: usize,
    total: usize,
}

/// Builds the tables of materials and of their dependencies.
///
/// # Errors
/// [`EndgameError`]; tables that are finished stay.
pub fn build<S: Space>(
    wanted: &[Material],
    options: &BuildOptions,
    watch: &dyn Watch,
) -> Result<(), EndgameError> {
    if options.metric == Metric::Dtz && S::Game::ID != GameId::Chess {
        return Err(EndgameError::Metric(options.metric.name(), S::Game::ID.name()));
    }
    let wanted: Vec<Material> = wanted.iter().map(|material| material.canonical().0).collect();
    let levels = levels(&wanted);
    create_folder(&options.folder).map_err(EndgameError::io(&options.folder))?;
    let total = levels.iter().map(Vec::len).sum();
    let held = Loaded::of(&options.folder, options.metric);
    let mut build = Build::<S> { options, watch, held, finished: 0, total };
    for (number, level) in levels.iter().enumerate() {
        let later: BTreeSet<Material> =
            levels[number + 1..].iter().flatten().flat_map(Material::successors).collect();
        build.level(level, &later)?;
        build.held.tables.retain(|material, _| later.contains(material));
    }
    Ok(())
}

impl<S: Space> Build<'_, S> {
    /// Builds the missing tables of a level, as many at a time as fit into memory.
    fn level(&mut self, level: &[Material], later: &BTreeSet<Material>) -> Result<(), EndgameError> {
        let mut open: Vec<&Material> = Vec::new();
        for material in level {
            let path = self.path(material);
            if path.exists() {
                let file = TableFile::open(&path)?;
                self.report(material, true, file.header().file_bytes, 0.0);
            } else {
                open.push(material);
            }
        }
        while !open.is_empty() {
            let count = self.fitting(&open)?;
            let batch: Vec<&Material> = open.drain(..count).collect();
            for material in batch.iter().flat_map(|material| material.successors()) {
                self.held.load(&material)?;
            }
            self.make(&batch, later)?;
        }
        Ok(())
    }

    fn path(&self, material: &Material) -> PathBuf {
        self.options.folder.join(file_name(material, self.options.metric))
    }

    /// Returns the number of open tables that fit into memory together, at least one.
    fn fitting(&self, open: &[&Material]) -> Result<usize, EndgameError> {
        let mut needed: u64 = self.held.tables.values().map(|table| table.bytes()).sum();
        let mut missing = BTreeSet::new();
        for (count, material) in open.iter().enumerate() {
            // While it is solved, a table has a third byte a cell, and a list entry.
            needed += bytes::<S>(material)? * 5 / 2;
            for next in self.held.needed_by(material) {
                if !self.held.tables.contains_key(&next) && missing.insert(next.clone()) {
                    needed += bytes::<S>(&next)?;
                }
            }
            if needed > self.options.memory_bytes {
                let (needed, allowed) = (needed.div_ceil(1 << 20), self.options.memory_bytes >> 20);
                let too_large = || EndgameError::Memory(material.to_string(), needed, allowed);
                return if count > 0 { Ok(count) } else { Err(too_large()) };
            }
        }
        Ok(open.len())
    }

    fn make(&mut self, batch: &[&Material], later: &BTreeSet<Material>) -> Result<(), EndgameError> {
        let made: Vec<(Table<S>, u64, f64)> =
            batch.par_iter().map(|material| self.one(material)).collect::<Result<_, _>>()?;
        for (table, bytes, seconds) in made {
            let material = table.material().clone();
            self.report(&material, false, bytes, seconds);
            if later.contains(&material) {
                self.held.tables.insert(material, Arc::new(table));
            }
        }
        Ok(())
    }

    fn one(&self, material: &Material) -> Result<(Table<S>, u64, f64), EndgameError> {
        let begun = Instant::now();
        let go_on = || if self.watch.goes_on() { Ok(()) } else { Err(EndgameError::Stopped) };
        go_on()?;
        let space = S::new(material)?;
        let others: Vec<Arc<Table<S>>> =
            space.dependencies().iter().filter_map(|next| self.held.tables.get(next).cloned()).collect();
        let table = solve(space, self.options.metric, &others, self.options.solver);
        go_on()?;
        if self.options.verifies
            && let Some(wrong) = table.verify(&others, 1).1.first()
        {
            return Err(EndgameError::Unsound(material.to_string(), wrong.fen.clone()));
        }
        go_on()?;
        let header = table.write(&self.path(material), &others, &table.stats(), self.options.index)?;
        Ok((table, header.file_bytes, begun.elapsed().as_secs_f64()))
    }

    fn report(&mut self, material: &Material, was_there: bool, bytes: u64, seconds: f64) {
        self.finished += 1;
        let progress = (self.finished, self.total);
        self.watch.finished(Built { material: material.clone(), was_there, bytes, seconds, progress });
    }
}

fn bytes<S: Space>(material: &Material) -> Result<u64, EndgameError> {
    let space = S::new(material)?;
    Ok(4 * space.slices() as u64 * space.cells() as u64)
}

/// Tables of a folder in memory, each loaded once.
struct Loaded<'a, S> {
    folder: &'a Path,
    metric: Metric,
    tables: HashMap<Material, Arc<Table<S>>>,
}

impl<S: Space> Loaded<'_, S> {
    fn of(folder: &Path, metric: Metric) -> Loaded<'_, S> {
        Loaded { folder, metric, tables: HashMap::new() }
    }

    /// Returns a table. Loads the tables first that its cells rely on.
    fn load(&mut self, material: &Material) -> Result<Arc<Table<S>>, EndgameError> {
        if let Some(table) = self.tables.get(material) {
            return Ok(Arc::clone(table));
        }
        let path = self.folder.join(file_name(material, self.metric));
        if !path.exists() {
            let table = format!("{material} by {}", self.metric.name());
            return Err(EndgameError::Missing(self.folder.to_owned(), table));
        }
        let file = TableFile::open(&path)?;
        let others = if self.metric == Metric::Wld { self.load_others(material)? } else { Vec::new() };
        let table = Arc::new(file.load(&others)?);
        self.tables.insert(material.clone(), Arc::clone(&table));
        Ok(table)
    }

    /// Returns the tables that a material leads to, in the order in which its space lists them.
    fn load_others(&mut self, material: &Material) -> Result<Vec<Arc<Table<S>>>, EndgameError> {
        S::new(material)?.dependencies().iter().map(|next| self.load(next)).collect()
    }

    /// Returns the materials whose tables are in memory when that of a material is solved.
    fn needed_by(&self, material: &Material) -> BTreeSet<Material> {
        let mut needed: BTreeSet<Material> = material.successors().into_iter().collect();
        if self.metric == Metric::Wld {
            needed.extend(material.successors().iter().flat_map(|next| self.needed_by(next)));
        }
        needed
    }
}

/// Loads a table of a folder.
pub fn open<S: Space>(
    folder: &Path,
    material: &Material,
    metric: Metric,
) -> Result<Arc<Table<S>>, EndgameError> {
    Loaded::of(folder, metric).load(material)
}

/// A table and its dependencies.
pub type WithOthers<S> = (Arc<Table<S>>, Vec<Arc<Table<S>>>);

/// Loads a table of a folder with its dependencies, as [`Table::verify`] needs them.
pub fn load<S: Space>(
    folder: &Path,
    material: &Material,
    metric: Metric,
) -> Result<WithOthers<S>, EndgameError> {
    let mut loaded = Loaded::of(folder, metric);
    Ok((loaded.load(material)?, loaded.load_others(material)?))
}
