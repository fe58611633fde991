//! The terms of the xiangqi evaluation: the index of each in `numbers`, whose comments say what they are.

use crate::xiangqi::KINDS;

/// Points of half a board, the middle file included: a position and its left-right mirror are worth the same.
pub(super) const HALF: usize = 50;

groups! {
    /// By rank as the side sees it, from the edge to the middle file.
    POINTS: KINDS * HALF,
    CANNON_MOBILITY: 18,
    HORSE_MOBILITY: 9,
    ROOK_MOBILITY: 18,
    /// Missing advisors by enemy rooks, cannons, horses.
    ADVISORS: 27,
    ELEPHANTS_BY_CANNONS: 9,
    ELEPHANTS_BY_ROOKS: 9,
    ELEPHANTS_BY_HORSES: 9,
    BARE_FILE: 10,
    TWO_SCREENS: 3,
    DANGER: 24,
    PAWN_ATTACKS: KINDS,
    MINOR_ATTACKS: KINDS,
    ROOK_ATTACKS: KINDS,
    UNGUARDED: KINDS,
    BLOCKED_HORSE: 1,
    PAWN_PAIR: 1,
    CANNONS_ONLY: 3,
    ACROSS: 10,
    TEMPO: 1,
}
