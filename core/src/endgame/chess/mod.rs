//! The positions of a chess material.
//!
//! A gapped cell is a pair of kings and 6 bits for each other man but the pawns. Without pawns the pair is one of 462
//! and the board is oriented by it; a pair on the diagonal keeps both twins, each in separate cells with the same
//! value. With pawns there is a slice for each pawn structure up to the mirror of files, and in it no symmetry: the pair
//! is 12 bits. Pawns never move within a slice, so structures are solved from the most advanced to the least.

mod kings;
mod moves;
mod pawns;

use shakmaty::{Position as _, Role};

use super::EndgameError;
use super::gapless::{Gapless, Group};
use super::material::Material;
use super::space::{Board, Indexed, Orbit, Roster, Space, Tabled, Turn, write_fen};
use super::value::Irreversible;
use crate::chess::Chess;
use crate::endgame::space::{Men, Reached};
use crate::game::Side;
use kings::{FIRST_DIAGONAL, PAIRS, PAWN_PAIRS, PAWNLESS, SYMMETRIES, WITH_PAWNS, are_apart, reflect};
use moves::{PAWN, Partner, Piece};
use pawns::Structures;

/// Squares on which pawns stand: ranks 2 to 7.
const PAWN_SQUARES: u128 = 0x00ff_ffff_ffff_ff00;
/// Squares below the diagonal a1–h8, and those on it.
const BELOW: u128 = below_diagonal();
const DIAGONAL: u128 = 0x8040_2010_0804_0201;

const fn below_diagonal() -> u128 {
    let (mut squares, mut square) = (0, 0);
    while square < 64 {
        if square >> 3 < square & 7 {
            squares |= 1 << square;
        }
        square += 1;
    }
    squares
}

/// The positions of one chess material.
pub struct ChessSpace {
    roster: Roster,
    /// By side, without kings and pawns.
    pieces: [Vec<Piece>; 2],
    pawns: Vec<usize>,
    structures: Structures,
    /// Bits of a cell below the pair of kings.
    bits: u32,
    gapless: Gapless,
    /// With pawns: gapless numbers before each pair of kings, and all of them.
    offsets: Vec<u64>,
}

impl ChessSpace {
    fn has_pawns(&self) -> bool {
        !self.pawns.is_empty()
    }

    /// Returns the cell of men in their slice's orientation; like men in any order.
    #[inline]
    fn cell(&self, pair: usize, men: &Men) -> usize {
        let mut cell = pair << self.bits;
        for piece in self.pieces.iter().flatten() {
            let square = match piece.partner {
                None => men[piece.man],
                Some(partner) if partner.man > piece.man => men[piece.man].min(men[partner.man]),
                Some(partner) => men[piece.man].max(men[partner.man]),
            };
            cell |= usize::from(square) << piece.shift;
        }
        cell
    }

    /// Returns whether both kings of a pawnless cell stand on the diagonal.
    #[inline]
    fn is_diagonal(&self, cell: usize) -> bool {
        !self.has_pawns() && cell >> self.bits >= FIRST_DIAGONAL
    }

    /// Returns the men reflected at the diagonal.
    fn reflected(&self, men: &Men) -> Men {
        let mut image = *men;
        for square in &mut image[..self.roster.men.len()] {
            *square = reflect(*square);
        }
        image
    }

    fn occupied(&self, men: &Men) -> u64 {
        men[..self.roster.men.len()].iter().fold(0, |occupied, &square| occupied | 1 << square)
    }

    /// Returns the canonical pair of kings of a gapless number, the men oriented by it.
    fn oriented(&self, men: &Men) -> (usize, Men) {
        let kings = if self.has_pawns() { &WITH_PAWNS } else { &PAWNLESS };
        let oriented = kings.oriented(men[0], men[1]);
        (usize::from(oriented.pair), self.image(men, oriented.symmetry))
    }

    #[inline]
    fn image(&self, men: &Men, symmetry: u8) -> Men {
        if symmetry == 0 {
            return *men;
        }
        let table = &SYMMETRIES[usize::from(symmetry)];
        let mut image = *men;
        for square in &mut image[..self.roster.men.len()] {
            *square = table[usize::from(*square & 63)];
        }
        image
    }
}

