//! Laws of the transposition table.

use proptest::prelude::*;

use super::*;

fn entry(depth: u8, bound: Bound) -> Entry {
    Entry { best: Move(7), score: Score(31), evaluation: Score(-12), depth, bound }
}

/// Returns well spread numbers from a counter (splitmix64's finaliser).
fn spread(counter: u64) -> u64 {
    let mut z = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

proptest! {
    #[test]
    fn stored_results_are_found(
        key in any::<u64>(), lock in any::<u32>(), best in any::<u16>(), score in -32_000..=32_000,
        evaluation in -31_000..=31_000, depth in any::<u8>(), bound in 1..=3,
    ) {
        let bound = [Bound::Lower, Bound::Upper, Bound::Exact][bound as usize - 1];
        let entry = Entry { best: Move(best), score: Score(score), evaluation: Score(evaluation), depth, bound };
        let table = Table::new(1 << 12);
        table.store(Key(key), Lock(lock), entry);
        prop_assert_eq!(table.probe(Key(key), Lock(lock)), Some(Found::Searched(entry)));
        prop_assert_eq!(table.probe(Key(key), Lock(!lock)), None);
        prop_assert_eq!(table.probe(Key(key ^ 1 << 63), Lock(lock)), None);
    }

}

#[test]
fn a_cluster_loaded_in_order_spreads_over_the_table() {
    let table = Table::new(1 << 16);
    let mut loads = vec![0; table.buckets.len()];
    // One cluster: equal top 15 bits, the rest ascending as in the file.
    let mut keys: Vec<u64> = (0..loads.len() as u64 * 8).map(|n| spread(n) >> 15).collect();
    keys.sort_unstable();
    for key in keys {
        loads[table.index(Key(0x5a5a << 49 | key))] += 1;
    }
    let empty = loads.iter().filter(|&&load| load == 0).count();
    // 8 per bucket on average: a bucket stays empty with probability e^-8, 0.3 of 1,024.
    assert!(empty <= 5, "{empty} of {} buckets are empty", loads.len());
    assert!(loads.iter().all(|&load| load < 30));
}

#[test]
fn a_quarter_full_table_keeps_99_percent_of_a_book() {
    let table = Table::new(1 << 20);
    let records = table.capacity() as u64 / 4;
    let hint = Hint { score: Score(10), usage: 3, depth: None, best: Move::NONE };
    let locked = |n: u64| (Key(spread(n)), Lock(spread(n ^ 1 << 40) as u32));
    let stored = (0..records).filter(|&n| table.store_hint(locked(n).0, locked(n).1, hint)).count() as u64;
    let found = (0..records).filter(|&n| table.probe(locked(n).0, locked(n).1).is_some()).count() as u64;
    assert_eq!(stored, found);
    assert!(found * 100 >= records * 99, "{found} of {records}");
}

#[test]
fn the_shallowest_old_result_is_replaced() {
    let mut table = Table::new(0);
    assert_eq!(table.capacity(), 4);
    for (n, depth) in [(1, 9), (2, 8), (3, 7), (4, 6)] {
        table.store(Key(n << 32), Lock(0), entry(depth, Bound::Exact));
    }
    table.store(Key(5 << 32), Lock(0), entry(1, Bound::Lower));
    assert_eq!(table.probe(Key(4 << 32), Lock(0)), None);
    // Three generations later the old deep results are worth less than the young shallow one.
    for _ in 0..3 {
        table.next_generation();
    }
    table.store(Key(6 << 32), Lock(0), entry(1, Bound::Lower));
    table.store(Key(7 << 32), Lock(0), entry(2, Bound::Lower));
    assert!(table.probe(Key(6 << 32), Lock(0)).is_some());
    assert!(table.probe(Key(1 << 32), Lock(0)).is_some());
}

#[test]
fn a_shallower_bound_does_not_replace_a_deep_result_of_the_same_position() {
    let table = Table::new(1 << 12);
    let deep = entry(12, Bound::Lower);
    table.store(Key(9), Lock(9), deep);
    table.store(Key(9), Lock(9), entry(3, Bound::Upper));
    assert_eq!(table.probe(Key(9), Lock(9)), Some(Found::Searched(deep)));
    let exact = entry(3, Bound::Exact);
    table.store(Key(9), Lock(9), exact);
    assert_eq!(table.probe(Key(9), Lock(9)), Some(Found::Searched(exact)));
}

#[test]
fn results_replace_hints_but_hints_do_not() {
    let table = Table::new(0);
    let hint = Hint { score: Score(0), usage: 1, depth: None, best: Move::NONE };
    let stored: Vec<bool> = (1..=5).map(|n| table.store_hint(Key(n << 32), Lock(0), hint)).collect();
    assert_eq!(stored, [true, true, true, true, false]);
    table.store(Key(9 << 32), Lock(0), entry(1, Bound::Lower));
    assert!(table.probe(Key(9 << 32), Lock(0)).is_some());
}

#[test]
fn only_deeper_results_replace_values_of_a_book() {
    let table = Table::new(0);
    let hint = Hint { score: Score(-25), usage: 1, depth: Some(9), best: Move(77) };
    (1..=4).for_each(|n| assert!(table.store_hint(Key(n << 32), Lock(0), hint)));
    table.store(Key(9 << 32), Lock(0), entry(8, Bound::Exact));
    assert!((1..=4).all(|n| table.probe(Key(n << 32), Lock(0)) == Some(Found::Book(hint))));
    table.store(Key(9 << 32), Lock(0), entry(9, Bound::Lower));
    assert!(table.probe(Key(9 << 32), Lock(0)).is_some());
}

#[test]
fn threads_that_write_at_once_never_mix_two_positions() {
    // One bucket for all: every store overwrites another thread's.
    let table = Table::new(0);
    // What an entry must say of its key.
    let of = |n: u64| Entry {
        best: Move(n as u16 | 1),
        score: Score(n as i32 % 1000),
        evaluation: Score(-(n as i32 % 1000)),
        depth: (n % 60) as u8,
        bound: Bound::Exact,
    };
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let table = &table;
            scope.spawn(move || {
                for n in 0..50_000_u64 {
                    let number = spread(n ^ (thread << 32)) >> 40;
                    let (key, lock) = (Key(number << 32), Lock(number as u32));
                    if let Some(found) = table.probe(key, lock) {
                        assert_eq!(found, Found::Searched(of(number)));
                    }
                    table.store(key, lock, of(number));
                    let other = spread(n ^ (((thread + 1) % 4) << 32)) >> 40;
                    if let Some(found) = table.probe(Key(other << 32), Lock(other as u32)) {
                        assert_eq!(found, Found::Searched(of(other)));
                    }
                }
            });
        }
    });
}

/// Returns the number of unknown positions that a full table of 4,096 entries claims to know.
fn collisions(mut table: Table, probes: u64) -> u64 {
    table.next_generation();
    let of = |n: u64| (Key(spread(n)), Lock(spread(n ^ 1 << 40) as u32));
    for n in 0..100_000 {
        let (key, lock) = of(n);
        table.store(key, lock, entry(1, Bound::Lower));
    }
    assert_eq!(table.full_permille(), 1000);
    let strange = (0..probes).map(|n| of(n + (1 << 50)));
    strange.filter(|&(key, lock)| table.probe(key, lock).is_some()).count() as u64
}

#[test]
fn shrunken_keys_collide_by_chance_and_whole_keys_never() {
    let probes = 400_000;
    for bits in [8, 12, 16] {
        // Four entries of a bucket; each has the same `bits` bits with probability 2^-bits.
        let expected = (4 * probes) as f64 / f64::from(1 << bits);
        let counted = collisions(Table::shrunken(1 << 16, bits), probes) as f64;
        assert!((counted - expected).abs() < 5.0 * expected.sqrt() + 1.0, "{bits}: {counted}, {expected}");
    }
    assert_eq!(collisions(Table::new(1 << 16), probes), 0);
}
