//! Chess: material and squares, mobility, pawns, threats, attacks on the king, from middlegame to endgame.
//!
//! Scores are centipawns for the side to move; a position and its colour-swapped mirror get the same score.
//! This file and `pawns` count the terms; `numbers` has their values.

mod exchange;
mod numbers;
mod pawns;
mod terms;
mod view;

use shakmaty::{Bitboard, Board, Color, Position as _, Role, Square};

use super::{Evaluate, MaterialTable, Pair, Standard, Sum};
use crate::chess::Chess;
use crate::game::Move;
use numbers::NUMBERS;
use pawns::{PawnTable, Structure, relative};
use view::{View, danger_level};

/// Weight of each piece in the game phase; 24 in total at the start.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;
/// A lone king loses this per step from the centre, and its opponent gains per step towards it, in centipawns.
const LONE_KING_EDGE: i32 = 12;
const LONE_KING_NEAR: i32 = 6;
/// Percentage of an advantage that counts: with bishops of opposite colours only; and if the stronger side has no pawns
/// and is at most a minor piece ahead.
const OPPOSITE_BISHOPS_PERCENT: i32 = 55;
const NO_PAWNS_PERCENT: i32 = 15;
/// The same with only rook pawns of one file, if a lone king holds a corner that no bishop covers.
const CORNER_PERCENT: i32 = 5;
/// By role, knight first.
const MOBILITY: [usize; 4] =
    [terms::KNIGHT_MOBILITY, terms::BISHOP_MOBILITY, terms::ROOK_MOBILITY, terms::QUEEN_MOBILITY];

impl Evaluate<Chess> for Standard {
    type Memory = ChessTables;

    fn memory(&self) -> ChessTables {
        ChessTables { pawns: PawnTable::new(), materials: MaterialTable::new() }
    }

    fn judge(&self, position: &Chess, memory: &mut ChessTables) -> i32 {
        let game = position.board();
        let board = game.board();
        let material = memory.materials.look_up(men(board), || Material::of(board));
        if material.may_be_dead && game.is_insufficient_material() {
            return 0;
        }
        let mut sum = Sum::new(&NUMBERS);
        let structure = memory.pawns.look_up(board);
        sum.total += structure.worth;
        let sides = both(game, &structure);
        add_terms(&sides, &structure, &mut sum);
        let mut total = sum.total;
        total.end += sides[0].drives(&sides[1]) - sides[1].drives(&sides[0]);
        let white = total.at(material.phase, FULL_PHASE) * percent(&sides, &material, total) / 100;
        NUMBERS[terms::TEMPO].at(material.phase, FULL_PHASE)
            + if game.turn().is_white() { white } else { -white }
    }

    fn gain(&self, position: &Chess, m: Move) -> Option<i32> {
        exchange::gain(position, m)
    }

    fn holds(&self, position: &Chess, m: Move, least: i32) -> bool {
        exchange::holds(position, m, least)
    }

    fn zugzwang_threatens(&self, position: &Chess) -> bool {
        let board = position.board().board();
        (position.board().us() & !board.pawns() & !board.kings()).is_empty()
    }
}

/// The caches of a chess evaluation.
#[derive(Default)]
pub struct ChessTables {
    pawns: PawnTable,
    materials: MaterialTable<Material>,
}

/// Facts that depend on the numbers of men alone.
#[derive(Clone, Copy, Default)]
pub struct Material {
    /// 24 with all pieces on the board, 0 with none.
    phase: i32,
    /// Pieces besides pawns and kings, in centipawns, white's and black's.
    force: [i32; 2],
    /// Knights and bishops alone are left; it depends on where they stand.
    may_be_dead: bool,
}

impl Material {
    fn of(board: &Board) -> Material {
        let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        let count = |role: Role| board.by_role(role).count() as i32 * PHASE[role as usize - 1];
        let force = |own: Bitboard| {
            let worth =
                |role: Role| (own & board.by_role(role)).count() as i32 * exchange::VALUES[role as usize - 1];
            roles.map(worth).iter().sum()
        };
        Material {
            phase: roles.map(count).iter().sum::<i32>().min(FULL_PHASE),
            force: [force(board.white()), force(board.black())],
            may_be_dead: (board.pawns() | board.rooks_and_queens()).is_empty(),
        }
    }
}

/// Returns how many men of each kind there are, white's and black's: at most ten of one kind.
fn men(board: &Board) -> impl Iterator<Item = u64> + '_ {
    let count = |role: Role, own: Bitboard| (own & board.by_role(role)).count() as u64;
    Role::ALL[..5].iter().flat_map(move |&role| [count(role, board.white()), count(role, board.black())])
}

fn both<'a>(game: &'a shakmaty::Chess, structure: &Structure) -> [View<'a>; 2] {
    [View::new(game, Color::White, structure), View::new(game, Color::Black, structure)]
}

