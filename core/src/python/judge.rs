//! The rules' word on a line of play, for Python: positions and moves in as text, a plain dict out.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::usage;
use super::game::{for_game, game_id};
use crate::game::{Game, RepetitionRule, Ruling, Side, Verdict};
use crate::history::{History, Judgement, judge as judged};
use crate::xiangqi::Square;

/// What a call answers, as plain values.
struct Answer {
    fen: String,
    side: Side,
    judgement: Judgement,
    winner: Option<Side>,
    cycle: Vec<String>,
}

#[pyfunction]
#[pyo3(signature = (game, fen=None, moves=Vec::new(), *, rule="axf", occurrences=3))]
pub fn judge<'py>(
    py: Python<'py>,
    game: &str,
    fen: Option<&str>,
    moves: Vec<String>,
    rule: &str,
    occurrences: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let rule = repetition_rule(rule)?;
    if occurrences < 2 {
        return Err(usage(format!("{occurrences} occurrences are no repetition: expected at least 2")));
    }
    let answer = for_game!(game_id(game)?, G => answer::<G>(fen, &moves, rule, occurrences))?;
    to_dict(py, &answer)
}

/// Returns the repetition rule of that name.
pub fn repetition_rule(name: &str) -> PyResult<RepetitionRule> {
    let names = RepetitionRule::ALL.map(RepetitionRule::name).join(", ");
    let unknown = || usage(format!("unknown repetition rule \"{name}\": expected one of {names}"));
    RepetitionRule::named(name).ok_or_else(unknown)
}

fn answer<G: Game>(
    fen: Option<&str>,
    texts: &[String],
    rule: RepetitionRule,
    occurrences: usize,
) -> PyResult<Answer> {
    let mut position = fen.map_or_else(|| Ok(G::start()), G::from_fen)?;
    let mut history = History::at(&position);
    let mut played = Vec::with_capacity(texts.len());
    for text in texts {
        let m = G::coordinates().parse(&position, text)?;
        played.push(G::coordinates().format(&position, m));
        history.play_on(&mut position, m);
    }
    let judgement = judged(&position, &history, rule, occurrences);
    let winner = judgement.verdict.and_then(|verdict| verdict.winner(G::ID, position.side()));
    let cycle = played.split_off(played.len() - judgement.cycle.len());
    Ok(Answer { fen: position.to_fen(), side: position.side(), judgement, winner, cycle })
}

fn to_dict<'py>(py: Python<'py>, answer: &Answer) -> PyResult<Bound<'py, PyDict>> {
    let ruling = match answer.judgement.verdict {
        Some(Verdict::Repetition(ruling)) => Some(ruling),
        _ => None,
    };
    let verdict = match (answer.judgement.verdict, answer.winner) {
        (None, _) => "none",
        (Some(_), None) => "draw",
        (Some(_), Some(winner)) if winner == answer.side => "win",
        (Some(_), Some(_)) => "loss",
    };
    let dict = PyDict::new(py);
    dict.set_item("fen", &answer.fen)?;
    dict.set_item("verdict", verdict)?;
    dict.set_item("reason", answer.judgement.verdict.map(reason))?;
    dict.set_item("loser", answer.winner.map(|winner| winner.other() as u8))?;
    dict.set_item("axf_article", ruling.and_then(|ruling| ruling.article.axf_number()))?;
    dict.set_item("victim", ruling.and_then(victim))?;
    dict.set_item("cycle", (!answer.cycle.is_empty()).then_some(&answer.cycle))?;
    Ok(dict)
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
