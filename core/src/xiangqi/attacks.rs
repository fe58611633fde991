//! Attacks of the pieces other than rook and cannon, and the lines on which a general can be attacked.
//!
//! All tables are computed from the rules at compile time: horse legs, elephant eyes, palace, river.
//!
//! Rook and cannon moves along one rank or file, looked up by the occupancy of that line.
//!
//! An occupancy has 9 bits for a rank (bit = file) and 10 bits for a file (bit = rank). The tables are computed from the
//! rules at compile time.

use crate::game::Side;
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::square::{SQUARES, Square};

type BySquare = [Bitboard; SQUARES];
/// By square and by which of four neighbours are occupied.
type ByBlocks = [[Bitboard; 16]; SQUARES];

const ORTHOGONAL: [(i8, i8); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

static GENERAL: [BySquare; 2] =
    [palace_steps(Side::First, ORTHOGONAL), palace_steps(Side::Second, ORTHOGONAL)];
static ADVISOR: [BySquare; 2] = [palace_steps(Side::First, DIAGONAL), palace_steps(Side::Second, DIAGONAL)];
static ELEPHANT: ByBlocks = elephant_steps();
static HORSE: ByBlocks = horse_steps();
static PAWN: [BySquare; 2] = [pawn_points(Side::First, 1), pawn_points(Side::Second, 1)];
static PAWN_FROM: [BySquare; 2] = [pawn_points(Side::First, -1), pawn_points(Side::Second, -1)];
static LINES: BySquare = lines();
static BETWEEN: [BySquare; SQUARES] = between_sets();

/// Returns points of the first side, or the same ones `ranks` further up for the second.
const fn of_side(side: Side, first: u128, ranks: u32) -> Bitboard {
    Bitboard(first << (9 * ranks * side as u32))
}

/// Returns the points of a side's palace.
pub(crate) const fn palace(side: Side) -> Bitboard {
    of_side(side, 0b111_000 | 0b111_000 << 9 | 0b111_000 << 18, 7)
}

/// Returns the points of a side's own half.
pub(crate) const fn home(side: Side) -> Bitboard {
    of_side(side, (1 << 45) - 1, 5)
}

/// Returns the points on which a side's advisors can ever stand.
pub(crate) const fn advisor_points(side: Side) -> Bitboard {
    of_side(side, 0b101_000 | 0b010_000 << 9 | 0b101_000 << 18, 7)
}

/// Returns the points on which a side's elephants can ever stand.
pub(crate) const fn elephant_points(side: Side) -> Bitboard {
    of_side(side, 0b001_000_100 | 0b100_010_001 << 18 | 0b001_000_100 << 36, 5)
}

/// Returns where a side's general steps.
#[inline]
pub(crate) fn general(side: Side, square: Square) -> Bitboard {
    GENERAL[side.index()][square.index()]
}

/// Returns where a side's advisor steps.
#[inline]
pub(crate) fn advisor(side: Side, square: Square) -> Bitboard {
    ADVISOR[side.index()][square.index()]
}

/// Returns where an elephant steps: two diagonally, the eye between empty, on its own half.
#[inline]
pub(crate) fn elephant(square: Square, occupied: Bitboard) -> Bitboard {
    ELEPHANT[square.index()][diagonal_blocks(square, occupied)]
}

/// Returns where a horse steps: one straight, the leg there empty, then one diagonally onward.
#[inline]
pub(crate) fn horse(square: Square, occupied: Bitboard) -> Bitboard {
    HORSE[square.index()][straight_blocks(square, occupied)]
}

/// Returns where a horse could step, and whence it could come, if nothing stood in its way.
#[inline]
pub(crate) fn horse_ring(square: Square) -> Bitboard {
    HORSE[square.index()][0]
}

/// Returns the leg of a horse that attacks `target` from `horse`, a point of the target's ring.
#[inline]
pub(crate) fn horse_leg(horse: Square, target: Square) -> Square {
    let up = target.index() as i32 - horse.index() as i32;
    // One rank is 9: a jump of two ranks is ±17 or ±19, one of two files ±7 or ±11.
    let leg = match up {
        17 | 19 => 9,
        -19 | -17 => -9,
        11 | -7 => 1,
        _ => -1,
    };
    Square::of((horse.index() as i32 + leg) as usize)
}

/// Returns where a side's pawn steps: ahead, and sideways too once over the river.
#[inline]
pub(crate) fn pawn(side: Side, square: Square) -> Bitboard {
    PAWN[side.index()][square.index()]
}

/// Returns the points from which a side's pawn attacks `square`.
#[inline]
pub(crate) fn pawn_origin(side: Side, square: Square) -> Bitboard {
    PAWN_FROM[side.index()][square.index()]
}

/// Returns the other points of a point's rank and file.
#[inline]
pub(crate) fn lines_through(square: Square) -> Bitboard {
    LINES[square.index()]
}

/// Returns the points strictly between two points of one rank or file; nothing where they share neither.
#[inline]
pub(crate) fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// Which straight neighbours are occupied, in the order of [`ORTHOGONAL`]. Neighbours beyond an edge give any bit: the
/// tables hold nothing for them.
#[inline]
fn straight_blocks(square: Square, occupied: Bitboard) -> usize {
    let around = (occupied.0 << 9 >> square.index()) as usize;
    (around & 1) | (around >> 7 & 2) | (around >> 8 & 4) | (around >> 15 & 8)
}

/// Which diagonal neighbours are occupied, in the order of [`DIAGONAL`].
#[inline]
fn diagonal_blocks(square: Square, occupied: Bitboard) -> usize {
    let around = (occupied.0 << 10 >> square.index()) as usize;
    (around & 1) | (around >> 1 & 2) | (around >> 16 & 4) | (around >> 17 & 8)
}

/// Returns a table that holds for each square what the expression says of it.
macro_rules! by_square {
    ($empty:expr, $square:ident => $value:expr) => {{
        let mut table = [$empty; SQUARES];
        let mut index = 0;
        while index < SQUARES {
            let $square = Square::of(index);
            table[index] = $value;
            index += 1;
        }
        table
    }};
}

const fn palace_steps(side: Side, directions: [(i8, i8); 4]) -> BySquare {
    by_square!(Bitboard::EMPTY, square => {
        let mut points = Bitboard::EMPTY;
        let mut i = 0;
        while i < directions.len() && palace(side).contains(square) {
            points = points.with(square.step(directions[i].0, directions[i].1));
            i += 1;
        }
        Bitboard(points.0 & palace(side).0)
    })
}

const fn elephant_steps() -> ByBlocks {
    by_square!([Bitboard::EMPTY; 16], square => {
        let half = if home(Side::First).contains(square) { home(Side::First) } else { home(Side::Second) };
        let mut by_blocks = [Bitboard::EMPTY; 16];
        let mut step = 0;
        while step < 64 {
            let (blocks, (x, y)) = (step / 4, DIAGONAL[step % 4]);
            if blocks >> (step % 4) & 1 == 0 {
                by_blocks[blocks] = by_blocks[blocks].with(square.step(2 * x, 2 * y));
                by_blocks[blocks].0 &= half.0;
            }
            step += 1;
        }
        by_blocks
    })
}

const fn horse_steps() -> ByBlocks {
    by_square!([Bitboard::EMPTY; 16], square => {
        let mut by_blocks = [Bitboard::EMPTY; 16];
        let mut step = 0;
        while step < 64 {
            let (blocks, (x, y)) = (step / 4, ORTHOGONAL[step % 4]);
            if blocks >> (step % 4) & 1 == 0 {
                let (left, right) = (square.step(2 * x - y, 2 * y - x), square.step(2 * x + y, 2 * y + x));
                by_blocks[blocks] = by_blocks[blocks].with(left).with(right);
            }
            step += 1;
        }
        by_blocks
    })
}

/// The points ahead of a side's pawn, and beside it once over the river: where it steps with `ahead` = 1, whence one
/// comes with −1.
const fn pawn_points(side: Side, ahead: i8) -> BySquare {
    let ranks = match side {
        Side::First => ahead,
        Side::Second => -ahead,
    };
    by_square!(Bitboard::EMPTY, square => {
        let points = Bitboard::EMPTY.with(square.step(0, ranks));
        match home(side).contains(square) {
            true => points,
            false => points.with(square.step(-1, 0)).with(square.step(1, 0)),
        }
    })
}

const fn lines() -> BySquare {
    by_square!(Bitboard::EMPTY, square => {
        let rank = 0x1ff << (9 * square.rank());
        let file = FILE_POINTS[0x3ff] << square.file();
        Bitboard((rank | file) ^ 1 << square.index())
    })
}

const fn between_sets() -> [BySquare; SQUARES] {
    let mut table = [[Bitboard::EMPTY; SQUARES]; SQUARES];
    let mut index = 0;
    while index < SQUARES {
        let mut i = 0;
        while i < ORTHOGONAL.len() {
            let mut passed = Bitboard::EMPTY;
            let mut at = Square::of(index).step(ORTHOGONAL[i].0, ORTHOGONAL[i].1);
            while let Some(square) = at {
                table[index][square.index()] = passed;
                passed = passed.with(at);
                at = square.step(ORTHOGONAL[i].0, ORTHOGONAL[i].1);
            }
            i += 1;
        }
        index += 1;
    }
    table
}

/// Places reached along one line, in the line's own bits.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Empty places up to the first piece on either side, and that piece: where a rook attacks.
    pub rook: u16,
    /// The second piece on either side: where a cannon captures, over exactly one screen.
    pub cannon: u16,
}

