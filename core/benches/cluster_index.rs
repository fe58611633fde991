//! Compares a probe of the book, through its cluster index, with a plain binary search over all records.
//!
//! Prints nanoseconds per probe for random keys of a fixed seed, hits and misses in random order, the ratio to the plain
//! search, and the time to write, open and verify a book.
//! The pages are warm: `verify` has read every byte through the map that is then probed, so that no probe waits for the
//! disk or for a page fault. They are not in the processor's caches, unless the book is small: between two uses of a
//! block of keys each search answers all the others.
//! Figures are medians over blocks of keys, of the time by the clock and of the ratio: a moment at which another
//! process has the processor falls on a few blocks and not on the median. The first decile is printed as well:
//! memory is shared too, and what others read slows all blocks for a while.
//! Every way must give the same answers, or the program ends with an error.
//! Run: `cargo bench --bench cluster_index [-- RECORDS]`, number of records of the book (default: 10⁵, 10⁶ and 10⁷).

use std::error::Error;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use bookbuilder_core::book::{Book, Options, Rows, Scheme, layout::cluster_of, write};
use bookbuilder_core::game::{GameId, Key, Lock};

const PROBES: usize = 1 << 20;
/// Keys between two looks at the clock: about as long as a slice of a scheduler at the slowest search. Chosen.
const BLOCK: usize = 1 << 11;
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

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![100_000, 1_000_000, 10_000_000] } else { asked };
    println!(
        "{:>11} {:7} {:7} {:>28} {:>9} {:>9} {:>22}",
        "records", "columns", "keys", "search", "ns/probe", "first 10%", "plain search takes ×"
    );
    for records in sizes {
        let mut random = SplitMix(records as u64);
        let mut keys: Vec<_> = (0..records).map(|_| random.next()).collect();
        let hits: Vec<_> = (0..PROBES).map(|_| keys[random.next() as usize % records]).collect();
        let misses: Vec<_> = (0..PROBES).map(|_| random.next()).collect();
        keys.sort_unstable();
        for has_columns in [false, true] {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("bench.book");
            let ((), written) = timed(|| write_book(&path, &keys, has_columns))?;
            let (book, opened) = timed(|| Ok(Book::open(&path, &[SCHEME])?))?;
            let ((), verified) = timed(|| Ok(book.verify(&|| ControlFlow::Continue(()))?))?;
            compare(&book, "hits", &hits)?;
            compare(&book, "misses", &misses)?;
            println!(
                "{records:>11} written in {written:.3} s, opened in {opened:.6} s, verified in {verified:.3} s"
            );
        }
    }
    Ok(())
}

/// Returns what `work` returns, and its seconds.
fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(T, f64), Box<dyn Error>> {
    let started = Instant::now();
    let value = work()?;
    Ok((value, started.elapsed().as_secs_f64()))
}

/// Writes a book whose usage is the place of each record, so that an answer can be checked.
fn write_book(path: &std::path::Path, keys: &[u64], has_columns: bool) -> Result<(), Box<dyn Error>> {
    let (locks, zeros, quality) = (vec![0; keys.len()], vec![0; keys.len()], vec![0; keys.len()]);
    let usage: Vec<_> = (0..keys.len() as u64).collect();
    let rows = Rows {
        values: None,
        keys,
        locks: &locks,
        usage: &usage,
        wins: &zeros,
        draws: &zeros,
        losses: &zeros,
        quality: &quality,
    };
    let options = Options { scheme: SCHEME, is_folded: false, has_columns, recipe: "{}" };
    Ok(write(path, &options, &[rows], &|| ControlFlow::Continue(()))?)
}

/// The answer to a key: its place, or none.
type Answer = Option<u32>;

/// A way to find a block of keys, and its name.
type Ask<'a> = Box<dyn Fn(&[u64], &mut Vec<Answer>) + 'a>;
type Search<'a> = (&'static str, Ask<'a>);

fn compare(book: &Book, kind: &str, keys: &[u64]) -> Result<(), Box<dyn Error>> {
    let searches = searches(book);
    let blocks: Vec<_> = keys.chunks_exact(BLOCK).collect();
    let mut times = vec![Vec::with_capacity(blocks.len()); searches.len()];
    let mut answers = vec![vec![Vec::new(); blocks.len()]; searches.len()];
    // In turns, so that a slow moment of the machine falls on all; each at another block, so that no search finds in
    // the caches what the one before it has read.
    for turn in 0..blocks.len() {
        for (place, (_, search)) in searches.iter().enumerate() {
            let block = (turn + place * blocks.len() / searches.len()) % blocks.len();
            let mut found = Vec::with_capacity(BLOCK);
            let started = Instant::now();
            search(black_box(blocks[block]), &mut found);
            times[place].push(started.elapsed().as_secs_f64() * 1e9 / BLOCK as f64);
            answers[place][block] = found;
        }
    }
    if answers.iter().any(|found| *found != answers[0]) {
        return Err(format!("{kind}: the searches disagree").into());
    }
    let columns = if book.header().has_columns { "yes" } else { "no" };
    for (place, (name, _)) in searches.iter().enumerate() {
        let ratios: Vec<_> = times[0].iter().zip(&times[place]).map(|(plain, time)| plain / time).collect();
        let (time, least) = (quantile(&times[place], 2), quantile(&times[place], 10));
        let ratio = quantile(&ratios, 2);
        println!("{:>11} {columns:7} {kind:7} {name:>28} {time:>9.1} {least:>9.1} {ratio:>22.2}", book.len());
    }
    Ok(())
}

/// Returns a way that asks for one key after another.
fn each<'a>(ask: impl Fn(u64) -> Answer + 'a) -> Ask<'a> {
    Box::new(move |keys, found| found.extend(keys.iter().map(|&key| ask(key))))
}

/// What a book that has just been written is.
const SOUND: &str = "the book is as written";

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
    let in_cluster = move |key: u64| binary(starts[cluster_of(key)], starts[cluster_of(key) + 1], key);
    let of_record = |key: u64| book.probe(Key(key), Lock(0)).expect(SOUND).map(|record| record.word.usage());
    let of_place = |key: u64| book.find(Key(key), Lock(0)).expect(SOUND).map(|place| place as u32);
    vec![
        ("plain binary search", each(move |key| binary(0, records.len(), key))),
        ("cluster, binary search in it", each(in_cluster)),
        ("Book::probe", each(of_record)),
        ("Book::find", each(of_place)),
    ]
}

/// Returns the value below which one part in `parts` of all values lie; 2 = the median.
fn quantile(values: &[f64], parts: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / parts]
}
