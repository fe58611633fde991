//! The rules of a game, as everything that plays moves uses them.

use std::fmt;

use super::{FenError, GameId, Key, Lock, Move, MoveList, Side, Verdict};

/// The rules of one game. A value is one position.
///
/// To keep a position, clone it and play on the clone. Nothing in a position depends on the moves that led to it, so
/// transpositions have equal keys.
pub trait Game: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Which game this is.
    const ID: GameId;

    /// Returns the starting position.
    fn start() -> Self;

    /// Parses a FEN strictly.
    ///
    /// # Errors
    /// [`FenError`] with its own reason for each broken rule.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// Returns the FEN of the position, all fields.
    fn to_fen(&self) -> String;

    /// Returns the side to move.
    fn side(&self) -> Side;

    /// Returns the key, updated with each move.
    fn key(&self) -> Key;

    /// Returns the lock, updated with each move.
    fn lock(&self) -> Lock;

    /// Returns (key, lock) computed from the pieces; [`Game::key`] and [`Game::lock`] must equal it.
    fn hash_from_scratch(&self) -> (Key, Lock);

    /// Fills `moves` with all legal moves, in an order that only depends on the position.
    fn legal_moves(&self, moves: &mut MoveList);

    /// Returns the number of legal moves. A game that can count them without a list overrides this.
    fn count_legal_moves(&self) -> usize {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// Returns whether a move code, valid or not, is legal here.
    fn is_legal(&self, m: Move) -> bool;

    /// Plays a move. The caller promises that it is legal.
    fn play_unchecked(&mut self, m: Move);

    /// Returns whether the side to move is in check.
    fn is_check(&self) -> bool;

    /// Returns whether no sequence of moves leads to mate.
    fn has_insufficient_material(&self) -> bool;

    /// Returns why the game is over, if the position alone decides it.
    fn verdict(&self) -> Option<Verdict>;
}

/// Returns the number of leaves of the legal move tree, without playing the last ply.
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 {
        return position.count_legal_moves() as u64;
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
        .iter()
        .map(|&m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            perft(&next, depth - 1)
        })
        .sum()
}
