//! The positions of a chess material.
//!
//! A gapped cell is a pair of kings and 6 bits for each other man but the pawns. Without pawns the pair is one of 462
//! and the board is oriented by it; a pair on the diagonal keeps both twins, each in separate cells with the same
//! value. With pawns there is a slice for each pawn structure up to the mirror of files, and in it no symmetry: the pair
//! is 12 bits. Pawns never move within a slice, so structures are solved from the most advanced to the least.
//!
//! Moves of chess men: the cells that reversible moves lead to, and the positions after captures, promotions and pawn
//! moves.

use kings::{FIRST_DIAGONAL, Kings, PAWNLESS, SYMMETRIES, WITH_PAWNS, are_apart, reflect};
use pawns::Structures;
use shakmaty::{Bitboard, Color, Position as _, Role, Square, attacks};

use crate::chess::Chess;
use crate::endgame::EndgameError;
use crate::endgame::gapless::{Gapless, Group};
use crate::endgame::material::{KING, Material, Men, Reached, Target};
use crate::endgame::space::{Board, Indexed, Orbit, Roster, Space, Tabled, Turn};
use crate::endgame::value::Irreversible;
use crate::game::Side;

mod kings;
mod pawns;

/// The kinds in the order of material names.
const ROLES: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

fn color(side: Side) -> Color {
    if side == Side::First { Color::White } else { Color::Black }
}

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
    kings: &'static Kings,
    /// Gapless numbers before each pair of kings, and all of them.
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
        let oriented = self.kings.oriented(men[0], men[1]);
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
        let pawns: Vec<usize> = (2..men.len()).filter(|&man| men[man].1 == PAWN).collect();
        let kings: &Kings = if pawns.is_empty() { &PAWNLESS } else { &WITH_PAWNS };
        let mut offsets = vec![0];
        for pair in 0..kings.len() {
            let lead = kings.squares(pair).iter().fold(0, |set, &square| set | 1 << square);
            let is_folded = pawns.is_empty() && pair >= FIRST_DIAGONAL;
            let len = if is_folded { Gapless::folded_len } else { Gapless::len };
            offsets.push(offsets[pair] + len(&gapless, lead));
        }
        Ok(ChessSpace {
            pawns,
            kings,
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
        let pairs = if self.has_pawns() { 64 * 64 } else { self.kings.len() };
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
        let mover = turn.mover();
        let occupied = self.occupied(&place.men);
        for piece in &self.pieces[mover.index()] {
            let mut targets = reach(mover, piece.kind, place.men[piece.man], occupied) & !occupied;
            let others = place.cell & !(63 << piece.shift);
            while targets != 0 {
                let cell = moved(others, piece, &place.men, targets.trailing_zeros() as u8);
                targets &= targets - 1;
                if !visit(cell) {
                    return false;
                }
            }
        }
        let king = mover.index();
        let other = reach(mover, KING, place.men[1 - king], 0);
        let targets = reach(mover, KING, place.men[king], 0) & !occupied & !other;
        if self.has_pawns() {
            let shift = self.bits + if king == 0 { 6 } else { 0 };
            let others = place.cell & !(63 << shift);
            squares(targets).all(|target| visit(others | usize::from(target) << shift))
        } else {
            squares(targets).all(|target| self.step(place, king, target, turn, visit))
        }
    }

    fn conversions(&self, men: &Men, mover: Side, visit: &mut impl FnMut(Irreversible, Reached)) {
        let occupied = self.occupied(men);
        let enemies = (2..self.roster.men.len()).filter(|&man| self.roster.men[man].0 != mover);
        let enemies = enemies.fold(0u64, |set, man| set | 1 << men[man]);
        for man in (0..self.roster.men.len()).filter(|&man| self.roster.men[man].0 == mover) {
            let kind = self.roster.men[man].1;
            for target in squares(reach(mover, kind, men[man], occupied) & enemies) {
                let victim = (2..self.roster.men.len()).find(|&man| men[man] == target);
                self.leave(men, (man, target), victim, visit);
            }
            if kind == PAWN {
                self.push(men, man, occupied, visit);
            }
        }
    }

    fn en_passant(&self, men: &Men, mover: Side, passed: u8, visit: &mut impl FnMut(Reached)) {
        // The pawn stands a rank beyond, as its side sees it.
        let stands = if mover == Side::First { passed - 8 } else { passed + 8 };
        let victim =
            self.pawns.iter().copied().find(|&man| self.roster.men[man].0 != mover && men[man] == stands);
        for &man in self.pawns.iter().filter(|&&man| self.roster.men[man].0 == mover) {
            if victim.is_none() || reach(mover, PAWN, men[man], 0) >> passed & 1 == 0 {
                continue;
            }
            let mut after = *men;
            after[man] = passed;
            if !self.is_attacked(&after, mover, victim) {
                self.reached(&after, victim, None, mover.other()).into_iter().for_each(&mut *visit);
            }
        }
    }

    fn gapless_len(&self) -> u64 {
        self.offsets[self.offsets.len() - 1]
    }

    fn gapless_index(&self, men: &Men) -> u64 {
        let (pair, men) = self.oriented(men);
        let lead = 1 << men[0] | 1 << men[1];
        let is_folded = !self.has_pawns() && pair >= FIRST_DIAGONAL;
        let rank = if is_folded { Gapless::folded_rank } else { Gapless::rank };
        self.offsets[pair] + rank(&self.gapless, &men, lead)
    }

    fn gapless_men(&self, index: u64) -> Option<Men> {
        let pair = self.offsets.partition_point(|&offset| offset <= index) - 1;
        let mut men = Men::default();
        [men[0], men[1]] = self.kings.squares(pair);
        let lead = 1 << men[0] | 1 << men[1];
        let is_folded = !self.has_pawns() && pair >= FIRST_DIAGONAL;
        let place = if is_folded { Gapless::folded_place } else { Gapless::place };
        place(&self.gapless, index - self.offsets[pair], &mut men, lead);
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
            let kind = ROLES.iter().position(|&role| role == piece.role)?;
            men.try_push((side, kind as u8, square as u8)).ok()?;
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
        let mut board = shakmaty::Board::empty();
        for (&(side, kind), &square) in self.roster.men.iter().zip(men) {
            board.set_piece_at(Square::new(u32::from(square)), ROLES[usize::from(kind)].of(color(side)));
        }
        format!("{} {} - - 0 1", board, color(to_move).char())
    }
}

