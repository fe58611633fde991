//! The material table: a cache of evaluation facts that depend on the numbers of men alone.
//!
//! The key is exact: the number of men of each kind and side, four bits each.

use super::TableUse;

/// Materials remembered, a power of two; chosen.
const SLOTS: usize = 1 << 12;
/// The key of an empty slot: no kind has fifteen men on both sides.
const NONE: u64 = u64::MAX;

/// Materials met before, one slot for all that share an index. By default it has no slot.
#[derive(Default)]
pub struct MaterialTable<T> {
    slots: Vec<(u64, T)>,
    pub(super) used: TableUse,
}

impl<T: Copy + Default> MaterialTable<T> {
    /// Returns an empty table.
    pub(super) fn new() -> MaterialTable<T> {
        MaterialTable { slots: vec![(NONE, T::default()); SLOTS], used: TableUse::default() }
    }

    /// Returns the facts of these numbers of men; calls `judge` if the table does not have them.
    pub(super) fn look_up(&mut self, men: impl Iterator<Item = u64>, judge: impl FnOnce() -> T) -> T {
        let key = men.fold(0, |key, count| key << 4 | count);
        // The golden ratio's odd constant spreads the bits; the top ones are the index.
        let index = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.ilog2());
        self.used.probes += 1;
        let Some(slot) = self.slots.get_mut(index as usize) else { return judge() };
        if slot.0 == key {
            self.used.hits += 1;
        } else {
            *slot = (key, judge());
        }
        slot.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_table_is_exact() {
        let mut table = MaterialTable::new();
        let mut judged = 0;
        for round in 0..3 {
            for pawns in 0..9 {
                for rooks in 0..3 {
                    let worth = table.look_up([pawns, rooks].into_iter(), || {
                        judged += 1;
                        pawns * 10 + rooks
                    });
                    assert_eq!(worth, pawns * 10 + rooks, "round {round}");
                }
            }
        }
        assert_eq!(table.used.probes, 3 * 27);
        assert_eq!(table.used.probes - table.used.hits, judged);
        assert!(judged < 2 * 27, "{judged} judged");
    }
}
