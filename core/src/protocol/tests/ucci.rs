//! Dialogues in UCCI.

use super::*;

/// As ElephantEye answers the same lines, its numbers apart.
#[test]
fn a_ucci_dialogue() {
    let lines = talk(
        Dialect::Ucci,
        Variant::Pikafish,
        &[
            "ucci",
            "isready",
            "stop",
            "setoption usemillisec true",
            "setoption hashsize 4",
            "setoption newgame",
            "position startpos moves h2e2 h9g7 h0g2",
            "go depth 2",
            "isready",
        ],
    );
    let ok = lines.iter().position(|line| line == "ucciok").unwrap();
    assert_eq!(lines[0], "id name bookbuilder");
    for option in [
        "option usemillisec type check default true",
        "option hashsize type spin min 1 max 65536 default 16",
        "option bookfiles type string default <empty>",
        "option newgame type button",
    ] {
        assert!(lines[..ok].iter().any(|line| line == option), "{option} is not in {lines:#?}");
    }
    assert_eq!(lines[ok + 1..ok + 3], ["readyok", "nobestmove"]);
    let search: Vec<String> = lines[ok + 3..].iter().filter(|line| *line != "readyok").cloned().collect();
    let steady = steady(&search);
    assert!(steady[0].starts_with("info depth 1 time _ nodes _ score _ pv "), "{steady:#?}");
    assert!(steady[1].starts_with("info depth 2 time _ nodes _ score _ pv "), "{steady:#?}");
    assert!(last(&lines, "bestmove").len() == "bestmove h2e2 ponder h9g7".len(), "{lines:#?}");
}

/// The clock of the specification's example: a zero increment is a clock, not a time for this move.
#[test]
fn a_clock_without_increment_is_not_spent_on_one_move() {
    let start = "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let begun = std::time::Instant::now();
    let lines = talk(
        Dialect::Ucci,
        Variant::Pikafish,
        &["ucci", "setoption usemillisec true", start, "go time 3000 increment 0"],
    );
    assert_eq!(last(&lines, "bestmove").split(' ').count(), 4, "{lines:#?}");
    // A thirtieth of the clock, and up to four times as much.
    assert!(begun.elapsed() < Duration::from_millis(1500));
    // Pondering, then a hit; the answer comes once, and a late `stop` adds none.
    let paper = Paper::default();
    let session = session(Dialect::Ucci, Variant::Pikafish, &[], &paper).unwrap();
    let (mut step, watched) = (0, paper.clone());
    let script = move || {
        step += 1;
        match step {
            1 => Some(format!("{start} moves h2e2 h9g7")),
            2 => Some("go ponder time 300 increment 0 opptime 300 oppincrement 0".to_owned()),
            3 => Some("ponderhit".to_owned()),
            4 => {
                watched.await_line("bestmove");
                Some("stop".to_owned())
            }
            5 => Some("quit".to_owned()),
            _ => None,
        }
    };
    session.run(BufReader::new(Script(script, Vec::new()))).unwrap();
    let lines = paper.lines();
    assert_eq!(lines.iter().filter(|line| line.contains("bestmove")).count(), 1, "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("bye"));
}

#[test]
fn ucci_reports_no_move_and_quits() {
    let stuck = "position fen 3k5/2P6/9/9/9/9/9/9/9/4K4 b - - 0 1";
    let lines = talk(Dialect::Ucci, Variant::Pikafish, &["ucci", stuck, "go depth 3"]);
    assert_eq!(lines.last().map(String::as_str), Some("nobestmove"));
    let lines = talk(Dialect::Ucci, Variant::Pikafish, &["ucci", "quit", "go depth 3"]);
    assert_eq!(lines.last().map(String::as_str), Some("bye"));
}

#[test]
fn banned_moves_are_not_played() {
    let free = talk(Dialect::Ucci, Variant::Pikafish, &["position startpos", "go depth 3"]);
    let best = last(&free, "bestmove").split(' ').nth(1).unwrap().to_owned();
    let ban = format!("banmoves {best}");
    let banned = talk(Dialect::Ucci, Variant::Pikafish, &["position startpos", &ban, "go depth 3"]);
    assert_ne!(last(&banned, "bestmove").split(' ').nth(1).unwrap(), best);
    let later = talk(
        Dialect::Ucci,
        Variant::Pikafish,
        &["position startpos", &ban, "position startpos", "go depth 3"],
    );
    assert_eq!(last(&later, "bestmove").split(' ').nth(1).unwrap(), best);
}
