//! The position that a move leads to in another table.

use super::material::MAX_MEN;
use crate::game::Side;

/// Squares of the men, in the order of `Material::men`. Places beyond the last man are 0.
pub type Men = [u8; MAX_MEN];

/// Which table a move leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The table itself, another slice of it.
    Own,
    /// One of `Space::dependencies`.
    Other(usize),
}

/// The position an irreversible move leads to, as the table that holds it sees it.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// The table.
    pub target: Target,
    /// Where the men stand there.
    pub men: Men,
    /// The side to move there: its sides may be the exchanged ones.
    pub to_move: Side,
    /// The square behind a pawn that has made a double step which may be answered en passant.
    pub en_passant: Option<u8>,
}
