//! Writes one game of either kind as PGN, followed by an empty line.
//!
//! The export format: tags, an empty line, movetext in lines of at most [`LINE_WIDTH`] characters that ends with the result.
//! Every move of the first side has a number, and a move of the second side if something other than a move or glyph came
//! before it. Comments are not wrapped and keep their line breaks, so lines with comments may be longer. A closing brace,
//! which PGN cannot quote, becomes a parenthesis. No line of a comment begins with `[` or `%`, which readers would take for
//! a tag or an escape: the first goes on the line before, the second gets a space.
//!
//! Source: PGN standard, S. J. Edwards 1994, section 8.

use super::tags::write_tags;
use super::walk::{Step, walk};
use super::{Spelling, WriteOptions, Written};
use crate::archive::{GameRecord, NoteKind};
use crate::game::{Game, Side};
use crate::replay::{Fault, starting_position};

/// Most signs of a line of movetext (PGN standard, 4.3).
pub const LINE_WIDTH: usize = 79;

/// Room that a word leaves for parentheses to be closed behind it, at most; where more follow, one begins a line.
const MOST_PARENTHESES: usize = 8;

/// Appends a game as PGN and returns how many variations were cut.
///
/// # Errors
/// The first fault in what is to be written; nothing is then appended.
pub fn write_pgn<G: Written>(
    record: &GameRecord<G::Token>,
    spelling: &Spelling<G>,
    options: &WriteOptions,
    out: &mut String,
) -> Result<u64, Fault> {
    let start = starting_position::<G>(record)?;
    let length = out.len();
    write_tags(record, &start, spelling, out);
    out.push('\n');
    let mut movetext = Movetext::new(&start, out);
    let written = walk(record, start, options, &mut |step| movetext.step(step, spelling));
    movetext.word(record.outcome.name());
    out.push_str("\n\n");
    written.inspect_err(|_| out.truncate(length))
}

/// Movetext that grows word by word.
struct Movetext<'a> {
    out: &'a mut String,
    /// Characters in the current line.
    column: usize,
    /// Whether the next word follows without a space.
    is_glued: bool,
    /// Variations that are open. A word leaves room to close them all, so that no parenthesis begins a line.
    depth: usize,
    /// Whether the next move needs its number, whoever moves.
    needs_number: bool,
    /// Plies before the start, counted from a move of the first side with number 1.
    first_ply: u32,
}

impl<'a> Movetext<'a> {
    fn new<G: Game>(start: &G, out: &'a mut String) -> Movetext<'a> {
        let fen = start.to_fen();
        let number = fen.rsplit(' ').next().and_then(|number| number.parse::<u32>().ok()).unwrap_or(1);
        let first_ply = number.clamp(1, 1 << 20) * 2 - 2 + u32::from(start.side() == Side::Second);
        Movetext { out, column: 0, is_glued: true, depth: 0, needs_number: true, first_ply }
    }

    fn step<G: Game>(&mut self, step: Step<'_, G>, spelling: &Spelling<G>) {
        match step {
            Step::Play { before, played, ply } => {
                let ply = self.first_ply + ply;
                match before.side() {
                    Side::First => self.word(&format!("{}.", ply / 2 + 1)),
                    Side::Second if self.needs_number => self.word(&format!("{}...", ply / 2 + 1)),
                    Side::Second => {}
                }
                self.word(&spelling.notation.format(before, played));
                self.needs_number = false;
            }
            Step::Note(NoteKind::Glyph(glyph)) => self.word(&format!("${glyph}")),
            Step::Note(NoteKind::Comment(text)) => self.comment(text),
            Step::Begin => {
                self.word("(");
                self.depth += 1;
                (self.is_glued, self.needs_number) = (true, true);
            }
            Step::End => {
                self.is_glued = true;
                self.depth -= 1;
                self.word(")");
                self.needs_number = true;
            }
        }
    }

    /// Appends a word, on a new line where it does not fit.
    fn word(&mut self, word: &str) {
        let width = word.chars().count();
        self.separate(width + self.depth.min(MOST_PARENTHESES));
        self.out.push_str(word);
        self.column += width;
    }

    fn separate(&mut self, width: usize) {
        let gap = usize::from(!self.is_glued);
        if self.column > 0 && self.column + gap + width > LINE_WIDTH {
            self.out.push('\n');
            self.column = 0;
        } else if gap > 0 {
            self.out.push(' ');
            self.column += 1;
        }
        self.is_glued = false;
    }

    fn comment(&mut self, text: &str) {
        let text = text.trim().replace("\r\n", "\n").replace(['\r', '\0'], "\n").replace('}', ")");
        if text.is_empty() {
            return;
        }
        let text = without_tags(&text);
        let first = text.split('\n').next().unwrap_or_default().chars().count();
        self.separate(first + 2);
        self.out.push('{');
        self.out.push_str(&text);
        self.out.push('}');
        self.column = match text.rsplit_once('\n') {
            None => self.column + first + 2,
            Some((_, last)) => last.chars().count() + 1,
        };
        self.needs_number = true;
    }
}

/// Returns a comment no line of which begins like a tag or an escape, also behind an indent.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 && line.trim_start().starts_with('[') {
            out.truncate(out.trim_end().len());
            out.push(' ');
        } else if number > 0 {
            out.push_str(if line.starts_with('%') { "\n " } else { "\n" });
        }
        out.push_str(line);
    }
    out
}
