//! The positions of a xiangqi material. Plain rules: no repetition or move-count rule, so a position without a forced
//! win is a draw; checkmate and stalemate lose; facing generals are a check.
//!
//! A cell is the state of each side's defence (general, advisors and elephants together: see `defence`) and a point for
//! each attacking man. A xiangqi pawn across the river goes to and fro, so a material is one slice, and pawn moves are
//! moves like others. Cells know no symmetry; the gapless numbering leaves mirror images out.
//!
//! Moves of xiangqi men, forward and back: the cells that reversible moves lead to, and the positions after captures.
//! The board of the rules generates the moves.

use defence::{Defence, mirror};

use crate::endgame::EndgameError;
use crate::endgame::gapless::{Gapless, Group};
use crate::endgame::material::{Material, Men, Reached};
use crate::endgame::space::{self, Indexed, Orbit, Roster, Space, Tabled, Turn};
use crate::endgame::value::Irreversible;
use crate::game::{Game as _, Side};
use crate::xiangqi::attacks::{horse_leg, horse_ring, pawn_origin};
use crate::xiangqi::board::Board;
use crate::xiangqi::{Bitboard, FILES, KINDS, Kind, RANKS, SQUARES, Square, Xiangqi};

mod defence;

/// The kinds in the order of material names.
const KINDS_BY_NAME: [Kind; KINDS] =
    [Kind::General, Kind::Rook, Kind::Cannon, Kind::Horse, Kind::Pawn, Kind::Advisor, Kind::Elephant];
/// Kinds from here on defend.
const FIRST_DEFENDER: u8 = 5;
const PAWN: u8 = 4;
/// Cells are numbered by 32 bits.
const MOST_CELLS: u64 = 1 << 32;

/// An attacking man and what a step of it by one point changes a cell by.
#[derive(Debug, Clone, Copy)]
struct Attacker {
    man: usize,
    side: Side,
    kind: u8,
    stride: usize,
    /// The other man of its kind.
    partner: Option<usize>,
}

/// The positions of one xiangqi material.
pub struct XiangqiSpace {
    roster: Roster,
    attackers: Vec<Attacker>,
    defences: [Defence; 2],
    /// Cells of one state of both defences.
    inner: usize,
    gapless: Gapless,
    leads: Leads,
}

/// Returns the points on which a side's pawns can ever stand.
fn pawn_points(side: Side) -> u128 {
    let before_river = |rank: u8| (0..FILES).step_by(2).map(move |file| rank * FILES + file);
    let first = before_river(3).chain(before_river(4)).chain(5 * FILES..RANKS * FILES);
    first
        .map(|square| if side == Side::First { square } else { XiangqiSpace::flip(square) })
        .fold(0, |points, square| points | 1 << square)
}

/// Points on the left of the middle file, and those on it.
fn halves() -> (u128, u128) {
    (0..SQUARES as u8).fold((0, 0), |(left, middle), square| match (square % FILES).cmp(&(FILES / 2)) {
        std::cmp::Ordering::Less => (left | 1 << square, middle),
        std::cmp::Ordering::Equal => (left, middle | 1 << square),
        std::cmp::Ordering::Greater => (left, middle),
    })
}

fn groups_of(men: &[(Side, u8)]) -> Gapless {
    let mut groups: Vec<Group> = Vec::new();
    for man in (2..men.len()).filter(|&man| men[man].1 < FIRST_DEFENDER) {
        let (side, kind) = men[man];
        let is_pawn = kind == PAWN;
        let squares = if is_pawn { pawn_points(side) } else { (1 << SQUARES) - 1 };
        match groups.last_mut() {
            Some(group) if men[group.man] == men[man] => group.count += 1,
            _ => groups.push(Group { man, count: 1, squares, excludes: !is_pawn }),
        }
    }
    // Pawns first: how many of their points others take depends on where these stand.
    groups.sort_by_key(|group| group.excludes);
    let (left, middle) = halves();
    Gapless { groups, left, middle, reflect: mirror }
}

impl XiangqiSpace {
    fn mirrored(&self, men: &Men) -> Men {
        let mut image = *men;
        for square in &mut image[..self.roster.men.len()] {
            *square = mirror(*square);
        }
        image
    }

