//! Checksums of the blocks of a file, so that a reader of few of its bytes knows that they are as written.

use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a checksum.
pub const SUM_BYTES: usize = 4;

/// Returns the checksum of a block: the low 32 bits of its XXH3-64. It finds accidents, not forgery.
pub fn sum_of(block: &[u8]) -> [u8; SUM_BYTES] {
    (xxh3_64(block) as u32).to_le_bytes()
}

/// Takes the checksums of bytes that arrive in pieces; the last block may be shorter than the others.
#[derive(Debug)]
pub struct BlockSums {
    size: usize,
    block: Vec<u8>,
    sums: Vec<u8>,
}

impl BlockSums {
    /// Begins with blocks of `size` bytes.
    pub fn new(size: usize) -> BlockSums {
        BlockSums { size, block: Vec::with_capacity(size), sums: Vec::new() }
    }

    /// Adds the next bytes.
    pub fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(self.size - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == self.size {
                self.sums.extend(sum_of(&self.block));
                self.block.clear();
            }
        }
    }

    /// Returns the checksums of all blocks, one after the other.
    pub fn finish(mut self) -> Vec<u8> {
        if !self.block.is_empty() {
            self.sums.extend(sum_of(&self.block));
        }
        self.sums
    }
}

/// Returns the checksum of a block among those of a file.
pub fn nth(sums: &[u8], block: usize) -> Option<&[u8; SUM_BYTES]> {
    sums.get(SUM_BYTES * block..)?.first_chunk()
}
