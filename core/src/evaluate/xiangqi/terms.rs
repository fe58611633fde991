//! The terms of the xiangqi evaluation, with the index of each in `numbers`.

use crate::evaluate::{Group, first_of, group};
use crate::xiangqi::KINDS;

/// Points of half a board, the middle file included: a position and its left-right mirror are worth the same.
pub(super) const HALF: usize = 50;

/// All terms, in the order of their numbers. Points stand by rank as their side sees it, from the edge to the middle file.
pub(super) const GROUPS: [Group; 27] = [
    group("pawn on a point, its material included", HALF, 5),
    group("advisor on a point", HALF, 5),
    group("elephant on a point", HALF, 5),
    group("cannon on a point", HALF, 5),
    group("horse on a point", HALF, 5),
    group("rook on a point", HALF, 5),
    group("general on a point", HALF, 5),
    group("cannon, by points it may go to", 18, 9),
    group("horse, by points it may go to that no pawn attacks", 9, 9),
    group("rook, by points it may go to", 18, 9),
    group("missing advisors (0-2) by enemy rooks (0-2)", 9, 3),
    group("missing advisors by enemy cannons", 9, 3),
    group("missing advisors by enemy horses", 9, 3),
    group("missing elephants by enemy cannons", 9, 3),
    group("missing elephants by enemy rooks", 9, 3),
    group("missing elephants by enemy horses", 9, 3),
    group("cannon before the bare general on his file, by points between", 10, 10),
    group(
        "cannon before the general on his file with two pieces between, by who owns them: 0-2 of the general's side",
        3,
        3,
    ),
    group("palace and the general's neighbourhood attacked, by weight of the attack", 24, 8),
    group("pawn attacks a pawn, advisor, elephant, cannon, horse, rook", KINDS, 7),
    group("advisor, elephant, cannon or horse attacks the same", KINDS, 7),
    group("rook attacks the same", KINDS, 7),
    group("pawn, advisor, elephant, cannon, horse, rook attacked and not guarded", KINDS, 7),
    group("horse whose way ahead is blocked; two pawns over the river side by side", 2, 2),
    group("cannons against horses: one side has only the one kind, by own rooks (0-2)", 3, 3),
    group("pieces past the river, by their number", 10, 10),
    group("the right to move", 1, 1),
];

/// The number of terms.
pub(super) const COUNT: usize = first_of(&GROUPS, GROUPS.len());

pub(super) const POINTS: usize = first_of(&GROUPS, 0);
pub(super) const CANNON_MOBILITY: usize = first_of(&GROUPS, 7);
pub(super) const HORSE_MOBILITY: usize = first_of(&GROUPS, 8);
pub(super) const ROOK_MOBILITY: usize = first_of(&GROUPS, 9);
/// Missing guards by enemy pieces: advisors by rooks, cannons, horses; elephants by cannons, rooks, horses.
pub(super) const ADVISORS: [usize; 3] = [first_of(&GROUPS, 10), first_of(&GROUPS, 11), first_of(&GROUPS, 12)];
pub(super) const ELEPHANTS: [usize; 3] =
    [first_of(&GROUPS, 14), first_of(&GROUPS, 13), first_of(&GROUPS, 15)];
pub(super) const BARE_FILE: usize = first_of(&GROUPS, 16);
pub(super) const TWO_SCREENS: usize = first_of(&GROUPS, 17);
pub(super) const DANGER: usize = first_of(&GROUPS, 18);
pub(super) const PAWN_ATTACKS: usize = first_of(&GROUPS, 19);
pub(super) const MINOR_ATTACKS: usize = first_of(&GROUPS, 20);
pub(super) const ROOK_ATTACKS: usize = first_of(&GROUPS, 21);
pub(super) const UNGUARDED: usize = first_of(&GROUPS, 22);
pub(super) const BLOCKED_HORSE: usize = first_of(&GROUPS, 23);
pub(super) const PAWN_PAIR: usize = BLOCKED_HORSE + 1;
pub(super) const CANNONS_ONLY: usize = first_of(&GROUPS, 24);
pub(super) const ACROSS: usize = first_of(&GROUPS, 25);
pub(super) const TEMPO: usize = first_of(&GROUPS, 26);
