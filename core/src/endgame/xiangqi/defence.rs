//! The states of one side's defence: general, advisors and elephants on the points they can reach. With two advisors the palace has 70 states, with one 40, with none 9; two
//! elephants have 21, one 7; a general on an elephant's point leaves some out.

use crate::endgame::material::Men;
use crate::game::Side;
use crate::xiangqi::attacks::{advisor_points, elephant_points, palace};
use crate::xiangqi::{Bitboard, FILES, Square};

/// Kind of an advisor.
const ADVISOR: u8 = 5;
/// No state.
const NONE: u16 = u16::MAX;
/// Most men of a defence.
const MOST: usize = 5;

/// Squares of the defence's men, in their order.
type Squares = [u8; MOST];

/// The states of one side.
#[derive(Debug)]
pub(super) struct Defence {
    /// General, advisors, elephants.
    men: Vec<usize>,
    kinds: Vec<u8>,
    /// Index of each point among the points of a general, an advisor and an elephant.
    places: [[u8; 90]; 3],
    states: Vec<State>,
    /// State by places of the men.
    numbers: Vec<u16>,
    /// States that are not their own mirror image, one of each pair, and states that are.
    uneven: Vec<u16>,
    even: Vec<u16>,
}

#[derive(Debug, Clone, Copy)]
struct State {
    squares: Squares,
    points: u128,
    shape: Shape,
    /// Number among the states of its shape.
    rank: u16,
}

/// How a state stands to its mirror image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// It is its own.
    Even,
    /// It is the one of two that is numbered.
    Left,
    /// It is the other.
    Right,
}

fn places(points: Bitboard) -> [u8; 90] {
    let mut places = [0; 90];
    for (place, square) in points.enumerate() {
        places[square.index()] = place as u8;
    }
    places
}

/// Returns the index of the set of points that a kind uses.
fn class(kind: u8) -> usize {
    match kind {
        0 => 0,
        ADVISOR => 1,
        _ => 2,
    }
}

impl Defence {
    /// Returns the states of a side's defence.
    pub fn of(men: &[(Side, u8)], side: Side) -> Defence {
        let own: Vec<usize> = (0..men.len())
            .filter(|&man| men[man].0 == side && (men[man].1 == 0 || men[man].1 >= ADVISOR))
            .collect();
        let points = [palace(side), advisor_points(side), elephant_points(side)];
        let mut defence = Defence {
            kinds: own.iter().map(|&man| men[man].1).collect(),
            men: own,
            places: points.map(places),
            states: Vec::new(),
            numbers: Vec::new(),
            uneven: Vec::new(),
            even: Vec::new(),
        };
        defence.numbers = vec![NONE; 16usize.pow(defence.men.len() as u32)];
        defence.list(0, Squares::default(), &points);
        defence.classify();
        defence
    }

    /// Lists every way to put the men from `at` on on their points.
    fn list(&mut self, at: usize, squares: Squares, points: &[Bitboard; 3]) {
        if at == self.men.len() {
            let key = self.key(&squares);
            self.numbers[key] = self.states.len() as u16;
            let points = squares[..at].iter().fold(0, |points, &square| points | 1 << square);
            self.states.push(State { squares, points, shape: Shape::Even, rank: 0 });
            return;
        }
        for square in points[class(self.kinds[at])] {
            let square = square.index() as u8;
            let is_like = at > 0 && self.kinds[at - 1] == self.kinds[at];
            if !squares[..at].contains(&square) && (!is_like || squares[at - 1] < square) {
                let mut next = squares;
                next[at] = square;
                self.list(at + 1, next, points);
            }
        }
    }

    fn classify(&mut self) {
        for number in 0..self.states.len() {
            let mut image = self.states[number].squares;
            image[..self.men.len()].iter_mut().for_each(|square| *square = mirror(*square));
            let twin = usize::from(self.numbers[self.key(&image)]);
            let (shape, list) = match twin.cmp(&number) {
                std::cmp::Ordering::Equal => (Shape::Even, &mut self.even),
                std::cmp::Ordering::Greater => (Shape::Left, &mut self.uneven),
                std::cmp::Ordering::Less => {
                    self.states[number].shape = Shape::Right;
                    continue;
                }
            };
            (self.states[number].shape, self.states[number].rank) = (shape, list.len() as u16);
            list.push(number as u16);
        }
    }

    /// Returns the key of squares, like men in any order.
    fn key(&self, squares: &Squares) -> usize {
        let mut key = 0;
        let mut at = 0;
        while at < self.men.len() {
            let place = |at: usize| usize::from(self.places[class(self.kinds[at])][usize::from(squares[at])]);
            if at + 1 < self.men.len() && self.kinds[at + 1] == self.kinds[at] {
                let (a, b) = (place(at), place(at + 1));
                key = key << 8 | a.min(b) << 4 | a.max(b);
                at += 2;
            } else {
                key = key << 4 | place(at);
                at += 1;
            }
        }
        key
    }

    fn state_of(&self, men: &Men) -> &State {
        &self.states[self.state(men)]
    }

    /// Returns the number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the number of states that are not their own mirror image, one of each pair.
    pub fn uneven(&self) -> usize {
        self.uneven.len()
    }

    /// Returns the number of states that are their own mirror image.
    pub fn even(&self) -> usize {
        self.even.len()
    }

    /// Returns the state of men.
    pub fn state(&self, men: &Men) -> usize {
        let mut squares = Squares::default();
        for (square, &man) in squares.iter_mut().zip(&self.men) {
            *square = men[man];
        }
        usize::from(self.numbers[self.key(&squares)])
    }

    /// Returns whether the state of men is its own mirror image.
    pub fn is_even(&self, men: &Men) -> bool {
        self.state_of(men).shape == Shape::Even
    }

    /// Returns whether the mirror image of the state is the one that is numbered.
    pub fn is_right(&self, men: &Men) -> bool {
        self.state_of(men).shape == Shape::Right
    }

    /// Returns the number of a state within its class: its own mirror image, or not.
    pub fn rank(&self, men: &Men) -> usize {
        usize::from(self.state_of(men).rank)
    }

    /// Returns the points that the men of a state take.
    pub fn points(&self, men: &Men) -> u128 {
        self.state_of(men).points
    }

    /// Puts the men of a state on their squares.
    pub fn place(&self, state: usize, men: &mut Men) {
        for (&square, &man) in self.states[state].squares.iter().zip(&self.men) {
            men[man] = square;
        }
    }

    /// Puts the men of the n-th uneven state on their squares.
    pub fn place_uneven(&self, number: usize, men: &mut Men) {
        self.place(usize::from(self.uneven[number]), men);
    }

    /// Puts the men of the n-th even state on their squares.
    pub fn place_even(&self, number: usize, men: &mut Men) {
        self.place(usize::from(self.even[number]), men);
    }

    /// Returns the state after one man, if it is of this defence, has moved.
    pub fn moved(&self, men: &Men, man: usize, target: Square) -> usize {
        let mut after = *men;
        after[man] = target.index() as u8;
        self.state(&after)
    }

    /// Returns the men of the defence with their kinds.
    pub fn men(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        self.men.iter().copied().zip(self.kinds.iter().copied())
    }
}

pub(super) fn mirror(square: u8) -> u8 {
    square - square % FILES + (FILES - 1 - square % FILES)
}
