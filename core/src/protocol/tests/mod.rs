//! Dialogues between a GUI and the engine.

mod endgames;
mod ucci;

use std::io::{self, BufReader, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// A stream that keeps what is written.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Paper {
    fn lines(&self) -> Vec<String> {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap().lines().map(str::to_owned).collect()
    }

    /// Waits until a line begins so.
    fn await_line(&self, start: &str) {
        while !self.lines().iter().any(|line| line.starts_with(start)) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A GUI's lines that come when asked for: `None` ends the input.
struct Script<F>(F, Vec<u8>);

impl<F: FnMut() -> Option<String>> io::Read for Script<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            let Some(line) = (self.0)() else { return Ok(0) };
            self.1 = format!("{line}\n").into_bytes();
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

/// Returns a session that writes on paper.
fn session(dialect: Dialect, variant: Variant, given: &[(&str, &str)], paper: &Paper) -> Option<Session> {
    let given: Vec<_> = given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Session::new(dialect, variant, &given, Box::new(paper.clone()), Session::clustered_only()).ok()
}

/// Returns what the engine answers to lines that come all at once.
fn talk(dialect: Dialect, variant: Variant, lines: &[&str]) -> Vec<String> {
    let paper = Paper::default();
    session(dialect, variant, &[], &paper).unwrap().run(lines.join("\n").as_bytes()).unwrap();
    paper.lines()
}

fn uci(lines: &[&str]) -> Vec<String> {
    talk(Dialect::Uci, Variant::Chess, lines)
}

/// Returns the lines without times, rates and what else differs from machine to machine.
fn steady(lines: &[String]) -> Vec<String> {
    let steady = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let mut kept = Vec::new();
        let mut is_number = false;
        for word in words {
            kept.push(if is_number { "_" } else { word });
            is_number = matches!(word, "time" | "nps" | "nodes" | "score" | "version");
        }
        kept.join(" ")
    };
    lines.iter().map(steady).collect()
}

/// Returns the last line that begins so.
fn last<'a>(lines: &'a [String], start: &str) -> &'a str {
    lines.iter().rev().find(|line| line.starts_with(start)).map_or("", String::as_str)
}

#[test]
fn uci_lists_name_and_options() {
    let lines = uci(&["uci"]);
    assert!(lines[0].starts_with("id name bookbuilder "));
    for option in [
        "option name Hash type spin default 16 min 1 max 65536",
        "option name Ponder type check default false",
        "option name Book file type string default <empty>",
        "option name Book mode type combo default hints var off var root var hints",
        "option name Clear Hash type button",
        "option name UCI_Variant type combo default chess var chess var xiangqi",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option} is not in {lines:#?}");
    }
    assert_eq!(lines.last().map(String::as_str), Some("uciok"));
    let pikafish = talk(Dialect::Uci, Variant::Pikafish, &["uci"]);
    assert!(!pikafish.iter().any(|line| line.contains("UCI_Variant")));
}

#[test]
fn options_set_in_advance_are_defaults() {
    let paper = Paper::default();
    let uci = |given: &[(&str, &str)]| session(Dialect::Uci, Variant::Chess, given, &paper);
    uci(&[("hash", "3")]).unwrap().run(&b"uci\n"[..]).unwrap();
    assert!(paper.lines().contains(&"option name Hash type spin default 3 min 1 max 65536".to_owned()));
    for wrong in [("Hush", "3"), ("Hash", "x"), ("Book file", "/no/such.book")] {
        assert!(uci(&[wrong]).is_none());
    }
}

#[test]
fn a_search_reports_iterations_and_answers() {
    let lines = uci(&["position startpos moves f2f3 e7e5 g2g4", "go depth 3"]);
    let first = steady(&lines)[0].clone();
    assert!(first.starts_with("info depth 1 seldepth "), "{first}");
    assert!(first.contains(" multipv 1 score _ "), "{first}");
    assert!(last(&lines, "info depth").contains(" score mate 1 "));
    assert!(last(&lines, "info depth").ends_with(" pv d8h4"));
    assert_eq!(lines.last().map(String::as_str), Some("bestmove d8h4"));
}