fn add_terms(sides: &[View; 2], structure: &Structure, sum: &mut Sum) {
    let [white, black] = sides;
    for (side, other) in [(white, black), (black, white)] {
        side.add_pieces(other, sum);
        side.add_danger(other, sum);
        side.add_threats(other, sum);
        side.add_passed(other, structure.passed, sum);
        side.add_shelter(other, sum);
        side.add_wing(other, sum);
        side.add_steps(other, sum);
    }
}

impl View<'_> {
    /// Material, squares, mobility, and terms of rooks and bishops that depend on pawns.
    fn add_pieces(&self, other: &View, sum: &mut Sum) {
        let room = !(self.pawns | Bitboard::from(self.king)) & !other.seen[0];
        sum.add(terms::SQUARES + 5 * 64 + relative(self.color, self.king), self.sign);
        for &(role, square, seen) in &self.pieces {
            let index = role as usize - 2;
            sum.add(terms::SQUARES + (index + 1) * 64 + relative(self.color, square), self.sign);
            sum.add(MOBILITY[index] + (seen & room).count(), self.sign);
            match role {
                Role::Rook => self.add_rook(square, other, sum),
                Role::Knight | Role::Bishop => self.add_minor(role, square, other, sum),
                _ => {}
            }
        }
        if self.of(Role::Bishop).more_than_one() {
            sum.add(terms::BISHOP_PAIR, self.sign);
        }
        let minors = self.of(Role::Knight) | self.of(Role::Bishop);
        let behind = (self.forward(minors) & self.board.pawns()).count() as i32;
        sum.add(terms::BEHIND_PAWN, self.sign * behind);
    }

    fn add_rook(&self, rook: Square, other: &View, sum: &mut Sum) {
        let file = Bitboard::from_file(rook.file());
        match ((file & self.pawns).is_empty(), (file & other.pawns).is_empty()) {
            (true, true) => sum.add(terms::ROOK_OPEN, self.sign),
            (true, false) => sum.add(terms::ROOK_HALF_OPEN, self.sign),
            (false, _) => {}
        }
        if relative(self.color, rook) / 8 == 6 {
            sum.add(terms::ROOK_SEVENTH, self.sign);
        }
    }

    fn add_minor(&self, role: Role, square: Square, other: &View, sum: &mut Sum) {
        let is_bishop = role == Role::Bishop;
        let distance = self.king.distance(square) as usize;
        let by_distance = if is_bishop { terms::BISHOP_DISTANCE } else { terms::KNIGHT_DISTANCE };
        sum.add(by_distance + distance, self.sign);
        if is_bishop {
            let colour = if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
            sum.add(terms::BISHOP_PAWNS, self.sign * (self.pawns & colour).count() as i32);
        }
        let rank = relative(self.color, square) / 8;
        let attackers = other.pawns
            & pawns::neighbours(Bitboard::from_file(square.file()))
            & pawns::ahead(self.color, square);
        if (3..6).contains(&rank) && self.seen[0].contains(square) && attackers.is_empty() {
            sum.add(terms::OUTPOST + usize::from(is_bishop), self.sign);
        }
    }

    fn add_danger(&self, other: &View, sum: &mut Sum) {
        let level = danger_level(self, other);
        if level > 0 {
            sum.add(terms::DANGER + level, self.sign);
        }
    }

    fn add_threats(&self, other: &View, sum: &mut Sum) {
        let minors = self.seen[1] | self.seen[2];
        for index in 0..5 {
            let victims = other.of(Role::ALL[index]);
            let count = |attackers: Bitboard| self.sign * (victims & attackers).count() as i32;
            if index > 0 {
                sum.add(terms::PAWN_ATTACKS + index, count(self.seen[0]));
            }
            sum.add(terms::MINOR_ATTACKS + index, count(minors));
            sum.add(terms::ROOK_ATTACKS + index, count(self.seen[3]));
            sum.add(terms::UNGUARDED + index, count(self.all_seen & !other.all_seen));
        }
    }

    fn add_passed(&self, other: &View, passed: Bitboard, sum: &mut Sum) {
        for pawn in passed & self.pawns {
            let rank = relative(self.color, pawn) / 8;
            let Some(next) = pawn.offset(if self.color.is_white() { 8 } else { -8 }) else { continue };
            if self.board.occupied().contains(next) {
                sum.add(terms::PASSED_BLOCKED + rank, self.sign);
            } else if !other.all_seen.contains(next) {
                sum.add(terms::PASSED_FREE + rank, self.sign);
            }
            if rank >= 3 {
                sum.add(terms::PASSED_OWN_KING + self.king.distance(next) as usize, self.sign);
                sum.add(terms::PASSED_OTHER_KING + other.king.distance(next) as usize, self.sign);
            }
        }
    }

    /// The pawns before the own king, on its file and the adjacent files.
    fn add_shelter(&self, other: &View, sum: &mut Sum) {
        let king_file = self.king.file() as i32;
        let before = pawns::ahead(self.color, self.king) | Bitboard::from_rank(self.king.rank());
        let middle = king_file.clamp(1, 6);
        for file in middle - 1..=middle + 1 {
            let here = Bitboard::from_file(shakmaty::File::new(file as u32)) & before;
            let rank = |pawns: Bitboard| {
                nearest(self.color, pawns & here).map_or(0, |at| relative(self.color, at) / 8)
            };
            let (own, theirs) = (rank(self.pawns), rank(other.pawns));
            let first = 8 * file.min(7 - file) as usize;
            sum.add(terms::SHELTER + first + own, self.sign);
            sum.add(terms::STORM + first + theirs, self.sign);
            if own > 0 && theirs == own + 1 {
                sum.add(terms::STORM_BLOCKED + theirs, self.sign);
            }
        }
        let file = Bitboard::from_file(self.king.file());
        if (file & self.pawns).is_empty() {
            let is_open = (file & other.pawns).is_empty();
            sum.add(if is_open { terms::KING_OPEN } else { terms::KING_HALF_OPEN }, self.sign);
        }
        let behind = if self.color.is_white() {
            self.pawns.0 >> 8 | self.pawns.0 >> 16
        } else {
            self.pawns.0 << 8 | self.pawns.0 << 16
        };
        let centre = Bitboard(0x003c_3c3c_3c3c_3c00 & behind) & !other.all_seen;
        sum.add(terms::SPACE, self.sign * centre.count() as i32);
    }

    /// Control of the wing of the own king, and rights to castle.
    fn add_wing(&self, other: &View, sum: &mut Sum) {
        let wing = self.wing();
        sum.add(terms::WING_SEEN + (wing & other.all_seen).count(), self.sign);
        sum.add(terms::WING_GUARDED, self.sign * (wing & self.seen_by_men()).count() as i32);
        sum.add(terms::CASTLING, self.sign * self.castles);
    }

    /// Squares that the other side cannot use freely, and pawns that threaten to drive its pieces away.
    fn add_steps(&self, other: &View, sum: &mut Sum) {
        let contested = self.all_seen & other.all_seen & !other.seen[0];
        sum.add(terms::CONTESTED, self.sign * contested.count() as i32);
        let steps = self.forward(self.pawns) & !self.board.occupied() & !other.seen[0];
        let safe = steps & (self.all_seen | !other.all_seen);
        let victims = other.own & !other.pawns & pawns::pawn_attacks(safe, self.color);
        sum.add(terms::STEP_ATTACKS, self.sign * victims.count() as i32);
    }

    /// Bonus for driving a lone king to the edge and coming near it, so that won endings are won.
    fn drives(&self, other: &View) -> i32 {
        let is_lone = other.own.count() == 1;
        let has_force =
            !(self.own & self.board.rooks_and_queens()).is_empty() || (self.own & !self.pawns).count() >= 3;
        if !is_lone || !has_force {
            return 0;
        }
        let from_centre = |n: i32| (2 * n - 7).abs() / 2;
        let edge = from_centre(other.king.file() as i32) + from_centre(other.king.rank() as i32);
        let near = 7 - self.king.distance(other.king) as i32;
        LONE_KING_EDGE * edge + LONE_KING_NEAR * near
    }
}

/// Returns the percentage of an advantage that counts: less than 100 where it is hard to win.
fn percent(sides: &[View; 2], material: &Material, total: Pair) -> i32 {
    let [white, black] = sides;
    let (strong, weak) = if total.end >= 0 { (0, 1) } else { (1, 0) };
    let ahead = material.force[strong] - material.force[weak];
    if sides[strong].pawns.is_empty() && ahead <= exchange::VALUES[2] {
        return NO_PAWNS_PERCENT;
    }
    let is_held = |corner: Square| sides[weak].own.count() == 1 && sides[weak].king.distance(corner) <= 1;
    if sides[strong].corner_needed().is_some_and(is_held) {
        return CORNER_PERCENT;
    }
    let bishops = [white, black].map(|side| side.of(Role::Bishop).single_square());
    if let [Some(a), Some(b)] = bishops
        && a.is_light() != b.is_light()
        && material.force == [exchange::VALUES[2]; 2]
    {
        return OPPOSITE_BISHOPS_PERCENT;
    }
    100
}

/// Returns the pawn that is nearest to a side's back rank.
fn nearest(color: Color, pawns: Bitboard) -> Option<Square> {
    if color.is_white() { pawns.first() } else { pawns.last() }
}

#[cfg(test)]
mod tests;
