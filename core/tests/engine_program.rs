//! The engine program: both protocols, its arguments, and what it says of mistakes.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the program with lines as its input.
fn run(arguments: &[&str], lines: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bookbuilder-engine"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(arguments: &[&str], lines: &str) -> Vec<String> {
    let output = run(arguments, lines);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn plays_chess_by_uci() {
    let lines = said(&[], "uci\nisready\nposition startpos moves f2f3 e7e5 g2g4\ngo depth 3\nquit\n");
    assert!(lines.iter().any(|line| line == "uciok"));
    assert!(lines.iter().any(|line| line == "readyok"));
    // A command after `go` ends the search, but a mate is seen at once.
    let lines = said(&["uci"], "position startpos moves f2f3 e7e5 g2g4\ngo depth 3\n");
    assert_eq!(lines.last().unwrap().split(' ').nth(1), Some("d8h4"));
}

#[test]
fn plays_xiangqi_by_both_protocols() {
    for (arguments, first) in [(&["uci", "--game", "xiangqi"][..], "uci"), (&["ucci"], "ucci"), (&[], "ucci")]
    {
        let lines = said(arguments, &format!("{first}\nposition startpos\ngo depth 2\n"));
        assert!(lines.iter().any(|line| *line == format!("{first}ok")), "{lines:?}");
        let best = lines.iter().rev().find_map(|line| line.strip_prefix("bestmove ")).unwrap();
        assert!(best.as_bytes()[1].is_ascii_digit() && best.as_bytes()[3].is_ascii_digit(), "{best}");
    }
}

#[test]
fn options_of_the_command_line_are_those_of_the_protocol() {
    for arguments in [&["uci", "--hash", "7"][..], &["uci", "--option", "Hash=7"]] {
        let lines = said(arguments, "uci\n");
        let hash = lines.iter().find(|line| line.starts_with("option name Hash ")).unwrap();
        assert!(hash.contains("default 7"), "{hash}");
    }
    let lines = said(&["ucci", "--hash", "7", "--threads", "2"], "ucci\n");
    assert!(
        lines.iter().any(|line| line.starts_with("option hashsize") && line.contains("default 7")),
        "{lines:?}"
    );
}

#[test]
fn mistakes_get_one_sentence() {
    for (arguments, words) in [
        (&["--game"][..], "--game: expected a value"),
        (&["--game", "go"], "--game go: expected chess or xiangqi"),
        (&["--colour", "red"], "--colour: is not an option"),
        (&["--option", "Hash"], "--option Hash: expected NAME=VALUE"),
        (&["uci", "--hash", "many"], "Hash"),
        (&["uci", "--book", "nowhere.book"], "nowhere.book"),
        (&["ucci", "--game", "chess"], "ucci does not support chess"),
    ] {
        let output = run(arguments, "quit\n");
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.starts_with("bookbuilder-engine: ") && told.contains(words), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn help_and_version_are_told() {
    assert!(said(&["--help"], "")[0].starts_with("usage: bookbuilder-engine"));
    assert_eq!(said(&["--version"], ""), [concat!("bookbuilder-engine ", env!("CARGO_PKG_VERSION"))]);
}
