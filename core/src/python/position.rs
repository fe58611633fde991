//! One position of either game for Python, the names of its notations, and perft.

use std::num::NonZeroU32;

use pyo3::prelude::*;
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Setup, Square};

use super::error::usage;
use super::game::{for_game, game_id};
use crate::chess::{Chess, SanNotation};
use crate::game::{
    Foldable, Folded, Game, GameId, Move, MoveError, MoveList, Notated, Notation, Symmetry, Verdict,
};
use crate::graph::stored;
use crate::xiangqi::Xiangqi;

/// One position of either game; immutable. `bb.as_position` makes one from any form.
#[pyclass(frozen, eq, from_py_object, module = "bookbuilder._core")]
#[derive(Clone, PartialEq)]
pub struct Position(pub(super) Either);

/// A position of whichever game.
#[derive(Clone, PartialEq)]
pub(super) enum Either {
    Chess(Chess),
    Xiangqi(Xiangqi),
}

/// Runs `$body` on the position of whichever game it is.
macro_rules! with {
    ($self:expr, $position:ident => $body:expr) => {
        match &$self.0 {
            Either::Chess($position) => $body,
            Either::Xiangqi($position) => $body,
        }
    };
}
pub(super) use with;

impl Position {
    /// Returns the form under which a tally or a book has the position.
    pub fn folded(&self, fold: bool) -> Folded {
        with!(self, position => stored(position, fold))
    }

    /// Returns which game it is of.
    pub fn id(&self) -> GameId {
        match self.0 {
            Either::Chess(_) => Chess::ID,
            Either::Xiangqi(_) => Xiangqi::ID,
        }
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (game, fen=None))]
    fn new(game: &str, fen: Option<&str>) -> PyResult<Position> {
        Ok(Position(match (game_id(game)?, fen) {
            (GameId::Chess, None) => Either::Chess(Chess::start()),
            (GameId::Chess, Some(fen)) => Either::Chess(Chess::from_fen(fen)?),
            (GameId::Xiangqi, None) => Either::Xiangqi(Xiangqi::start()),
            (GameId::Xiangqi, Some(fen)) => Either::Xiangqi(Xiangqi::from_fen(fen)?),
        }))
    }

    /// Return a chess position from bitboards; None if it breaks a rule.
    #[staticmethod]
    fn of_bitboards(
        roles: [u64; 6],
        colours: [u64; 2],
        castling: u64,
        is_white: bool,
        en_passant: Option<u8>,
        clocks: (u32, u32),
    ) -> Option<Position> {
        let [pawn, knight, bishop, rook, queen, king] = roles.map(Bitboard);
        let [black, white] = colours.map(Bitboard);
        let pieces = ByRole { pawn, knight, bishop, rook, queen, king };
        let setup = Setup {
            board: Board::try_from_bitboards(pieces, ByColor { black, white }).ok()?,
            turn: Color::from_white(is_white),
            castling_rights: Bitboard(castling),
            ep_square: en_passant.and_then(|square| Square::try_from(square).ok()),
            halfmoves: clocks.0,
            fullmoves: NonZeroU32::new(clocks.1)?,
            ..Setup::empty()
        };
        Chess::from_setup(setup).map(|position| Position(Either::Chess(position)))
    }

    /// The game.
    #[getter]
    fn game(&self) -> &'static str {
        self.id().name()
    }

    /// The position as FEN.
    #[getter]
    fn fen(&self) -> String {
        with!(self, position => position.to_fen())
    }

    /// The side to move: 0 White or Red, 1 Black.
    #[getter]
    fn side(&self) -> u8 {
        with!(self, position => position.side() as u8)
    }

    /// The 64-bit key. In chess it is Polyglot's key.
    #[getter]
    fn key(&self) -> u64 {
        with!(self, position => position.key().0)
    }

    /// A second key of 32 bits, which tells positions with the same `key` apart.
    #[getter]
    fn lock(&self) -> u32 {
        with!(self, position => position.lock().0)
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        with!(self, position => position.is_check())
    }

    /// Why the game is over, such as `mate` or `stalemate`; None = it goes on. `bb.judge` counts repetitions too.
    #[getter]
    fn verdict(&self) -> Option<&'static str> {
        with!(self, position => position.verdict()).map(|verdict| match verdict {
            Verdict::Mate => "mate",
            Verdict::Stalemate => "stalemate",
            Verdict::InsufficientMaterial => "insufficient material",
            Verdict::MoveCount => "move count",
            Verdict::Repetition(_) => "repetition",
        })
    }

    /// Return (key, lock) under which a book or a tally holds the position.
    fn stored(&self, fold: bool) -> (u64, u32) {
        let folded = self.folded(fold);
        (folded.key.0, folded.lock.0)
    }

    /// Return the code of a move as a tally row of this position holds it.
    fn stored_move(&self, code: u16, fold: bool) -> u16 {
        if !fold {
            return code;
        }
        with!(self, position => folded_move(position, code))
    }

    /// Return the move that such a code stands for here; in a position that is its own mirror the usual one of a pair.
    fn unfolded_move(&self, code: u16, fold: bool) -> u16 {
        if !fold || code == Move::NONE.0 {
            return code;
        }
        with!(self, position => position.unfold_move(position.folded().symmetry, Move(code)).0)
    }

    /// Return the codes of the legal moves.
    fn moves(&self) -> Vec<u16> {
        let mut moves = MoveList::new();
        with!(self, position => position.legal_moves(&mut moves));
        moves.iter().map(|m| m.0).collect()
    }

    /// Return the position after a legal move.
    fn play(&self, code: u16) -> PyResult<Position> {
        Ok(Position(match &self.0 {
            Either::Chess(position) => Either::Chess(played(position, code)?),
            Either::Xiangqi(position) => Either::Xiangqi(played(position, code)?),
        }))
    }

    /// Return the code of a legal move.
    #[pyo3(signature = (text, notation=None))]
    fn parse_move(&self, text: &str, notation: Option<&str>) -> PyResult<u16> {
        let parsed = match (&self.0, notation) {
            (Either::Chess(position), Some(name)) => named::<Chess>(name)?.parse(position, text),
            (Either::Xiangqi(position), Some(name)) => named::<Xiangqi>(name)?.parse(position, text),
            // UCI first: "b1c3" is no SAN, and no SAN is a UCI move of another meaning.
            (Either::Chess(position), None) => {
                Chess::coordinates().parse(position, text).or_else(|_| SanNotation.parse(position, text))
            }
            (Either::Xiangqi(position), None) => position.parse_move(text),
        };
        Ok(parsed?.0)
    }

    /// Return the text of a legal move.
    fn format_move(&self, code: u16, notation: &str) -> PyResult<String> {
        match &self.0 {
            Either::Chess(position) => formatted(position, code, named(notation)?),
            Either::Xiangqi(position) => formatted(position, code, named(notation)?),
        }
    }

    /// Return a legal move in UCI for chess, in 4-character ICCS for xiangqi.
    fn coordinates(&self, code: u16) -> PyResult<String> {
        match &self.0 {
            Either::Chess(position) => formatted(position, code, Chess::coordinates()),
            Either::Xiangqi(position) => formatted(position, code, Xiangqi::coordinates()),
        }
    }

    /// Return a legal move in SAN for chess, in ICCS for xiangqi.
    fn san(&self, code: u16) -> PyResult<String> {
        match &self.0 {
            Either::Chess(position) => formatted(position, code, Chess::readable()),
            Either::Xiangqi(position) => formatted(position, code, Xiangqi::readable()),
        }
    }

    fn _repr_svg_(slf: Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("bookbuilder.games.board_svg")?.call_method1("board_svg", (&slf,))?.extract()
    }

    fn __hash__(&self) -> u64 {
        self.key()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}', '{}')", self.game(), self.fen())
    }
}

