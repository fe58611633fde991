//! The rules of a game, as everything that plays moves uses them.

use std::fmt;

use crate::game::{
    Capture, FenError, GameId, Key, Lock, Move, MoveList, RepetitionRule, Ruling, Side, Verdict,
};

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

    /// Returns key and lock after a legal move whose effect on them is plain: it moves pieces and gives the turn over.
    /// `None` = play the move to know them.
    fn hash_after(&self, m: Move) -> Option<(Key, Lock)> {
        let _ = m;
        None
    }

    /// Hands on each legal move with [`Game::hash_after`].
    fn hashed_moves(&self, mut found: impl FnMut(Move, Option<(Key, Lock)>)) {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.iter().for_each(|&m| found(m, self.hash_after(m)));
    }

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

    /// Returns the position after a move. The caller promises that it is legal.
    fn after(&self, m: Move) -> Self {
        let mut next = self.clone();
        next.play_unchecked(m);
        next
    }

    /// Returns whether the side to move is in check.
    fn is_check(&self) -> bool;

    /// Returns whether no sequence of moves leads to mate.
    fn has_insufficient_material(&self) -> bool;

    /// Returns why the game is over, if the position alone decides it.
    fn verdict(&self) -> Option<Verdict> {
        if self.count_legal_moves() == 0 {
            return Some(if self.is_check() { Verdict::Mate } else { Verdict::Stalemate });
        }
        self.has_insufficient_material().then_some(Verdict::InsufficientMaterial)
    }
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
    moves.iter().map(|&m| perft(&position.after(m), depth - 1)).sum()
}

/// The rules that depend on the moves before a position: draws by move count, and repetitions.
pub trait HistoryRules: Game {
    /// Plies without capture (chess: nor pawn move) after which a game is drawn.
    const CLOCK_LIMIT: usize;

    /// Checks of either side that count towards [`HistoryRules::CLOCK_LIMIT`]; further checks do not. `None`: all count.
    const COUNTED_CHECKS: Option<u8>;

    /// Returns whether no earlier position can recur after `m`, for example after a capture.
    fn is_irreversible(&self, m: Move) -> bool;

    /// Returns whether `m` sets the move count of [`HistoryRules::CLOCK_LIMIT`] back to zero.
    fn resets_clock(&self, m: Move) -> bool;

    /// Returns the move count that the FEN of the position stated, 0 if unknown.
    fn clock(&self) -> usize {
        0
    }

    /// Judges a cycle: legal, reversible moves that lead from this position back to it.
    fn rule_on(&self, cycle: &[Move], rule: RepetitionRule) -> Ruling;
}

/// A game that lists and plays moves as a search needs them.
pub trait SearchMoves: Game {
    /// Number of squares or points of the board.
    const SQUARES: usize;

    /// Number of kinds of pieces.
    const KINDS: usize;

    /// Fills `moves` with the legal captures and promotions.
    fn noisy_moves(&self, moves: &mut MoveList);

    /// Fills `moves` with the legal moves that are not in [`SearchMoves::noisy_moves`].
    fn quiet_moves(&self, moves: &mut MoveList);

    /// Fills `moves` with the moves of [`SearchMoves::quiet_moves`] that give check.
    fn quiet_checks(&self, moves: &mut MoveList);

    /// Returns whether a legal move gives check, by playing it.
    fn gives_check(&self, m: Move) -> bool {
        self.after(m).is_check()
    }

    /// Plays a move and calls `foretell` with the likely new key as early as possible, so that the caller can prefetch a
    /// table entry meanwhile. The caller promises that the move is legal.
    fn play_foretold(&mut self, m: Move, foretell: impl FnOnce(Key));

    /// Returns the position after a null move, `None` in check or if the game does not offer it.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// Returns what a legal move captures, if anything.
    fn capture(&self, m: Move) -> Option<Capture>;

    /// Returns the rank by value, below [`SearchMoves::KINDS`], of the moving piece, and the index of its target.
    fn arrival(&self, m: Move) -> (usize, usize);
}

/// A game that the engine can search.
pub trait Searchable: SearchMoves + HistoryRules + Foldable {}

impl<G: SearchMoves + HistoryRules + Foldable> Searchable for G {}

/// A game whose positions a book stores together with their left-right mirror.
pub trait Foldable: Game {
    /// Returns the form under which books store the position. Chess has no mirror and always returns [`Symmetry::Itself`].
    fn folded(&self) -> Folded;

    /// Returns a number for where the pieces of a side stand: equal for equal placements and for their mirrors. The
    /// upper bits differ for most others.
    fn placement(&self, side: Side) -> u64;

    /// Returns which squares a side's pieces stand on, a bit for each; xiangqi has one bit for a square and its mirror, of
    /// which it tells whether one piece stands there.
    fn squares(&self, side: Side) -> u64;

    /// Returns whether a move that takes nothing may change the mover's [`Foldable::squares`] in these bits.
    fn may_change(squares: u64) -> bool;

    /// Returns the left-right mirror of a move code; chess returns the move itself.
    fn mirror_move(m: Move) -> Move;

    /// Returns the one of a move and its mirror that players usually write, for a position that is its own mirror. Both
    /// moves of a pair give the same.
    fn usual_move(&self, m: Move) -> Move {
        m
    }

    /// Returns the move of this position that a move of its stored form stands for: the inverse of
    /// [`Foldable::fold_move`], by the usual move of a pair.
    fn unfold_move(&self, symmetry: Symmetry, m: Move) -> Move {
        match symmetry {
            Symmetry::Itself => m,
            Symmetry::Mirrored => Self::mirror_move(m),
            Symmetry::SelfMirrored => self.usual_move(m),
        }
    }

    /// Returns the move in the stored form of the position (see [`Folded`]).
    fn fold_move(symmetry: Symmetry, m: Move) -> Move {
        match symmetry {
            Symmetry::Itself => m,
            Symmetry::Mirrored => Self::mirror_move(m),
            Symmetry::SelfMirrored => m.min(Self::mirror_move(m)),
        }
    }
}

/// A position as a book stores it: under the smaller (key, lock) of itself and its left-right mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Folded {
    /// Key of the stored form.
    pub key: Key,
    /// Lock of the stored form.
    pub lock: Lock,
    /// How the position relates to the stored form.
    pub symmetry: Symmetry,
}

/// How a position relates to the form under which it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// The position itself is stored.
    Itself,
    /// Its mirror is stored: moves are mirrored to match.
    Mirrored,
    /// It is its own mirror: of a move and its mirror, the smaller code is stored.
    SelfMirrored,
}
