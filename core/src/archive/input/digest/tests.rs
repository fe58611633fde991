use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

#[test]
fn what_is_read_in_whatever_order_the_digest_is_that_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let bytes: Vec<u8> = (0..100_000u32).map(|number| (number.wrapping_mul(number) >> 8) as u8).collect();
    std::fs::write(&path, &bytes).unwrap();
    let whole = Digest::of(&path).unwrap();
    assert_eq!(whole.size, 100_000);
    assert_eq!(whole.blake3, blake3::hash(&bytes).to_hex().to_string());
    for reads in [
        &[][..],
        &[0..7, 7..300],
        &[90_000..100_000, 0..500, 100..900],
        &[0..100_000, 5..10],
        &[5..10, 20..30],
    ] {
        let count = AtomicU64::new(0);
        let digesting = Digesting::new(&count);
        for read in reads {
            digesting.passed(read.start as u64, &bytes[read.clone()]);
        }
        assert_eq!(digesting.finish(&path).unwrap(), whole, "{reads:?}");
        let passed: usize = reads.iter().map(|read| read.len()).sum();
        assert_eq!(count.load(Ordering::Relaxed), passed as u64);
    }
}
