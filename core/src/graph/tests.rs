use super::*;
use crate::chess::Chess;
use crate::game::{Game, Notated};
use crate::xiangqi::Xiangqi;

/// The rows of some lines, sorted, and the numbers of their positions.
fn rows<G: Notated + Foldable>(lines: &[&str], is_folded: bool) -> (Vec<u64>, Vec<u32>, Vec<u16>) {
    let mut found = std::collections::BTreeSet::new();
    for line in lines {
        let mut position = G::start();
        for text in line.split(' ') {
            let m = G::coordinates().parse(&position, text).unwrap();
            let at = stored(&position, is_folded);
            found.insert((at.key.0, at.lock.0, G::fold_move(at.symmetry, m).0));
            position.play_unchecked(m);
        }
        let at = stored(&position, is_folded);
        found.insert((at.key.0, at.lock.0, 0));
    }
    let column = |found: &(u64, u32, u16)| *found;
    let all: Vec<_> = found.iter().map(column).collect();
    (
        all.iter().map(|row| row.0).collect(),
        all.iter().map(|row| row.1).collect(),
        all.iter().map(|row| row.2).collect(),
    )
}

fn links<G: Notated + Foldable>(lines: &[&str], is_folded: bool) -> (Vec<u16>, Vec<u32>) {
    let (keys, locks, moves) = rows::<G>(lines, is_folded);
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    let found = link::<G>(rows, is_folded, &|| ControlFlow::Continue(())).unwrap();
    (moves, found)
}

#[test]
fn every_move_leads_to_its_position_and_no_move_nowhere() {
    let lines = ["e2e4 e7e5 g1f3 b8c6", "g1f3 e7e5 e2e4 b8c6", "d2d4"];
    let (moves, links) = links::<Chess>(&lines, false);
    assert!(moves.iter().zip(&links).all(|(&m, &child)| (m == 0) == (child == NOWHERE)));
    // The two orders of moves lead into one position, and out of it there is one row.
    let mut children: Vec<_> = links.iter().filter(|&&child| child != NOWHERE).collect();
    children.sort_unstable();
    let before = children.len();
    children.dedup();
    assert_eq!(before - children.len(), 1);
}

#[test]
fn mirrored_lines_of_a_folded_tally_are_one() {
    let (_, links) = links::<Xiangqi>(&["h2e2 h9g7 h0g2", "b2e2 b9c7 b0c2"], true);
    assert_eq!(links.len(), 4);
    assert_eq!(links.iter().filter(|&&child| child == NOWHERE).count(), 1);
}

#[test]
fn positions_that_no_line_from_the_start_reaches_lead_nowhere() {
    let (keys, locks, mut moves) = rows::<Chess>(&["e2e4 e7e5"], false);
    let start = keys.iter().position(|&key| key == Chess::start().key().0).unwrap();
    moves[start] = 0;
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    assert_eq!(link::<Chess>(rows, false, &|| ControlFlow::Continue(())).unwrap(), [NOWHERE; 3]);
    let stopped = link::<Chess>(rows, false, &|| ControlFlow::Break(()));
    assert_eq!(stopped, Err(GraphError::Interrupted));
}

#[test]
fn a_move_that_is_not_legal_is_named() {
    let (keys, locks, mut moves) = rows::<Chess>(&["e2e4"], false);
    let row = keys.iter().position(|&key| key == Chess::start().key().0).unwrap();
    moves[row] = 1;
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    let error = link::<Chess>(rows, false, &|| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error, GraphError::Illegal { row, code: 1, fen: Chess::start().to_fen() });
}
