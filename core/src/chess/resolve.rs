//! Finds the one legal move that a parsed SAN names.
//!
//! Replays ask this once per ply, so all moves but en passant are resolved from the target square backwards, without
//! a list of moves; en passant uses `shakmaty`'s list. A test compares both ways.

use shakmaty::san::{San, SanError};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, CastlingSide, File, Move, Position, Rank, Role, Square, attacks};

use super::Token;
use crate::game::MoveError;

/// Returns the one legal move that a parsed SAN names.
///
/// Whether a move is written as a capture does not matter: the board knows. A pawn that leaves its file must name it.
pub(super) fn resolve(board: &shakmaty::Chess, token: Token) -> Result<Move, SanError> {
    match token.san() {
        San::Normal { role: Role::King, file, rank, to, promotion: None, .. } => {
            king_move(board, file, rank, to)
        }
        San::Normal { role, file, rank, to, promotion, .. } => {
            let from = if role == Role::Pawn { file.or(Some(to.file())) } else { file };
            let origins = origins(board, role, from, to)
                & from.map_or(Bitboard::FULL, Bitboard::from)
                & rank.map_or(Bitboard::FULL, Bitboard::from);
            match file {
                Some(file) if role == Role::Pawn && origins.is_empty() => {
                    unusual_pawn_move(board, file, rank, to, promotion)
                }
                _ => only_legal(board, role, origins, to, promotion),
            }
        }
        San::Castle(side) => castling(board, side),
        San::Put { .. } | San::Null => Err(SanError::IllegalSan),
    }
}

/// Returns why no move is found, with the text.
#[cold]
pub(super) fn unresolved(token: Token, error: SanError) -> MoveError {
    match error {
        SanError::IllegalSan => MoveError::Illegal(token.to_string()),
        SanError::AmbiguousSan => MoveError::Ambiguous(token.to_string()),
    }
}

fn king_move(
    board: &shakmaty::Chess,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
) -> Result<Move, SanError> {
    let from = board.our(Role::King).first().ok_or(SanError::IllegalSan)?;
    let is_named = file.is_none_or(|file| file == from.file()) && rank.is_none_or(|rank| rank == from.rank());
    let reaches = attacks::king_attacks(from).contains(to) && !board.us().contains(to);
    let occupied = board.board().occupied().without(from);
    match is_named && reaches && board.king_attackers(to, !board.turn(), occupied).is_empty() {
        true => Ok(Move::Normal {
            role: Role::King,
            from,
            capture: board.board().role_at(to),
            to,
            promotion: None,
        }),
        false => Err(SanError::IllegalSan),
    }
}

/// Returns castling to a side: allowed still, nothing in the way, and no square of the king's way attacked.
fn castling(board: &shakmaty::Chess, side: CastlingSide) -> Result<Move, SanError> {
    let us = board.turn();
    let king = board.our(Role::King).first().ok_or(SanError::IllegalSan)?;
    let rook = board.castles().rook(us, side).ok_or(SanError::IllegalSan)?;
    let occupied = board.board().occupied();
    let way = attacks::between(king, side.king_to(us)).with(king).with(side.king_to(us));
    let is_attacked = |square| board.king_attackers(square, !us, occupied).any();
    match (board.castles().path(us, side) & occupied).is_empty() && !way.into_iter().any(is_attacked) {
        true => Ok(Move::Castle { king, rook }),
        false => Err(SanError::IllegalSan),
    }
}

/// Returns the move where no pawn of ours goes from that file to `to` in the usual way: en passant, or, where the
/// origin is named in full, a move of another piece as UCI writes it.
#[cold]
fn unusual_pawn_move(
    board: &shakmaty::Chess,
    file: File,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Role>,
) -> Result<Move, SanError> {
    let en_passant = San::Normal { role: Role::Pawn, file: Some(file), rank, capture: true, to, promotion };
    match rank.map(|rank| Square::from_coords(file, rank)) {
        Some(from) if !board.our(Role::Pawn).contains(from) => {
            let uci = UciMove::Normal { from, to, promotion };
            uci.to_move(board).map_err(|_| SanError::IllegalSan)
        }
        _ => en_passant.to_move(board),
    }
}

