//! The number of variations that were followed.

/// Variations of one game or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Followed {
    /// Variations that were followed, at least in part.
    pub lines: u64,
    /// Variations that could not be followed to their end.
    pub cut: u64,
}

impl Followed {
    /// Adds another count.
    pub fn add(&mut self, other: Followed) {
        self.lines += other.lines;
        self.cut += other.cut;
    }
}
