//! Pawn structures up to the mirror of files: their numbers, and the order in which they can be solved.

use super::PAWN;
use super::kings::{MIRROR, SYMMETRIES};
use crate::endgame::material::{MAX_MEN, Men};
use crate::game::Side;

/// Pawns a material can have: all men but the kings.
const MOST: usize = 3;

/// The structures of a material.
#[derive(Debug)]
pub(super) struct Structures {
    /// First pawn man of each group of like ones, and how many.
    groups: Vec<(usize, usize)>,
    /// Men of each structure, 0 for men that are not pawns.
    structures: Vec<Men>,
    /// By the squares of the pawns, 6 bits each: number of the structure, and whether the mirror leads there.
    numbers: Vec<u32>,
    layers: Vec<Vec<usize>>,
    own_mirror: Vec<bool>,
}

impl Structures {
    /// Returns the structures of men; without pawns, one.
    pub fn of(men: &[(Side, u8)]) -> Structures {
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for man in (2..men.len()).filter(|&man| men[man].1 == PAWN) {
            match groups.last_mut() {
                Some((first, count)) if men[*first] == men[man] => *count += 1,
                _ => groups.push((man, 1)),
            }
        }
        let pawns = groups.iter().map(|&(_, count)| count).sum::<usize>().min(MOST);
        let mut found = Structures {
            groups,
            structures: Vec::new(),
            numbers: vec![u32::MAX; 1 << (6 * pawns)],
            layers: Vec::new(),
            own_mirror: Vec::new(),
        };
        found.number_all();
        found.order(men);
        found
    }

    fn pawns(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups.iter().flat_map(|&(first, count)| first..first + count)
    }

    /// Returns the key of pawns, like ones sorted.
    fn key(&self, men: &Men) -> usize {
        let mut key = 0;
        for &(first, count) in &self.groups {
            if count == 1 {
                key = key << 6 | usize::from(men[first]);
            } else {
                let (a, b) = (usize::from(men[first]), usize::from(men[first + 1]));
                key = key << 12 | a.min(b) << 6 | a.max(b);
            }
        }
        key
    }

    fn men_of(&self, mut key: usize) -> Men {
        let mut men = [0; MAX_MEN];
        let pawns: Vec<usize> = self.pawns().collect();
        for &man in pawns.iter().rev() {
            men[man] = (key & 63) as u8;
            key >>= 6;
        }
        men
    }

    fn mirrored(&self, men: &Men) -> Men {
        let mut image = *men;
        for man in self.pawns() {
            image[man] = SYMMETRIES[MIRROR][usize::from(men[man])];
        }
        image
    }

    fn number_all(&mut self) {
        for key in 0..self.numbers.len() {
            let men = self.men_of(key);
            let squares: Vec<u8> = self.pawns().map(|man| men[man]).collect();
            let distinct = (1..squares.len()).all(|at| !squares[..at].contains(&squares[at]));
            let on_ranks = squares.iter().all(|square| (8..56).contains(square));
            if self.key(&men) != key || !distinct || !on_ranks || self.numbers[key] != u32::MAX {
                continue;
            }
            let mirror = self.key(&self.mirrored(&men));
            let number = self.structures.len() as u32;
            self.numbers[mirror] = number << 1 | 1;
            self.numbers[key] = number << 1;
            self.own_mirror.push(mirror == key && !self.groups.is_empty());
            self.structures.push(men);
        }
    }

    /// Groups the structures by the total advance of their pawns, the largest first: a pawn move increases it.
    fn order(&mut self, men: &[(Side, u8)]) {
        let advance = |structure: &Men| -> u32 {
            self.pawns()
                .map(|man| {
                    let rank = u32::from(structure[man] >> 3);
                    if men[man].0 == Side::First { rank } else { 7 - rank }
                })
                .sum()
        };
        let most = 6 * self.pawns().count() as u32;
        let layers = (0..=most).rev().map(|wanted| {
            let numbers = 0..self.structures.len();
            numbers.filter(|&number| advance(&self.structures[number]) == wanted).collect()
        });
        self.layers = layers.filter(|layer: &Vec<usize>| !layer.is_empty()).collect();
    }

    /// Returns the number of structures.
    pub fn len(&self) -> usize {
        self.structures.len()
    }

    /// Returns the structures in the order in which they can be solved.
    pub fn layers(&self) -> Vec<Vec<usize>> {
        self.layers.clone()
    }

    /// Returns the men of a structure; men that are not pawns are on square 0.
    #[inline]
    pub fn men(&self, number: usize) -> Men {
        self.structures[number]
    }

    /// Returns whether the mirror of files leaves a structure as it is.
    pub fn is_own_mirror(&self, number: usize) -> bool {
        self.own_mirror[number]
    }

    /// Returns the structure of men, and whether the mirror leads to it.
    #[inline]
    pub fn find(&self, men: &Men) -> (usize, bool) {
        let number = self.numbers[self.key(men)];
        ((number >> 1) as usize, number & 1 != 0)
    }
}
