//! The book's policy at the root, and its records as hints in the table.

use std::collections::HashMap;
use std::sync::Arc;

use super::*;
use crate::book::record::{Counts, MATE_VALUE, Valued, Word};
use crate::chess::Chess;
use crate::game::{Foldable, Game, Notated, Searchable};
use crate::search::{Limits, SearchResult, Searcher};
use crate::xiangqi::Xiangqi;

/// A book in memory.
#[derive(Clone, Default)]
struct Shelf {
    records: HashMap<Key, Record>,
    folds: bool,
}

impl BookProbe for Shelf {
    fn probe(&self, key: Key, lock: Lock) -> Option<Record> {
        self.records.get(&key).copied().filter(|record| record.lock.is_none_or(|own| own == lock))
    }

    fn folds(&self) -> bool {
        self.folds
    }

    fn records(&self, least_usage: u32) -> Box<dyn Iterator<Item = Record> + '_> {
        let used = self.records.values().filter(move |record| record.word.usage() >= least_usage);
        Box::new(used.copied())
    }
}

impl Shelf {
    fn shared(&self) -> Option<Arc<dyn BookProbe>> {
        Some(Arc::new(self.clone()))
    }
}

fn play<G: Searchable + Notated>(moves: &str) -> (G, History) {
    let mut position = G::start();
    let mut history = History::at(&position);
    for text in moves.split_whitespace() {
        let m = G::coordinates().parse(&position, text).unwrap();
        history.play_on(&mut position, m);
    }
    (position, history)
}

impl Shelf {
    fn with(self, moves: &str, usage: u64, quality: u8, counts: [u32; 3]) -> Shelf {
        let (position, _) = play::<Chess>(moves);
        self.with_position(&position, usage, quality, counts)
    }

    fn with_position<G: Searchable>(
        mut self,
        position: &G,
        usage: u64,
        quality: u8,
        counts: [u32; 3],
    ) -> Shelf {
        let at = stored(position, self.folds);
        let [wins, draws, losses] = counts;
        let record = Record {
            key: at.key,
            word: Word::new(usage, counts.map(u64::from), quality),
            lock: Some(at.lock),
            counts: Some(Counts { wins, draws, losses }),
            valued: None,
        };
        self.records.insert(record.key, record);
        self
    }
}

fn shelf() -> Shelf {
    Shelf::default()
        .with("e2e4", 60, 20, [30, 20, 10])
        .with("d2d4", 90, 20, [30, 40, 20])
        .with("c2c4", 30, 9, [5, 20, 5])
        .with("g2g4", 0, 31, [0, 0, 0])
}

fn chosen(moves: &str, book: &Shelf, policy: BookPolicy) -> Option<String> {
    drawn(moves, book, policy, 0)
}

fn drawn(moves: &str, book: &Shelf, policy: BookPolicy, seed: u64) -> Option<String> {
    let (position, history) = play::<Chess>(moves);
    choose(&position, &history, book_moves(&position, book), (policy, seed))
        .map(|choice| Chess::coordinates().format(&position, choice.m))
}

#[test]
fn best_policy_orders_by_weight_usage_and_code() {
    assert_eq!(chosen("", &shelf(), BookPolicy::Best).as_deref(), Some("d2d4"));
    let even = Shelf::default().with("e2e4", 9, 3, [1, 1, 1]).with("d2d4", 9, 3, [1, 1, 1]);
    assert_eq!(chosen("", &even, BookPolicy::Best).as_deref(), Some("d2d4"));
    // 1 · 32³ is less than 90 · 21³; 70 · 32³ is more.
    let rare = shelf().with("b1c3", 1, 31, [1, 0, 0]);
    assert_eq!(chosen("", &rare, BookPolicy::Best).as_deref(), Some("d2d4"));
    let good = shelf().with("b1c3", 70, 31, [40, 20, 10]);
    assert_eq!(chosen("", &good, BookPolicy::Best).as_deref(), Some("b1c3"));
    // 4 · 2³ = 32 · 1³.
    let same_weight = Shelf::default().with("e2e4", 4, 1, [2, 1, 1]).with("d2d4", 32, 0, [9, 9, 14]);
    assert_eq!(chosen("", &same_weight, BookPolicy::Best).as_deref(), Some("d2d4"));
}

