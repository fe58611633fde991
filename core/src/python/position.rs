//! One position of either game for Python, the names of its notations, and perft.
//!
//! A game in play for Python, and what the rules say of it. Moves are codes or texts, a judgement is a plain dict.

use std::fmt::Display;
use std::num::NonZeroU32;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Setup, Square};

use super::error::usage;
use super::options::{Either, dict, for_game, game_id, mapped, of_game, value_of, with};
use crate::chess::{Chess, SanNotation};
use crate::game::{
    FenError, Foldable, Folded, Game, GameId, HistoryRules, Move, MoveError, MoveList, Notated, Notation,
    RepetitionRule, Ruling, Verdict,
};
use crate::graph::stored;
use crate::history::{History, judge};
use crate::xiangqi::{self, Xiangqi};

/// One position of either game; immutable. `bb.as_position` makes one from any form.
#[pyclass(frozen, eq, from_py_object, module = "bookbuilder._core")]
#[derive(Clone, PartialEq)]
pub struct Position(pub(super) Either<Chess, Xiangqi>);

impl Position {
    /// Returns the form under which a tally or a book has the position.
    pub fn folded(&self, fold: bool) -> Folded {
        with!(&self.0, position => stored(position, fold))
    }

    pub fn id(&self) -> GameId {
        self.0.id()
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (game, fen=None))]
    fn new(game: &str, fen: Option<&str>) -> PyResult<Position> {
        Ok(Position(of_game!(game_id(game)?, start_or(fen)?)))
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
        with!(&self.0, position => position.to_fen())
    }

    /// The side to move: 0 White or Red, 1 Black.
    #[getter]
    fn side(&self) -> u8 {
        with!(&self.0, position => position.side() as u8)
    }

    /// The 64-bit key. In chess it is Polyglot's key.
    #[getter]
    fn key(&self) -> u64 {
        with!(&self.0, position => position.key().0)
    }

    /// A second key of 32 bits, which tells positions with the same `key` apart.
    #[getter]
    fn lock(&self) -> u32 {
        with!(&self.0, position => position.lock().0)
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        with!(&self.0, position => position.is_check())
    }

    /// Why the game is over, such as `mate` or `stalemate`; None = it goes on. `bb.judge` counts repetitions too.
    #[getter]
    fn verdict(&self) -> Option<String> {
        with!(&self.0, position => position.verdict()).map(|verdict| reason(verdict).replace('-', " "))
    }

    /// Return (key, lock) under which a book or a tally holds the position.
    fn stored(&self, fold: bool) -> (u64, u32) {
        let folded = self.folded(fold);
        (folded.key.0, folded.lock.0)
    }

    /// Return the code of a move as a tally row of this position holds it.
    fn stored_move(&self, code: Move, fold: bool) -> u16 {
        if !fold || code == Move::NONE {
            return code.0;
        }
        with!(&self.0, position => folded_move(position, code).0)
    }

    /// Return the move that such a code stands for here; in a position that is its own mirror the usual one of a pair.
    fn unfolded_move(&self, code: Move, fold: bool) -> u16 {
        if !fold || code == Move::NONE {
            return code.0;
        }
        with!(&self.0, position => position.unfold_move(position.folded().symmetry, code).0)
    }

    /// Return the codes of the legal moves.
    fn moves(&self) -> Vec<u16> {
        let mut moves = MoveList::new();
        with!(&self.0, position => position.legal_moves(&mut moves));
        moves.iter().map(|m| m.0).collect()
    }

    /// Return the position after a legal move.
    fn play(&self, code: Move) -> PyResult<Position> {
        Ok(Position(mapped!(&self.0, position => position.after(legal(position, code)?))))
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
    fn format_move(&self, code: Move, notation: &str) -> PyResult<String> {
        with!(&self.0, position => formatted(position, code, named(notation)?))
    }

    /// Return a legal move in UCI for chess, in 4-character ICCS for xiangqi.
    fn coordinates(&self, code: Move) -> PyResult<String> {
        with!(&self.0, position => formatted(position, code, coordinates(position)))
    }

    /// Return a legal move in SAN for chess, in ICCS for xiangqi.
    fn san(&self, code: Move) -> PyResult<String> {
        match &self.0 {
            Either::Chess(position) => formatted(position, code, &SanNotation),
            Either::Xiangqi(position) => formatted(position, code, Xiangqi::coordinates()),
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

/// Returns the position of a FEN; without one, the start of the game.
pub(super) fn start_or<G: Game>(fen: Option<&str>) -> Result<G, FenError> {
    fen.map_or_else(|| Ok(G::start()), G::from_fen)
}

/// Returns the notation of machines of a position's game.
pub(super) fn coordinates<G: Notated>(_position: &G) -> &'static dyn Notation<G> {
    G::coordinates()
}

fn folded_move<G: Foldable>(position: &G, m: Move) -> Move {
    G::fold_move(position.folded().symmetry, m)
}

fn illegal(code: impl Display) -> MoveError {
    MoveError::Illegal(format!("move code {code}"))
}

impl FromPyObject<'_, '_> for Move {
    type Error = PyErr;

    /// Takes a number of any size: one that is not a code is not legal.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let code: Result<u16, PyErr> = object.extract();
        code.map(Move).map_err(|error| {
            let is_number = error.is_instance_of::<PyOverflowError>(object.py());
            if is_number { illegal(&*object).into() } else { error }
        })
    }
}

pub(super) fn legal<G: Game>(position: &G, code: Move) -> Result<Move, MoveError> {
    if position.is_legal(code) { Ok(code) } else { Err(illegal(code.0)) }
}

pub(super) fn formatted<G: Game>(position: &G, code: Move, notation: &dyn Notation<G>) -> PyResult<String> {
    Ok(notation.format(position, legal(position, code)?))
}

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
        let position: G = start_or(fen)?;
        Ok(py.detach(|| crate::game::perft(&position, depth)))
    })
}