fn pieces_of(men: &[(Side, u8)]) -> ([Vec<Piece>; 2], u32) {
    let movers: Vec<usize> = (2..men.len()).filter(|&man| men[man].1 != PAWN).collect();
    let bits = 6 * movers.len() as u32;
    let shift =
        |man: usize| movers.iter().position(|&each| each == man).map(|number| bits - 6 * (number as u32 + 1));
    let mut pieces = [Vec::new(), Vec::new()];
    for &man in &movers {
        let (side, kind) = men[man];
        let like = movers.iter().copied().find(|&other| other != man && men[other] == men[man]);
        let partner = like.and_then(|man| shift(man).map(|shift| Partner { man, shift }));
        pieces[side.index()].extend(shift(man).map(|shift| Piece { man, kind, shift, partner }));
    }
    (pieces, bits)
}

fn groups_of(men: &[(Side, u8)]) -> Gapless {
    let mut groups: Vec<Group> = Vec::new();
    for man in 2..men.len() {
        let squares = if men[man].1 == PAWN { PAWN_SQUARES } else { u128::from(u64::MAX) };
        match groups.last_mut() {
            Some(group) if men[group.man] == men[man] => group.count += 1,
            _ => groups.push(Group { man, count: 1, squares, excludes: true }),
        }
    }
    // Pawns first: then each group has the same number of free squares wherever earlier groups stand.
    groups.sort_by_key(|group| men[group.man].1 != PAWN);
    Gapless { groups, left: BELOW, middle: DIAGONAL, reflect }
}

impl Tabled for Chess {
    type Space = ChessSpace;
}

impl Space for ChessSpace {
    type Game = Chess;

    const STALEMATE_LOSES: bool = false;

    fn new(material: &Material) -> Result<ChessSpace, EndgameError> {
        let men = material.men();
        let (pieces, bits) = pieces_of(&men);
        let gapless = groups_of(&men);
        let mut offsets = vec![0];
        for pair in 0..PAWN_PAIRS {
            let [a, b] = WITH_PAWNS.squares(pair);
            offsets.push(offsets[pair] + gapless.len(1 << a | 1 << b));
        }
        Ok(ChessSpace {
            pawns: (2..men.len()).filter(|&man| men[man].1 == PAWN).collect(),
            structures: Structures::of(&men),
            roster: Roster::of(material),
            pieces,
            bits,
            gapless,
            offsets,
        })
    }

    fn roster(&self) -> &Roster {
        &self.roster
    }

    fn layers(&self) -> Vec<Vec<usize>> {
        self.structures.layers()
    }

    fn slices(&self) -> usize {
        self.structures.len()
    }

    fn cells(&self) -> usize {
        let pairs = if self.has_pawns() { 64 * 64 } else { PAIRS };
        pairs << self.bits
    }

    #[inline]
    fn men(&self, slice: usize, cell: usize) -> Option<Men> {
        let pair = cell >> self.bits;
        let mut men = self.structures.men(slice);
        [men[0], men[1]] =
            if self.has_pawns() { [(pair >> 6) as u8, (pair & 63) as u8] } else { PAWNLESS.squares(pair) };
        if !are_apart(men[0], men[1]) {
            return None;
        }
        for piece in self.pieces.iter().flatten() {
            men[piece.man] = (cell >> piece.shift & 63) as u8;
            if piece
                .partner
                .is_some_and(|partner| partner.man < piece.man && men[partner.man] >= men[piece.man])
            {
                return None;
            }
        }
        (self.occupied(&men).count_ones() as usize == self.roster.men.len()).then_some(men)
    }

    fn locate(&self, men: &Men) -> (usize, usize) {
        if self.has_pawns() {
            let (slice, is_mirrored) = self.structures.find(men);
            let men = if is_mirrored { self.image(men, kings::MIRROR as u8) } else { *men };
            (slice, self.cell(usize::from(men[0]) << 6 | usize::from(men[1]), &men))
        } else {
            let (pair, men) = self.oriented(men);
            (0, self.cell(pair, &men))
        }
    }

    fn orbit(&self, place: &Indexed) -> Orbit {
        if self.has_pawns() {
            let is_own_mirror = self.structures.is_own_mirror(place.slice);
            return Orbit {
                positions: if is_own_mirror { 1 } else { 2 },
                is_representative: !is_own_mirror || place.men[0] & 7 < 4,
            };
        }
        if !self.is_diagonal(place.cell) {
            return Orbit { positions: 8, is_representative: true };
        }
        let twin = self.cell(place.cell >> self.bits, &self.reflected(&place.men));
        Orbit { positions: 4, is_representative: place.cell <= twin }
    }

