//! King safety: how strongly a king is attacked, as a level from 0 to [`DANGER_LEVELS`] - 1.
//!
//! An attack is worth more than the sum of its parts: one piece does nothing, three pieces and a check win. This file
//! adds up weights; the value of a level is fitted to games.
//! The terms, and most of their proportions, follow Stockfish 11: attackers times their number, weakly guarded squares
//! of the king's ring, checks, pins, and control of the king's wing.

use shakmaty::{Bitboard, Rank, Role, Square, attacks};

use super::View;
use super::terms::DANGER_LEVELS;

/// Weight of one level. All weights below are chosen.
const WIDTH: i32 = 16;
/// Weight of each piece that sees the ring, knight first, times the number of those pieces.
const ATTACKER: [i32; 4] = [26, 17, 14, 3];
/// Weight of each square next to the king that such a piece sees.
const BESIDE: i32 = 22;
/// Weight of a square of the ring that is attacked and guarded by king and queen at most.
const WEAK: i32 = 60;
/// Weight of a check that could be given unharmed, knight first; and of a square from which one could be given, but would
/// be answered by taking.
const SAFE_CHECK: [i32; 4] = [255, 205, 345, 250];
const UNSAFE_CHECK: i32 = 48;
/// Weight of a man that alone stands between the king and a rook, bishop or queen.
const BLOCKER: i32 = 32;
/// The king's wing: squared number of attacks on it divided by this, minus this for each square that its own side sees.
const WING_SEEN_DIVISOR: i32 = 8;
const WING_GUARDED: i32 = 1;
/// Deductions: the attacker has no queen; a knight stands next to the king.
const NO_QUEEN: i32 = 280;
const KNIGHT_GUARD: i32 = 32;

/// Returns the danger level of the king of `other`, below [`DANGER_LEVELS`].
pub(super) fn level(side: &View, other: &View) -> usize {
    let has_queen = side.of(Role::Queen).any();
    let ring = ring(other);
    let pressure = Pressure::of(side, ring, other.seen[5]);
    if pressure.attackers + i32::from(has_queen) < 2 {
        return 0;
    }
    let guarded = other.all_seen;
    let poorly_guarded = !other.seen_twice & (!guarded | other.seen[4] | other.seen[5]);
    let weak = side.all_seen & poorly_guarded;
    let weight = pressure.weight * pressure.attackers
        + BESIDE * pressure.beside
        + WEAK * number(ring & weak)
        + checks(side, other, !guarded | weak & side.seen_twice)
        + BLOCKER * number(blockers(side, other))
        + wing(side, other)
        - if has_queen { 0 } else { NO_QUEEN }
        - if (other.seen[1] & other.seen[5]).any() { KNIGHT_GUARD } else { 0 };
    (weight / WIDTH).clamp(0, DANGER_LEVELS as i32 - 1) as usize
}

fn number(squares: Bitboard) -> i32 {
    squares.count() as i32
}

/// Returns the king with the squares around it, moved one inwards where the king stands at the edge, but for squares that two
/// of its pawns guard.
fn ring(side: &View) -> Bitboard {
    let file = shakmaty::File::new((side.king.file() as u32).clamp(1, 6));
    let rank = Rank::new((side.king.rank() as u32).clamp(1, 6));
    let centre = Square::from_coords(file, rank);
    (attacks::king_attacks(centre) | Bitboard::from(centre)) & !side.guarded_twice
}

/// The pieces that see the ring.
struct Pressure {
    /// How many there are, squares that pawns see counted as well.
    attackers: i32,
    weight: i32,
    /// Number of squares next to the king that each sees, added up.
    beside: i32,
}

impl Pressure {
    fn of(side: &View, ring: Bitboard, beside: Bitboard) -> Pressure {
        let mut pressure = Pressure { attackers: number(ring & side.seen[0]), weight: 0, beside: 0 };
        for &(role, _, seen) in &side.pieces {
            if (seen & ring).any() {
                pressure.attackers += 1;
                pressure.weight += ATTACKER[role as usize - 2];
                pressure.beside += number(seen & beside);
            }
        }
        pressure
    }
}

/// Returns the weight of the checks that the side could give, `unguarded` being where it would not be taken: a kind of
/// piece that has a safe one counts once, squares of unsafe ones are counted together.
fn checks(side: &View, other: &View, unguarded: Bitboard) -> i32 {
    let safe = !side.own & unguarded;
    // The king's own queen does not count as a shield: it would have to move or be captured.
    let occupied = side.board.occupied() ^ other.of(Role::Queen);
    let diagonal = attacks::bishop_attacks(other.king, occupied);
    let straight = attacks::rook_attacks(other.king, occupied);
    let from = [attacks::knight_attacks(other.king), diagonal, straight, diagonal | straight];
    let mut weight = 0;
    let mut unsafe_checks = Bitboard::EMPTY;
    for (index, from) in from.into_iter().enumerate() {
        let reached = from & side.seen[index + 1];
        if (reached & safe).any() {
            weight += SAFE_CHECK[index];
        } else if index < 3 {
            unsafe_checks |= reached & !side.own;
        }
    }
    weight + UNSAFE_CHECK * number(unsafe_checks)
}

/// Returns the men of either side that alone stand between a king and a piece that would give check.
fn blockers(side: &View, other: &View) -> Bitboard {
    let board = side.board;
    let none = Bitboard::EMPTY;
    let snipers = side.own
        & (attacks::rook_attacks(other.king, none) & board.rooks_and_queens()
            | attacks::bishop_attacks(other.king, none) & board.bishops_and_queens());
    let mut blockers = none;
    for sniper in snipers {
        let between = attacks::between(sniper, other.king) & board.occupied();
        if !between.more_than_one() {
            blockers |= between;
        }
    }
    blockers
}

/// Returns the weight of attacks on the king's wing.
fn wing(side: &View, other: &View) -> i32 {
    let wing = other.wing();
    let seen = number(wing & side.all_seen) + number(wing & side.seen_twice);
    seen * seen / WING_SEEN_DIVISOR - WING_GUARDED * number(wing & other.all_seen)
}
