//! UCI, the universal chess interface (Huber, Meyer-Kahlen 2006): its commands and its `info`.

use super::command::{Command, Go, Refusal, Words, clamped};
use crate::search::{IterationInfo, Score};

/// The keywords of `go`.
const GO_WORDS: &str =
    "searchmoves ponder wtime btime winc binc movestogo depth nodes mate movetime infinite";

/// `name NAME [value VALUE]`; both may contain spaces.
pub(super) fn parse_option(words: &mut Words) -> Result<Command, Refusal> {
    if !words.accept("name") {
        return Err(Refusal("setoption: expected name NAME, then value VALUE".to_owned()));
    }
    let name = words.until(|word| word == "value").join(" ");
    words.accept("value");
    let value = words.collect::<Vec<_>>().join(" ");
    Ok(Command::Set { name, value })
}

pub(super) fn parse_go(mut words: Words) -> Go {
    let mut go = Go::default();
    while let Some(word) = words.next() {
        match word {
            "searchmoves" => {
                let is_keyword = |word: &str| GO_WORDS.split(' ').any(|keyword| keyword == word);
                go.moves = words.until(is_keyword).into_iter().map(str::to_owned).collect();
            }
            "wtime" => go.clocks[0] = words.milliseconds(word).or(go.clocks[0]),
            "btime" => go.clocks[1] = words.milliseconds(word).or(go.clocks[1]),
            "winc" => go.increments[0] = words.milliseconds(word).unwrap_or(go.increments[0]),
            "binc" => go.increments[1] = words.milliseconds(word).unwrap_or(go.increments[1]),
            "mate" => go.mate = words.number(word).map(clamped).or(go.mate),
            "movetime" => go.movetime = words.milliseconds(word).or(go.movetime),
            _ if go.take(word, &mut words) => {}
            _ => words.ignore(word),
        }
    }
    Go { skipped: words.skipped, ..go }
}

pub(super) fn info(info: &IterationInfo, pv: &[String]) -> String {
    let milliseconds = info.elapsed.as_millis();
    // Below a millisecond a rate has no meaning.
    let per_second = u128::from(info.nodes) * 1000 / milliseconds.max(1);
    format!(
        "info depth {} seldepth {} multipv {} score {} nodes {} nps {per_second} hashfull {} tbhits {} time {milliseconds} pv {}",
        info.depth,
        info.counts.seldepth.max(usize::from(info.depth)),
        info.line,
        score(info.score),
        info.nodes,
        info.full_permille,
        info.counts.endgame_hits,
        pv.join(" "),
    )
}

/// Returns a score as in UCI: mates in moves, negative if the side to move is mated.
fn score(score: Score) -> String {
    match score.mate_plies() {
        Some(plies) => format!("mate {}", if plies > 0 { (plies + 1) / 2 } else { plies / 2 }),
        None => format!("cp {}", score.centipawns().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
