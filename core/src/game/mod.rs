//! Words and traits that chess and xiangqi share.
//!
//! In comes nothing; out go the small value types (`Side`, `Move`, `Key`, `Lock`, `Outcome`) that every
//! later room speaks, and the trait [`Game`] through which replay, search and perft see the rules of either game.
//! The rules themselves live in [`crate::chess`] and [`crate::xiangqi`].

mod ruling;
mod side;

use std::fmt;

use arrayvec::ArrayVec;
use thiserror::Error;

pub use ruling::{Article, RepetitionRule, Ruling};
pub use side::Side;

/// Longest list of legal moves of any position of either game (chess: 218, xiangqi: well below).
pub const MAX_MOVES: usize = 256;

/// A list of moves on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Which of the two games a file, a position or a run belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum GameId {
    /// Western chess.
    Chess = 0,
    /// Chinese chess.
    Xiangqi = 1,
}

impl GameId {
    /// The name used in files, on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            GameId::Chess => "chess",
            GameId::Xiangqi => "xiangqi",
        }
    }
}

/// 64-bit Zobrist key of a bare position: pieces, side to move and what else the rules make part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Key(pub u64);

/// 32-bit key from a second, independent table (the "hash lock").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Lock(pub u32);

/// A move in 16 bits; each game documents its own code. Code 0 never names a legal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Move(pub u16);

impl Move {
    /// "The game ended here or the ply limit was reached" in a tally; "no move" elsewhere.
    pub const NONE: Move = Move(0);
}

/// How a recorded game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Outcome {
    /// Not recorded.
    #[default]
    Unknown = 0,
    /// The first side won.
    FirstWins = 1,
    /// Drawn.
    Draw = 2,
    /// The second side won.
    SecondWins = 3,
}

/// Why play stops in a position, by the rules of its game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The side to move is in check and has no legal move: it has lost.
    Mate,
    /// No legal move and not in check: a draw in chess, a loss for the side to move in xiangqi.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
    /// Too many moves without progress: see [`Game::CLOCK_LIMIT`].
    MoveCount,
    /// The position has occurred too often; the ruling says what follows.
    Repetition(Ruling),
}

impl Verdict {
    /// Returns who wins where play stops with `side` to move; `None`: nobody.
    pub fn winner(self, game: GameId, side: Side) -> Option<Side> {
        match (self, game) {
            (Verdict::Mate, _) | (Verdict::Stalemate, GameId::Xiangqi) => Some(side.other()),
            (Verdict::Stalemate, GameId::Chess) | (Verdict::InsufficientMaterial | Verdict::MoveCount, _) => {
                None
            }
            (Verdict::Repetition(ruling), _) => ruling.loser.map(Side::other),
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

/// Kinds of the capturing and the captured piece, 0 = least valuable, for ordering captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capture {
    /// Rank by value of the piece that captures.
    pub attacker: u8,
    /// Rank by value of the piece that is captured.
    pub victim: u8,
}

/// Why a FEN was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("bad {game} FEN \"{fen}\": {reason}", game = .game.name())]
pub struct FenError {
    /// The game whose rules refused it.
    pub game: GameId,
    /// The text as given.
    pub fen: String,
    /// What is wrong, in words; each rule has its own.
    pub reason: String,
}

/// Why a move text or token was refused in a position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is not a move of this notation.
    #[error("\"{0}\" is not a move in this notation")]
    Syntax(String),
    /// No legal move fits.
    #[error("\"{0}\" is not legal here")]
    Illegal(String),
    /// More than one legal move fits.
    #[error("\"{0}\" fits more than one legal move")]
    Ambiguous(String),
}

/// Reads and writes moves of game `G` as text.
pub trait Notation<G: Game>: Sync {
    /// Name of the notation, as documents use it.
    fn name(&self) -> &'static str;
    /// Returns the legal move that `text` names in `position`.
    ///
    /// # Errors
    /// [`MoveError`] where the text is no move of this notation, or no one legal move fits it.
    fn parse(&self, position: &G, text: &str) -> Result<Move, MoveError>;
    /// Returns the text of a legal move.
    fn format(&self, position: &G, m: Move) -> String;
}

/// The rules of one game, seen by everything that plays moves.
///
/// A value is one position: copy it, then play on the copy (copy-make). Nothing in it depends on how the position
/// was reached, so keys of transposed positions are equal.
pub trait Game: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Which game this is.
    const ID: GameId;

    /// Plies without capture (chess: nor pawn move) after which a game is drawn.
    const CLOCK_LIMIT: usize;

    /// Checks of either side that [`Game::CLOCK_LIMIT`] counts; those beyond are free. `None`: it counts all.
    const COUNTED_CHECKS: Option<u8>;

    /// Squares or points of the board.
    const SQUARES: usize;

    /// Kinds of pieces.
    const KINDS: usize;

    /// A move as an archive wrote it, before the rules have seen it.
    type Token: Copy + PartialEq + fmt::Debug + Send + Sync;

    /// Returns the starting position.
    fn start() -> Self;

