use std::time::Duration;

use super::super::Dialect;
use super::super::parse;
use super::*;

fn go(line: &str) -> Go {
    match parse(Dialect::Uci, line) {
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
fn mates_count_moves() {
    for (plies, text) in [(1, "mate 1"), (3, "mate 2"), (4, "mate 2")] {
        assert_eq!(score(Score::mate_in(plies)), text);
    }
    for (plies, text) in [(0, "mate 0"), (2, "mate -1"), (4, "mate -2")] {
        assert_eq!(score(Score::mated_in(plies)), text);
    }
    assert_eq!(score(Score::from_centipawns(-31)), "cp -31");
}
