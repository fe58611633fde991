//! A game in play for Python, and what the rules say of it. Moves are codes or texts, a judgement is a plain dict.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::usage;
use super::game::game_id;
use super::position::{Either, Position, legal, named};
use crate::chess::Chess;
use crate::game::{GameId, HistoryRules, Move, Notated, Notation, RepetitionRule, Ruling, Verdict};

use crate::history::{History, judge};
use crate::xiangqi::{Square, Xiangqi};

/// A game in play: where it began, its moves, its position now, and what the rules say of it.
#[pyclass(module = "bookbuilder._core")]
pub struct Referee {
    line: AnyLine,
    fen: Option<String>,
    rule: RepetitionRule,
    occurrences: usize,
}

enum AnyLine {
    Chess(Box<Line<Chess>>),
    Xiangqi(Box<Line<Xiangqi>>),
}

/// The moves of a game, with its first and its last position.
struct Line<G> {
    start: G,
    moves: Vec<Move>,
    position: G,
    history: History,
}

/// Runs `$body` on the line of whichever game it is.
macro_rules! with {
    ($line:expr, $name:ident => $body:expr) => {
        match $line {
            AnyLine::Chess($name) => $body,
            AnyLine::Xiangqi($name) => $body,
        }
    };
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
        let line = match game_id(game)? {
            GameId::Chess => AnyLine::Chess(Box::new(Line::new(fen.as_deref(), &moves)?)),
            GameId::Xiangqi => AnyLine::Xiangqi(Box::new(Line::new(fen.as_deref(), &moves)?)),
        };
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
        Position(match &self.line {
            AnyLine::Chess(line) => Either::Chess(line.position.clone()),
            AnyLine::Xiangqi(line) => Either::Xiangqi(line.position.clone()),
        })
    }

    fn __len__(&self) -> usize {
        with!(&self.line, line => line.moves.len())
    }

    #[pyo3(signature = (notation=None))]
    fn moves(&self, notation: Option<&str>) -> PyResult<Vec<String>> {
        with!(&self.line, line => line.texts(notation))
    }

    fn play(&mut self, code: u16) -> PyResult<()> {
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
        let start = fen.map_or_else(|| Ok(G::start()), G::from_fen)?;
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
        let mut position = self.start.clone();
        let spell = |&m| {
            let text = notation.format(&position, m);
            position.play_unchecked(m);
            text
        };
        Ok(self.moves.iter().map(spell).collect())
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
        let dict = PyDict::new(py);
        dict.set_item("fen", position.to_fen())?;
        dict.set_item("verdict", verdict)?;
        dict.set_item("reason", found.verdict.map(reason))?;
        dict.set_item("loser", winner.map(|winner| winner.other() as u8))?;
        dict.set_item("axf_article", ruling.and_then(|ruling| ruling.article.axf_number()))?;
        dict.set_item("victim", ruling.and_then(victim))?;
        dict.set_item("cycle", cycle)?;
        Ok(dict)
    }
}

/// Returns the repetition rule of that name.
pub fn repetition_rule(name: &str) -> PyResult<RepetitionRule> {
    let names = RepetitionRule::ALL.map(RepetitionRule::name).join(", ");
    let unknown = || usage(format!("unknown repetition rule \"{name}\": expected one of {names}"));
    RepetitionRule::named(name).ok_or_else(unknown)
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

/// The point of the victim. Only xiangqi has rulings that name one.
fn victim(ruling: Ruling) -> Option<String> {
    ruling.victim.and_then(Square::new).map(|square| square.to_string())
}
