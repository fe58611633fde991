//! The terms of the chess evaluation, with the index of each in `numbers`.

use crate::evaluate::{Group, first_of, group};

/// Levels of king danger.
pub(super) const DANGER_LEVELS: usize = 40;

/// All terms, in the order of their numbers. Squares and ranks are as their side sees them, a1 first.
pub(super) const GROUPS: [Group; 37] = [
    group("pawn on a square, its material included", 64, 8),
    group("knight on a square", 64, 8),
    group("bishop on a square", 64, 8),
    group("rook on a square", 64, 8),
    group("queen on a square", 64, 8),
    group("king on a square", 64, 8),
    group("knight, by squares it may go to that no pawn guards", 9, 9),
    group("bishop, the same", 14, 7),
    group("rook, the same", 15, 8),
    group("queen, the same", 28, 7),
    group(
        "two bishops; own pawns on a bishop's colour; rook on an open, a half-open file, on the seventh rank",
        5,
        5,
    ),
    group("knight, bishop on a square that a pawn guards and none can attack", 2, 2),
    group("doubled, isolated, backward pawn", 3, 3),
    group("pawn beside another, by rank", 8, 8),
    group("pawn guarded by another, by rank", 8, 8),
    group("passed pawn, by rank", 8, 8),
    group("passed pawn with the square before it taken, by rank", 8, 8),
    group("passed pawn with the square before it not attacked, by rank", 8, 8),
    group("passed pawn from the fourth rank on, by distance of its king", 8, 8),
    group("passed pawn from the fourth rank on, by distance of the other king", 8, 8),
    group("own pawn nearest before the king, by the file's distance from the edge and rank; 0: none", 32, 8),
    group(
        "enemy pawn nearest before the king, by the file's distance from the edge and rank; 0: none",
        32,
        8,
    ),
    group("the latter right before the former, by rank", 8, 8),
    group("king in danger, by the place of `danger`; 0: not", DANGER_LEVELS, 8),
    group("pawn attacks a knight, bishop, rook, queen", 6, 6),
    group("knight or bishop attacks a pawn, knight, bishop, rook, queen", 6, 6),
    group("rook attacks a pawn, knight, bishop, rook, queen", 6, 6),
    group("pawn, knight, bishop, rook, queen attacked and not guarded", 6, 6),
    group("king on a file without own pawns, without any", 2, 2),
    group("free squares behind the own pawns in the centre", 1, 1),
    group("knight by distance from its king", 8, 8),
    group("bishop by distance from its king", 8, 8),
    group("squares of the king's wing that the other side sees, by number", 16, 8),
    group(
        "squares of the king's wing that its own side sees; a right to castle; knight or bishop behind a pawn",
        3,
        3,
    ),
    group("square that both see and no pawn of the other side guards", 1, 1),
    group("piece that a safe step of a pawn would attack", 1, 1),
    group("the right to move", 1, 1),
];

/// The number of terms.
pub(super) const COUNT: usize = first_of(&GROUPS, GROUPS.len());

pub(super) const SQUARES: usize = first_of(&GROUPS, 0);
/// By role, knight first.
pub(super) const MOBILITY: [usize; 4] =
    [first_of(&GROUPS, 6), first_of(&GROUPS, 7), first_of(&GROUPS, 8), first_of(&GROUPS, 9)];
pub(super) const BISHOP_PAIR: usize = first_of(&GROUPS, 10);
pub(super) const BISHOP_PAWNS: usize = BISHOP_PAIR + 1;
pub(super) const ROOK_OPEN: usize = BISHOP_PAIR + 2;
pub(super) const ROOK_HALF_OPEN: usize = BISHOP_PAIR + 3;
pub(super) const ROOK_SEVENTH: usize = BISHOP_PAIR + 4;
pub(super) const OUTPOST: usize = first_of(&GROUPS, 11);
pub(super) const DOUBLED: usize = first_of(&GROUPS, 12);
pub(super) const ISOLATED: usize = DOUBLED + 1;
pub(super) const BACKWARD: usize = DOUBLED + 2;
pub(super) const BESIDE: usize = first_of(&GROUPS, 13);
pub(super) const GUARDED: usize = first_of(&GROUPS, 14);
pub(super) const PASSED: usize = first_of(&GROUPS, 15);
pub(super) const PASSED_BLOCKED: usize = first_of(&GROUPS, 16);
pub(super) const PASSED_FREE: usize = first_of(&GROUPS, 17);
pub(super) const PASSED_OWN_KING: usize = first_of(&GROUPS, 18);
pub(super) const PASSED_OTHER_KING: usize = first_of(&GROUPS, 19);
pub(super) const SHELTER: usize = first_of(&GROUPS, 20);
pub(super) const STORM: usize = first_of(&GROUPS, 21);
pub(super) const STORM_BLOCKED: usize = first_of(&GROUPS, 22);
pub(super) const DANGER: usize = first_of(&GROUPS, 23);
pub(super) const PAWN_ATTACKS: usize = first_of(&GROUPS, 24);
pub(super) const MINOR_ATTACKS: usize = first_of(&GROUPS, 25);
pub(super) const ROOK_ATTACKS: usize = first_of(&GROUPS, 26);
pub(super) const UNGUARDED: usize = first_of(&GROUPS, 27);
pub(super) const KING_HALF_OPEN: usize = first_of(&GROUPS, 28);
pub(super) const KING_OPEN: usize = KING_HALF_OPEN + 1;
pub(super) const SPACE: usize = first_of(&GROUPS, 29);
/// By role, knight first.
pub(super) const KING_DISTANCE: [usize; 2] = [first_of(&GROUPS, 30), first_of(&GROUPS, 31)];
pub(super) const WING_SEEN: usize = first_of(&GROUPS, 32);
pub(super) const WING_GUARDED: usize = first_of(&GROUPS, 33);
pub(super) const CASTLING: usize = WING_GUARDED + 1;
pub(super) const BEHIND_PAWN: usize = WING_GUARDED + 2;
pub(super) const CONTESTED: usize = first_of(&GROUPS, 34);
pub(super) const STEP_ATTACKS: usize = first_of(&GROUPS, 35);
pub(super) const TEMPO: usize = first_of(&GROUPS, 36);
