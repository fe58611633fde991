use std::time::Duration;

use super::super::Dialect;
use super::super::parse;
use super::*;

fn go(line: &str) -> Go {
    match parse(Dialect::Ucci, line) {
        Ok(Command::Go(go)) => *go,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn go_knows_its_modes() {
    assert_eq!(go("go depth 6"), Go { depth: Some(6), ..Go::default() });
    assert_eq!(go("go nodes 5000"), Go { nodes: Some(5000), ..Go::default() });
    assert!(go("go depth infinite").is_infinite && go("go infinite").is_infinite);
    let timed = go("go ponder time 60000 increment 500 opptime 1 oppincrement 2");
    assert_eq!((timed.is_ponder, timed.moves_to_go), (true, None));
    assert_eq!(timed.clocks, [Some(Duration::from_secs(60)); 2]);
    assert_eq!(timed.increments, [Duration::from_millis(500); 2]);
    assert_eq!(go("go draw time 3000 movestogo 8").moves_to_go, Some(8));
    assert_eq!(go("go time 3000").moves_to_go, Some(1));
    for clock in ["go time 300000 increment 0", "go time 3 increment 0 foo 3", "go draw time 9 increment 0"] {
        assert_eq!(go(clock).moves_to_go, None, "{clock}");
    }
    assert_eq!(go("go wtime 5").skipped.len(), 2);
}

#[test]
fn mates_are_numbers_that_fall_with_their_distance() {
    assert_eq!(number(Score::mate_in(3)), 9997);
    assert_eq!(number(Score::mated_in(4)), -9996);
    assert_eq!(number(Score::from_centipawns(12)), 12);
}
