//! UCI, the universal chess interface (Huber, Meyer-Kahlen 2006): its commands and its `info`.

use super::command::{Command, Go, Refusal, Setup, Words};
use super::dialect::Info;
use crate::search::Score;

/// The keywords of `go`.
const GO_WORDS: &[&str] = &[
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
];

/// Parses a line.
pub(super) fn parse(line: &str) -> Result<Command, Refusal> {
    let mut words = Words::of(line);
    let Some(command) = words.next() else { return Ok(Command::Nothing) };
    match command {
        "uci" => Ok(Command::Hello),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::NewGame),
        "debug" => match words.next() {
            Some("on") => Ok(Command::Debug(true)),
            Some("off") => Ok(Command::Debug(false)),
            _ => Err(Refusal("debug: expected on or off".to_owned())),
        },
        "setoption" => parse_option(&mut words),
        "position" => Ok(Command::Position(Setup::of(&mut words))),
        "go" => Ok(Command::Go(Box::new(parse_go(words)))),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "d" => Ok(Command::Show),
        "quit" => Ok(Command::Quit),
        // Sent by GUIs to commercial engines.
        "register" => Ok(Command::Nothing),
        _ => Err(Refusal(format!("unknown command \"{command}\": ignored"))),
    }
}

/// `name NAME [value VALUE]`; both may contain spaces.
fn parse_option(words: &mut Words) -> Result<Command, Refusal> {
    if !words.accept("name") {
        return Err(Refusal("setoption: expected name NAME, then value VALUE".to_owned()));
    }
    let name = words.until(&["value"]).join(" ");
    words.accept("value");
    let value = words.collect::<Vec<_>>().join(" ");
    Ok(Command::Set { name, value })
}

fn parse_go(mut words: Words) -> Go {
    let mut go = Go::default();
    while let Some(word) = words.next() {
        match word {
            "searchmoves" => go.moves = words.until(GO_WORDS).into_iter().map(str::to_owned).collect(),
            "ponder" => go.is_ponder = true,
            "infinite" => go.is_infinite = true,
            "wtime" => go.clocks[0] = words.milliseconds(word).or(go.clocks[0]),
            "btime" => go.clocks[1] = words.milliseconds(word).or(go.clocks[1]),
            "winc" => go.increments[0] = words.milliseconds(word).unwrap_or(go.increments[0]),
            "binc" => go.increments[1] = words.milliseconds(word).unwrap_or(go.increments[1]),
            "movestogo" => go.moves_to_go = words.number(word).or(go.moves_to_go),
            "depth" => go.depth = words.number(word).or(go.depth),
            "nodes" => go.nodes = words.number(word).or(go.nodes),
            "mate" => go.mate = words.number(word).or(go.mate),
            "movetime" => go.movetime = words.milliseconds(word).or(go.movetime),
            _ => words.ignore(word),
        }
    }
    Go { skipped: words.skipped, ..go }
}

/// Returns the `info` line of an iteration.
pub(super) fn info(info: &Info) -> String {
    let milliseconds = info.elapsed.as_millis();
    // Below a millisecond a rate has no meaning.
    let per_second = u128::from(info.nodes) * 1000 / milliseconds.max(1);
    format!(
        "info depth {} seldepth {} multipv {} score {} nodes {} nps {per_second} hashfull {} tbhits {} time {milliseconds} pv {}",
        info.depth,
        info.seldepth.max(usize::from(info.depth)),
        info.line,
        score(info.score),
        info.nodes,
        info.full_permille,
        info.endgame_hits,
        info.pv.join(" "),
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
mod tests {
    use std::time::Duration;

    use super::*;

    fn go(line: &str) -> Go {
        match parse(line) {
            Ok(Command::Go(go)) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn go_knows_all_its_words() {
        let line = "go searchmoves e2e4 d2d4 wtime 1000 btime -20 winc 10 binc 20 movestogo 5 depth 7 nodes 900 mate 3 \
                    movetime 50 ponder infinite";
        let ms = Duration::from_millis;
        assert_eq!(
            go(line),
            Go {
                is_ponder: true,
                is_infinite: true,
                depth: Some(7),
                nodes: Some(900),
                mate: Some(3),
                movetime: Some(ms(50)),
                clocks: [Some(ms(1000)), Some(ms(0))],
                increments: [ms(10), ms(20)],
                moves_to_go: Some(5),
                moves: vec!["e2e4".to_owned(), "d2d4".to_owned()],
                ..Go::default()
            }
        );
    }

    #[test]
    fn go_skips_unknown_words_and_obeys_the_rest() {
        for line in
            ["go foo depth 7", "go depth 7 joho", "go depth x depth 7", "go depth 7 nodes", "go depth 7.5"]
        {
            let go = go(line);
            assert_eq!((go.depth, go.nodes), (Some(7), None), "{line}");
            assert_eq!(go.skipped.is_empty(), line == "go depth 7.5", "{line}");
        }
        assert_eq!(go("go depth movetime 5").movetime, Some(Duration::from_millis(5)));
    }

    #[test]
    fn names_and_values_of_options_hold_spaces() {
        let set =
            |name: &str, value: &str| Ok(Command::Set { name: name.to_owned(), value: value.to_owned() });
        assert_eq!(parse("setoption name Book file value /a b/c.book"), set("Book file", "/a b/c.book"));
        assert_eq!(parse("setoption name Clear Hash"), set("Clear Hash", ""));
        assert!(parse("setoption Hash 4").is_err());
    }

    #[test]
    fn mates_count_moves() {
        for (plies, text) in [(1, "mate 1"), (3, "mate 2"), (4, "mate 2")] {
            assert_eq!(score(Score::mate_in(plies)), text);
        }
        for (plies, text) in [(0, "mate 0"), (2, "mate -1"), (4, "mate -2")] {
            assert_eq!(score(Score::mated_in(plies)), text);
        }
        assert_eq!(score(Score::from_centipawns(-31)), "cp -31");
    }
}