    /// Returns the position that a FEN describes; strict.
    ///
    /// # Errors
    /// [`FenError`] with its own reason for each broken rule.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// Returns the FEN of the position, all fields.
    fn to_fen(&self) -> String;

    /// Returns the side to move.
    fn side(&self) -> Side;

    /// Returns the key, kept up to date move by move.
    fn key(&self) -> Key;

    /// Returns the lock, kept up to date move by move.
    fn lock(&self) -> Lock;

    /// Returns (key, lock) computed anew from the pieces: what [`Game::key`] and [`Game::lock`] must equal.
    fn hash_from_scratch(&self) -> (Key, Lock);

    /// Returns the form under which books store the position. Chess has no mirror: always [`Symmetry::Itself`].
    fn folded(&self) -> Folded;

    /// Returns the left-right mirror of a move code; chess returns the move itself.
    fn mirror_move(m: Move) -> Move;

    /// Fills `moves` with all legal moves, in an order that only depends on the position.
    fn legal_moves(&self, moves: &mut MoveList);

    /// Returns the number of legal moves. A game that can count without listing them says how.
    fn count_legal_moves(&self) -> usize {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// Fills `moves` with the legal captures and promotions.
    fn noisy_moves(&self, moves: &mut MoveList);

    /// Fills `moves` with the legal moves that [`Game::noisy_moves`] leaves out.
    fn quiet_moves(&self, moves: &mut MoveList);

    /// Fills `moves` with those of [`Game::quiet_moves`] that give check.
    fn quiet_checks(&self, moves: &mut MoveList);

    /// Returns whether a legal move gives check, by playing it.
    fn gives_check(&self, m: Move) -> bool {
        let mut child = self.clone();
        child.play_unchecked(m);
        child.is_check()
    }

    /// Returns whether `m` (any code at all) is legal here.
    fn is_legal(&self, m: Move) -> bool;

    /// Plays a move. The caller promises that it is legal.
    fn play_unchecked(&mut self, m: Move) {
        self.play_foretold(m, |_| ());
    }

    /// Plays a move and tells, as early as it can, which key the position will most likely have: its place in a table can be
    /// fetched while the move is played. The caller promises that the move is legal.
    fn play_foretold(&mut self, m: Move, foretell: impl FnOnce(Key));

    /// Returns the position after the side to move passes (a null move), where the room offers it and the side to
    /// move is not in check. No rule allows it; the search uses it to ask what a threat is worth.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// Returns whether the side to move is in check.
    fn is_check(&self) -> bool;

    /// Returns whether no position before `m` can recur after it (a capture, a pawn move that cannot be undone …).
    fn is_irreversible(&self, m: Move) -> bool;

    /// Returns whether the plies that [`Game::CLOCK_LIMIT`] counts begin anew with `m`.
    fn resets_clock(&self, m: Move) -> bool;

    /// Returns the plies that [`Game::CLOCK_LIMIT`] had counted when the position was set up, as far as it knows.
    fn clock(&self) -> usize {
        0
    }

    /// Returns whether neither side can ever mate, whatever the moves.
    fn has_insufficient_material(&self) -> bool;

    /// Returns what a cycle amounts to: legal, reversible moves that lead from this position back to it.
    fn rule_on(&self, cycle: &[Move], rule: RepetitionRule) -> Ruling;

    /// Returns what a legal move captures, if anything.
    fn capture(&self, m: Move) -> Option<Capture>;

    /// Returns the rank by value, below [`Game::KINDS`], of the piece that a legal move moves, and the index of its target.
    fn arrival(&self, m: Move) -> (usize, usize);

    /// Returns why play stops here, if the position alone says so.
    fn verdict(&self) -> Option<Verdict>;

    /// Returns the legal move that an archive's token names.
    ///
    /// # Errors
    /// [`MoveError`] where no one legal move fits.
    fn resolve(&self, token: Self::Token) -> Result<Move, MoveError>;

    /// Plays the legal move that an archive's token names and returns its code.
    ///
    /// # Errors
    /// [`MoveError`] where no one legal move fits; the position is then unchanged.
    fn play_token(&mut self, token: Self::Token) -> Result<Move, MoveError> {
        let m = self.resolve(token)?;
        self.play_unchecked(m);
        Ok(m)
    }

    /// Returns the notations that moves of the game are written in, [`Game::coordinates`] first.
    fn notations() -> &'static [&'static dyn Notation<Self>];

    /// Returns the notation of a name, in either case.
    fn notation(name: &str) -> Option<&'static dyn Notation<Self>> {
        Self::notations().iter().copied().find(|notation| notation.name().eq_ignore_ascii_case(name))
    }

    /// Returns the notation that machines use: UCI for chess, 4-character ICCS for xiangqi.
    fn coordinates() -> &'static dyn Notation<Self>;

    /// Returns the move as the stored form of the position has it (see [`Folded`]).
    fn fold_move(symmetry: Symmetry, m: Move) -> Move {
        match symmetry {
            Symmetry::Itself => m,
            Symmetry::Mirrored => Self::mirror_move(m),
            Symmetry::SelfMirrored => m.min(Self::mirror_move(m)),
        }
    }
}

/// Returns the number of leaves of the legal move tree, the last ply counted without being played.
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
