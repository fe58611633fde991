//! Search for a key inside a cluster, whose records ascend by key.

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
/// Keys are hashes, so their lower 49 bits are evenly distributed and predict the place up to a few records. A stretch
/// around that place is read first, without branches that depend on a key: its loads wait for memory together. If the
/// answer is outside, or the cluster is shorter, steps of doubling length find a stretch for a binary search. Keys that
/// are not evenly distributed, or do not even ascend, cost about twice a binary search.
pub(super) fn lower_bound(cluster: &[RawRecord], key: u64) -> usize {
    if cluster.len() <= SMALL {
        return cluster.partition_point(|record| key_of(record) < key);
    }
    let guess = guess(cluster.len(), key);
    let start = guess.saturating_sub(STRETCH / 2).min(cluster.len().saturating_sub(STRETCH));
    let found = cluster[start..].first_chunk().and_then(|stretch| lower_bound_near(stretch, key));
    found.map_or_else(|| lower_bound_from(cluster, key, guess), |place| start + place)
}

/// Returns the place of the first record at `key` or above, if the stretch contains it and the record before it.
fn lower_bound_near(stretch: &[RawRecord; STRETCH], key: u64) -> Option<usize> {
    let below = |record: &RawRecord| usize::from(key_of(record) < key);
    let (groups, _) = stretch.as_chunks::<GROUP>();
    let group: usize = groups.iter().map(|group| below(&group[GROUP - 1])).sum();
    let place = group * GROUP + groups.get(group)?.iter().map(below).sum::<usize>();
    (place > 0).then_some(place)
}

/// Returns the place of the first record at `key` or above, searching outwards from a guess.
fn lower_bound_from(cluster: &[RawRecord], key: u64, guess: usize) -> usize {
    let below = |place: usize| cluster.get(place).is_some_and(|record| key_of(record) < key);
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

/// Returns the place at which a key is expected in a cluster of `records` records.
pub(super) fn guess(records: usize, key: u64) -> usize {
    ((u128::from(key << 15) * records as u128) >> 64) as usize
}

/// Clusters up to this number of records, a few cache lines, are searched without a guess.
const SMALL: usize = 8;
/// First step of the search, in records: five of them share a cache line.
const FIRST_STEP: usize = 4;
/// Records of a group of the stretch: a cache line's worth.
const GROUP: usize = 5;
/// Records of the stretch. In a book of 10⁷ records the guess is off by 7 on average (√(n/8) for clusters of n). All
/// four as measured by `benches/cluster_index.rs` on books of 10⁵ to 10⁷ records.
const STRETCH: usize = 6 * GROUP;
