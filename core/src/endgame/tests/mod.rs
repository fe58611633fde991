//! Tests of the endgame tables.

mod chess;
mod folder;
mod xiangqi;

use std::collections::HashMap;
use std::sync::Arc;

use super::{Material, Metric, Solver, Space, Table, solve};

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
