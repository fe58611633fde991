//! Chess: material and squares, mobility, attacks on the king, pawn structure, from middlegame to endgame.
//!
//! In comes a position, out go centipawns for the side to move; a position and its colour-swapped mirror get the same.

use shakmaty::{Bitboard, Board, Color, Position as _, Role, Square, attacks};

use super::chess_tables as tables;
use super::tapered::{Pair, pair};
use super::{Evaluate, Exchange, Standard};
use crate::chess::Chess;
use crate::game::{Game, Move};

impl Evaluate<Chess> for Standard {
    fn centipawns(&self, position: &Chess) -> i32 {
        let game = position.board();
        let board = game.board();
        if game.is_insufficient_material() {
            return 0;
        }
        let sides = [View::new(board, Color::White), View::new(board, Color::Black)];
        let mut total = sides[0].worth(&sides[1]) - sides[1].worth(&sides[0]);
        total.end += sides[0].drives(&sides[1]) - sides[1].drives(&sides[0]);
        let white = total.at(phase(board), tables::FULL_PHASE);
        tables::TEMPO + if game.turn().is_white() { white } else { -white }
    }

    fn exchange(&self, position: &Chess, m: Move) -> Option<Exchange> {
        // Bits 14–12 of a chess move code name the piece a pawn becomes: 1 knight … 4 queen.
        let promotion = match usize::from(m.0 >> 12 & 7) {
            0 => 0,
            role => tables::EXCHANGE[role] - tables::EXCHANGE[0],
        };
        let Some(capture) = position.capture(m) else {
            return (promotion > 0).then_some(Exchange { gain: promotion, risk: 0 });
        };
        let value = |rank: u8| tables::EXCHANGE[usize::from(rank)];
        let (gain, stake) = (promotion + value(capture.victim), value(capture.attacker));
        let is_safe = stake > gain && !is_guarded(position, m);
        Some(Exchange { gain, risk: if is_safe { 0 } else { stake } })
    }

    fn zugzwang_threatens(&self, position: &Chess) -> bool {
        let board = position.board().board();
        (position.board().us() & !board.pawns() & !board.kings()).is_empty()
    }
}

/// One side's pieces, and what they see.
struct View<'a> {
    board: &'a Board,
    color: Color,
    own: Bitboard,
    pawns: Bitboard,
    pawn_attacks: Bitboard,
    king: Square,
}

