//! The search inside a cluster gives the result of a binary search for any keys, and ends even if they do not ascend.

use super::*;
use crate::book::layout::{RECORD_BYTES, SUM_BLOCK};
use crate::book::view::{RawRecord, key_of, lower_bound};
use crate::game::{Key, Lock};
use crate::sums::sum_of;

/// Keys of the cluster in which the search is tried.
const CLUSTER: u64 = 0x5ace << 49;

fn records_of(keys: &[u64]) -> Vec<RawRecord> {
    let record = |key: &u64| {
        let mut record = [0; RECORD_BYTES];
        record[..8].copy_from_slice(&key.to_le_bytes());
        record
    };
    keys.iter().map(record).collect()
}

/// The low 49 bits of a cluster's keys: evenly spread, at one end, in steps, in heaps, all but equal.
fn any_low_bits() -> impl Strategy<Value = Vec<u64>> {
    let spread = prop::collection::vec(0..1u64 << 49, 0..1500);
    let low = prop::collection::vec(0..2000u64, 0..1500);
    let high = prop::collection::vec((1u64 << 49) - 2000..1 << 49, 0..1500);
    let steps =
        (0..1500u64, 0..49u32).prop_map(|(n, shift)| (0..n).map(|i| (i << shift) % (1 << 49)).collect());
    let heaps = prop::collection::vec((0..4u64, 0..40u64).prop_map(|(heap, key)| heap << 47 | key), 0..1500);
    let skewed =
        prop::collection::vec((0..49u32, any::<u64>()).prop_map(|(bits, key)| key >> 15 >> bits), 0..1500);
    let equal = (0..1500usize, 0..1u64 << 49).prop_map(|(n, key)| vec![key; n]);
    prop_oneof![spread, low, high, steps, heaps, skewed, equal]
}

/// What may be asked of such a cluster: any of its keys, their neighbours, strangers, both ends.
fn questions(keys: &[u64], strangers: &[u64]) -> Vec<u64> {
    let near = keys.iter().flat_map(|&key| [key, key.wrapping_sub(1), key.wrapping_add(1)]);
    let strangers = strangers.iter().map(|&key| CLUSTER | key);
    near.chain(strangers).chain([0, CLUSTER, CLUSTER | ((1 << 49) - 1), u64::MAX]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_search_finds_what_a_plain_one_finds(
        low_bits in any_low_bits(),
        strangers in prop::collection::vec(0..1u64 << 49, 50),
    ) {
        let mut keys: Vec<_> = low_bits.iter().map(|&key| CLUSTER | key).collect();
        keys.sort_unstable();
        let records = records_of(&keys);
        for key in questions(&keys, &strangers) {
            let expected = records.partition_point(|record| key_of(record) < key);
            prop_assert_eq!(lower_bound(&records, key), expected, "{:#x} among {} keys", key, keys.len());
        }
    }

    #[test]
    fn records_without_order_end_the_search_inside_the_cluster(
        keys in prop::collection::vec(any::<u64>(), 0..1500),
        strangers in prop::collection::vec(0..1u64 << 49, 50),
    ) {
        let records = records_of(&keys);
        for key in questions(&keys, &strangers) {
            prop_assert!(lower_bound(&records, key) <= records.len());
        }
    }

    #[test]
    fn a_book_with_damaged_keys_never_answers_for_another_position(
        rows in any_table(1000),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..8usize, 1..=u8::MAX), 1..40),
    ) {
        prop_assume!(!rows.is_empty());
        let (_folder, path) = write_rows(&rows, &options("{}"));
        let sections = open(&path).unwrap().header().sections().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        for (record, byte, bits) in damage {
            bytes[sections.records.start + record.index(rows.len()) * RECORD_BYTES + byte] ^= bits;
        }
        // The checksums of the blocks fit, so that the search itself is tried.
        let sums: Vec<u8> = bytes[..sections.recipe.end].chunks(SUM_BLOCK).flat_map(sum_of).collect();
        bytes[sections.sums].copy_from_slice(&sums);
        std::fs::write(&path, bytes).unwrap();
        let book = open(&path).unwrap();
        for row in &rows {
            let place = book.seek(Key(row.key), Lock(row.lock));
            let found = place.and_then(|place| book.iter().nth(place));
            prop_assert!(found.is_none_or(|found| (found.key.0, found.lock) == (row.key, Some(Lock(row.lock)))));
        }
    }
}
