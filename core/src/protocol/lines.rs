//! Lines of text: read with a maximum length, written whole and at once.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Mutex, PoisonError};

/// Maximum length of a line in bytes, enough for a game of tens of thousands of moves; chosen.
const MOST_BYTES: u64 = 1 << 20;

/// The result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line without its end; invalid UTF-8 is replaced.
    Line(String),
    /// A line that is too long; it was skipped.
    TooLong,
    /// The end of input.
    End,
}

/// Reads the next line.
///
/// # Errors
/// Errors of the stream.
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

/// The output, shared by several threads.
pub struct Speaker(Mutex<Box<dyn Write + Send>>);

impl Speaker {
    /// Returns an output to a stream.
    pub fn new(stream: Box<dyn Write + Send>) -> Speaker {
        Speaker(Mutex::new(stream))
    }

    /// Writes a line. Errors are ignored: a reader that has gone also ends the input.
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
