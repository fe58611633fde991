//! The kinds of men of chess, by number.

/// Kind of a pawn.
pub(super) const PAWN: u8 = 5;

/// A man other than king and pawn, and its 6 bits of a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) man: usize,
    pub(super) kind: u8,
    pub(super) shift: u32,
    /// The other man of its kind, whose square is the higher if `is_lower`, and its shift.
    pub(super) partner: Option<Partner>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Partner {
    pub(super) man: usize,
    pub(super) shift: u32,
}
