//! Laws of the dialogue with the engine: it survives any input lines, and each `go` has at most one answer.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bookbuilder_core::protocol::{Dialect, Session, Variant};

/// Maximum lines of a dialogue.
const MOST_LINES: usize = 64;

/// Options that are not set: they cost memory and threads, or name files.
const COSTLY: [&str; 4] = ["hash", "thread", "book", "multipv"];

/// What the engine says.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lines of a dialogue; the first byte chooses dialect and variant. Every search is stopped at once, and in the end the
/// engine is asked whether it is still there.
pub fn dialogue(data: &[u8]) {
    let Some((choice, text)) = data.split_first() else { return };
    let (dialect, variant, hello, hash) = match choice % 4 {
        0 => (Dialect::Uci, Variant::Chess, "uci", "Hash"),
        1 => (Dialect::Uci, Variant::Xiangqi, "uci", "Hash"),
        2 => (Dialect::Uci, Variant::Pikafish, "uci", "Hash"),
        _ => (Dialect::Ucci, Variant::Xiangqi, "ucci", "hashsize"),
    };
    let (said, searches, stops) = input_of(hello, text);
    let heard = Heard::default();
    let small = [(hash.to_owned(), "1".to_owned())];
    let Ok(session) =
        Session::new(dialect, variant, &small, Box::new(heard.clone()), Session::clustered_only())
    else {
        panic!("a table of a mebibyte is refused");
    };
    session.run(&said[..]).expect("lines in memory can be read");
    let answer = heard.0.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = std::str::from_utf8(&answer).expect("what is said is text");
    assert!(!answer.contains("the search failed"), "{answer}");
    let count = |word: &str| answer.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    assert!(count("readyok") > 0, "{answer}");
    assert!(count("bestmove") <= searches, "{answer}");
    // It answers a search, or a stop where there is none.
    assert!(count("nobestmove") <= searches + stops, "{answer}");
}

/// Returns the input of a session, with the numbers of searches and of stops in it.
fn input_of(hello: &str, text: &[u8]) -> (Vec<u8>, usize, usize) {
    let mut said = format!("{hello}\n").into_bytes();
    let (mut searches, mut stops) = (0, 0);
    for line in text.split(|&byte| byte == b'\n').take(MOST_LINES) {
        let lower = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<_> = lower.split_whitespace().collect();
        let is_costly = words.contains(&"setoption") && COSTLY.iter().any(|word| lower.contains(word));
        if is_costly || words.contains(&"quit") {
            continue;
        }
        said.extend_from_slice(line);
        said.push(b'\n');
        stops += usize::from(words.contains(&"stop"));
        if words.contains(&"go") {
            (searches, stops) = (searches + 1, stops + 1);
            said.extend_from_slice(b"stop\n");
        }
    }
    said.extend_from_slice(b"isready\nquit\n");
    (said, searches, stops)
}
