//! Numbers of the chess evaluation, in centipawns. Own; chosen, not tuned.
//!
//! A square's worth is written as a profile over ranks, one over files and a weight on nearness to the centre, for
//! middlegame and endgame; the tables are computed from them at compile time.

use super::tapered::{Pair, pair};

/// Pawn, knight, bishop, rook, queen, king.
pub(super) const MATERIAL: [Pair; 6] =
    [pair(85, 110), pair(325, 300), pair(340, 315), pair(480, 540), pair(980, 980), pair(0, 0)];

/// What a piece counts for in exchanges.
pub(super) const EXCHANGE: [i32; 6] = [100, 320, 330, 500, 950, 0];

/// Weight of each piece in the measure of how far the game is from its end; 24 at the start.
pub(super) const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
pub(super) const FULL_PHASE: i32 = 24;

struct Profile {
    ranks: [i32; 8],
    files: [i32; 8],
    centre: i32,
}

const CENTRE: [i32; 8] = [0, 1, 2, 3, 3, 2, 1, 0];

const MIDDLE: [Profile; 6] = [
    Profile { ranks: [0, 0, -2, 0, 8, 20, 50, 0], files: [0, 0, -6, 0, 0, -6, 2, 0], centre: 3 },
    Profile { ranks: [-26, -14, 0, 6, 14, 16, 2, -20], files: [-20, -6, 0, 4, 4, 0, -6, -20], centre: 2 },
    Profile { ranks: [-16, 4, 6, 6, 6, 2, -4, -10], files: [-4, 4, 0, 0, 0, 0, 4, -4], centre: 2 },
    Profile { ranks: [0, -6, -6, -4, 0, 6, 20, 10], files: [-6, -2, 2, 8, 8, 2, -2, -6], centre: 0 },
    Profile { ranks: [-2, 2, 0, -2, -2, 0, 0, 0], files: [-4, 0, 2, 4, 4, 2, 0, -4], centre: 1 },
    Profile {
        ranks: [16, -4, -30, -45, -55, -60, -60, -60],
        files: [14, 22, 10, -14, -10, -8, 24, 16],
        centre: 0,
    },
];

const END: [Profile; 6] = [
    Profile { ranks: [0, -4, -2, 4, 16, 40, 75, 0], files: [4, 2, 0, -2, -2, 0, 2, 4], centre: 0 },
    Profile { ranks: [-16, -8, 0, 4, 6, 2, -6, -16], files: [-16, -6, 0, 2, 2, 0, -6, -16], centre: 2 },
    Profile { ranks: [-8, -2, 0, 2, 2, 0, -2, -6], files: [-6, -2, 0, 2, 2, 0, -2, -6], centre: 1 },
    Profile { ranks: [-4, -4, -2, 0, 4, 6, 10, 6], files: [0, 0, 0, 0, 0, 0, 0, 0], centre: 0 },
    Profile { ranks: [-18, -10, 0, 6, 10, 10, 8, 0], files: [-8, -2, 2, 4, 4, 2, -2, -8], centre: 2 },
    Profile { ranks: [-26, -8, 2, 8, 12, 12, 4, -12], files: [-16, -4, 2, 4, 4, 2, -4, -16], centre: 3 },
];

/// Material and square together, by role and by square as the first side sees it (a1 = 0).
pub(super) const SQUARES: [[Pair; 64]; 6] = squares();

const fn squares() -> [[Pair; 64]; 6] {
    let mut tables = [[pair(0, 0); 64]; 6];
    let mut index = 0;
    while index < 6 * 64 {
        let (role, rank, file) = (index / 64, index % 64 / 8, index % 8);
        tables[role][index % 64] = pair(
            MATERIAL[role].middle + worth(&MIDDLE[role], rank, file),
            MATERIAL[role].end + worth(&END[role], rank, file),
        );
        index += 1;
    }
    tables
}

const fn worth(profile: &Profile, rank: usize, file: usize) -> i32 {
    profile.ranks[rank] + profile.files[file] + profile.centre * CENTRE[rank] * CENTRE[file]
}

/// Per square a piece attacks that holds no own piece and no pawn guards, by role, less the usual count.
pub(super) const MOBILITY: [Pair; 6] =
    [pair(0, 0), pair(4, 4), pair(4, 4), pair(2, 4), pair(1, 3), pair(0, 0)];
pub(super) const USUAL_MOBILITY: [i32; 6] = [0, 4, 6, 6, 12, 0];

/// Weight of each attack on a square beside the king, by role.
pub(super) const KING_ATTACK: [i32; 6] = [0, 2, 2, 3, 5, 0];
/// Weight, squared, over this is what the attacked king loses in the middlegame, up to the bound.
pub(super) const KING_ATTACK_DIVISOR: i32 = 5;
pub(super) const KING_ATTACK_BOUND: i32 = 260;
/// Each own pawn in front of the king.
pub(super) const SHIELD: Pair = pair(10, 0);

pub(super) const BISHOP_PAIR: Pair = pair(30, 45);
pub(super) const ROOK_OPEN_FILE: Pair = pair(24, 10);
pub(super) const ROOK_HALF_OPEN_FILE: Pair = pair(12, 6);
pub(super) const DOUBLED: Pair = pair(-8, -18);
pub(super) const ISOLATED: Pair = pair(-12, -12);
/// Passed pawns by rank as their side sees it.
pub(super) const PASSED: [Pair; 8] = [
    pair(0, 0),
    pair(2, 8),
    pair(4, 12),
    pair(10, 26),
    pair(24, 48),
    pair(48, 84),
    pair(80, 130),
    pair(0, 0),
];
/// Part of the endgame bonus, in per cent, that a passed pawn keeps when the square before it is taken.
pub(super) const BLOCKED_PERCENT: i32 = 50;
/// Distance of the two kings from a passed pawn's path counts this per rank advanced beyond the third.
pub(super) const KING_DISTANCE: i32 = 3;

/// The right to move.
pub(super) const TEMPO: i32 = 12;
/// A lone king loses this per step from the centre, and its opponent gains per step towards it.
pub(super) const LONE_KING_EDGE: i32 = 12;
pub(super) const LONE_KING_NEAR: i32 = 6;