/// A game in play: where it began, its moves, its position now, and what the rules say of it.
#[pyclass(module = "bookbuilder._core")]
pub struct Referee {
    line: Either<Box<Line<Chess>>, Box<Line<Xiangqi>>>,
    fen: Option<String>,
    rule: RepetitionRule,
    occurrences: usize,
}

/// The moves of a game, with its first and its last position.
struct Line<G> {
    start: G,
    moves: Vec<Move>,
    position: G,
    history: History,
}

#[pymethods]
impl Referee {
    #[new]
    #[pyo3(signature = (game, fen=None, moves=Vec::new(), *, rule="axf", occurrences=3))]
    fn new(
        game: &str,
        fen: Option<String>,
        moves: Vec<String>,
        rule: &str,
        occurrences: usize,
    ) -> PyResult<Referee> {
        let rule = repetition_rule(rule)?;
        if occurrences < 2 {
            return Err(usage(format!("{occurrences} occurrences is invalid: expected at least 2")));
        }
        let line = of_game!(game_id(game)?, Box::new(Line::new(fen.as_deref(), &moves)?));
        Ok(Referee { line, fen, rule, occurrences })
    }

    #[getter]
    fn game(&self) -> &'static str {
        self.position().id().name()
    }

    #[getter]
    fn fen(&self) -> Option<&str> {
        self.fen.as_deref()
    }

    #[getter]
    fn position(&self) -> Position {
        Position(mapped!(&self.line, line => line.position.clone()))
    }

    fn __len__(&self) -> usize {
        with!(&self.line, line => line.moves.len())
    }

    #[pyo3(signature = (notation=None))]
    fn moves(&self, notation: Option<&str>) -> PyResult<Vec<String>> {
        with!(&self.line, line => line.texts(notation))
    }

    fn play(&mut self, code: Move) -> PyResult<()> {
        with!(&mut self.line, line => {
            let m = legal(&line.position, code)?;
            line.play(m);
        });
        Ok(())
    }

    fn judge<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        with!(&self.line, line => line.judgement(py, self.rule, self.occurrences))
    }
}

impl<G: HistoryRules + Notated> Line<G> {
    fn new(fen: Option<&str>, texts: &[String]) -> PyResult<Line<G>> {
        let start: G = start_or(fen)?;
        let (position, history) = (start.clone(), History::at(&start));
        let mut line = Line { start, moves: Vec::with_capacity(texts.len()), position, history };
        for text in texts {
            let m = G::coordinates().parse(&line.position, text)?;
            line.play(m);
        }
        Ok(line)
    }

    fn play(&mut self, m: Move) {
        self.history.play_on(&mut self.position, m);
        self.moves.push(m);
    }

    /// Returns the moves in a notation, by default that of machines.
    fn texts(&self, notation: Option<&str>) -> PyResult<Vec<String>> {
        let notation: &dyn Notation<G> = notation.map_or_else(|| Ok(G::coordinates()), named)?;
        Ok(notation.spell(&self.start, &self.moves))
    }

    fn judgement<'py>(
        &self,
        py: Python<'py>,
        rule: RepetitionRule,
        occurrences: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (position, side) = (&self.position, self.position.side());
        let found = judge(position, &self.history, rule, occurrences);
        let winner = found.verdict.and_then(|verdict| verdict.winner(G::ID, side));
        let ruling = match found.verdict {
            Some(Verdict::Repetition(ruling)) => Some(ruling),
            _ => None,
        };
        let verdict = match (found.verdict, winner) {
            (None, _) => "none",
            (Some(_), None) => "draw",
            (Some(_), Some(winner)) if winner == side => "win",
            (Some(_), Some(_)) => "loss",
        };
        let cycle = match found.cycle.len() {
            0 => None,
            plies => Some(self.texts(None)?.split_off(self.moves.len() - plies)),
        };
        // Only rulings of xiangqi name a victim.
        let victim = |ruling: Ruling| ruling.victim.and_then(xiangqi::Square::new);
        Ok(dict! { py,
            "fen": position.to_fen(),
            "verdict": verdict,
            "reason": found.verdict.map(reason),
            "loser": winner.map(|winner| winner.other() as u8),
            "axf_article": ruling.and_then(|ruling| ruling.article.axf_number()),
            "victim": ruling.and_then(victim).map(|square| square.to_string()),
            "cycle": cycle,
        })
    }
}

/// Returns the repetition rule of that name.
pub fn repetition_rule(name: &str) -> PyResult<RepetitionRule> {
    value_of("repetition rule", name, RepetitionRule::named, RepetitionRule::NAMES)
}

fn reason(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Mate => "mate",
        Verdict::Stalemate => "stalemate",
        Verdict::InsufficientMaterial => "insufficient-material",
        Verdict::MoveCount => "move-count",
        Verdict::Repetition(ruling) => ruling.article.name(),
    }
}
