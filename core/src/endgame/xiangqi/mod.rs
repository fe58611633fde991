//! The positions of a xiangqi material. Plain rules: no repetition or move-count rule, so a position without a forced
//! win is a draw; checkmate and stalemate lose; facing generals are a check.
//!
//! A cell is the state of each side's defence (general, advisors and elephants together: see `defence`) and a point for
//! each attacking man. A xiangqi pawn across the river goes to and fro, so a material is one slice, and pawn moves are
//! moves like others. Cells know no symmetry; the gapless numbering leaves mirror images out.

mod defence;
mod moves;

use super::EndgameError;
use super::gapless::{Gapless, Group};
use super::material::Material;
use super::space::{Board, Indexed, Orbit, Roster, Space, Tabled, Turn, write_fen};
use super::value::Irreversible;
use crate::endgame::space::{Men, Reached};
use crate::game::Side;
use crate::xiangqi::{FILES, KINDS, Kind, RANKS, SQUARES, Square, Xiangqi};
use defence::{Defence, mirror};

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
        let too_large = || EndgameError::Material {
            name: material.to_string(),
            reason: "its table would have more than 2³² cells a side".to_owned(),
        };
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
        self.quiet(place, turn, visit)
    }

    fn conversions(&self, men: &Men, mover: Side, visit: &mut impl FnMut(Irreversible, Reached)) {
        self.captures(men, mover, visit);
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

    fn men_on_board(position: &Xiangqi) -> Option<Board> {
        let mut men = Board::new();
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
        write_fen(&self.roster.material, men, (FILES, RANKS), to_move)
    }
}
