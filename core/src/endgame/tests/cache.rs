//! The cache of unpacked blocks.

use std::cell::Cell;

use crate::endgame::probe::Cache;

/// Reads a block with its own number as content; returns whether it was unpacked.
fn asked(cache: &Cache, file: u32, number: u32) -> bool {
    let unpacked = Cell::new(false);
    let unpack = || {
        unpacked.set(true);
        Ok::<_, ()>([file.to_le_bytes(), number.to_le_bytes()].concat())
    };
    let block = cache.read((file, number), unpack, <[u8]>::to_vec).unwrap();
    assert_eq!(block, [file.to_le_bytes(), number.to_le_bytes()].concat());
    unpacked.get()
}

#[test]
fn the_blocks_of_several_files_stay() {
    let cache = Cache::new();
    // As many blocks as there are places, of files of all lengths.
    let blocks: Vec<(u32, u32)> =
        (0..32).flat_map(|file| (0..60 + 2 * file).map(move |at| (file, at))).collect();
    assert!(blocks.iter().all(|&(file, number)| asked(&cache, file, number)));
    let again = blocks.iter().filter(|&&(file, number)| asked(&cache, file, number)).count();
    assert_eq!(again, 0, "of {}", blocks.len());
}

#[test]
fn least_recently_used_block_is_replaced() {
    let cache = Cache::new();
    // Blocks of one set, one more than it has places.
    let numbers: Vec<u32> = (0..9).map(|at| 512 * at).collect();
    assert!(numbers[..8].iter().all(|&number| asked(&cache, 0, number)));
    assert!(!asked(&cache, 0, numbers[0]));
    assert!(asked(&cache, 0, numbers[8]));
    assert!(!asked(&cache, 0, numbers[0]));
    assert!(asked(&cache, 0, numbers[1]));
}

#[test]
fn a_block_that_cannot_be_unpacked_is_not_kept() {
    let cache = Cache::new();
    assert_eq!(cache.read((1, 2), || Err("damaged"), <[u8]>::to_vec), Err("damaged"));
    assert!(asked(&cache, 1, 2));
}
