//! Dialogues in which the engine is given endgame tables.

use super::*;
use crate::endgame::build::{self, BuildOptions};
use crate::endgame::file::Index;
use crate::endgame::{ChessSpace, Material, Metric, Solver, XiangqiSpace};

/// Builds the tables of king and rook against king, of both games, into a folder.
fn build_endgames(folder: &std::path::Path) {
    struct Silent;
    impl build::Watch for Silent {
        fn goes_on(&self) -> bool {
            true
        }
        fn finished(&self, _built: build::Built) {}
    }
    let options = BuildOptions {
        folder: folder.to_owned(),
        metric: Metric::Dtm,
        memory_bytes: 1 << 28,
        verifies: false,
        solver: Solver::Retrograde,
        index: Index::Gapless,
    };
    let material = |game| [Material::parse(game, "KRvK").unwrap()];
    build::build::<ChessSpace>(&material(GameId::Chess), &options, &Silent).unwrap();
    build::build::<XiangqiSpace>(&material(GameId::Xiangqi), &options, &Silent).unwrap();
}

#[test]
fn endgame_tables_give_exact_scores_in_both_dialects_and_games() {
    let folder = tempfile::tempdir().unwrap();
    build_endgames(folder.path());
    let path = folder.path().display();
    let tables = format!("setoption name Endgame path value {path}");
    let ending = ["position fen 8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "go depth 1"];
    let knows = |lines: &[String], score: &str| {
        let info = last(lines, "info depth");
        info.contains(score) && !info.contains(" tbhits 0 ")
    };

    let lines = uci(&[&[tables.as_str()], &ending[..]].concat());
    assert!(knows(&lines, " score mate 16 "), "{lines:#?}");
    assert!(lines.contains(&"info string 2 endgame tables of up to 3 men found".to_owned()), "{lines:#?}");

    let wrong = "setoption name Endgame path value /no/such/folder";
    let none = "setoption name Endgame path value <empty>";
    let lines = uci(&[&[tables.as_str(), wrong, none], &ending[..]].concat());
    assert!(last(&lines, "info depth").contains(" tbhits 0 "), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("info string /no/such/folder: ")), "{lines:#?}");

    let xiangqi = "position fen 3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1";
    let lines = uci(&[&tables, "setoption name UCI_Variant value xiangqi", xiangqi, "go depth 1"]);
    assert!(knows(&lines, " score mate "), "{lines:#?}");

    let ucci = format!("setoption egtbpaths {path}");
    let lines = talk(Dialect::Ucci, Variant::Pikafish, &[&ucci, xiangqi, "go depth 1"]);
    // 10,000 less the plies to mate.
    assert!(last(&lines, "info depth").contains(" score 99"), "{lines:#?}");
}
