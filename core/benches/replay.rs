//! Whole jobs against the least that they could cost: a bare `pgn-reader` and `shakmaty` replay of the same file.
//!
//! The bare replay reads the text, resolves and plays every move to the same ply, and keeps nothing. Ours opens the
//! archive, cuts, reads, replays and checks (`games check`), or tallies as well. One thread; CPU time of the whole
//! process, the least of a few rounds; both must count the same games and plies. Needs `BOOKBUILDER_CORPUS`:
//!
//! ```text
//! cargo bench --bench replay [-- NAME]      NAME: sample20k (default) or players
//! ```

mod bare;

use std::hint::black_box;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bookbuilder_core::chess::Chess;
use bookbuilder_core::replay::ReplayOptions;
use bookbuilder_core::tally::{Bounds, Progress, Run, TallyOptions, count};

const ROUNDS: usize = 5;

fn replayed(path: &Path, limit: usize) -> (u64, u64) {
    match bare::replay(path, limit) {
        Ok(met) => met,
        Err(error) => panic!("{error}"),
    }
}

/// What a run of ours does.
#[derive(Clone, Copy)]
enum Job {
    Check,
    Tally,
}

fn ours(path: &Path, job: Job, limit: Option<u16>) -> (u64, u64) {
    let replay = match job {
        Job::Check => ReplayOptions { max_ply: Some(0), full_check: true, ..ReplayOptions::default() },
        Job::Tally => ReplayOptions { max_ply: limit, ..ReplayOptions::default() },
    };
    let options = TallyOptions { replay, jobs: 1, ..TallyOptions::default() };
    let paths = [PathBuf::from(path)];
    match count::<Chess>(&paths, &options, Bounds::default(), None, &Progress::default()).as_deref() {
        Ok([Run::Memory(run)]) => {
            let plies = run.batch.games.plies.iter().map(|&plies| u64::from(plies)).sum();
            (run.batch.sources.iter().map(|(_, source)| source.games_read).sum(), black_box(plies))
        }
        Ok(_) => panic!("expected one run in memory"),
        Err(error) => panic!("{error}"),
    }
}

/// CPU time of this process, all threads, ended ones too, in steps of 10 ms.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

/// Returns the least CPU seconds of a few rounds, each of as many repetitions as make the clock's steps small.
fn timed(repetitions: u32, expected: (u64, u64), mut work: impl FnMut() -> (u64, u64)) -> f64 {
    let round = |_| {
        let start = cpu_time();
        for _ in 0..repetitions {
            assert_eq!(work(), expected, "games and plies differ");
        }
        (cpu_time() - start).as_secs_f64() / f64::from(repetitions)
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

fn main() {
    let Some(corpus) = std::env::var_os("BOOKBUILDER_CORPUS") else {
        println!("BOOKBUILDER_CORPUS is not set: nothing measured");
        return;
    };
    let name = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let (name, repetitions) = match name.as_deref() {
        Some("players") => ("pgnmentor_players_dev", 1),
        _ => ("pgnmentor_sample20k_dev", 5),
    };
    let path = match decompressed(&Path::new(&corpus).join(format!("data/chess/{name}.pgn.zst"))) {
        Ok(file) => file,
        Err(error) => return println!("{name}: {error}"),
    };
    let path = path.path();
    println!("{name}, one thread, least CPU seconds of {ROUNDS} rounds");
    for (what, job, limit) in [
        ("check, whole games", Job::Check, None),
        ("tally, whole games", Job::Tally, None),
        ("tally, 30 plies", Job::Tally, Some(30u16)),
    ] {
        let plies = limit.map_or(usize::MAX, usize::from);
        let expected = replayed(path, plies);
        let least = timed(repetitions, expected, || replayed(path, plies));
        let taken = timed(repetitions, expected, || ours(path, job, limit));
        println!("{what:20} bare {least:7.3}  ours {taken:7.3}  {:.2} × bare", taken / least);
    }
}

fn decompressed(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut plain = tempfile::Builder::new().suffix(".pgn").tempfile()?;
    let mut text = Vec::new();
    zstd::Decoder::new(std::fs::File::open(path)?)?.read_to_end(&mut text)?;
    plain.write_all(&text)?;
    Ok(plain)
}
