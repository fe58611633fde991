//! Numbers pairs of kings, and finds the symmetry that brings a pair into its canonical orientation.
//!
//! Without pawns: the first king in the triangle a1–d1–d4; if on the diagonal a1–h8, the second on or below it. That
//! leaves 441 pairs with exactly one such orientation, then 21 with both kings on the diagonal and two.
//! With pawns: the first king on files a to d, 1,806 pairs.

use std::sync::LazyLock;

/// The first of the pairs with both kings on the diagonal.
pub const FIRST_DIAGONAL: usize = 441;
/// The mirror of files.
pub const MIRROR: usize = 1;
/// Not a pair.
const NONE: u16 = u16::MAX;

/// A pair of kings as canonical orientation has it.
#[derive(Debug, Clone, Copy)]
pub struct Oriented {
    /// Number of the pair.
    pub pair: u16,
    /// The symmetry that leads there: an index into [`SYMMETRIES`].
    pub symmetry: u8,
}

/// The symmetries of the board, by square: bit 0 mirrors files, bit 1 ranks, bit 2 then reflects at the diagonal a1–h8.
pub static SYMMETRIES: [[u8; 64]; 8] = symmetries();

const fn symmetries() -> [[u8; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut square = 0;
        while square < 64 {
            let mut image = square;
            if symmetry & 1 != 0 {
                image ^= 7;
            }
            if symmetry & 2 != 0 {
                image ^= 56;
            }
            if symmetry & 4 != 0 {
                image = reflect(image);
            }
            table[symmetry][square as usize] = image;
            square += 1;
        }
        symmetry += 1;
    }
    table
}

/// Returns a square reflected at the diagonal a1–h8.
pub const fn reflect(square: u8) -> u8 {
    (square & 7) << 3 | square >> 3
}

/// Returns whether kings may stand so: apart and not adjacent.
pub const fn are_apart(a: u8, b: u8) -> bool {
    (a & 7).abs_diff(b & 7) > 1 || (a >> 3).abs_diff(b >> 3) > 1
}

/// Tables of one symmetry group.
pub struct Kings {
    oriented: Vec<Oriented>,
    pairs: Vec<[u8; 2]>,
}

/// The pairs without pawns.
pub static PAWNLESS: LazyLock<Kings> = LazyLock::new(|| {
    let is_below = |square: u8| square >> 3 <= square & 7;
    let in_triangle = |square: u8| square & 7 < 4 && is_below(square);
    let is_on = |square: u8| square >> 3 == square & 7;
    Kings::of(
        8,
        |first, second| in_triangle(first) && (!is_on(first) || is_below(second)),
        |first, second| is_on(first) && is_on(second),
    )
});

/// The pairs with pawns.
pub static WITH_PAWNS: LazyLock<Kings> =
    LazyLock::new(|| Kings::of(2, |first, _| first & 7 < 4, |_, _| false));

impl Kings {
    /// Numbers the canonical pairs, those for which `is_last` holds behind the others.
    fn of(
        symmetries: usize,
        is_canonical: impl Fn(u8, u8) -> bool,
        is_last: impl Fn(u8, u8) -> bool,
    ) -> Kings {
        let squares = || (0..64u8).flat_map(|first| (0..64u8).map(move |second| [first, second]));
        let canonical = |last: bool| {
            let (is_canonical, is_last) = (&is_canonical, &is_last);
            squares().filter(move |&[a, b]| are_apart(a, b) && is_canonical(a, b) && is_last(a, b) == last)
        };
        let pairs: Vec<[u8; 2]> = canonical(false).chain(canonical(true)).collect();
        let mut oriented = vec![Oriented { pair: NONE, symmetry: 0 }; 64 * 64];
        for (pair, &[first, second]) in pairs.iter().enumerate() {
            // Descending, so that of two symmetries the lower one stays.
            for symmetry in (0..symmetries as u8).rev() {
                let inverse = inverse(symmetry);
                let image = &SYMMETRIES[usize::from(inverse)];
                let at =
                    usize::from(image[usize::from(first)]) << 6 | usize::from(image[usize::from(second)]);
                oriented[at] = Oriented { pair: pair as u16, symmetry };
            }
        }
        Kings { oriented, pairs }
    }

    /// Returns the pair of two squares that are apart.
    #[inline]
    pub fn oriented(&self, first: u8, second: u8) -> Oriented {
        self.oriented[usize::from(first) << 6 | usize::from(second)]
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the squares of a pair.
    #[inline]
    pub fn squares(&self, pair: usize) -> [u8; 2] {
        self.pairs[pair]
    }
}

/// Returns the symmetry that undoes one: behind the reflection, mirrors of files and ranks change places.
const fn inverse(symmetry: u8) -> u8 {
    match symmetry {
        5 => 6,
        6 => 5,
        other => other,
    }
}