/// Returns where a man attacks.
#[inline]
fn reach(side: Side, kind: u8, square: u8, occupied: u64) -> u64 {
    let (at, occupied) = (Square::new(u32::from(square)), Bitboard(occupied));
    let reached = match kind {
        0 => attacks::king_attacks(at),
        1 => attacks::queen_attacks(at, occupied),
        2 => attacks::rook_attacks(at, occupied),
        3 => attacks::bishop_attacks(at, occupied),
        4 => attacks::knight_attacks(at),
        _ => attacks::pawn_attacks(color(side), at),
    };
    reached.0
}

fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            square
        })
    })
}

impl ChessSpace {
    /// Returns whether a side's king is attacked, ignoring a captured man.
    fn is_attacked(&self, men: &Men, side: Side, victim: Option<usize>) -> bool {
        let king = 1 << men[side.index()];
        let mut occupied = 0;
        for man in (0..self.roster.men.len()).filter(|&man| Some(man) != victim) {
            occupied |= 1 << men[man];
        }
        (0..self.roster.men.len()).any(|man| {
            let (of, kind) = self.roster.men[man];
            of != side && Some(man) != victim && reach(of, kind, men[man], occupied) & king != 0
        })
    }

    /// A king's step without pawns. A step off the diagonal of both kings is one step of each twin, and is taken back
    /// from one side only: from the other side the twin takes it back. A step onto it leads to one twin, and is taken
    /// back from both.
    fn step(
        &self,
        place: &Indexed,
        king: usize,
        target: u8,
        turn: Turn,
        visit: &mut impl FnMut(usize) -> bool,
    ) -> bool {
        let mut men = place.men;
        men[king] = target;
        let oriented = PAWNLESS.oriented(men[0], men[1]);
        let pair = usize::from(oriented.pair);
        // Most steps leave the board's orientation, and with it all other men of the cell.
        let cell = match oriented.symmetry {
            0 => pair << self.bits | place.cell & ((1 << self.bits) - 1),
            symmetry => self.cell(pair, &self.image(&men, symmetry)),
        };
        if matches!(turn, Turn::Back(_)) {
            let (is_diagonal, was_diagonal) = (self.is_diagonal(cell), self.is_diagonal(place.cell));
            if was_diagonal && !is_diagonal && target > reflect(target) {
                return true;
            }
            if is_diagonal && !was_diagonal {
                let twin = self.reflected(&self.image(&men, oriented.symmetry));
                return visit(cell) && visit(self.cell(pair, &twin));
            }
        }
        visit(cell)
    }

