//! One side of a chess position: its men and the squares that they attack.
//!
//! King safety: how strongly a king is attacked, as a level from 0 to [`DANGER_LEVELS`] - 1.
//!
//! An attack is worth more than the sum of its parts: one piece does nothing, three pieces and a check win. This file
//! adds up weights; the value of a level is fitted to games.
//! The terms, and most of their proportions, follow Stockfish 11: attackers times their number, weakly guarded squares
//! of the king's ring, checks, pins, and control of the king's wing.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, Color, Position as _, Rank, Role, Square, attacks};

use crate::chess::screens;
use crate::evaluate::chess::pawns::{self, Structure};
use crate::evaluate::chess::terms::DANGER_LEVELS;

/// Most pieces of a side besides king and pawns.
pub(super) const MOST_PIECES: usize = 15;

/// One side's men and the squares that they attack or guard.
pub(super) struct View<'a> {
    pub board: &'a Board,
    pub(super) color: Color,
    pub(super) sign: i32,
    pub own: Bitboard,
    pub(super) pawns: Bitboard,
    pub king: Square,
    /// By role, pawn first.
    pub seen: [Bitboard; 6],
    pub all_seen: Bitboard,
    /// Squares that two men see.
    pub seen_twice: Bitboard,
    /// Squares that two pawns guard.
    pub guarded_twice: Bitboard,
    /// Rights to castle.
    pub(super) castles: i32,
    /// Knights to queens with what each sees.
    pub pieces: ArrayVec<(Role, Square, Bitboard), MOST_PIECES>,
}

impl<'a> View<'a> {
    pub(super) fn new(game: &'a shakmaty::Chess, color: Color, structure: &Structure) -> View<'a> {
        let board = game.board();
        let own = board.by_color(color);
        // Both kings stand on the board in every position that `Chess` can hold.
        let king = board.king_of(color).unwrap_or(Square::A1);
        let mut seen = [Bitboard::EMPTY; 6];
        seen[0] = structure.attacks[usize::from(color.is_black())];
        seen[5] = attacks::king_attacks(king);
        let pawns = own & board.pawns();
        let guarded_twice = pawns::attacked_twice(pawns, color);
        let mut all_seen = seen[0] | seen[5];
        let mut seen_twice = guarded_twice | seen[0] & seen[5];
        let mut pieces = ArrayVec::new();
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for square in own & board.by_role(role) {
                let reach = reach(role, square, board.occupied());
                seen[role as usize - 1] |= reach;
                seen_twice |= all_seen & reach;
                all_seen |= reach;
                // Room for all: no side has more than fifteen pieces besides its king.
                let _ = pieces.try_push((role, square, reach));
            }
        }
        let castles = (game.castles().castling_rights() & own).count() as i32;
        let sign = if color.is_white() { 1 } else { -1 };
        View {
            board,
            color,
            sign,
            own,
            pawns,
            king,
            seen,
            all_seen,
            seen_twice,
            guarded_twice,
            castles,
            pieces,
        }
    }

    /// Returns squares moved one rank ahead.
    pub(super) fn forward(&self, squares: Bitboard) -> Bitboard {
        pawns::one_rank_on(squares, self.color)
    }

    /// Returns what is seen by anything but the king.
    pub(super) fn seen_by_men(&self) -> Bitboard {
        self.seen[..5].iter().fold(Bitboard::EMPTY, |all, &some| all | some)
    }

    pub fn of(&self, role: Role) -> Bitboard {
        self.own & self.board.by_role(role)
    }

    /// The wing of the own king: its file and the adjacent files, without the last three ranks.
    pub fn wing(&self) -> Bitboard {
        let file = (self.king.file() as u64).clamp(1, 6);
        let near = if self.color.is_white() { 0x0000_00ff_ffff_ffff } else { 0xffff_ffff_ff00_0000 };
        Bitboard((0x0707_0707_0707_0707 << (file - 1)) & near)
    }

    /// Returns the last square of the pawns where they are all on one rook's file and have no help but of bishops that
    /// never see that square.
    pub(super) fn corner_needed(&self) -> Option<Square> {
        let corner = [Square::A8, Square::H8]
            .into_iter()
            .find(|corner| (self.pawns & !Bitboard::from_file(corner.file())).is_empty())?;
        let corner = if self.color.is_white() { corner } else { corner.flip_vertical() };
        let rest = self.own & !self.pawns & !Bitboard::from(self.king);
        let bishops = self.of(Role::Bishop);
        let covers = bishops.into_iter().any(|bishop| bishop.is_light() == corner.is_light());
        (self.pawns.any() && rest == bishops && !covers).then_some(corner)
    }
}

pub(super) fn reach(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Knight => attacks::knight_attacks(square),
        Role::Bishop => attacks::bishop_attacks(square, occupied),
        Role::Rook => attacks::rook_attacks(square, occupied),
        _ => attacks::queen_attacks(square, occupied),
    }
}

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
pub(super) fn danger_level(side: &View, other: &View) -> usize {
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
        + BLOCKER * number(screens(side.board, side.own, other.king))
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

/// Returns the weight of attacks on the king's wing.
fn wing(side: &View, other: &View) -> i32 {
    let wing = other.wing();
    let seen = number(wing & side.all_seen) + number(wing & side.seen_twice);
    seen * seen / WING_SEEN_DIVISOR - WING_GUARDED * number(wing & other.all_seen)
}
