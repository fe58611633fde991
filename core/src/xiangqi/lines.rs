//! Rook and cannon moves along one rank or file, looked up by the occupancy of that line.
//!
//! An occupancy has 9 bits for a rank (bit = file) and 10 bits for a file (bit = rank). The tables are computed from the
//! rules at compile time.

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
