//! Suites of the corpus, and speed from the start.

use super::*;

/// Returns the lines of a suite of the corpus; `None`, with a word, where no corpus is at hand.
fn suite(name: &str) -> Option<Vec<String>> {
    let Some(root) = std::env::var_os("BOOKBUILDER_CORPUS") else {
        eprintln!("skipped: BOOKBUILDER_CORPUS is not set");
        return None;
    };
    let path = PathBuf::from(root).join("oracles/epd/search").join(name);
    Some(std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn mates_of_the_corpus_are_found() {
    for (moves, nodes, floor_percent) in
        [(1, 2_000, 100), (2, 200_000, 100), (3, 1_000_000, 100), (4, 200_000, 25)]
    {
        let Some(lines) = suite(&format!("sunfish_mate{moves}.epd")) else { return };
        let lines: Vec<&String> = lines.iter().take(16).collect();
        let found = lines.iter().filter(|line| {
            let fields: Vec<&str> = line.split(" dm ").collect();
            let Ok(position) = Chess::from_fen(fields[0]) else {
                eprintln!("not a position: {line}");
                return false;
            };
            let asked = Limits { mate_plies: Some(plies_to_mate(moves)), ..Limits::nodes(nodes) };
            let result = search_position(&position, &asked);
            result.score.mate_plies().is_some_and(|plies| plies > 0 && plies < 2 * moves as i32)
        });
        let found = found.count();
        eprintln!("mates in {moves}: {found} of {}", lines.len());
        assert!(found * 100 >= lines.len() * floor_percent, "{found} of {}", lines.len());
    }
}
