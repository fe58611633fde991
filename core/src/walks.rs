//! Walks along the moves between positions: shortest lines, and how often a player of chance comes by.
//!
//! Both go ply by ply. A ply takes the positions of the front in ascending order, and of each its moves in order, so
//! sums of probabilities do not depend on the machine.

use crate::graph::NOWHERE;

/// Moves in the order of the positions before them.
#[derive(Debug, Clone, Copy)]
pub struct Moves<'a> {
    /// The number of moves of each position and those before it.
    pub ends: &'a [u32],
    /// The position after each move, or [`NOWHERE`].
    pub children: &'a [u32],
}

impl Moves<'_> {
    fn of(&self, position: u32) -> std::ops::Range<usize> {
        let position = position as usize;
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        start as usize..self.ends[position] as usize
    }

    /// Returns whether all moves belong to a position, and lead to one or nowhere.
    pub fn are_whole(&self) -> bool {
        let count = self.ends.len();
        let is_known = |&child: &u32| child == NOWHERE || (child as usize) < count;
        self.ends.is_sorted()
            && self.ends.last().map_or(0, |&end| end as usize) == self.children.len()
            && self.children.iter().all(is_known)
    }
}

/// The positions of the next ply, a bit for each: they come out in ascending order without being sorted.
struct Front(Vec<u64>);

impl Front {
    fn of(moves: &Moves) -> Front {
        Front(vec![0; moves.ends.len().div_ceil(64)])
    }

    fn add(&mut self, position: u32) {
        self.0[position as usize / 64] |= 1 << (position % 64);
    }

    /// Appends the positions to `front`, and forgets them.
    fn move_to(&mut self, front: &mut Vec<u32>) {
        for (word, first) in self.0.iter_mut().zip((0..).step_by(64)) {
            let mut left = std::mem::take(word);
            while left != 0 {
                front.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

/// Returns for each position the last move of a shortest line of usable moves from `root` to it, -1 = none, and the plies
/// of that line, -1 = no line. Of several last moves it is the heaviest one, and of equals the last.
pub fn shortest_lines(
    moves: Moves,
    is_usable: &[u8],
    weights: &[f64],
    root: u32,
    plies: i32,
) -> (Vec<i64>, Vec<i32>) {
    let mut into = vec![-1i64; moves.ends.len()];
    let mut depths = vec![-1; moves.ends.len()];
    depths[root as usize] = 0;
    let (mut front, mut next) = (vec![root], Front::of(&moves));
    for depth in 1..=plies {
        for m in front.drain(..).flat_map(|position| moves.of(position)) {
            let child = moves.children[m] as usize;
            if is_usable[m] == 0 || moves.children[m] == NOWHERE {
                continue;
            }
            if depths[child] < 0 {
                depths[child] = depth;
                next.add(child as u32);
            } else if depths[child] != depth || weights[m] < weights[into[child] as usize] {
                continue;
            }
            into[child] = m as i64;
        }
        next.move_to(&mut front);
        if front.is_empty() {
            break;
        }
    }
    (into, depths)
}

/// Returns the expected plies of a walk from `root`, and the expected visits of each position.
///
/// `chances` are the probabilities of the moves at their positions. The walk goes on where `goes_on` says so, for at most
/// `plies`, and while the probability of that is not `negligible`.
pub fn expected_visits(
    moves: Moves,
    chances: &[f64],
    goes_on: &[u8],
    root: u32,
    plies: u32,
    negligible: f64,
) -> (f64, Vec<f64>) {
    let mut visits = vec![0.0; moves.ends.len()];
    let mut masses = vec![0.0; moves.ends.len()];
    let (mut front, mut next, mut places) = (vec![(root, 1.0)], Front::of(&moves), Vec::new());
    visits[root as usize] = 1.0;
    let mut expected = 0.0;
    for _ in 0..plies {
        front.retain(|&(position, _)| goes_on[position as usize] != 0);
        let mass: f64 = front.iter().map(|&(_, mass)| mass).sum();
        if front.is_empty() || mass < negligible {
            break;
        }
        expected += mass;
        for (position, mass) in front.drain(..) {
            for m in moves.of(position).filter(|&m| chances[m] > 0.0 && moves.children[m] != NOWHERE) {
                let child = moves.children[m];
                next.add(child);
                masses[child as usize] += mass * chances[m];
            }
        }
        next.move_to(&mut places);
        front.extend(places.drain(..).map(|child| (child, std::mem::take(&mut masses[child as usize]))));
        front.iter().for_each(|&(position, mass)| visits[position as usize] += mass);
    }
    (expected, visits)
}

#[cfg(test)]
mod tests;
