//! The gapless numbering: men on free squares, like men without order, mirrored positions once.
//!
//! A *lead* (chess: both kings; xiangqi: both sides' defence) is numbered by its game. The other men form groups of one
//! or two alike, and their number is below a length that depends on the occupancy of the lead alone. A group of two takes
//! the k-th of the C(n, 2) pairs of free squares.
//!
//! A lead that is its own reflection leaves each arrangement of the others a twin. Then the first group that is not
//! its own reflection decides which twin is numbered: the one with more of its men on the *left* of the mirror, and with
//! one man on each side, the one whose left man has the lower rank. Squares *on* the mirror are its own reflections.

use arrayvec::ArrayVec;

use super::material::MAX_MEN;
use crate::endgame::material::Men;

/// One man, or two alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// First man.
    pub man: usize,
    /// 1 or 2.
    pub count: usize,
    /// Where such men may stand.
    pub squares: u128,
    /// Whether squares of earlier men are excluded; if not, numbers that put two men on one square are gaps.
    pub excludes: bool,
}

/// The groups of a material, and the mirror.
#[derive(Debug)]
pub(super) struct Gapless {
    pub groups: Vec<Group>,
    /// Squares on the left of the mirror.
    pub left: u128,
    /// Squares on the mirror.
    pub middle: u128,
    pub reflect: fn(u8) -> u8,
}

/// How many men of earlier groups stand as mirrored pairs, and how many on the mirror.
#[derive(Clone, Copy, Default)]
struct Used {
    pairs: u64,
    middle: u64,
}

fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

fn pair_rank(a: u64, b: u64) -> u64 {
    pairs(a.max(b)) + a.min(b)
}

/// The pair of a number, the lower rank first.
fn pair_of(rank: u64) -> (u64, u64) {
    let mut high = (8 * rank + 1).isqrt().div_ceil(2);
    while pairs(high) > rank {
        high -= 1;
    }
    (rank - pairs(high), high)
}

fn rank_in(squares: u128, square: u8) -> u64 {
    u64::from((squares & ((1 << square) - 1)).count_ones())
}

fn nth_in(mut squares: u128, rank: u64) -> u8 {
    for _ in 0..rank {
        squares &= squares - 1;
    }
    squares.trailing_zeros() as u8
}

fn size(squares: u128) -> u64 {
    u64::from(squares.count_ones())
}

impl Gapless {
    /// Returns the squares that a group may take.
    fn free(group: &Group, occupied: u128) -> u128 {
        if group.excludes { group.squares & !occupied } else { group.squares }
    }

    /// Returns how many arrangements the groups from `from` on have.
    ///
    /// `occupied` is that of the lead; of earlier groups only the number of taken squares matters.
    fn plain_len(&self, from: usize, occupied: u128) -> u64 {
        (from..self.groups.len()).map(|at| self.group_len(at, occupied)).product()
    }

    fn group_len(&self, at: usize, occupied: u128) -> u64 {
        let group = &self.groups[at];
        let before: usize = self.groups[..at].iter().map(|group| group.count).sum();
        let free = size(Self::free(group, occupied)) - if group.excludes { before as u64 } else { 0 };
        if group.count == 1 { free } else { pairs(free) }
    }

    /// Returns the number of arrangements with a lead that is not its own reflection.
    pub fn len(&self, occupied: u128) -> u64 {
        self.plain_len(0, occupied)
    }

    /// Returns the number of an arrangement with such a lead.
    pub fn rank(&self, men: &Men, occupied: u128) -> u64 {
        self.plain_rank(0, men, occupied, occupied)
    }

    fn plain_rank(&self, from: usize, men: &Men, lead: u128, mut occupied: u128) -> u64 {
        let mut index = 0;
        for at in from..self.groups.len() {
            let group = &self.groups[at];
            let free = Self::free(group, occupied);
            let a = men[group.man];
            occupied |= 1 << a;
            let rank = if group.count == 1 {
                rank_in(free, a)
            } else {
                let b = men[group.man + 1];
                occupied |= 1 << b;
                pair_rank(rank_in(free, a), rank_in(free, b))
            };
            index = index * self.group_len(at, lead) + rank;
        }
        index
    }

    /// Puts the men of an arrangement with such a lead on their squares.
    pub fn place(&self, index: u64, men: &mut Men, occupied: u128) {
        self.plain_place(0, index, men, occupied, occupied);
    }