#[test]
fn no_book_move_without_a_used_record_or_with_policy_off() {
    let unused = Shelf::default().with("g2g4", 0, 31, [0, 0, 0]);
    assert_eq!(chosen("", &unused, BookPolicy::Best), None);
    assert_eq!(chosen("h2h3", &shelf(), BookPolicy::Best), None);
    assert_eq!(chosen("", &shelf(), BookPolicy::Off), None);
}

#[test]
fn a_record_with_another_lock_is_ignored() {
    let mut book = Shelf::default().with("e2e4", 9, 3, [1, 1, 1]);
    for record in book.records.values_mut() {
        record.lock = record.lock.map(|lock| Lock(!lock.0));
    }
    assert_eq!(chosen("", &book, BookPolicy::Best), None);
}

#[test]
fn a_book_move_never_repeats_a_position_of_the_game() {
    let book = Shelf::default().with("", 9, 31, [1, 1, 1]).with("g1f3 g8f6 f3g1 b8c6", 9, 3, [1, 1, 1]);
    assert_eq!(chosen("g1f3 g8f6 f3g1", &book, BookPolicy::Best).as_deref(), Some("b8c6"));
}

/// Checks how often a policy draws each move in 4,000 draws; three standard deviations are under 95.
fn check_draws(policy: BookPolicy, expected: [(&str, i32); 3]) {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for seed in 0..4000 {
        let first = drawn("", &shelf(), policy, seed).unwrap();
        assert_eq!(drawn("", &shelf(), policy, seed), Some(first.clone()));
        *counts.entry(first).or_default() += 1;
    }
    for (text, expected) in expected {
        assert!((counts[text] as i32 - expected).abs() < 95, "{counts:?}");
    }
}

#[test]
fn weighted_draws_depend_on_usage_quality_and_seed() {
    // Weights 60 · 21³, 90 · 21³, 30 · 10³ of 1,419,150 in all.
    check_draws(BookPolicy::Weighted, [("e2e4", 1566), ("d2d4", 2349), ("c2c4", 85)]);
}

#[test]
fn hints_are_shrunken_scores_of_the_first_side() {
    let counts = |wins, draws, losses| Counts { wins, draws, losses };
    assert_eq!(centipawns_of(counts(0, 0, 0)), 0);
    assert_eq!(centipawns_of(counts(5, 5, 5)), 0);
    // (1 + 6) / 13 = 0.538: one win says little.
    assert_eq!(centipawns_of(counts(1, 0, 0)), 26);
    assert_eq!(centipawns_of(counts(u32::MAX, 0, 0)), 150);
    assert_eq!(centipawns_of(counts(0, 0, u32::MAX)), -150);
}

/// Returns the move that the hints of a book put first in the position after `moves`.
fn hinted(moves: &str, book: &Shelf) -> String {
    let mut searcher: Searcher<Chess> = Searcher::new(1 << 16);
    searcher.set_book(book.shared(), BookMode::Hints);
    let (position, _) = play::<Chess>(moves);
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let best = searcher.hints.best_move(&searcher.table, &position, &legal);
    Chess::coordinates().format(&position, best)
}

fn searched(searcher: &mut Searcher<Chess>, moves: &str, depth: u8) -> SearchResult {
    let (position, history) = play::<Chess>(moves);
    searcher.search(&position, &history, &Limits::depth(depth), &mut |_| ())
}

