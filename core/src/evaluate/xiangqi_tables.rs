//! Numbers of the xiangqi evaluation, in centipawns. Own; chosen, not tuned. The scale: a rook is 900.
//!
//! A point's worth is written as a profile over ranks, as the side sees them, and one over files from the edge to the
//! centre, for middlegame and endgame; the tables are computed from them at compile time. Kinds stand in the order of
//! [`crate::xiangqi::Kind`]: pawn, advisor, elephant, cannon, horse, rook, general.

use super::tapered::{Pair, pair};
use crate::xiangqi::{FILES, KINDS, SQUARES};

/// A pawn at home; one past the river gains by its ranks. Cannons lose and horses gain as screens and legs leave.
const MATERIAL: [Pair; KINDS] = [
    pair(75, 90),
    pair(190, 200),
    pair(190, 210),
    pair(455, 415),
    pair(410, 455),
    pair(900, 930),
    pair(0, 0),
];

/// What a piece counts for in exchanges.
pub(super) const EXCHANGE: [i32; KINDS] = [120, 200, 200, 440, 430, 900, 0];

/// Weight of each kind in the measure of how far the game is from its end; 16 at the start.
pub(super) const PHASE: [i32; KINDS] = [0, 0, 0, 1, 1, 2, 0];
pub(super) const FULL_PHASE: i32 = 16;

struct Profile {
    ranks: [i32; 10],
    files: [i32; 5],
}

const MIDDLE: [Profile; KINDS] = [
    Profile { ranks: [0, 0, 0, 0, 8, 80, 100, 115, 110, 10], files: [-14, -4, 4, 10, 12] },
    Profile { ranks: [0, 6, -4, 0, 0, 0, 0, 0, 0, 0], files: [0; 5] },
    Profile { ranks: [0, 0, 2, 0, -4, 0, 0, 0, 0, 0], files: [-12, 0, 0, 0, 10] },
    Profile { ranks: [0, 0, 6, 0, 4, 2, 0, -2, -2, 6], files: [-2, 2, 2, 4, 14] },
    Profile { ranks: [-16, -8, 2, 6, 14, 20, 22, 18, 8, -6], files: [-16, 0, 6, 6, 0] },
    Profile { ranks: [-14, 0, 2, 6, 12, 16, 20, 16, 16, 8], files: [-8, 2, 4, 10, 4] },
    Profile { ranks: [0, -16, -30, 0, 0, 0, 0, 0, 0, 0], files: [0, 0, 0, -2, 6] },
];

const END: [Profile; KINDS] = [
    Profile { ranks: [0, 0, 0, 0, 10, 90, 115, 130, 120, 20], files: [-10, 0, 4, 10, 14] },
    Profile { ranks: [0, 4, 0, 0, 0, 0, 0, 0, 0, 0], files: [0; 5] },
    Profile { ranks: [0, 0, 2, 0, 0, 0, 0, 0, 0, 0], files: [-6, 0, 0, 0, 6] },
    Profile { ranks: [4, 4, 4, 0, 0, 0, 0, 0, 0, 0], files: [-2, 0, 0, 4, 8] },
    Profile { ranks: [-12, -6, 0, 6, 12, 18, 20, 16, 8, -4], files: [-12, 0, 4, 8, 8] },
    Profile { ranks: [-4, 0, 0, 4, 8, 10, 12, 10, 10, 6], files: [-4, 0, 2, 6, 6] },
    Profile { ranks: [0, 0, -4, 0, 0, 0, 0, 0, 0, 0], files: [0, 0, 0, 0, 10] },
];

/// Material and point together, by kind and by point as the first side sees it (a0 = 0).
pub(super) static POINTS: [[Pair; SQUARES]; KINDS] = points();

const fn points() -> [[Pair; SQUARES]; KINDS] {
    let files = FILES as usize;
    let mut tables = [[pair(0, 0); SQUARES]; KINDS];
    let mut index = 0;
    while index < KINDS * SQUARES {
        let (kind, point) = (index / SQUARES, index % SQUARES);
        let (rank, file) = (point / files, point % files);
        let inward = if file < files - 1 - file { file } else { files - 1 - file };
        tables[kind][point] = pair(
            MATERIAL[kind].middle + MIDDLE[kind].ranks[rank] + MIDDLE[kind].files[inward],
            MATERIAL[kind].end + END[kind].ranks[rank] + END[kind].files[inward],
        );
        index += 1;
    }
    tables
}

/// Per free leg of a horse: the points beside it that do not block it.
pub(super) const HORSE_LEG: Pair = pair(9, 7);
/// Per free point a rook sees along its rank and file.
pub(super) const ROOK_POINT: Pair = pair(4, 3);
/// Per missing guard (advisor or elephant) and enemy piece that can attack: cannon, horse, rook.
pub(super) const MISSING_GUARD: [i32; 3] = [4, 6, 8];
/// A cannon that faces the general along an open file, while the general may not be shielded.
pub(super) const HOLLOW_CANNON: Pair = pair(80, 40);
/// The right to move.
pub(super) const TEMPO: i32 = 12;
