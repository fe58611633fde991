//! UCCI, the universal Chinese chess interface (xqbase.com, version 3.0, 2007): its commands and its `info`.
//!
//! Differences from UCI: options are set as `setoption NAME VALUE`; `go time` is the clock of the side to move; moves
//! can be banned in a position; `nobestmove` answers without a move.

use super::command::{Command, Go, Refusal, Words};
use crate::search::{IterationInfo, Score};

/// Score of a mate in UCCI, minus one for each ply.
const MATE: i32 = 10_000;
/// Largest score that is not a mate.
const MOST_CENTIPAWNS: i32 = 9_000;

pub(super) fn parse_option(words: &mut Words) -> Result<Command, Refusal> {
    let Some(name) = words.next() else {
        return Err(Refusal("setoption: expected NAME, then VALUE".to_owned()));
    };
    Ok(Command::Set { name: name.to_owned(), value: words.collect::<Vec<_>>().join(" ") })
}

pub(super) fn parse_go(mut words: Words) -> Go {
    let mut go = Go::default();
    let mut increment = None;
    while let Some(word) = words.next() {
        match word {
            "draw" => go.offers_draw = true,
            // `go depth infinite` is valid too.
            "depth" if words.accept("infinite") => go.is_infinite = true,
            "time" => go.clocks = [words.milliseconds(word).or(go.clocks[0]); 2],
            "increment" => increment = words.milliseconds(word).or(increment),
            // The opponent's clock is ignored.
            "opptime" | "oppmovestogo" | "oppincrement" => drop(words.milliseconds(word)),
            _ if go.take(word, &mut words) => {}
            _ => words.ignore(word),
        }
    }
    go.increments = [increment.unwrap_or_default(); 2];
    if go.clocks[0].is_some() && go.moves_to_go.is_none() && increment.is_none() {
        // Without periods and increments the time is for this move. `increment 0` is a clock without increments.
        go.moves_to_go = Some(1);
    }
    Go { skipped: words.skipped, ..go }
}

pub(super) fn info(info: &IterationInfo, pv: &[String]) -> String {
    format!(
        "info depth {} time {} nodes {} score {} pv {}",
        info.depth,
        info.elapsed.as_millis(),
        info.nodes,
        number(info.score),
        pv.join(" "),
    )
}

/// Returns a score as a number: centipawns, or 10,000 minus the plies to mate.
fn number(score: Score) -> i32 {
    match score.mate_plies() {
        Some(plies) if plies > 0 => MATE - plies,
        Some(plies) => -MATE - plies,
        None => score.centipawns().unwrap_or_default().clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS),
    }
}

#[cfg(test)]
mod tests;
