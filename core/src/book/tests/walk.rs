//! A walk tells every line that a book's records make, with the moves of the rules.

use std::collections::{BTreeMap, BTreeSet};

use super::super::walk;
use super::*;
use crate::chess::Chess;
use crate::game::{Foldable, Game, Key, Lock, Move, MoveList, Notated};
use crate::graph::stored;
use crate::xiangqi::Xiangqi;

/// A book of the positions that the lines lead through, each used as often as lines do.
fn book_of<G: Notated + Foldable>(lines: &[&str], is_folded: bool) -> (TempDir, Book) {
    let mut found: BTreeMap<(u64, u32), u64> = BTreeMap::new();
    for line in lines {
        let mut position = G::start();
        for text in line.split(' ') {
            position.play_unchecked(G::coordinates().parse(&position, text).unwrap());
            let at = stored(&position, is_folded);
            *found.entry((at.key.0, at.lock.0)).or_default() += 1;
        }
    }
    let rows: Vec<Row> = found
        .iter()
        .map(|(&(key, lock), &usage)| Row { key, lock, counts: [0; 3], unknown: usage, quality: 0 })
        .collect();
    let scheme = Scheme::of::<G>();
    let (folder, path) = write_rows(&rows, &Options { scheme, is_folded, ..options("{}") });
    let book = Book::open(&path, &[scheme]).unwrap();
    (folder, book)
}

fn walk_of<G: Notated + Foldable>(book: &Book, max_ply: u16) -> walk::Walk {
    let notations = [G::coordinates()];
    let options = walk::WalkOptions { max_ply, notations: &notations };
    walk::walk(book, &G::start(), &options, &always).unwrap()
}

/// The lines of a walk as texts; a line ends where the walk does not go on.
fn lines(found: &walk::Walk) -> BTreeSet<String> {
    let mut texts: Vec<String> = Vec::new();
    for (number, step) in found.steps.iter().enumerate() {
        let before = if step.parent == walk::ROOT { "" } else { &texts[step.parent as usize] };
        texts.push(format!("{before} {}", found.texts[0][number]).trim().to_owned());
    }
    let parents: BTreeSet<u32> = found.steps.iter().map(|step| step.parent).collect();
    (0..texts.len()).filter(|&row| !parents.contains(&(row as u32))).map(|row| texts[row].clone()).collect()
}

#[test]
fn a_walk_tells_the_lines_most_used_first_and_a_record_once() {
    let all = ["e2e4 e7e5 g1f3 b8c6", "e2e4 c7c5", "g1f3 e7e5 e2e4 b8c6", "e2e4 e7e5 f1c4"];
    let (_folder, book) = book_of::<Chess>(&all, false);
    let found = walk_of::<Chess>(&book, u16::MAX);
    let first: Vec<_> = found.steps.iter().zip(&found.texts[0]).filter(|(step, _)| step.ply == 1).collect();
    assert_eq!(first.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["e2e4", "g1f3"]);
    assert_eq!(
        lines(&found),
        ["e2e4 e7e5 g1f3 b8c6", "e2e4 c7c5", "g1f3 e7e5 e2e4", "e2e4 e7e5 f1c4"].map(str::to_owned).into()
    );
    let again: Vec<_> = found.steps.iter().filter(|step| step.is_again).collect();
    assert_eq!(again.len(), 1, "the transposition ends where the other line goes on");
    let entered: BTreeSet<u32> = found.steps.iter().map(|step| step.record).collect();
    assert_eq!(entered.len(), book.len());
}

#[test]
fn a_walk_of_a_folded_book_tells_the_usual_move_of_a_mirrored_pair() {
    let (_folder, book) = book_of::<Xiangqi>(&["h2e2 h9g7 h0g2", "b2e2 b9c7"], true);
    let found = walk_of::<Xiangqi>(&book, u16::MAX);
    assert_eq!(lines(&found), ["h2e2 h9g7 h0g2".to_owned()].into());
    assert_eq!(found.steps.len(), 3);
}

#[test]
fn a_walk_is_cut_at_its_ply_and_ends_on_request() {
    let (_folder, book) = book_of::<Chess>(&["e2e4 e7e5 g1f3"], false);
    assert_eq!(walk_of::<Chess>(&book, 2).steps.len(), 2);
    assert_eq!(walk_of::<Chess>(&book, 0).steps.len(), 0);
    let options = walk::WalkOptions::<Chess> { max_ply: 9, notations: &[] };
    let stopped = walk::walk(&book, &Chess::start(), &options, &|| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(BookError::Interrupted { .. })));
}

#[test]
fn a_book_whose_lines_return_is_walked_to_an_end() {
    let (_folder, book) = book_of::<Chess>(&["g1f3 g8f6 f3g1 f6g8 b1c3", "b1c3 b8c6 c3b1 c6b8"], false);
    let found = walk_of::<Chess>(&book, u16::MAX);
    let entered = found.steps.iter().filter(|step| !step.is_again).count();
    assert_eq!(entered, book.len());
    assert!(found.steps.iter().any(|step| step.is_again));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_walk_meets_what_legal_moves_meet(choices in prop::collection::vec(0usize..40, 1..60)) {
        // A random game in pieces of six plies, each from the start, makes a book with gaps and transpositions.
        let mut texts = Vec::new();
        for piece in choices.chunks(6) {
            let mut position = Chess::start();
            let mut line = Vec::new();
            for &choice in piece {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                let m = moves[choice % moves.len().min(4)];
                line.push(Chess::coordinates().format(&position, m));
                position.play_unchecked(m);
            }
            texts.push(line.join(" "));
        }
        let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_folder, book) = book_of::<Chess>(&lines, false);
        let found = walk_of::<Chess>(&book, u16::MAX);
        let walked: BTreeSet<u32> = found.steps.iter().map(|step| step.record).collect();
        prop_assert_eq!(walked.len(), book.len());
        // Each step's record is that of the position after its move.
        let mut positions: Vec<Chess> = Vec::new();
        for step in &found.steps {
            let mut position: Chess =
                if step.parent == walk::ROOT { Chess::start() } else { positions[step.parent as usize].clone() };
            prop_assert!(position.is_legal(Move(step.played.0)));
            position.play_unchecked(step.played);
            let place = book.find(Key(position.key().0), Lock(position.lock().0)).unwrap();
            prop_assert_eq!(place, Some(step.record as usize));
            positions.push(position);
        }
    }
}
