//! Unpacked blocks of files. In goes the number of a block; out goes what its bytes tell, unpacked first if it is not
//! here.
//!
//! A block has a set of slots by its number, and takes in it that of the block that was asked for longest ago. The
//! blocks of a file stand in the sets in turn, so that sets fill evenly, however many files there are.

use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;

/// Sets of slots.
const SETS: usize = 1 << 9;
/// Places of a set: with blocks of 16 KiB, 64 MiB in all.
const SLOTS: usize = 8;
/// Files begin so many sets apart.
const STEP: usize = 0x9d;

/// The file and the number of a block.
pub(super) type Key = (u32, u32);

/// Blocks by key.
pub(super) struct Cache(Vec<Mutex<Set>>);

#[derive(Default)]
struct Set {
    slots: ArrayVec<Slot, SLOTS>,
    /// Times that the set was asked.
    asked: u64,
}

struct Slot {
    key: Key,
    block: Vec<u8>,
    /// When the set was last asked for this block.
    last: u64,
}

impl Cache {
    /// Returns an empty cache.
    pub fn new() -> Cache {
        Cache((0..SETS).map(|_| Mutex::default()).collect())
    }

    /// Returns what `read` makes of a block, which `unpack` unpacks if it is not here.
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
        // Places change whole, so what a thread that panicked has left is sound.
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