    fn plain_place(&self, from: usize, mut index: u64, men: &mut Men, lead: u128, mut occupied: u128) {
        let mut ranks = ArrayVec::<u64, MAX_MEN>::new();
        for at in (from..self.groups.len()).rev() {
            let len = self.group_len(at, lead);
            ranks.push(index % len);
            index /= len;
        }
        for at in from..self.groups.len() {
            let group = &self.groups[at];
            let free = Self::free(group, occupied);
            let rank = ranks.pop().unwrap_or_default();
            let (low, high) = if group.count == 1 { (rank, rank) } else { pair_of(rank) };
            men[group.man] = nth_in(free, low);
            occupied |= 1 << men[group.man];
            if group.count == 2 {
                men[group.man + 1] = nth_in(free, high);
                occupied |= 1 << men[group.man + 1];
            }
        }
    }

    /// Returns the free squares on the left and on the mirror, for a group with a lead that is its own reflection.
    fn halves(&self, at: usize, occupied: u128) -> (u128, u128) {
        let free = Self::free(&self.groups[at], occupied);
        (free & self.left, free & self.middle)
    }

    fn half_sizes(&self, at: usize, lead: u128, used: Used) -> (u64, u64) {
        let (left, middle) = self.halves(at, lead);
        let used = if self.groups[at].excludes { used } else { Used::default() };
        (size(left) - used.pairs, size(middle) - used.middle)
    }

    /// Returns the number of arrangements up to reflection with a lead that is its own reflection.
    pub fn folded_len(&self, occupied: u128) -> u64 {
        self.fold_len(0, occupied, Used::default())
    }

    fn fold_len(&self, at: usize, lead: u128, used: Used) -> u64 {
        if at == self.groups.len() {
            return 1;
        }
        let (l, m) = self.half_sizes(at, lead, used);
        let rest = self.plain_len(at + 1, lead);
        if self.groups[at].count == 1 {
            l * rest + m * self.fold_len(at + 1, lead, used.with_middle(1))
        } else {
            asymmetric(l, m) * rest
                + l * self.fold_len(at + 1, lead, used.with_pair())
                + pairs(m) * self.fold_len(at + 1, lead, used.with_middle(2))
        }
    }

    /// Returns the number of an arrangement with such a lead; twins share a number.
    pub fn folded_rank(&self, men: &Men, occupied: u128) -> u64 {
        let mut men = *men;
        let (mut index, mut taken, mut used) = (0, occupied, Used::default());
        for (at, group) in self.groups.iter().enumerate() {
            let (left, middle) = self.halves(at, taken);
            let (l, m) = (size(left), size(middle));
            let rest = self.plain_len(at + 1, occupied);
            let (class, squares) =
                classify(&mut men, group, (left, middle), self.reflect, &self.groups[at..]);
            match class {
                Class::Asymmetric(rank) => {
                    return index + rank * rest + self.plain_rank(at + 1, &men, occupied, taken | squares);
                }
                Class::Pair(rank) => {
                    used = used.with_pair();
                    index += asymmetric(l, m) * rest + rank * self.fold_len(at + 1, occupied, used);
                }
                Class::Middle(rank) if group.count == 1 => {
                    used = used.with_middle(1);
                    index += l * rest + rank * self.fold_len(at + 1, occupied, used);
                }
                Class::Middle(rank) => {
                    let before =
                        asymmetric(l, m) * rest + l * self.fold_len(at + 1, occupied, used.with_pair());
                    used = used.with_middle(2);
                    index += before + rank * self.fold_len(at + 1, occupied, used);
                }
            }
            taken |= squares;
        }
        index
    }

    /// Puts the men of an arrangement with such a lead on their squares.
    pub fn folded_place(&self, mut index: u64, men: &mut Men, occupied: u128) {
        let (mut taken, mut used) = (occupied, Used::default());
        for (at, group) in self.groups.iter().enumerate() {
            let (left, middle) = self.halves(at, taken);
            let (l, m) = (size(left), size(middle));
            let rest = self.plain_len(at + 1, occupied);
            let lopsided = if group.count == 1 { l } else { asymmetric(l, m) };
            if index < lopsided * rest {
                let squares = place_asymmetric(index / rest, group, (left, middle), self.reflect, men);
                return self.plain_place(at + 1, index % rest, men, occupied, taken | squares);
            }
            index -= lopsided * rest;
            if group.count == 2 {
                let each = self.fold_len(at + 1, occupied, used.with_pair());
                if index < l * each {
                    men[group.man] = nth_in(left, index / each);
                    men[group.man + 1] = (self.reflect)(men[group.man]);
                    index %= each;
                    used = used.with_pair();
                    taken |= 1 << men[group.man] | 1 << men[group.man + 1];
                    continue;
                }
                index -= l * each;
            }
            used = used.with_middle(group.count as u64);
            let each = self.fold_len(at + 1, occupied, used);
            let (low, high) = if group.count == 1 { (index / each, 0) } else { pair_of(index / each) };
            men[group.man] = nth_in(middle, low);
            taken |= 1 << men[group.man];
            if group.count == 2 {
                men[group.man + 1] = nth_in(middle, high);
                taken |= 1 << men[group.man + 1];
            }
            index %= each;
        }
    }
}