/// The notation that people read: SAN for chess; coordinates for xiangqi, whose own notations have options.
pub trait Readable: Notated {
    /// Returns it.
    fn readable() -> &'static dyn Notation<Self>;
}

impl Readable for Chess {
    fn readable() -> &'static dyn Notation<Chess> {
        &SanNotation
    }
}

impl Readable for Xiangqi {
    fn readable() -> &'static dyn Notation<Xiangqi> {
        Xiangqi::coordinates()
    }
}

fn folded_move<G: Foldable>(position: &G, code: u16) -> u16 {
    let symmetry: Symmetry = position.folded().symmetry;
    if code == Move::NONE.0 { code } else { G::fold_move(symmetry, Move(code)).0 }
}

pub(super) fn legal<G: Game>(position: &G, code: u16) -> Result<Move, MoveError> {
    let m = Move(code);
    if position.is_legal(m) { Ok(m) } else { Err(MoveError::Illegal(format!("move code {code}"))) }
}

fn played<G: Game>(position: &G, code: u16) -> Result<G, MoveError> {
    let m = legal(position, code)?;
    let mut next = position.clone();
    next.play_unchecked(m);
    Ok(next)
}

pub(super) fn formatted<G: Game>(position: &G, code: u16, notation: &dyn Notation<G>) -> PyResult<String> {
    Ok(notation.format(position, legal(position, code)?))
}

/// Returns the notation of a name.
pub(super) fn named<G: Notated>(name: &str) -> PyResult<&'static dyn Notation<G>> {
    G::notation(name).ok_or_else(|| {
        let (game, known) = (G::ID.name(), notation_names::<G>().join(", "));
        usage(format!("notation \"{name}\" is unknown for {game}: expected one of {known}"))
    })
}

fn notation_names<G: Notated>() -> Vec<String> {
    G::notations().iter().map(|notation| notation.name().to_ascii_lowercase()).collect()
}

/// Returns the names of a game's notations, that of machines first.
#[pyfunction]
pub fn notations(game: &str) -> PyResult<Vec<String>> {
    for_game!(game_id(game)?, G => Ok(notation_names::<G>()))
}

/// Counts the leaves of the legal move tree.
#[pyfunction]
#[pyo3(signature = (game, fen, depth))]
pub fn perft(py: Python<'_>, game: &str, fen: Option<&str>, depth: u32) -> PyResult<u64> {
    for_game!(game_id(game)?, G => {
        let position = fen.map_or_else(|| Ok(G::start()), G::from_fen)?;
        Ok(py.detach(|| crate::game::perft(&position, depth)))
    })
}
