//! The rules of chess, behind the traits of [`crate::game`]: `shakmaty` with move codes, keys and locks.
//!
//! Keys are Polyglot's, for books and other programs.
//!
//! Move code, 16 bits, Polyglot's layout (king takes own rook for castling):
//!
//! | bits | meaning |
//! |---|---|
//! | 14–12 | promotion: 0 none, 1 knight, 2 bishop, 3 rook, 4 queen |
//! | 11–6 | origin square, a1 = 0 … h8 = 63 |
//! | 5–0 | target square |

mod hash;
mod long;
mod moves;
mod notation;
mod position;
mod resolve;
pub mod san;
mod token;

use std::sync::LazyLock;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, EnPassantMode, Position as _, Role};

use crate::game::{
    Article, Capture, FenError, Foldable, Folded, Game, GameId, HistoryRules, Key, Lock, Move, MoveError,
    MoveList, Notated, Notation, RepetitionRule, Replayable, Ruling, SearchMoves, Side, Symmetry,
};

pub use long::LongNotation;
pub use moves::encode;
use moves::{Checks, Wanted};
pub(crate) use moves::{screens, squares};
pub use notation::{SanNotation, UciNotation};
pub use position::Chess;
pub use token::Token;

const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

impl Game for Chess {
    const ID: GameId = GameId::Chess;

    fn start() -> Chess {
        // Asked once a game: its keys are computed once.
        static START: LazyLock<Chess> = LazyLock::new(|| Chess::new(shakmaty::Chess::default()));
        START.clone()
    }

    fn from_fen(fen: &str) -> Result<Chess, FenError> {
        let refuse = |reason: String| FenError { game: GameId::Chess, fen: fen.to_owned(), reason };
        if fen.split_whitespace().next().is_some_and(|board| board.matches('/').count() != 7) {
            return Err(refuse(format!("a chess board has 8 ranks, as in {START_FEN}")));
        }
        let setup: Fen = fen.parse().map_err(|error| refuse(format!("{error}")))?;
        setup
            .into_position(CastlingMode::Standard)
            .map(Chess::new)
            .map_err(|error| refuse(format!("{error}")))
    }

    fn to_fen(&self) -> String {
        // The key has the square wherever a pawn stands to take there, even if it is pinned.
        Fen::from_position(&self.board, EnPassantMode::PseudoLegal).to_string()
    }

    fn side(&self) -> Side {
        if self.board.turn().is_white() { Side::First } else { Side::Second }
    }

    fn key(&self) -> Key {
        hash::key(self.hash)
    }

    fn lock(&self) -> Lock {
        hash::lock(self.hash)
    }

    fn hash_after(&self, m: Move) -> Option<(Key, Lock)> {
        self.hash_after_legal(self.decode(m)?)
    }

    fn hashed_moves(&self, mut found: impl FnMut(Move, Option<(Key, Lock)>)) {
        self.board.legal_moves().iter().for_each(|&m| found(encode(m), self.hash_after_legal(m)));
    }

    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        moves.extend(self.board.legal_moves().iter().map(|&m| encode(m)));
    }

    fn is_legal(&self, m: Move) -> bool {
        self.decode(m).is_some_and(|m| moves::allows(&self.board, m))
    }

    fn play_unchecked(&mut self, m: Move) {
        self.play_foretold(m, |_| ());
    }

    fn is_check(&self) -> bool {
        self.board.is_check()
    }

    fn has_insufficient_material(&self) -> bool {
        self.board.is_insufficient_material()
    }
}

impl HistoryRules for Chess {
    /// The fifty-move rule.
    const CLOCK_LIMIT: usize = 100;

    const COUNTED_CHECKS: Option<u8> = None;

    fn is_irreversible(&self, m: Move) -> bool {
        self.decode(m).is_some_and(|m| self.board.is_irreversible(m))
    }

    fn resets_clock(&self, m: Move) -> bool {
        self.decode(m).is_some_and(|m| m.is_zeroing())
    }