    fn occupied(&self, men: &Men) -> u128 {
        men[..self.roster.men.len()].iter().fold(0, |occupied, &square| occupied | 1 << square)
    }

    fn cell(&self, men: &Men) -> usize {
        let state = self.defences[0].state(men) * self.defences[1].len() + self.defences[1].state(men);
        let points = self.attackers.iter().map(|attacker| {
            let square = men[attacker.man];
            let square = match attacker.partner {
                None => square,
                Some(partner) if partner > attacker.man => square.min(men[partner]),
                Some(partner) => square.max(men[partner]),
            };
            usize::from(square) * attacker.stride
        });
        state * self.inner + points.sum::<usize>()
    }
}

/// The leads of the gapless numbering: states of both defences up to the mirror.
#[derive(Debug)]
struct Leads {
    /// Leads that are not their own mirror image, and leads that are.
    uneven: u64,
    even: u64,
    /// Arrangements of the other men with a lead of either sort. All leads leave as many points; all that are their
    /// own mirror image leave as many on each side: a lone advisor or elephant stands on the middle file, two stand apart.
    plain: u64,
    folded: u64,
}

impl Leads {
    fn of([first, second]: &[Defence; 2], gapless: &Gapless) -> Leads {
        let mut men = Men::default();
        first.place_even(0, &mut men);
        second.place_even(0, &mut men);
        let occupied = first.points(&men) | second.points(&men);
        let uneven = first.uneven() * second.len() + first.even() * second.uneven();
        Leads {
            uneven: uneven as u64,
            even: (first.even() * second.even()) as u64,
            plain: gapless.len(occupied),
            folded: gapless.folded_len(occupied),
        }
    }
}

fn attackers_of(men: &[(Side, u8)]) -> Option<(Vec<Attacker>, usize)> {
    let movers: Vec<usize> = (2..men.len()).filter(|&man| men[man].1 < FIRST_DEFENDER).collect();
    let mut inner = 1usize;
    let mut attackers = Vec::new();
    for &man in movers.iter().rev() {
        let (side, kind) = men[man];
        let partner = movers.iter().copied().find(|&other| other != man && men[other] == men[man]);
        attackers.push(Attacker { man, side, kind, stride: inner, partner });
        inner = inner.checked_mul(SQUARES)?;
    }
    attackers.reverse();
    Some((attackers, inner))
}

impl Tabled for Xiangqi {
    type Space = XiangqiSpace;
}

impl Space for XiangqiSpace {
    type Game = Xiangqi;

    const STALEMATE_LOSES: bool = true;

    fn new(material: &Material) -> Result<XiangqiSpace, EndgameError> {
        let men = material.men();
        let defences = [Defence::of(&men, Side::First), Defence::of(&men, Side::Second)];
        let reason = "its table would have more than 2³² cells a side";
        let too_large = || EndgameError::Material(material.to_string(), reason.to_owned());
        let (attackers, inner) = attackers_of(&men).ok_or_else(too_large)?;
        let states = (defences[0].len() * defences[1].len()) as u64;
        if (inner as u64).checked_mul(states).is_none_or(|cells| cells >= MOST_CELLS) {
            return Err(too_large());
        }
        let gapless = groups_of(&men);
        Ok(XiangqiSpace {
            leads: Leads::of(&defences, &gapless),
            gapless,
            roster: Roster::of(material),
            attackers,
            defences,
            inner,
        })
    }

    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn layers(&self) -> Vec<Vec<usize>> {
        vec![vec![0]]
    }

    fn slices(&self) -> usize {
        1
    }

    fn cells(&self) -> usize {
        self.defences[0].len() * self.defences[1].len() * self.inner
    }

    fn men(&self, _slice: usize, cell: usize) -> Option<Men> {
        let mut men = Men::default();
        let state = cell / self.inner;
        self.defences[0].place(state / self.defences[1].len(), &mut men);
        self.defences[1].place(state % self.defences[1].len(), &mut men);
        let mut rest = cell % self.inner;
        for attacker in &self.attackers {
            men[attacker.man] = (rest / attacker.stride) as u8;
            rest %= attacker.stride;
            let square = men[attacker.man];
            let is_out_of_order =
                attacker.partner.is_some_and(|man| man < attacker.man && men[man] >= square);
            if is_out_of_order || attacker.kind == PAWN && pawn_points(attacker.side) >> square & 1 == 0 {
                return None;
            }
        }
        (self.occupied(&men).count_ones() as usize == self.roster.men.len()).then_some(men)
    }