/// Returns the squares from which one of our pieces of that kind moves to `to`, king safety aside; a pawn from `file`.
fn origins(board: &shakmaty::Chess, role: Role, file: Option<File>, to: Square) -> Bitboard {
    let occupied = board.board().occupied();
    if board.us().contains(to) {
        return Bitboard::EMPTY;
    }
    let reach = match role {
        Role::Knight => attacks::knight_attacks(to),
        Role::Bishop | Role::Rook | Role::Queen => {
            return unblocked(rays(role, to) & board.our(role), to, occupied);
        }
        Role::Pawn if file == Some(to.file()) => pushes(board, to),
        Role::Pawn if board.them().contains(to) => attacks::pawn_attacks(!board.turn(), to),
        Role::Pawn | Role::King => Bitboard::EMPTY,
    };
    reach & board.our(role)
}

/// Returns the sliders on the rays of a square that reach it. There are two at most as a rule: to
/// look at what stands between costs less than a large table of attacks, which the cache does not hold.
#[inline]
fn unblocked(sliders: Bitboard, to: Square, occupied: Bitboard) -> Bitboard {
    sliders.into_iter().filter(|&from| (attacks::between(from, to) & occupied).is_empty()).collect()
}

/// Returns the square from which a pawn of ours would be pushed to `to`.
fn pushes(board: &shakmaty::Chess, to: Square) -> Bitboard {
    let (back, double_rank) = if board.turn().is_white() { (-8, Rank::Fourth) } else { (8, Rank::Fifth) };
    let Some(one) = to.offset(back).filter(|_| !board.board().occupied().contains(to)) else {
        return Bitboard::EMPTY;
    };
    if board.board().occupied().contains(one) {
        return Bitboard::from(one);
    }
    match one.offset(back) {
        Some(two) if to.rank() == double_rank => Bitboard::from(two),
        _ => Bitboard::EMPTY,
    }
}

/// Returns the move from the only origin that leaves our king safe.
fn only_legal(
    board: &shakmaty::Chess,
    role: Role,
    origins: Bitboard,
    to: Square,
    promotion: Option<Role>,
) -> Result<Move, SanError> {
    let promotes = role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
    let promotion_fits = match promotion {
        None => !promotes,
        Some(Role::Knight | Role::Bishop | Role::Rook | Role::Queen) => promotes,
        Some(_) => false,
    };
    let mut only = None;
    for from in origins {
        if promotion_fits && is_king_safe(board, from, to) && only.replace(from).is_some() {
            return Err(SanError::AmbiguousSan);
        }
    }
    let from = only.ok_or(SanError::IllegalSan)?;
    Ok(Move::Normal { role, from, capture: board.board().role_at(to), to, promotion })
}

/// Returns whether nothing attacks our king once a piece other than the king has gone from `from` to `to`.
fn is_king_safe(board: &shakmaty::Chess, from: Square, to: Square) -> bool {
    let Some(king) = board.our(Role::King).first() else { return true };
    let attackers = board.them().without(to);
    let pieces = board.board();
    let steppers = attacks::knight_attacks(king) & pieces.knights()
        | attacks::pawn_attacks(board.turn(), king) & pieces.pawns();
    if (steppers & attackers).any() {
        return false;
    }
    // Most kings see no slider even on an empty board: only the others are worth a look at what stands between.
    let straight = pieces.rooks_and_queens() & rays(Role::Rook, king);
    let diagonal = pieces.bishops_and_queens() & rays(Role::Bishop, king);
    let occupied = pieces.occupied().without(from).with(to);
    unblocked((straight | diagonal) & attackers, king, occupied).is_empty()
}

/// Returns the squares that a slider attacks on the empty board.
#[inline]
fn rays(role: Role, square: Square) -> Bitboard {
    let (straight, diagonal) = (ROOK_RAYS[square as usize], BISHOP_RAYS[square as usize]);
    match role {
        Role::Rook => straight,
        Role::Bishop => diagonal,
        _ => straight | diagonal,
    }
}

/// Squares that a rook, a bishop on each square attacks on the empty board.
const ROOK_RAYS: [Bitboard; 64] = empty_board(true);
const BISHOP_RAYS: [Bitboard; 64] = empty_board(false);

const fn empty_board(straight: bool) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut pair = 0;
    while pair < 64 * 64 {
        let (square, other) = (pair / 64, pair % 64);
        let files = (other % 8) as i32 - (square % 8) as i32;
        let ranks = (other / 8) as i32 - (square / 8) as i32;
        let on_ray = if straight { files == 0 || ranks == 0 } else { files == ranks || files == -ranks };
        if on_ray && other != square {
            table[square].0 |= 1 << other;
        }
        pair += 1;
    }
    table
}

#[cfg(test)]
mod tests;
