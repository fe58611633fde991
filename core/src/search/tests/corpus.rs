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

/// Returns the position and the operations of an EPD line.
fn parse_epd(line: &str) -> (Chess, String) {
    let fields: Vec<&str> = line.splitn(5, ' ').collect();
    let position = Chess::from_fen(&fields[..4].join(" ")).unwrap();
    (position, fields.get(4).map_or(String::new(), |rest| (*rest).to_owned()))
}

/// Returns how many of the positions the search solves, and how many there are.
fn solve(lines: &[String], nodes: u64) -> (usize, usize) {
    let solved = lines.iter().filter(|line| {
        let (position, operations) = parse_epd(line);
        let result = search_position(&position, &Limits::nodes(nodes));
        let best = operations.split(';').find_map(|operation| operation.trim().strip_prefix("bm "));
        best.unwrap().split_whitespace().any(|text| SanNotation.parse(&position, text) == Ok(result.best))
    });
    (solved.count(), lines.len())
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

#[test]
#[ignore = "slow: the whole suite at 200,000 nodes; run in a release build"]
fn win_at_chess_is_solved() {
    let Some(lines) = suite("wac300.epd") else { return };
    let (solved, all) = solve(&lines, 200_000);
    eprintln!("{solved} of {all}");
    assert!(solved * 100 >= all * 67, "{solved} of {all}");
}