    fn locate(&self, men: &Men) -> (usize, usize) {
        (0, self.cell(men))
    }

    fn orbit(&self, place: &Indexed) -> Orbit {
        Orbit { positions: 1, is_representative: place.cell <= self.cell(&self.mirrored(&place.men)) }
    }

    fn is_check(&self, men: &Men, side: Side) -> bool {
        let general = Square::of(usize::from(men[side.index()]));
        self.board(men).is_attacked(side, general, general)
    }

    fn quiet_moves(&self, place: &Indexed, turn: Turn, visit: &mut impl FnMut(usize) -> bool) -> bool {
        let mover = turn.mover();
        let board = self.board(&place.men);
        let targets = |kind: u8, at: u8| {
            let kind = KINDS_BY_NAME[usize::from(kind)];
            match turn {
                Turn::Forward(_) => board.destinations(mover, kind, square(at)) & !board.occupied(),
                Turn::Back(_) => origins(&board, mover, kind, square(at)),
            }
        };
        for attacker in self.attackers.iter().filter(|attacker| attacker.side == mover) {
            for target in targets(attacker.kind, place.men[attacker.man]) {
                if !visit(self.moved(place, attacker, target.index())) {
                    return false;
                }
            }
        }
        let [first, second] = &self.defences;
        let states = [place.cell / self.inner / second.len(), place.cell / self.inner % second.len()];
        let rest = place.cell % self.inner;
        let defence = &self.defences[mover.index()];
        for (man, kind) in defence.men() {
            for target in targets(kind, place.men[man]) {
                let state = defence.moved(&place.men, man, target);
                let state = match mover {
                    Side::First => state * second.len() + states[1],
                    Side::Second => states[0] * second.len() + state,
                };
                debug_assert!(state < first.len() * second.len());
                if !visit(state * self.inner + rest) {
                    return false;
                }
            }
        }
        true
    }

    fn conversions(&self, men: &Men, mover: Side, visit: &mut impl FnMut(Irreversible, Reached)) {
        let board = self.board(men);
        let enemies = board.side(mover.other());
        for man in (0..self.roster.men.len()).filter(|&man| self.roster.men[man].0 == mover) {
            let kind = KINDS_BY_NAME[usize::from(self.roster.men[man].1)];
            let from = square(men[man]);
            for target in board.destinations(mover, kind, from) & enemies {
                let victim = (2..self.roster.men.len()).find(|&man| men[man] == target.index() as u8);
                let mut after = board.clone();
                after.shift(mover, kind, from, target);
                let general = if kind == Kind::General { target } else { square(men[mover.index()]) };
                // A general is not taken: a position in which it could be is none.
                if victim.is_none() || after.is_attacked(mover, general, general) {
                    continue;
                }
                let mut there = *men;
                there[man] = target.index() as u8;
                let reached = self.reached(&there, victim, None, mover.other());
                reached.into_iter().for_each(|reached| visit(Irreversible::Conversion, reached));
            }
        }
    }

    fn gapless_len(&self) -> u64 {
        let leads = &self.leads;
        leads.uneven * leads.plain + leads.even * leads.folded
    }

    fn gapless_index(&self, men: &Men) -> u64 {
        let [first, second] = &self.defences;
        let leads = &self.leads;
        let is_mirrored = first.is_right(men) || first.is_even(men) && second.is_right(men);
        let men = if is_mirrored { self.mirrored(men) } else { *men };
        let lead = if !first.is_even(&men) {
            first.rank(&men) * second.len() + second.state(&men)
        } else if !second.is_even(&men) {
            first.uneven() * second.len() + first.rank(&men) * second.uneven() + second.rank(&men)
        } else {
            first.rank(&men) * second.even() + second.rank(&men)
        } as u64;
        let occupied = first.points(&men) | second.points(&men);
        if first.is_even(&men) && second.is_even(&men) {
            leads.uneven * leads.plain + lead * leads.folded + self.gapless.folded_rank(&men, occupied)
        } else {
            lead * leads.plain + self.gapless.rank(&men, occupied)
        }
    }

