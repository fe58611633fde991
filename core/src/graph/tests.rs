use super::*;
use crate::chess::Chess;
use crate::game::{Game, Notated};
use crate::xiangqi::Xiangqi;

const GO_ON: fn() -> std::ops::ControlFlow<()> = || std::ops::ControlFlow::Continue(());

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
    let (keys, rest): (_, Vec<_>) = found.into_iter().map(|(key, lock, code)| (key, (lock, code))).unzip();
    let (locks, moves) = rest.into_iter().unzip();
    (keys, locks, moves)
}

fn placed(links: &Links) -> Placed<'_> {
    Placed { placements: &links.placements, squares: &links.squares }
}

fn links<G: Notated + Foldable>(lines: &[&str], is_folded: bool) -> (Vec<u16>, Vec<u32>) {
    let (keys, locks, moves) = rows::<G>(lines, is_folded);
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    let found = link::<G>(rows, is_folded, 1, &GO_ON).unwrap().children;
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
    assert_eq!(link::<Chess>(rows, false, 1, &GO_ON).unwrap().children, [NOWHERE; 3]);
    let stopped = link::<Chess>(rows, false, 1, &|| std::ops::ControlFlow::Break(()));
    assert_eq!(stopped, Err(GraphError::Interrupted));
}

#[test]
fn a_move_that_is_not_legal_is_named() {
    let (keys, locks, mut moves) = rows::<Chess>(&["e2e4"], false);
    let row = keys.iter().position(|&key| key == Chess::start().key().0).unwrap();
    moves[row] = 1;
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    let error = link::<Chess>(rows, false, 1, &GO_ON).unwrap_err();
    assert_eq!(error, GraphError::Illegal { row, code: 1, fen: Chess::start().to_fen() });
}

#[test]
fn a_book_of_positions_has_moves_that_no_game_played() {
    let (keys, locks, moves) = rows::<Chess>(&["e2e4 e7e5 g1f3", "g1f3 e7e5"], false);
    let last = locate(&keys, &["e2e4", "e7e5", "g1f3"]);
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    let numbers: Vec<u32> = (0..distinct(&keys).len() as u32).collect();
    let links = link::<Chess>(rows, false, 1, &GO_ON).unwrap();
    let unplayed =
        |records| unplayed::<Chess>(rows, false, &links.children, placed(&links), records, 1, &GO_ON);
    let found = unplayed(&numbers).unwrap();
    let e2e4 = Chess::coordinates().parse(&Chess::start(), "e2e4").unwrap();
    assert_eq!(found, [(locate(&keys, &["g1f3", "e7e5"]), e2e4, last)]);
    assert_eq!(unplayed(&[99]), Err(GraphError::Unknown { number: 99, positions: distinct(&keys).len() }));
}

#[test]
fn a_move_out_of_the_tally_may_lead_back_to_a_record() {
    let lines = ["e2e4 e7e5 g1f3", "g1f3 e7e5"];
    let (keys, locks, moves) = rows::<Chess>(&lines, false);
    // The tally lacks the position after 1. Nf3 e5, from which 2. e4 leads to a record.
    let number = locate(&keys, &["g1f3", "e7e5"]) as usize;
    let gone = keys.iter().position(|key| *key == distinct(&keys)[number]).unwrap();
    let without = |column: &[u64]| [&column[..gone], &column[gone + 1..]].concat();
    let keys = without(&keys);
    let locks = [&locks[..gone], &locks[gone + 1..]].concat();
    let moves = [&moves[..gone], &moves[gone + 1..]].concat();
    let last = locate(&keys, &["e2e4", "e7e5", "g1f3"]);
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    let mut links = link::<Chess>(rows, false, 1, &GO_ON).unwrap();
    let beyond = distinct(&keys).len() as u32;
    let out = (0..moves.len()).find(|&row| moves[row] != 0 && links.children[row] == NOWHERE).unwrap();
    links.children[out] = beyond;
    let found = unplayed::<Chess>(rows, false, &links.children, placed(&links), &[last], 1, &GO_ON).unwrap();
    assert!(found.iter().any(|&(parent, _, child)| (parent, child) == (beyond, last)));
}

#[test]
fn threads_find_what_one_finds() {
    // Two pawn moves of each side; Black moves that of the a-file first, but its other order leads to the same.
    let files = || "abcdefgh".chars();
    let pairs = || files().flat_map(|one| files().filter(move |&two| one != two).map(move |two| (one, two)));
    let all =
        pairs().flat_map(|white| pairs().filter(|(one, two)| one < two).map(move |black| (white, black)));
    let lines: Vec<_> = all.map(|((a, b), (c, d))| format!("{a}2{a}3 {c}7{c}6 {b}2{b}3 {d}7{d}6")).collect();
    let (keys, locks, moves) = rows::<Chess>(&lines.iter().map(String::as_str).collect::<Vec<_>>(), false);
    let rows = Rows { keys: &keys, locks: &locks, moves: &moves };
    let numbers: Vec<u32> = (0..distinct(&keys).len() as u32).collect();
    let [one, three] = [1, 3].map(|threads| {
        let links = link::<Chess>(rows, false, threads, &GO_ON).unwrap();
        let mut found =
            unplayed::<Chess>(rows, false, &links.children, placed(&links), &numbers, threads, &GO_ON)
                .unwrap();
        found.sort_unstable_by_key(|&(parent, m, _)| (parent, m.0));
        (links, found)
    });
    assert!(one == three && one.1.len() > 100, "{} {}", one.1.len(), three.1.len());
}

/// The number of the position after some moves; each position has one row.
fn locate(keys: &[u64], line: &[&str]) -> u32 {
    let mut position = Chess::start();
    for text in line {
        position.play_unchecked(Chess::coordinates().parse(&position, text).unwrap());
    }
    distinct(keys).iter().position(|&key| key == position.key().0).unwrap() as u32
}

fn distinct(keys: &[u64]) -> Vec<u64> {
    let mut keys = keys.to_vec();
    keys.dedup();
    keys
}
