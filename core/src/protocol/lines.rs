//! Lines of text: those the other side sends come in one at a time, of bounded length; ours go out whole and at once.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Mutex, PoisonError};

/// Longest line that is read, in bytes: a game of tens of thousands of moves; chosen.
const MOST_BYTES: u64 = 1 << 20;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line without its end; bytes that are no UTF-8 are replaced.
    Line(String),
    /// A line that is too long: all of it was read over.
    TooLong,
    /// Nothing more comes.
    End,
}

/// Reads the next line.
///
/// # Errors
/// What the stream raises.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Heard> {
    let mut bytes = Vec::new();
    if input.take(MOST_BYTES).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(Heard::End);
    }
    let is_cut = bytes.len() as u64 == MOST_BYTES && bytes.last() != Some(&b'\n');
    if is_cut {
        input.skip_until(b'\n')?;
        return Ok(Heard::TooLong);
    }
    Ok(Heard::Line(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Where our lines go; several threads may speak.
pub struct Speaker(Mutex<Box<dyn Write + Send>>);

impl Speaker {
    /// Returns a speaker on a stream.
    pub fn new(stream: Box<dyn Write + Send>) -> Speaker {
        Speaker(Mutex::new(stream))
    }

    /// Says a line. One that nobody can hear is lost: who does not read has gone, and the end of input follows.
    pub fn say(&self, line: &str) {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.write_all(format!("{line}\n").as_bytes()).and_then(|()| stream.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_and_none_is_endless() {
        let mut text = b"uci\r\n\xff\xfe\n".to_vec();
        text.extend(vec![b'x'; 3 << 20]);
        text.extend(b"\nlast");
        let mut input = &text[..];
        assert_eq!(read_line(&mut input).unwrap(), Heard::Line("uci\r\n".to_owned()));
        assert_eq!(read_line(&mut input).unwrap(), Heard::Line("\u{fffd}\u{fffd}\n".to_owned()));
        assert_eq!(read_line(&mut input).unwrap(), Heard::TooLong);
        assert_eq!(read_line(&mut input).unwrap(), Heard::Line("last".to_owned()));
        assert_eq!(read_line(&mut input).unwrap(), Heard::End);
    }
}
