//! Search inside a cluster: records that ascend by key in, the place of a key out.

use super::layout::RECORD_BYTES;

/// A record as it stands in the file: `u64` key, `u32` word.
pub(super) type RawRecord = [u8; RECORD_BYTES];

/// Returns the key of a record.
pub(super) fn key_of(record: &RawRecord) -> u64 {
    record.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Returns the word of a record.
pub(super) fn word_of(record: &RawRecord) -> u32 {
    let [.., w0, w1, w2, w3] = *record;
    u32::from_le_bytes([w0, w1, w2, w3])
}

/// Returns the place of the first record whose key is `key` or above.
///
/// Keys are hashes, so the 49 bits below the cluster's spread evenly and tell the place up to a few records. The
/// search starts there and doubles its step until it has passed the key, then halves the stretch. Keys that do not
/// spread cost about twice a binary search.
pub(super) fn lower_bound(cluster: &[RawRecord], key: u64) -> usize {
    if cluster.len() <= SMALL {
        return cluster.partition_point(|record| key_of(record) < key);
    }
    let below = |place: usize| cluster.get(place).is_some_and(|record| key_of(record) < key);
    let guess = guess(cluster.len(), key);
    let (mut low, mut high);
    let mut step = FIRST_STEP;
    if below(guess) {
        (low, high) = (guess + 1, guess + step);
        while below(high) {
            low = high + 1;
            step *= 2;
            high = low + step;
        }
        high = high.min(cluster.len());
    } else {
        (low, high) = (guess.saturating_sub(step), guess);
        while low > 0 && !below(low) {
            high = low;
            step *= 2;
            low = low.saturating_sub(step);
        }
    }
    low + cluster[low..high].partition_point(|record| key_of(record) < key)
}

/// Returns the place at which a key is expected in a cluster of so many records, below their number.
pub(super) fn guess(records: usize, key: u64) -> usize {
    ((u128::from(key << 15) * records as u128) >> 64) as usize
}

/// Up to so many records, a few cache lines, the guess costs more than it saves.
const SMALL: usize = 8;
/// First step of the search, in records: five of them share a cache line. Both as measured by
/// `benches/cluster_index.rs` on books of 10⁵ to 10⁷ records; a fixed stretch around the guess was slower.
const FIRST_STEP: usize = 4;
