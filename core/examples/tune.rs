//! Fits the numbers of an evaluation to games: `cargo run --release --example tune -- chess GAMES.lines 200`.
//!
//! Arguments: the game, a file written by `bookbuilder games convert --to lines`, and the number of passes. Writes the
//! file of numbers (`src/evaluate/chess/numbers.rs`, `xiangqi/numbers.rs`) to stdout and a summary to stderr.

use std::io::BufRead as _;

use bookbuilder_core::chess::Chess;
use bookbuilder_core::evaluate::tune::{Tunable, Tuner};
use bookbuilder_core::evaluate::{Evaluate, Standard};
use bookbuilder_core::xiangqi::Xiangqi;

const USAGE: &str = "expected: tune chess|xiangqi GAMES.lines PASSES";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, path, passes] = arguments.as_slice() else { return Err(USAGE.into()) };
    let passes = passes.parse()?;
    match game.as_str() {
        "chess" => tune::<Chess>(path, passes),
        "xiangqi" => tune::<Xiangqi>(path, passes),
        _ => Err(USAGE.into()),
    }
}

fn tune<G: Tunable>(path: &str, passes: usize) -> Result<(), Box<dyn std::error::Error>>
where
    Standard: Evaluate<G>,
{
    let mut tuner = Tuner::<G>::default();
    let mut unused = 0;
    for line in std::io::BufReader::new(std::fs::File::open(path)?).lines() {
        unused += usize::from(!tuner.take_line(&line?));
    }
    let tuned = tuner.tune(passes);
    eprintln!(
        "{} games, {unused} lines without use, {} positions and {} apart, scale {:.1}, error {:.4} before, {:.4} after",
        tuned.games, tuned.positions[0], tuned.positions[1], tuned.scale, tuned.error[0], tuned.error[1]
    );
    print!("{}", tuned.text);
    Ok(())
}
