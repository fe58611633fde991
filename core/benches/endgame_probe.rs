//! Nanoseconds of CPU time of a warm probe: random positions of a few chess tables, each answer checked.
//!
//! Tables of who wins and of distances to mate are built into a temporary folder first. A probe is `Endgames::value` of
//! a position that is set up already, every block unpacked before; answers must be those of the table in memory.
//!
//! ```text
//! cargo bench --bench endgame_probe [-- NAME...]      NAME: KQvKR KPvK (default)
//! ```

use std::path::Path;
use std::time::{Duration, Instant};

use bookbuilder_core::chess::Chess;
use bookbuilder_core::endgame::build::{BuildOptions, Built, Watch, build, open};
use bookbuilder_core::endgame::file::Index;
use bookbuilder_core::endgame::{ChessSpace, Endgames, Material, Metric, Solver, Space, Value};
use bookbuilder_core::game::{Game, GameId, Side};

const PROBES: u64 = 10_000;
/// So many that the steps of the clock, some milliseconds, do not show.
const ROUNDS: usize = 100;
/// An odd step spreads the probes over a table.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

struct Silent;

impl Watch for Silent {
    fn goes_on(&self) -> bool {
        true
    }

    fn finished(&self, _built: Built) {}
}

/// Positions of a table, spread over it, and what they are worth.
fn positions(folder: &Path, material: &Material) -> Vec<(Chess, Value)> {
    let table = open::<ChessSpace>(folder, material, Metric::Dtm).expect("the table was built");
    let space = table.space();
    let spread = (0..PROBES).filter_map(|number| {
        let men = space.gapless_men(number.wrapping_mul(STEP) % space.gapless_len())?;
        let side = if number % 2 == 0 { Side::First } else { Side::Second };
        let value = table.value(&men, side)?;
        Some((Chess::from_fen(&space.fen(&men, side)).expect("a position of the table"), value))
    });
    spread.collect()
}

/// Returns the CPU time of this thread so far; the time that has passed where the system does not tell.
fn cpu_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split_whitespace().next().and_then(|field| field.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Returns the nanoseconds of a probe, the mean of all rounds, after a round that unpacks the blocks.
fn measured(tables: &Endgames<ChessSpace>, positions: &[(Chess, Value)], metric: Metric) -> f64 {
    let round = || {
        for (position, expected) in positions {
            let found = tables.value(position, metric).expect("no damage").expect("the table is there");
            let is_right =
                if metric == Metric::Wld { found.wdl() == expected.wdl() } else { found == *expected };
            assert!(is_right, "{}: {found:?}, expected {expected:?}", position.to_fen());
        }
    };
    round();
    let begun = cpu_time();
    (0..ROUNDS).for_each(|_| round());
    (cpu_time() - begun).as_nanos() as f64 / (ROUNDS * positions.len()) as f64
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let names = if named.is_empty() { vec!["KQvKR".to_owned(), "KPvK".to_owned()] } else { named };
    let wanted: Vec<Material> = names
        .iter()
        .map(|name| Material::parse(GameId::Chess, name).expect("a material").canonical().0)
        .collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folders = [Metric::Wld, Metric::Dtm].map(|metric| {
        let folder = folder.path().join(metric.name());
        let options = BuildOptions {
            folder: folder.clone(),
            metric,
            memory_bytes: 4 << 30,
            verifies: false,
            solver: Solver::Retrograde,
            index: Index::Gapless,
        };
        build::<ChessSpace>(&wanted, &options, &Silent).expect("tables are built");
        (metric, folder)
    });
    for material in &wanted {
        let positions = positions(&folders[1].1, material);
        for (metric, folder) in &folders {
            let tables = Endgames::<ChessSpace>::open(folder).expect("the folder was built");
            let nanoseconds = measured(&tables, &positions, *metric);
            println!(
                "{material} {}: {nanoseconds:.0} ns a probe, {} positions right",
                metric.name(),
                positions.len()
            );
        }
    }
}
