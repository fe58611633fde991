//! Is the cluster index worth it? A probe of the book against a plain binary search over all its records.
//!
//! In come random keys of a fixed seed; out goes a table: medians of nanoseconds per probe, hits and misses in random
//! order, and of the ratio of the plain search to the others; beside them the time to write, open and verify a book.
//! Every way must give the same answers, or the program ends with an error.
//! Run: `cargo bench --bench cluster_index [-- LARGEST]`, LARGEST records (default 10,000,000).

use std::error::Error;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use bookbuilder_core::book::{Book, Options, Rows, Scheme, layout::cluster_of, write};
use bookbuilder_core::game::{GameId, Key, Lock};

const PROBES: usize = 1 << 20;
const ROUNDS: usize = 7;
const SCHEME: Scheme = Scheme { game: GameId::Chess, fingerprint: 1 };

/// Steele, Lea, Flood: SplitMix64; its outputs are all different within one period.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// A way to find a key: its place among the records, or none.
type Search<'a> = (&'static str, Box<dyn Fn(u64) -> Option<u32> + 'a>);

fn main() -> Result<(), Box<dyn Error>> {
    let largest = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10_000_000);
    println!(
        "{:>11} {:7} {:>28} {:>9} {:>22}",
        "records", "keys", "search", "ns/probe", "plain search takes ×"
    );
    for records in [100_000, 1_000_000, 10_000_000].into_iter().filter(|&records| records <= largest) {
        let mut random = SplitMix(records as u64);
        let mut keys: Vec<_> = (0..records).map(|_| random.next()).collect();
        let hits: Vec<_> = (0..PROBES).map(|_| keys[random.next() as usize % records]).collect();
        let misses: Vec<_> = (0..PROBES).map(|_| random.next()).collect();
        keys.sort_unstable();
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("bench.book");
        let ((), written) = timed(|| write_book(&path, &keys))?;
        drop(keys);
        let (book, opened) = timed(|| Ok(Book::open(&path, &[SCHEME])?))?;
        let ((), verified) = timed(|| Ok(book.verify(&|| ControlFlow::Continue(()))?))?;
        compare(&book, "hits", &hits)?;
        compare(&book, "misses", &misses)?;
        println!(
            "{records:>11} written in {written:.3} s, opened in {opened:.6} s, verified in {verified:.3} s"
        );
    }
    Ok(())
}

/// Returns what `work` returns, and its seconds.
fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(T, f64), Box<dyn Error>> {
    let started = Instant::now();
    let value = work()?;
    Ok((value, started.elapsed().as_secs_f64()))
}

/// Writes a book without columns whose usage is the place of each record, so that an answer can be checked.
fn write_book(path: &std::path::Path, keys: &[u64]) -> Result<(), Box<dyn Error>> {
    let (locks, zeros, quality) = (vec![0; keys.len()], vec![0; keys.len()], vec![0; keys.len()]);
    let usage: Vec<_> = (0..keys.len() as u64).collect();
    let rows = Rows {
        keys,
        locks: &locks,
        usage: &usage,
        wins: &zeros,
        draws: &zeros,
        losses: &zeros,
        quality: &quality,
    };
    let options = Options { scheme: SCHEME, is_folded: false, has_columns: false, recipe: "{}" };
    Ok(write(path, &options, &[rows], &|| ControlFlow::Continue(()))?)
}

fn compare(book: &Book, kind: &str, keys: &[u64]) -> Result<(), Box<dyn Error>> {
    let searches = searches(book);
    let mut times = vec![Vec::new(); searches.len()];
    let mut answers = vec![0u64; searches.len()];
    // In turns, so that a slow moment of the machine falls on all.
    for _ in 0..ROUNDS {
        for (place, (_, search)) in searches.iter().enumerate() {
            let started = Instant::now();
            answers[place] = keys.iter().fold(0u64, |sum, &key| {
                sum.wrapping_mul(31) + black_box(search(key)).map_or(1, |n| u64::from(n) + 2)
            });
            times[place].push(started.elapsed().as_secs_f64() * 1e9 / keys.len() as f64);
        }
    }
    if answers.iter().any(|&answer| answer != answers[0]) {
        return Err(format!("{kind}: the searches disagree: {answers:?}").into());
    }
    for (place, (name, _)) in searches.iter().enumerate() {
        let ratios = times[0].iter().zip(&times[place]).map(|(plain, time)| plain / time).collect();
        let (time, ratio) = (median(times[place].clone()), median(ratios));
        println!("{:>11} {kind:7} {name:>28} {time:>9.1} {ratio:>22.2}", book.len());
    }
    Ok(())
}

fn searches(book: &Book) -> Vec<Search<'_>> {
    let records = book.raw_records();
    let key_of = |record: &[u8; 12]| record.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let binary = move |start: usize, end: usize, key: u64| {
        let place = start + records[start..end].partition_point(|record| key_of(record) < key);
        (place < end && key_of(&records[place]) == key).then_some(place as u32)
    };
    let mut starts = vec![0];
    starts.extend(book.cluster_sizes().scan(0, |end, size| {
        *end += size as usize;
        Some(*end)
    }));
    vec![
        ("plain binary search", Box::new(move |key| binary(0, records.len(), key))),
        (
            "cluster, binary search in it",
            Box::new(move |key| binary(starts[cluster_of(key)], starts[cluster_of(key) + 1], key)),
        ),
        ("Book::probe", Box::new(|key| book.probe(Key(key), Lock(0)).map(|record| record.word.usage()))),
    ]
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
