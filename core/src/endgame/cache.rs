//! A cache of unpacked blocks, set-associative.
//!
//! The number of a block selects a set of slots; within the set, a new block replaces the least recently used one.
//! Consecutive blocks of a file go to consecutive sets, so that sets fill evenly.

use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;

/// Sets of slots.
const SETS: usize = 1 << 9;
/// Slots of a set: with blocks of 16 KiB, 64 MiB in all.
const SLOTS: usize = 8;
/// Distance in sets between the first blocks of files.
const STEP: usize = 0x9d;

/// The file and the number of a block.
pub(super) type Key = (u32, u32);

/// Blocks by key.
pub(super) struct Cache(Vec<Mutex<Set>>);

#[derive(Default)]
struct Set {
    slots: ArrayVec<Slot, SLOTS>,
    /// Number of lookups in the set.
    asked: u64,
}

struct Slot {
    key: Key,
    block: Vec<u8>,
    /// The lookup that used this block last.
    last: u64,
}

impl Cache {
    /// Returns an empty cache.
    pub fn new() -> Cache {
        Cache((0..SETS).map(|_| Mutex::default()).collect())
    }

    /// Returns the result of `read` on a block. If the cache does not hold the block, `unpack` provides it.
    ///
    /// # Errors
    /// Those of `unpack`.
    pub fn read<T, E>(
        &self,
        key: Key,
        unpack: impl FnOnce() -> Result<Vec<u8>, E>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, E> {
        let (file, number) = (key.0 as usize, key.1 as usize);
        let set = &self.0[(number + file * STEP) % SETS];
        // Slots change as a whole, so a thread that panicked has left them valid.
        let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
        set.asked += 1;
        let last = set.asked;
        if let Some(slot) = set.slots.iter_mut().find(|slot| slot.key == key) {
            slot.last = last;
            return Ok(read(&slot.block));
        }
        let block = unpack()?;
        let value = read(&block);
        let slot = Slot { key, block, last };
        if let Err(full) = set.slots.try_push(slot)
            && let Some(oldest) = set.slots.iter_mut().min_by_key(|slot| slot.last)
        {
            *oldest = full.element();
        }
        Ok(value)
    }
}