#[test]
fn mode_hints_loads_records_and_orders_the_root() {
    for mode in BookMode::ALL {
        let mut searcher: Searcher<Chess> = Searcher::new(1 << 20);
        let stored = searcher.set_book(shelf().shared(), mode);
        let has_hints = mode == BookMode::Hints;
        assert_eq!(stored, if has_hints { 4 } else { 0 });
        let (position, _) = play::<Chess>("e2e4");
        let hint = searcher.hints.find(&searcher.table, &position).map(|hint| (hint.usage, hint.score));
        assert_eq!(hint, has_hints.then_some((60, Score(99))), "{mode:?}");
        if has_hints {
            assert_eq!(hinted("", &shelf()), "e2e4");
        }
        let result = searched(&mut searcher, "", 4);
        assert_eq!(result.counts.book_hits > 0, has_hints, "{mode:?}");
    }
}

#[test]
fn mode_root_searches_like_mode_off() {
    let count = |mode| {
        let mut searcher: Searcher<Chess> = Searcher::new(1 << 20);
        searcher.set_book(shelf().shared(), mode);
        let result = searched(&mut searcher, "e2e4", 5);
        (result.nodes, result.best, result.score)
    };
    assert_eq!(count(BookMode::Off), count(BookMode::Root));
}

#[test]
fn clear_and_resize_reload_the_book() {
    let mut searcher: Searcher<Chess> = Searcher::new(1 << 20);
    searcher.set_book(shelf().shared(), BookMode::Hints);
    let (position, _) = play::<Chess>("e2e4");
    searched(&mut searcher, "", 4);
    assert!(searcher.recall(&position).is_some());
    searcher.clear();
    assert!(
        searcher.recall(&position).is_none() && searcher.hints.find(&searcher.table, &position).is_some()
    );
    searcher.resize(1 << 18).unwrap();
    assert!(searcher.hints.find(&searcher.table, &position).is_some());
    searcher.set_book(None, BookMode::Hints);
    assert_eq!(searcher.hints.find(&searcher.table, &position), None);
}

/// A book of `usages` with made-up keys.
fn numbered(usages: impl Iterator<Item = u64>) -> Shelf {
    let records = usages.enumerate().map(|(n, usage)| {
        let (key, lock) = (Key(splitmix64(n as u64)), Some(Lock(n as u32)));
        (key, Record { key, word: Word::new(usage, [1, 1, 1], 0), lock, counts: None, valued: None })
    });
    Shelf { records: records.collect(), folds: false }
}

fn loaded(book: &Shelf, table_bytes: usize) -> (Searcher<Chess>, Loaded) {
    let mut searcher: Searcher<Chess> = Searcher::new(table_bytes);
    let stored = searcher.set_book(book.shared(), BookMode::Hints);
    let loaded = searcher.loaded().unwrap();
    assert_eq!(loaded.stored, stored);
    (searcher, loaded)
}

#[test]
fn a_large_book_fills_a_quarter_of_the_table_with_its_most_used_records() {
    // 4,096 entries have room for 1,024 records: those of usages 4 to 7, 250 each, and not those of usage 3.
    let book = numbered((0..2000).map(|n| n % 8));
    let (searcher, found) = loaded(&book, 1 << 16);
    assert_eq!(searcher.table.capacity(), 4096);
    assert_eq!((found.records, found.least_usage), (2000, 4));
    assert!(found.stored <= 1000 && found.stored >= 980, "{found:?}");
    // A table with room for all of them loads all.
    let (_, all) = loaded(&book, 1 << 18);
    assert_eq!((all.records, all.least_usage), (2000, 0));
}

#[test]
fn a_book_without_locks_is_found_by_its_keys() {
    let mut book = shelf();
    for record in book.records.values_mut() {
        *record = Record { lock: None, counts: None, ..*record };
    }
    let mut searcher: Searcher<Chess> = Searcher::new(1 << 20);
    assert_eq!(searcher.set_book(book.shared(), BookMode::Hints), 4);
    let (position, _) = play::<Chess>("d2d4");
    let hint = searcher.hints.find(&searcher.table, &position).unwrap();
    assert_eq!((hint.usage, hint.score), (90, Score(0)));
}