impl<'a> View<'a> {
    fn new(board: &'a Board, color: Color) -> View<'a> {
        let own = board.by_color(color);
        let pawns = own & board.pawns();
        // Both kings stand on the board in every position that `Chess` can hold.
        let king = board.king_of(color).unwrap_or(Square::A1);
        View { board, color, own, pawns, pawn_attacks: pawn_attacks(pawns, color), king }
    }

    fn worth(&self, other: &View) -> Pair {
        let mut sum = self.pieces(other);
        for pawn in self.pawns {
            sum += self.pawn(pawn, other);
        }
        if (self.own & self.board.bishops()).count() >= 2 {
            sum += tables::BISHOP_PAIR;
        }
        let shield = attacks::king_attacks(self.king) & self.pawns & ahead(self.color, self.king);
        sum += tables::SHIELD * shield.count() as i32;
        sum
    }

    /// Material, squares, mobility, rooks on files, and the pressure on the other king.
    fn pieces(&self, other: &View) -> Pair {
        let occupied = self.board.occupied();
        let room = !self.own & !other.pawn_attacks;
        let ring = attacks::king_attacks(other.king);
        let (mut sum, mut pressure, mut attackers) = (pair(0, 0), 0, 0);
        for square in self.own {
            let Some(role) = self.board.role_at(square) else { continue };
            let index = role as usize - 1;
            sum += tables::SQUARES[index][relative(self.color, square)];
            let seen = match role {
                Role::Pawn | Role::King => continue,
                Role::Knight => attacks::knight_attacks(square),
                Role::Bishop => attacks::bishop_attacks(square, occupied),
                Role::Rook => attacks::rook_attacks(square, occupied),
                Role::Queen => attacks::queen_attacks(square, occupied),
            };
            let free = (seen & room).count() as i32;
            sum += tables::MOBILITY[index] * (free - tables::USUAL_MOBILITY[index]);
            let near = (seen & ring).count() as i32;
            pressure += near * tables::KING_ATTACK[index];
            attackers += i32::from(near > 0);
            if role == Role::Rook {
                sum += self.rook_file(square, other);
            }
        }
        // A single attacker mates nobody.
        if attackers >= 2 {
            let loss = pressure * pressure / tables::KING_ATTACK_DIVISOR;
            sum.middle += loss.min(tables::KING_ATTACK_BOUND);
        }
        sum
    }

    fn rook_file(&self, rook: Square, other: &View) -> Pair {
        let file = Bitboard::from_file(rook.file());
        match ((file & self.pawns).is_empty(), (file & other.pawns).is_empty()) {
            (true, true) => tables::ROOK_OPEN_FILE,
            (true, false) => tables::ROOK_HALF_OPEN_FILE,
            (false, _) => pair(0, 0),
        }
    }

    fn pawn(&self, pawn: Square, other: &View) -> Pair {
        let mut sum = pair(0, 0);
        let file = Bitboard::from_file(pawn.file());
        let beside = neighbours(file);
        let front = ahead(self.color, pawn);
        if !(self.pawns & file & front).is_empty() {
            sum += tables::DOUBLED;
        } else if (other.pawns & (file | beside) & front).is_empty() {
            sum += self.passed(pawn, other);
        }
        if (self.pawns & beside).is_empty() {
            sum += tables::ISOLATED;
        }
        sum
    }

    fn passed(&self, pawn: Square, other: &View) -> Pair {
        let rank = relative(self.color, pawn) / 8;
        let mut bonus = tables::PASSED[rank];
        let next = pawn.offset(if self.color.is_white() { 8 } else { -8 });
        let Some(next) = next else { return bonus };
        if self.board.occupied().contains(next) {
            bonus.end = bonus.end * tables::BLOCKED_PERCENT / 100;
        }
        let advanced = rank.saturating_sub(2) as i32;
        let race = other.king.distance(next) as i32 - self.king.distance(next) as i32;
        bonus.end += race * advanced * tables::KING_DISTANCE;
        bonus
    }

    /// What it is worth to drive a lone king to the edge and to come near it, so that won endings are won.
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
        tables::LONE_KING_EDGE * edge + tables::LONE_KING_NEAR * near
    }
}

/// Returns whether the opponent attacks the target of a move, the moving piece away from its origin.
fn is_guarded(position: &Chess, m: Move) -> bool {
    let game = position.board();
    let target = Square::new(u32::from(m.0 & 63));
    let origin = Square::new(u32::from(m.0 >> 6 & 63));
    let occupied = game.board().occupied().without(origin);
    !game.board().attacks_to(target, !game.turn(), occupied).is_empty()
}

/// Returns 24 with all pieces on the board, 0 with none.
fn phase(board: &Board) -> i32 {
    let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let count = |role: Role| board.by_role(role).count() as i32 * tables::PHASE[role as usize - 1];
    roles.map(count).iter().sum::<i32>().min(tables::FULL_PHASE)
}

/// Returns the square as its side sees it, a1 = 0.
fn relative(color: Color, square: Square) -> usize {
    let flip = if color.is_white() { 0 } else { 56 };
    square as usize ^ flip
}

/// Returns all squares on the ranks before a square, as its side moves.
fn ahead(color: Color, square: Square) -> Bitboard {
    let rank = square.rank() as u32;
    let all = u64::MAX;
    Bitboard(if color.is_white() {
        all.checked_shl(8 * (rank + 1)).unwrap_or(0)
    } else {
        !(all << (8 * rank))
    })
}

fn neighbours(file: Bitboard) -> Bitboard {
    let not_a = !Bitboard::from_file(shakmaty::File::A);
    let not_h = !Bitboard::from_file(shakmaty::File::H);
    Bitboard((file & not_h).0 << 1 | (file & not_a).0 >> 1)
}

fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    let sideways = neighbours(pawns);
    Bitboard(if color.is_white() { sideways.0 << 8 } else { sideways.0 >> 8 })
}

#[cfg(test)]
mod tests;
