//! A chess position with its key and lock.

use super::hash;
use super::moves::squares;
use crate::game::{Key, Lock, Move};
use shakmaty::{Position as _, Role};

/// A chess position with its key and lock.
#[derive(Debug, Clone)]
pub struct Chess {
    pub(super) board: shakmaty::Chess,
    /// What of the board is hashed besides pieces, kept so that a move looks at it once.
    pub(super) state: hash::State,
    /// Key and lock: see [`hash::key`].
    pub(super) hash: u128,
}

impl PartialEq for Chess {
    fn eq(&self, other: &Chess) -> bool {
        self.board == other.board
    }
}

impl Chess {
    /// Returns the position as `shakmaty` sees it.
    pub fn board(&self) -> &shakmaty::Chess {
        &self.board
    }

    /// Returns the position of a set-up board; `None` if it breaks a rule.
    pub fn from_setup(setup: shakmaty::Setup) -> Option<Chess> {
        setup.position(shakmaty::CastlingMode::Standard).ok().map(Chess::new)
    }

    pub(super) fn new(board: shakmaty::Chess) -> Chess {
        Chess { state: hash::State::of(&board), hash: hash::from_scratch(&board), board }
    }

    /// Plays a move in `shakmaty`'s form. Foretold is a key in which castling rights and en passant stay as they are: what
    /// becomes of them is known when the move has been played.
    pub(super) fn play_legal(&mut self, m: shakmaty::Move, foretell: impl FnOnce(Key)) {
        let pieces = hash::moved_pieces(&self.board, m);
        foretell(hash::key(self.hash ^ pieces ^ hash::turn()));
        self.board.play_unchecked(m);
        let state = hash::State::of(&self.board);
        self.hash ^= pieces ^ self.state.change_to(&state);
        self.state = state;
    }

    /// Returns key and lock after a legal move, as [`crate::game::Game::hash_after`] does.
    pub(super) fn hash_after_legal(&self, m: shakmaty::Move) -> Option<(Key, Lock)> {
        let change = self.state.is_kept_by(m).then(|| hash::moved_pieces(&self.board, m) ^ hash::turn())?;
        Some((hash::key(self.hash ^ change), hash::lock(self.hash ^ change)))
    }

    /// Returns `shakmaty`'s form of a move code, without asking whether it is legal; `None` where it cannot be.
    pub(super) fn decode(&self, m: Move) -> Option<shakmaty::Move> {
        let (from, to) = squares(m);
        let board = self.board.board();
        let role = board.role_at(from)?;
        let promotion = match m.0 >> 12 {
            0 => None,
            code @ 1..=4 => Some(Role::ALL[usize::from(code)]),
            _ => return None,
        };
        if promotion.is_none() && role == Role::King && self.board.us().contains(to) {
            return Some(shakmaty::Move::Castle { king: from, rook: to });
        }
        let capture = board.role_at(to);
        let is_plain = promotion.is_none() && capture.is_none();
        if is_plain && role == Role::Pawn && from.file() != to.file() {
            return Some(shakmaty::Move::EnPassant { from, to });
        }
        Some(shakmaty::Move::Normal { role, from, capture, to, promotion })
    }
}