#[test]
fn invalid_lines_are_reported_and_skipped() {
    let lines = uci(&[
        "",
        "   ",
        "xyzzy",
        "position",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e5",
        "setoption",
        "setoption name",
        "setoption name Hash",
        "setoption name Hash value -1",
        "setoption name No such thing value 1",
        "setoption name Book file value /no/such/file.book",
        "stop",
        "ponderhit",
        "debug",
        "isready",
        "position startpos moves e2e4",
        "d",
    ]);
    let ready = lines.iter().position(|line| line == "readyok").unwrap();
    assert_eq!(ready, 12, "{lines:#?}");
    assert!(lines[..ready].iter().all(|line| line.starts_with("info string ")));
    for text in ["e2e5", "/no/such/file.book", "No such thing", "xyzzy"] {
        assert!(lines[..ready].iter().any(|line| line.contains(text)), "{text} is not named in {lines:#?}");
    }
    assert!(lines[ready + 1].contains("4P3"), "{lines:#?}");
}

/// Forms of `go` that engines have left without an answer.
#[test]
fn every_go_is_answered_once() {
    for go in [
        "go foo wtime 3000 btime 3000",
        "go movetime 5 joho",
        "go perft 3",
        "go depth abc",
        "go depth",
        "go wtime 1000 btime",
        "go wtime 3000.5 btime 20",
        "go searchmoves e2e5",
        "go searchmoves e2e5 e2e4 depth 2",
        "go on forever",
        "go nodes 1",
        "go depth 0",
        "go movetime 0",
    ] {
        let lines = uci(&[go]);
        let answers: Vec<&String> = lines.iter().filter(|line| line.starts_with("bestmove")).collect();
        assert!(answers.len() == 1 && answers[0].len() > 12, "{go}: {lines:#?}");
    }
    for go in ["go time 10 increment 0 foo 3", "go depth x", "go time", "go wtime 3"] {
        let lines = talk(Dialect::Ucci, Variant::Pikafish, &[go]);
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1, "{go}: {lines:#?}");
    }
}

#[test]
fn after_an_invalid_position_no_move_is_played() {
    let invalid = "position fen 8/8/8/8/8/8/8/8 w - - 0 1";
    let lines =
        uci(&["position startpos moves e2e4", invalid, "go depth 2", "position startpos", "go depth 2"]);
    let answers: Vec<&String> = lines.iter().filter(|line| line.starts_with("bestmove")).collect();
    assert!(answers[0] == "bestmove (none)" && answers[1].len() > 12, "{lines:#?}");
    let lines = talk(Dialect::Ucci, Variant::Pikafish, &[invalid, "go depth 2"]);
    assert_eq!(lines.last().map(String::as_str), Some("nobestmove"));
}

#[test]
fn analysis_answers_after_stop() {
    let paper = Paper::default();
    let session = session(Dialect::Uci, Variant::Chess, &[], &paper).unwrap();
    let (mut step, watched) = (0, paper.clone());
    let script = move || {
        step += 1;
        match step {
            1 => Some("position fen 7k/5Q2/6K1/8/8/8/8/8 w - - 0 1".to_owned()),
            2 => Some("go infinite".to_owned()),
            3 => {
                // The mate is found at once; an answer may not come yet.
                watched.await_line("info depth 1 ");
                std::thread::sleep(Duration::from_millis(30));
                Some("isready".to_owned())
            }
            4 => {
                watched.await_line("readyok");
                assert_eq!(last(&watched.lines(), "bestmove"), "");
                Some("stop".to_owned())
            }
            _ => {
                watched.await_line("bestmove");
                None
            }
        }
    };
    session.run(BufReader::new(Script(script, Vec::new()))).unwrap();
    assert!(last(&paper.lines(), "info depth").contains("score mate 1"));
}

#[test]
fn pondering_ends_with_ponderhit() {
    let paper = Paper::default();
    let session = session(Dialect::Uci, Variant::Chess, &[], &paper).unwrap();
    let (mut step, watched) = (0, paper.clone());
    let script = move || {
        step += 1;
        match step {
            1 => Some("position startpos moves e2e4 e7e5".to_owned()),
            // One millisecond: answered at once if it were the own clock.
            2 => Some("go ponder wtime 1 btime 1".to_owned()),
            3 => {
                watched.await_line("info depth 3 ");
                assert_eq!(last(&watched.lines(), "bestmove"), "");
                Some("ponderhit".to_owned())
            }
            _ => {
                watched.await_line("bestmove");
                None
            }
        }
    };
    session.run(BufReader::new(Script(script, Vec::new()))).unwrap();
    assert!(last(&paper.lines(), "bestmove").contains(" ponder "));
}

