//! Every seed of the fuzz targets holds the laws that the targets check, without libFuzzer.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../fuzz/src/lib.rs"]
mod checks;

/// Most bytes of all seeds together: they are in the repository.
const MOST_BYTES: u64 = 50_000;

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn seeds_pass_their_targets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let mut bytes = 0;
    for (name, _) in checks::TARGETS {
        let seeds = entries(&folder.join(name));
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in seeds {
            println!("{}", seed.display());
            let data = fs::read(&seed).unwrap();
            bytes += data.len() as u64;
            checks::run(name, &data);
        }
    }
    assert!(bytes <= MOST_BYTES, "{bytes} bytes of seeds");
}