/// A folding book with the central cannon and its answer by the horse, each under whichever form is smaller.
fn folding_shelf() -> Shelf {
    let (cannon, _) = play::<Xiangqi>("h2e2");
    let (answered, _) = play::<Xiangqi>("h2e2 h9g7");
    Shelf { folds: true, ..Shelf::default() }.with_position(&cannon, 90, 20, [40, 30, 20]).with_position(
        &answered,
        50,
        18,
        [20, 20, 10],
    )
}

#[test]
fn a_folding_book_answers_in_a_position_and_in_its_mirror() {
    let book = folding_shelf();
    for (moves, expected) in [("h2e2", "h9g7"), ("b2e2", "b9c7")] {
        let (position, history) = play::<Xiangqi>(moves);
        let choice =
            choose(&position, &history, book_moves(&position, &book), (BookPolicy::Best, 0)).unwrap();
        assert_eq!(Xiangqi::coordinates().format(&position, choice.m), expected);
    }
}

#[test]
fn a_folding_book_has_the_usual_one_of_two_mirrored_moves() {
    let (start, _) = play::<Xiangqi>("");
    let known = book_moves(&start, &folding_shelf());
    assert_eq!(known.len(), 1);
    assert_eq!(Xiangqi::coordinates().format(&start, known[0].m), "h2e2");
}

/// Sets the value of every record of a book.
fn valued(mut book: Shelf, depth: u8, best: Move, value: i16) -> Shelf {
    book.records.values_mut().for_each(|record| record.valued = Some(Valued { depth, best, value }));
    book
}

#[test]
fn a_value_of_the_book_is_a_result_of_its_depth() {
    let book = Shelf::default().with("e2e4 e7e5 g1f3", 60, 20, [30, 20, 10]);
    let count = |depth| {
        let mut searcher: Searcher<Chess> = Searcher::new(1 << 20);
        searcher.set_book(valued(book.clone(), depth, Move::NONE, 2_000).shared(), BookMode::Hints);
        let result = searched(&mut searcher, "e2e4 e7e5", 5);
        let (position, _) = play::<Chess>("e2e4 e7e5 g1f3");
        let hint = searcher.hints.find(&searcher.table, &position).unwrap();
        assert_eq!((hint.score, hint.depth), (Score(2_000), Some(depth)));
        result.pv.first().map(|&m| Chess::coordinates().format(&play::<Chess>("e2e4 e7e5").0, m)).unwrap()
    };
    // White would lose 20 pawns: a deep value keeps it from the move.
    assert_ne!(count(20), "g1f3");
    let mates = |value| {
        hint_of(&Record {
            valued: Some(Valued { depth: 9, best: Move::NONE, value }),
            ..*book.records.values().next().unwrap()
        })
        .score
    };
    assert_eq!((mates(MATE_VALUE - 5), mates(5 - MATE_VALUE)), (Score::mate_in(5), Score::mated_in(5)));
    assert_eq!(mates(300), Score(300));
}

#[test]
fn the_best_move_of_a_folding_book_is_told_for_both_mirrors() {
    let (cannon, _) = play::<Xiangqi>("h2e2");
    let horse = Xiangqi::coordinates().parse(&cannon, "h9g7").unwrap();
    let stored = Xiangqi::fold_move(cannon.folded().symmetry, horse);
    let book = valued(
        Shelf { folds: true, ..Shelf::default() }.with_position(&cannon, 90, 20, [40, 30, 20]),
        9,
        stored,
        30,
    );
    let mut searcher: Searcher<Xiangqi> = Searcher::new(1 << 20);
    searcher.set_book(book.shared(), BookMode::Hints);
    for (moves, expected) in [("h2e2", "h9g7"), ("b2e2", "b9c7")] {
        let (position, _) = play::<Xiangqi>(moves);
        let entry = searcher
            .hints
            .result(&position, searcher.hints.find(&searcher.table, &position).unwrap())
            .unwrap();
        assert_eq!(Xiangqi::coordinates().format(&position, entry.best), expected);
        assert_eq!((entry.score, entry.depth, entry.bound), (Score(30), 9, Bound::Exact));
    }
}
