//! A tree of the first plies of games, so that common openings are replayed and sorted only once.
//!
//! The edges are moves as archives write them; each has the position it leads to. A game is counted at the last edge that
//! it follows, and at the end also at the edges before. Each game adds one edge where it leaves the tree, so the tree
//! learns the frequent openings.

use std::iter::successors;

use crate::archive::{GameRecord, Start};
use crate::game::{Foldable, Replayable, Side};
use crate::replay::{GameFacts, KnownPly, Observation, Observed, ReplayOptions};

use crate::tally::rows::row::Row;

/// Most edges. More of them know hardly more plies and no longer fit into the second-level cache.
const EDGES: usize = 4096;

/// No edge.
const NONE: u32 = u32::MAX;

/// A tree of beginnings.
#[derive(Debug)]
pub(super) struct Openings<G: Replayable> {
    fold: bool,
    /// Most plies of a game that are followed.
    limit: usize,
    /// First edge from the start position.
    first: u32,
    // Of each edge, apart by when it is needed: on the way …
    links: Vec<Link<G::Token>>,
    plies: Vec<KnownPly>,
    // … where a game leaves the tree: the position that the edge leads to …
    positions: Vec<G>,
    // … and when the game is counted.
    edges: Vec<Edge>,
    /// Edges that the present game goes along …
    path: Vec<u32>,
    /// … and their plies.
    known: Vec<KnownPly>,
}

/// What is needed to find the way.
#[derive(Debug)]
struct Link<T> {
    token: T,
    /// First of the edges that follow.
    first: u32,
    /// Next edge from the same position.
    next: u32,
}

#[derive(Debug)]
struct Edge {
    /// The edge before it; [`NONE`] from the start position.
    before: u32,
    /// What a game that goes along is observed as, but for its marks.
    observation: Observation,
    /// Annotation marks of the games that go along.
    marks: i64,
    /// The games that leave the tree behind the edge …
    row: Row,
    /// … and the ratings of the other side's players in them: their sum, and how many are known.
    others: (u64, u64),
}

impl<G: Replayable + Foldable> Openings<G> {
    /// Returns a tree without edges.
    pub fn new(options: &ReplayOptions) -> Openings<G> {
        Openings {
            fold: options.fold,
            limit: options.max_ply.map_or(usize::MAX, usize::from),
            first: NONE,
            links: Vec::new(),
            plies: Vec::new(),
            positions: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Follows a game as far as the tree goes; returns its known plies and the position after them.
    pub fn follow(&mut self, record: &GameRecord<G::Token>) -> Option<(&[KnownPly], G)> {
        self.path.clear();
        self.known.clear();
        if record.start != Start::Standard {
            return None;
        }
        let mut from = self.first;
        for &token in record.moves.iter().take(self.limit) {
            let Some(edge) = self.siblings(from).find(|&edge| self.links[edge as usize].token == token)
            else {
                break;
            };
            self.path.push(edge);
            self.known.push(self.plies[edge as usize]);
            from = self.links[edge as usize].first;
        }
        let &last = self.path.last()?;
        Some((&self.known, self.positions[last as usize].clone()))
    }

    /// Returns an edge and those that leave the same position after it.
    fn siblings(&self, first: u32) -> impl Iterator<Item = u32> {
        let is_edge = |edge: &u32| *edge != NONE;
        successors(Some(first).filter(is_edge), move |&edge| {
            Some(self.links[edge as usize].next).filter(is_edge)
        })
    }

    /// Adds the game that was followed last.
    pub fn add(&mut self, record: &GameRecord<G::Token>, facts: &GameFacts) {
        for (&edge, &mark) in self.path.iter().zip(&record.marks).filter(|(_, mark)| **mark != 0) {
            self.edges[edge as usize].marks += i64::from(mark);
        }
        if let Some(&last) = self.path.last() {
            let edge = &mut self.edges[last as usize];
            edge.row.add_game(&edge.observation, facts);
            let rating = facts.ratings[usize::from(edge.observation.mover == Side::First as u8)];
            edge.others.0 += u64::from(rating);
            edge.others.1 += u64::from(rating > 0);
        }
    }

    /// Adds an edge where the game that was followed last leaves the tree.
    pub fn grow(&mut self, record: &GameRecord<G::Token>) {
        let plies = self.path.len();
        let Some(&token) = record.moves.get(plies).filter(|_| plies < self.limit && self.edges.len() < EDGES)
        else {
            return;
        };
        let mut position =
            self.path.last().map_or_else(G::start, |&last| self.positions[last as usize].clone());
        let observed = Observed::of(&position, self.fold);
        let Ok(played) = position.play_token(token) else { return };
        let observation = observed.with::<G>(played, plies, 0, 0);
        let (key, lock) = (observation.key, observation.lock);
        // A position counts once in a game, with the first move: known plies never come back to one.
        if self.known.iter().any(|ply| ply.key == key && ply.lock == lock) {
            return;
        }
        let new = self.edges.len() as u32;
        let first = self.path.last().map_or(self.first, |&edge| self.links[edge as usize].first);
        match (self.siblings(first).last(), self.path.last()) {
            (Some(edge), _) => self.links[edge as usize].next = new,
            (None, Some(&edge)) => self.links[edge as usize].first = new,
            (None, None) => self.first = new,
        }
        self.links.push(Link { token, first: NONE, next: NONE });
        self.plies.push(KnownPly { key, lock, played });
        self.positions.push(position);
        let before = self.path.last().copied().unwrap_or(NONE);
        let row = Row::of(&observation);
        self.edges.push(Edge { before, observation, marks: 0, row, others: (0, 0) });
    }

    /// Returns what the games added up to: a row for each edge, of which several may be of one position and move.
    pub fn into_rows(mut self) -> impl Iterator<Item = (Observation, Row)> {
        // An edge is younger than the one before it, whose move is the other side's.
        for index in (0..self.edges.len()).rev() {
            let Edge { before, row, others, .. } = self.edges[index];
            let Some(edge) = self.edges.get_mut(before as usize) else { continue };
            edge.row.add(&Row { rating_sum: others.0, rated: others.1, ..row });
            edge.others.0 += row.rating_sum;
            edge.others.1 += row.rated;
        }
        let rows = self.edges.into_iter();
        let rows = rows.map(|edge| (edge.observation, Row { marks: edge.marks, ..edge.row }));
        rows.filter(|(_, row)| row.games > 0)
    }
}
