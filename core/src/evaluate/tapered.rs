//! Values that change from middlegame to endgame.

use std::ops::{AddAssign, Mul, Sub};

/// A value in the middlegame and in the endgame, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// In the middlegame.
    pub middle: i32,
    /// In the endgame.
    pub end: i32,
}

pub(super) const fn pair(middle: i32, end: i32) -> Pair {
    Pair { middle, end }
}

impl Pair {
    /// Returns the value at `phase`: `full` = all pieces on the board, 0 = the barest endgame.
    pub(super) fn at(self, phase: i32, full: i32) -> i32 {
        (self.middle * phase + self.end * (full - phase)) / full
    }
}

impl AddAssign for Pair {
    fn add_assign(&mut self, other: Pair) {
        self.middle += other.middle;
        self.end += other.end;
    }
}

impl Sub for Pair {
    type Output = Pair;
    fn sub(self, other: Pair) -> Pair {
        pair(self.middle - other.middle, self.end - other.end)
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    fn mul(self, count: i32) -> Pair {
        pair(self.middle * count, self.end * count)
    }
}