impl Used {
    fn with_pair(self) -> Used {
        Used { pairs: self.pairs + 1, ..self }
    }

    fn with_middle(self, count: u64) -> Used {
        Used { middle: self.middle + count, ..self }
    }
}

/// Pairs of men that are not their own reflection, up to reflection: both left, one on each side, one on the mirror.
fn asymmetric(l: u64, m: u64) -> u64 {
    l * l.saturating_sub(1) + l * m
}

/// The relation of a group to the mirror, with its number within that class.
enum Class {
    Asymmetric(u64),
    Pair(u64),
    Middle(u64),
}

/// Returns the class of a group, and its squares. If its mirror image is the numbered one, `men` of this and the later
/// groups are reflected first.
fn classify(
    men: &mut Men,
    group: &Group,
    half: (u128, u128),
    reflect: fn(u8) -> u8,
    groups: &[Group],
) -> (Class, u128) {
    let mirror_all = |men: &mut Men| {
        for man in groups.iter().flat_map(|group| group.man..group.man + group.count) {
            men[man] = reflect(men[man]);
        }
    };
    let class = match group.count {
        1 => classify_one(men, group.man, half, mirror_all),
        _ => classify_pair(men, group.man, half, reflect, mirror_all),
    };
    let squares = men[group.man..group.man + group.count].iter().fold(0, |squares, &at| squares | 1 << at);
    (class, squares)
}

fn is_in(squares: u128, square: u8) -> bool {
    squares >> square & 1 != 0
}

fn classify_one(
    men: &mut Men,
    man: usize,
    (left, middle): (u128, u128),
    mirror_all: impl Fn(&mut Men),
) -> Class {
    if is_in(middle, men[man]) {
        return Class::Middle(rank_in(middle, men[man]));
    }
    if !is_in(left, men[man]) {
        mirror_all(men);
    }
    Class::Asymmetric(rank_in(left, men[man]))
}

fn classify_pair(
    men: &mut Men,
    a: usize,
    (left, middle): (u128, u128),
    reflect: fn(u8) -> u8,
    mirror_all: impl Fn(&mut Men),
) -> Class {
    let (l, m) = (size(left), size(middle));
    let count = |squares: u128, men: &Men| men[a..a + 2].iter().filter(|&&at| is_in(squares, at)).count();
    let middles = count(middle, men);
    if count(left, men) == 0 && middles < 2 {
        mirror_all(men);
    }
    if !is_in(left, men[a]) && is_in(left, men[a + 1]) {
        men.swap(a, a + 1);
    }
    let first = rank_in(left, men[a]);
    match (count(left, men), middles) {
        (2, _) => Class::Asymmetric(pair_rank(first, rank_in(left, men[a + 1]))),
        (_, 1) => Class::Asymmetric(l * (l - 1) + first * m + rank_in(middle, men[a + 1])),
        (_, 2) => Class::Middle(pair_rank(rank_in(middle, men[a]), rank_in(middle, men[a + 1]))),
        _ => {
            let second = rank_in(left, reflect(men[a + 1]));
            if first == second {
                return Class::Pair(first);
            }
            if first > second {
                mirror_all(men);
                men.swap(a, a + 1);
            }
            Class::Asymmetric(pairs(l) + pair_rank(first.min(second), first.max(second)))
        }
    }
}

/// Puts a group that is not its own reflection on its squares, and returns them.
fn place_asymmetric(
    rank: u64,
    group: &Group,
    (left, middle): (u128, u128),
    reflect: fn(u8) -> u8,
    men: &mut Men,
) -> u128 {
    let (l, m) = (size(left), size(middle));
    let a = group.man;
    if group.count == 1 {
        men[a] = nth_in(left, rank);
        return 1 << men[a];
    }
    if rank < l * (l - 1) {
        let (low, high) = pair_of(rank % pairs(l));
        let high = nth_in(left, high);
        men[a] = nth_in(left, low);
        men[a + 1] = if rank < pairs(l) { high } else { reflect(high) };
    } else {
        let rank = rank - l * (l - 1);
        men[a] = nth_in(left, rank / m);
        men[a + 1] = nth_in(middle, rank % m);
    }
    1 << men[a] | 1 << men[a + 1]
}