    fn clock(&self) -> usize {
        self.board.halfmoves() as usize
    }

    fn rule_on(&self, _cycle: &[Move], _rule: RepetitionRule) -> Ruling {
        Ruling::new(None, Article::Repetition)
    }
}

impl SearchMoves for Chess {
    const SQUARES: usize = 64;

    const KINDS: usize = 6;

    fn noisy_moves(&self, moves: &mut MoveList) {
        moves::generate(&self.board, Wanted::Noisy, moves);
    }

    fn quiet_moves(&self, moves: &mut MoveList) {
        moves::generate(&self.board, Wanted::Quiet, moves);
    }

    fn quiet_checks(&self, moves: &mut MoveList) {
        self.quiet_moves(moves);
        let Some(checks) = Checks::of(&self.board) else { return moves.clear() };
        moves.retain(|m| checks.by(*m).unwrap_or_else(|| self.gives_check(*m)));
    }

    fn play_foretold(&mut self, m: Move, foretell: impl FnOnce(Key)) {
        debug_assert!(self.is_legal(m), "{m:?} in {}", self.to_fen());
        if let Some(m) = self.decode(m) {
            self.play_legal(m, foretell);
        }
    }

    fn pass(&self) -> Option<Chess> {
        let board = self.board.clone().swap_turn().ok()?;
        let state = hash::State::of(&board);
        Some(Chess { hash: self.hash ^ self.state.change_to(&state), board, state })
    }

    fn capture(&self, m: Move) -> Option<Capture> {
        let m = self.decode(m)?;
        let rank = |role: Role| role as u8 - 1;
        m.capture().map(|victim| Capture { attacker: rank(m.role()), victim: rank(victim) })
    }

    fn arrival(&self, m: Move) -> (usize, usize) {
        let (from, to) = squares(m);
        let role = self.board.board().role_at(from).map_or(0, |role| role as usize - 1);
        (role, to as usize)
    }
}

impl Foldable for Chess {
    fn folded(&self) -> Folded {
        Folded { key: self.key(), lock: self.lock(), symmetry: Symmetry::Itself }
    }

    fn placement(&self, side: Side) -> u64 {
        let board = self.board.board();
        let own = board.by_color(shakmaty::Color::from_white(side == Side::First));
        Role::ALL.iter().fold(0, |sum: u64, &role| {
            (sum.rotate_left(32) ^ u64::from(own & board.by_role(role))).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    fn squares(&self, side: Side) -> u64 {
        self.board.board().by_color(shakmaty::Color::from_white(side == Side::First)).into()
    }

    fn may_change(squares: u64) -> bool {
        // Castling to the sides of king and queen, by the squares of the first rank.
        let is_castling = |ranks| matches!(ranks, 0b1111_0000 | 0b0001_1101);
        squares.count_ones() == 2 || is_castling(squares) || is_castling(squares.swap_bytes())
    }

    fn mirror_move(m: Move) -> Move {
        m
    }
}

impl Replayable for Chess {
    type Token = Token;

    fn resolve(&self, token: Token) -> Result<Move, MoveError> {
        resolve::resolve(&self.board, token).map(encode).map_err(|error| resolve::unresolved(token, error))
    }

    // Spares the way from shakmaty's move to the code and back.
    fn play_token(&mut self, token: Token) -> Result<Move, MoveError> {
        match resolve::resolve(&self.board, token) {
            Ok(m) => {
                self.play_legal(m, |_| ());
                Ok(encode(m))
            }
            Err(error) => Err(resolve::unresolved(token, error)),
        }
    }
}

impl Notated for Chess {
    fn notations() -> &'static [&'static dyn Notation<Chess>] {
        &[&UciNotation, &SanNotation]
    }

    fn coordinates() -> &'static dyn Notation<Chess> {
        &UciNotation
    }
}

#[cfg(test)]
mod tests;
