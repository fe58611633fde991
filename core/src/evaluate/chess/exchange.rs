//! Static exchange evaluation of chess: a move and the captures on its target that follow it.
//!
//! Both sides capture with their least valuable piece first and stop when that is better. Pins are ignored.

use shakmaty::{Bitboard, Color, Position as _, Role, Square, attacks};

use crate::chess::{Chess, squares};
use crate::game::Move;

/// What a pawn, knight, bishop, rook, queen, king counts for in exchanges, in centipawns; chosen. Knights and bishops are
/// even: neither exchange loses.
pub(super) const VALUES: [i32; 6] = [100, 325, 325, 500, 950, 0];

/// Returns the value that a legal move captures and gains by promotion; `None` for a quiet move.
pub(super) fn gain(position: &Chess, m: Move) -> Option<i32> {
    let board = position.board().board();
    let (from, to) = squares(m);
    let promotion = promotion(m);
    if let Some(victim) = board.role_at(to) {
        let is_castling = board.by_color(position.board().turn()).contains(to);
        return (!is_castling).then(|| value(victim) + promotion);
    }
    if from.file() != to.file() && board.pawns().contains(from) {
        return Some(value(Role::Pawn));
    }
    (promotion > 0).then_some(promotion)
}

/// Returns whether a legal move gains at least `least`, all captures on its target considered.
pub(super) fn holds(position: &Chess, m: Move, least: i32) -> bool {
    let game = position.board();
    let board = game.board();
    let (from, to) = squares(m);
    let won = gain(position, m).unwrap_or(0);
    let Some(mover) = board.role_at(from) else { return least <= 0 };
    if mover == Role::King && board.by_color(game.turn()).contains(to) {
        return least <= 0;
    }
    let mut balance = won - least;
    if balance < 0 {
        return false;
    }
    balance -= value(mover) + promotion(m);
    if balance >= 0 {
        return true;
    }
    let mut occupied = board.occupied().without(from).with(to);
    if mover == Role::Pawn && from.file() != to.file() && board.role_at(to).is_none() {
        occupied = occupied.without(Square::from_coords(to.file(), from.rank()));
    }
    last_to_capture(board, to, occupied, !game.turn(), balance) != game.turn()
}

/// Returns the side that stops capturing on a square, where `side` is the next to capture. `balance` is the result of
/// the other side if its piece is captured, below zero.
#[inline]
fn last_to_capture(
    board: &shakmaty::Board,
    to: Square,
    mut occupied: Bitboard,
    mut side: Color,
    mut balance: i32,
) -> Color {
    let (diagonal, straight) = (board.bishops_and_queens(), board.rooks_and_queens());
    let mut attackers =
        board.attacks_to(to, Color::White, occupied) | board.attacks_to(to, Color::Black, occupied);
    loop {
        attackers &= occupied;
        let own = attackers & board.by_color(side);
        let Some((role, square)) = least_valuable(board, own) else { break };
        if role == Role::King && (attackers & board.by_color(!side)).any() {
            break;
        }
        occupied = occupied.without(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
        side = !side;
        balance = -balance - 1 - value(role);
        if balance >= 0 {
            break;
        }
    }
    side
}

fn least_valuable(board: &shakmaty::Board, own: Bitboard) -> Option<(Role, Square)> {
    Role::ALL.into_iter().find_map(|role| (own & board.by_role(role)).first().map(|square| (role, square)))
}

fn value(role: Role) -> i32 {
    VALUES[role as usize - 1]
}

/// Returns what a pawn gains by becoming another piece. Bits 14–12 of a code name it: 1 knight … 4 queen.
fn promotion(m: Move) -> i32 {
    match usize::from(m.0 >> 12 & 7) {
        0 => 0,
        role => VALUES[role.min(4)] - VALUES[0],
    }
}
