//! Principal variation by triangular array: each node hands up its own move and its child's line.

use arrayvec::ArrayVec;

use super::score::MAX_PLY;
use crate::game::Move;

type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// The best line found so far from each ply of the current path.
pub(super) struct Triangle {
    lines: Vec<Line>,
}

impl Triangle {
    pub(super) fn new() -> Triangle {
        Triangle { lines: vec![Line::new(); MAX_PLY + 2] }
    }

    /// Empties the line of a node that is being entered.
    pub(super) fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// Makes `m` and the line of the child the line of the node at `ply`. Called only where alpha rises.
    pub(super) fn raise(&mut self, ply: usize, m: Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let (line, child) = (&mut upper[ply], &lower[0]);
        line.clear();
        line.push(m);
        line.extend(child.iter().take(MAX_PLY).copied());
    }

    /// Returns the line from the root.
    pub(super) fn root(&self) -> &[Move] {
        &self.lines[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_own_move_and_the_childs_line() {
        let mut triangle = Triangle::new();
        triangle.raise(2, Move(3));
        triangle.raise(1, Move(2));
        triangle.raise(0, Move(1));
        assert_eq!(triangle.root(), [Move(1), Move(2), Move(3)]);
        triangle.clear(1);
        triangle.raise(0, Move(4));
        assert_eq!(triangle.root(), [Move(4)]);
    }
}