    /// Plays a capture or a pawn's step, with each promotion where it ends on the last rank.
    fn leave(
        &self,
        men: &Men,
        (man, target): (usize, u8),
        victim: Option<usize>,
        visit: &mut impl FnMut(Irreversible, Reached),
    ) {
        let (mover, kind) = self.roster.men[man];
        let mut after = *men;
        after[man] = target;
        if self.is_attacked(&after, mover, victim) {
            return;
        }
        let to_move = mover.other();
        let mut convert = |promotion| {
            let reached = self.reached(&after, victim, promotion, to_move);
            reached.into_iter().for_each(|reached| visit(Irreversible::Conversion, reached));
        };
        if kind == PAWN && !(8..56).contains(&target) {
            (1..PAWN).for_each(|promoted| convert(Some((man, promoted))));
        } else if victim.is_some() {
            convert(None);
        } else {
            let is_double = men[man].abs_diff(target) == 16;
            let en_passant = is_double.then_some((men[man] + target) / 2);
            visit(Irreversible::Push, Reached { target: Target::Own, men: after, to_move, en_passant });
        }
    }

    fn push(&self, men: &Men, man: usize, occupied: u64, visit: &mut impl FnMut(Irreversible, Reached)) {
        let ahead = |square: u8| if self.roster.men[man].0 == Side::First { square + 8 } else { square - 8 };
        let is_free = |square: u8| occupied >> square & 1 == 0;
        let home = if self.roster.men[man].0 == Side::First { 1 } else { 6 };
        let one = ahead(men[man]);
        if !is_free(one) {
            return;
        }
        self.leave(men, (man, one), None, visit);
        if men[man] >> 3 == home && is_free(ahead(one)) {
            self.leave(men, (man, ahead(one)), None, visit);
        }
    }
}

/// Returns the cell in which a piece has moved; like men are kept in order.
#[inline]
fn moved(others: usize, piece: &Piece, men: &Men, target: u8) -> usize {
    let Some(partner) = piece.partner else { return others | usize::from(target) << piece.shift };
    let stays = men[partner.man];
    let (low, high) = (usize::from(stays.min(target)), usize::from(stays.max(target)));
    let rest = others & !(63 << partner.shift);
    // The earlier man has the higher shift and the lower square.
    rest | low << piece.shift.max(partner.shift) | high << piece.shift.min(partner.shift)
}

const PAWN: u8 = 5;

/// A man other than king and pawn, and its 6 bits of a cell.
#[derive(Debug, Clone, Copy)]
struct Piece {
    man: usize,
    kind: u8,
    shift: u32,
    /// The other man of its kind, whose square is the higher if `is_lower`, and its shift.
    partner: Option<Partner>,
}

#[derive(Debug, Clone, Copy)]
struct Partner {
    man: usize,
    shift: u32,
}