    fn gapless_men(&self, index: u64) -> Option<Men> {
        let [first, second] = &self.defences;
        let mut men = Men::default();
        let leads = &self.leads;
        let before = leads.uneven * leads.plain;
        if index < before {
            let lead = (index / leads.plain) as usize;
            let split = first.uneven() * second.len();
            if lead < split {
                first.place_uneven(lead / second.len(), &mut men);
                second.place(lead % second.len(), &mut men);
            } else {
                first.place_even((lead - split) / second.uneven(), &mut men);
                second.place_uneven((lead - split) % second.uneven(), &mut men);
            }
            let occupied = first.points(&men) | second.points(&men);
            self.gapless.place(index % leads.plain, &mut men, occupied);
        } else {
            let lead = ((index - before) / leads.folded) as usize;
            first.place_even(lead / second.even(), &mut men);
            second.place_even(lead % second.even(), &mut men);
            let occupied = first.points(&men) | second.points(&men);
            self.gapless.folded_place((index - before) % leads.folded, &mut men, occupied);
        }
        // The numbering of pawns ignores other men on their points.
        (self.occupied(&men).count_ones() as usize == self.roster.men.len()).then_some(men)
    }

    fn men_count(position: &Xiangqi) -> usize {
        let sides = [Side::First, Side::Second];
        sides.into_iter().flat_map(|side| Kind::ALL.map(|kind| position.pieces(side, kind).len())).sum()
    }

    fn men_on_board(position: &Xiangqi) -> Option<space::Board> {
        let mut men = space::Board::new();
        for side in [Side::First, Side::Second] {
            for (number, &kind) in KINDS_BY_NAME.iter().enumerate() {
                for square in position.pieces(side, kind) {
                    men.try_push((side, number as u8, square.index() as u8)).ok()?;
                }
            }
        }
        Some(men)
    }

    fn flip(square: u8) -> u8 {
        (RANKS - 1 - square / FILES) * FILES + square % FILES
    }

    fn fen(&self, men: &Men, to_move: Side) -> String {
        Xiangqi::new(self.board(men), to_move).to_fen()
    }
}

fn square(index: u8) -> Square {
    Square::of(usize::from(index))
}

/// Returns the empty points from which a man may have come. But for horse and pawn, men come as they go.
fn origins(board: &Board, side: Side, kind: Kind, at: Square) -> Bitboard {
    let empty = !board.occupied();
    match kind {
        // The leg is next to the point that it came from.
        Kind::Horse => (horse_ring(at) & empty)
            .filter(|&from| empty.contains(horse_leg(from, at)))
            .fold(Bitboard::EMPTY, |set, from| set | Bitboard::of(from)),
        Kind::Pawn => pawn_origin(side, at) & empty,
        _ => board.destinations(side, kind, at) & empty,
    }
}

impl XiangqiSpace {
    fn board(&self, men: &Men) -> Board {
        let mut board = Board::empty();
        for (&(side, kind), &at) in self.roster.men.iter().zip(men) {
            board.put(side, KINDS_BY_NAME[usize::from(kind)], square(at));
        }
        board
    }

    /// Returns the cell in which an attacker has moved; like men are kept in order.
    fn moved(&self, place: &Indexed, attacker: &Attacker, target: usize) -> usize {
        let here = usize::from(place.men[attacker.man]);
        let Some(partner) = attacker.partner else {
            return place.cell + target * attacker.stride - here * attacker.stride;
        };
        let mut after = place.men;
        after[attacker.man] = target as u8;
        let (low, high) = (attacker.man.min(partner), attacker.man.max(partner));
        if after[low] > after[high] {
            after.swap(low, high);
        }
        let inner = self.attackers.iter().map(|each| usize::from(after[each.man]) * each.stride);
        place.cell / self.inner * self.inner + inner.sum::<usize>()
    }
}
