//! Tests of the endgame tables.

mod chess;
mod folder;
mod xiangqi;

use std::collections::HashMap;
use std::sync::Arc;

use super::{Material, Metric, Solver, Space, Table, solve};

/// Every gapless number, or each n-th, is that of its men.
fn gapless_numbers_invert<S: Space>(space: &S, every: usize) {
    for index in (0..space.gapless_len()).step_by(every) {
        if let Some(men) = space.gapless_men(index) {
            assert_eq!(space.gapless_index(&men), index, "{} {men:?}", space.material());
        }
    }
}

/// Tables in memory by name, solved on demand.
struct Tables<S> {
    metric: Metric,
    made: HashMap<Material, Arc<Table<S>>>,
}

impl<S: Space> Tables<S> {
    fn new(metric: Metric) -> Tables<S> {
        Tables { metric, made: HashMap::new() }
    }

    fn get(&mut self, name: &str) -> Arc<Table<S>> {
        let material = Material::parse(<S::Game as crate::game::Game>::ID, name).unwrap();
        self.of(&material.canonical().0)
    }

    fn of(&mut self, material: &Material) -> Arc<Table<S>> {
        if let Some(table) = self.made.get(material) {
            return Arc::clone(table);
        }
        let space = S::new(material).unwrap();
        let others = self.others(&space);
        let table = Arc::new(solve(space, self.metric, &others, Solver::Retrograde));
        self.made.insert(material.clone(), Arc::clone(&table));
        table
    }

    fn others(&mut self, space: &S) -> Vec<Arc<Table<S>>> {
        let needed = space.dependencies().to_vec();
        needed.iter().map(|material| self.of(material)).collect()
    }
}
