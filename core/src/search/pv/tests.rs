use super::*;
use crate::chess::Chess;
use crate::game::{Game, Notated};
use crate::search::score::Score;
use crate::search::table::{Bound, Entry};

/// Returns a table with one move for each position on the way, and the first of the moves.
fn table_of(moves: &[&str]) -> (Table, Move) {
    let table = Table::new(1 << 16);
    let mut here = Chess::start();
    let mut first = Move::NONE;
    for text in moves {
        let best = Chess::coordinates().parse(&here, text).unwrap();
        if first == Move::NONE {
            first = best;
        }
        let entry = Entry { best, score: Score(0), evaluation: Score(0), depth: 1, bound: Bound::Exact };
        table.store(here.key(), here.lock(), entry);
        here.play_unchecked(best);
    }
    (table, first)
}

#[test]
fn a_walk_does_not_come_back_to_a_position() {
    let (table, first) = table_of(&["g1f3", "g8f6", "f3g1", "f6g8"]);
    assert_eq!(walk(&table, &Chess::start(), first).len(), 3);
}

#[test]
fn a_walk_stops_at_a_move_that_is_not_legal() {
    let (table, first) = table_of(&["e2e4"]);
    let mut next = Chess::start();
    next.play_unchecked(first);
    let entry = Entry { best: first, score: Score(0), evaluation: Score(0), depth: 1, bound: Bound::Exact };
    table.store(next.key(), next.lock(), entry);
    assert_eq!(walk(&table, &Chess::start(), first), [first]);
}

#[test]
fn a_line_is_the_own_move_and_the_childs_line() {
    let mut triangle = Triangle::new();
    triangle.raise(2, Move(3));
    triangle.raise(1, Move(2));
    triangle.raise(0, Move(1));
    assert_eq!(triangle.root(), [Move(1), Move(2), Move(3)]);
    triangle.clear(1);
    triangle.raise(0, Move(4));
    assert_eq!(triangle.root(), [Move(4)]);
}