/// Reach along a rank, by file and the rank's occupancy.
pub(super) static ALONG_RANK: [[Reach; 1 << 9]; 9] = reaches::<9, { 1 << 9 }>();

/// Reach along a file, by rank and the file's occupancy.
pub(super) static ALONG_FILE: [[Reach; 1 << 10]; 10] = reaches::<10, { 1 << 10 }>();

/// The places of a 10-bit file word as points of file a.
pub(super) static FILE_POINTS: [u128; 1 << 10] = file_points();

const fn reaches<const PLACES: usize, const WORDS: usize>() -> [[Reach; WORDS]; PLACES] {
    let mut table = [[Reach { rook: 0, cannon: 0 }; WORDS]; PLACES];
    let mut place = 0;
    while place < PLACES {
        let mut occupied = 0;
        while occupied < WORDS {
            let down = one_way(place, occupied, -1, PLACES as i32);
            let up = one_way(place, occupied, 1, PLACES as i32);
            table[place][occupied] = Reach { rook: down.rook | up.rook, cannon: down.cannon | up.cannon };
            occupied += 1;
        }
        place += 1;
    }
    table
}

/// Walks from `place` in one direction: to the first piece for the rook, on to the second for the cannon.
const fn one_way(place: usize, occupied: usize, step: i32, places: i32) -> Reach {
    let mut reach = Reach { rook: 0, cannon: 0 };
    let mut pieces = 0;
    let mut at = place as i32 + step;
    while at >= 0 && at < places && pieces < 2 {
        let bit = 1 << at;
        if pieces == 0 {
            reach.rook |= bit;
        }
        if occupied >> at & 1 != 0 {
            pieces += 1;
            if pieces == 2 {
                reach.cannon = bit;
            }
        }
        at += step;
    }
    reach
}

const fn file_points() -> [u128; 1 << 10] {
    let mut table = [0; 1 << 10];
    let mut word = 0;
    while word < table.len() {
        let mut rank = 0;
        while rank < 10 {
            table[word] |= (word as u128 >> rank & 1) << (9 * rank);
            rank += 1;
        }
        word += 1;
    }
    table
}
