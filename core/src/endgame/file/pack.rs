//! Packs and unpacks blocks. The word of a block in the directory says how it is packed.

use std::io;

use super::layout::{BLOCK_BYTES, Bits};

const LENGTH: u32 = (1 << 30) - 1;
const RAW: u32 = 0;
const ZSTD: u32 = 1;
const REPEATED: u32 = 2;
const SPREAD: u32 = 3;

/// Effort of zstd where only who wins is kept: small, and the size is what counts.
const WLD_LEVEL: i32 = 19;
/// Effort of zstd for distances: higher levels take several times as long for some hundredths of the size.
const DISTANCE_LEVEL: i32 = 6;

/// Returns the word of the directory and the packed bytes.
pub(super) fn packed(block: Vec<u8>, bits: Bits) -> io::Result<(u32, Vec<u8>)> {
    if block.iter().all(|&byte| byte == block[0]) {
        return Ok((REPEATED << 30 | 1, vec![block[0]]));
    }
    let (how, small) = match bits {
        // Repeats rarely begin where a byte of four cells does.
        Bits::Two => (SPREAD, zstd::bulk::compress(&spread(&block), WLD_LEVEL)?),
        Bits::Eight | Bits::Sixteen => (ZSTD, zstd::bulk::compress(&block, DISTANCE_LEVEL)?),
    };
    Ok(if small.len() < block.len() {
        (how << 30 | small.len() as u32, small)
    } else {
        (RAW << 30 | block.len() as u32, block)
    })
}

/// Returns cells of two bits, one per byte.
fn spread(block: &[u8]) -> Vec<u8> {
    block.iter().flat_map(|&byte| [0, 2, 4, 6].map(|shift| byte >> shift & 3)).collect()
}

/// Returns cells of a byte in two bits each.
fn gathered(cells: &[u8]) -> Vec<u8> {
    let (fours, _) = cells.as_chunks::<4>();
    fours.iter().map(|&[a, b, c, d]| a | b << 2 | c << 4 | d << 6).collect()
}

/// Returns the packed length in a word of the directory.
pub(super) fn length(word: u32) -> usize {
    (word & LENGTH) as usize
}

/// Returns the bytes of a block; `None` where they are not what was packed.
pub(super) fn unpacked(word: u32, bytes: &[u8]) -> Option<Vec<u8>> {
    let block = match word >> 30 {
        RAW => bytes.to_vec(),
        ZSTD => zstd::bulk::decompress(bytes, BLOCK_BYTES).ok()?,
        REPEATED => vec![*bytes.first()?; BLOCK_BYTES],
        _ => gathered(&zstd::bulk::decompress(bytes, 4 * BLOCK_BYTES).ok()?),
    };
    (block.len() == BLOCK_BYTES).then_some(block)
}