#[test]
fn no_best_move_without_legal_moves() {
    let mated = "position fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1";
    assert_eq!(last(&uci(&[mated, "go depth 3"]), "bestmove"), "bestmove (none)");
}

#[test]
fn the_variant_sets_game_and_spelling() {
    let lines = uci(&[
        "setoption name UCI_Variant value xiangqi",
        "position startpos moves h3e3 h10g8",
        "d",
        "go depth 2",
    ]);
    assert!(lines[0].contains("1C2C4"), "{lines:#?}");
    assert!(last(&lines, "bestmove").len() >= 13, "{lines:#?}");
    let back =
        uci(&["setoption name UCI_Variant value xiangqi", "setoption name UCI_Variant value chess", "d"]);
    assert!(back[0].contains("RNBQKBNR"), "{back:#?}");
}

#[test]
fn the_ranks_of_xiangqi_are_those_of_the_moves() {
    let speak = |lines: &[&str]| talk(Dialect::Uci, Variant::Pikafish, lines);
    let spelled = |lines: &[String]| last(lines, "bestmove").split(' ').nth(1).unwrap().to_owned();
    let only = ["searchmoves", "depth 1"];
    let from_zero =
        speak(&["position startpos moves h2e2 h9g7", &format!("go {} h0g2 {}", only[0], only[1])]);
    assert_eq!(spelled(&from_zero), "h0g2");
    assert!(!from_zero.iter().any(|line| line.contains("ranks")), "{from_zero:#?}");
    let from_one =
        speak(&["position startpos moves h3e3 h10g8", &format!("go {} h1g3 {}", only[0], only[1])]);
    assert_eq!(spelled(&from_one), "h1g3");
    assert!(from_one[0].contains("ranks 1 to 10"), "{from_one:#?}");
    let named = speak(&["setoption name UCI_Variant value xiangqi", "go searchmoves h1g3 depth 1"]);
    assert_eq!(spelled(&named), "h1g3");
    let hello = speak(&["uci"]);
    assert!(hello.iter().any(|line| line == "info string moves have ranks 0 to 9 (h2e2)"), "{hello:#?}");
    let there_and_back = speak(&["position startpos moves h3e3", "position startpos moves h2e2", "d"]);
    assert!(there_and_back[1].contains("ranks 0 to 9") && there_and_back[2].contains("1C2C4"));
    let ucci = talk(Dialect::Ucci, Variant::Pikafish, &["position startpos moves h3e3"]);
    assert!(ucci[0].contains("move 1"), "{ucci:#?}");
}

const WORDS: &str = "uci isready ucinewgame setoption position go stop ponderhit debug d name value startpos fen \
                     moves e2e4 e7e5 h2e2 depth 3 nodes 500 movetime 5 infinite ponder searchmoves wtime btime -1 \
                     mate Hash 1 Threads 2 MultiPV Clear UCI_Variant xiangqi chess \
                     rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w b - 0 banmoves ucci hashsize time \u{fffd} \
                     99999999999999999999 Book file / on off";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn random_lines_do_not_stop_the_loop(
        lines in prop::collection::vec(prop::collection::vec(prop::sample::select(WORDS.split(' ').collect::<Vec<_>>()), 0..8), 125),
        is_uci in any::<bool>(),
    ) {
        let mut text: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        text.extend(["stop".to_owned(), "debug off".to_owned(), "isready".to_owned()]);
        let text: Vec<&str> = text.iter().map(String::as_str).collect();
        let (dialect, variant) =
            if is_uci { (Dialect::Uci, Variant::Chess) } else { (Dialect::Ucci, Variant::Pikafish) };
        let answers = talk(dialect, variant, &text);
        prop_assert_eq!(answers.last().map(String::as_str), Some("readyok"));
    }
}
