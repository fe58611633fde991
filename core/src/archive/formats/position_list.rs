//! Reads lists of xiangqi positions (`.epd`, `.eglib`): a record without moves for each line.
//!
//! `name|FEN|solution`, `name|FEN` or only `FEN`, with any text after the fields of a FEN. The name becomes the event,
//! the solution a tag. Blank lines are ignored.

use super::facts::Facts;
use super::placement::Placement;
use crate::archive::text::plain::{TextLine, decode_guessed, text_lines};
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink, Start};
use crate::game::Side;
use crate::xiangqi::Token;

pub(in crate::archive) fn is_position_list(head: &[u8]) -> bool {
    let first = text_lines(head).next().map(|line| decode_guessed(line.text));
    first.is_some_and(|line| Placement::read(fields(&line).1).is_some())
}

pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut record = GameRecord::default();
    for TextLine { offset, length, number, text } in text_lines(&block.bytes) {
        let line = decode_guessed(text);
        if !line.is_empty() {
            record.clear();
            record.offset = block.offset + offset as u64;
            record.length = length as u64;
            record.line = block.line + number;
            read_line(&line, record.offset).fill(options, &mut record);
            sink(&record);
        }
    }
}

fn read_line(line: &str, offset: u64) -> Facts {
    let mut facts = Facts::default();
    let (name, fen, solution) = fields(line);
    facts.add("Event", name.trim().to_owned());
    facts.add("Solution", solution.trim().to_owned());
    match Placement::read(fen) {
        Some((placement, side)) => {
            facts.start = match placement.start(side.unwrap_or(Side::First)) {
                Start::Standard => Start::Standard,
                Start::Fen(_) => Start::Fen(fen_fields(fen)),
            };
        }
        None => {
            let message = "expected a line such as name|FEN|solution";
            facts.fail(Defect::new("no-position", offset, message));
        }
    }
    facts
}

fn fields(line: &str) -> (&str, &str, &str) {
    match line.split_once('|') {
        None => ("", line, ""),
        Some((name, rest)) => {
            let (fen, solution) = rest.split_once('|').unwrap_or((rest, ""));
            (name, fen, solution)
        }
    }
}

/// Returns the fields of a FEN without what follows them.
fn fen_fields(text: &str) -> String {
    let is_fen = |(index, field): &(usize, &str)| match index {
        0 => true,
        1 => matches!(*field, "w" | "r" | "b" | "-"),
        2 | 3 => *field == "-",
        _ => *index < 6 && field.bytes().all(|byte| byte.is_ascii_digit()),
    };
    let fields = text.split_whitespace().enumerate().take_while(is_fen);
    fields.map(|(_, field)| field).collect::<Vec<_>>().join(" ")
}