    fn is_check(&self, men: &Men, side: Side) -> bool {
        self.is_attacked(men, side, None)
    }

    #[inline]
    fn quiet_moves(&self, place: &Indexed, turn: Turn, visit: &mut impl FnMut(usize) -> bool) -> bool {
        self.quiet(place, turn, visit)
    }

    fn conversions(&self, men: &Men, mover: Side, visit: &mut impl FnMut(Irreversible, Reached)) {
        self.convert(men, mover, visit);
    }

    fn en_passant(&self, men: &Men, mover: Side, passed: u8, visit: &mut impl FnMut(Reached)) {
        self.take_en_passant(men, mover, passed, visit);
    }

    fn gapless_len(&self) -> u64 {
        if self.has_pawns() {
            return self.offsets[PAWN_PAIRS];
        }
        // All pairs of kings leave the others as many squares, below the diagonal and on it.
        let lead = |pair: usize| PAWNLESS.squares(pair).iter().fold(0, |set, &square| set | 1u128 << square);
        FIRST_DIAGONAL as u64 * self.gapless.len(lead(0))
            + (PAIRS - FIRST_DIAGONAL) as u64 * self.gapless.folded_len(lead(FIRST_DIAGONAL))
    }

    fn gapless_index(&self, men: &Men) -> u64 {
        let (pair, men) = self.oriented(men);
        let lead = 1 << men[0] | 1 << men[1];
        if self.has_pawns() {
            return self.offsets[pair] + self.gapless.rank(&men, lead);
        }
        let each = self.gapless.len(lead);
        if pair < FIRST_DIAGONAL {
            return pair as u64 * each + self.gapless.rank(&men, lead);
        }
        let folded = self.gapless.folded_len(lead);
        let rank = self.gapless.folded_rank(&men, lead);
        FIRST_DIAGONAL as u64 * each + (pair - FIRST_DIAGONAL) as u64 * folded + rank
    }

    fn gapless_men(&self, index: u64) -> Option<Men> {
        let mut men = Men::default();
        let lead = |men: &Men| 1 << men[0] | 1 << men[1];
        if self.has_pawns() {
            let pair = self.offsets.partition_point(|&offset| offset <= index) - 1;
            [men[0], men[1]] = WITH_PAWNS.squares(pair);
            let occupied = lead(&men);
            self.gapless.place(index - self.offsets[pair], &mut men, occupied);
            return Some(men);
        }
        let squares = |pair: u64| PAWNLESS.squares(pair as usize);
        let each = self.gapless.len(0b11);
        let regular = FIRST_DIAGONAL as u64 * each;
        if index < regular {
            [men[0], men[1]] = squares(index / each);
            let occupied = lead(&men);
            self.gapless.place(index % each, &mut men, occupied);
        } else {
            let index = index - regular;
            [men[0], men[1]] = squares(FIRST_DIAGONAL as u64);
            let folded = self.gapless.folded_len(lead(&men));
            [men[0], men[1]] = squares(FIRST_DIAGONAL as u64 + index / folded);
            let occupied = lead(&men);
            self.gapless.folded_place(index % folded, &mut men, occupied);
        }
        Some(men)
    }

    fn men_count(position: &Chess) -> usize {
        position.board().board().occupied().count()
    }

    fn men_on_board(position: &Chess) -> Option<Board> {
        let board = position.board().board();
        let mut men = Board::new();
        for square in board.occupied() {
            let piece = board.piece_at(square)?;
            let side = if piece.color.is_white() { Side::First } else { Side::Second };
            let kind = match piece.role {
                Role::King => 0,
                Role::Queen => 1,
                Role::Rook => 2,
                Role::Bishop => 3,
                Role::Knight => 4,
                Role::Pawn => PAWN,
            };
            men.try_push((side, kind, square as u8)).ok()?;
        }
        Some(men)
    }

    fn passed_square(position: &Chess) -> Option<u8> {
        position.board().legal_ep_square().map(|square| square as u8)
    }

    fn flaw(position: &Chess) -> Option<&'static str> {
        let has_rights = position.board().castles().any();
        has_rights.then_some("the position has castling rights, and tables hold positions without them")
    }

    fn flip(square: u8) -> u8 {
        square ^ 56
    }

    fn fen(&self, men: &Men, to_move: Side) -> String {
        write_fen(&self.roster.material, men, (8, 8), to_move)
    }
}
