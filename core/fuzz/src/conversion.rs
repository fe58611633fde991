//! Laws of writing: games of any format are written as PGN, XQF and lines of moves, and read back unchanged.

use std::fmt::Debug;

use bookbuilder_core::archive::{Archived, Format, GameRecord, NoteKind, ReadOptions, Start};
use bookbuilder_core::chess::Chess;
use bookbuilder_core::game::{GameId, Key, Lock, Move, Outcome, Replayable};
use bookbuilder_core::write::{WriteOptions, Written, write_line, write_pgn};
use bookbuilder_core::xiangqi::Xiangqi;

use super::formats::format_of;
use super::reading;

/// Games of a block that are written; all are read.
const MOST_GAMES: usize = 8;

/// What stands before a game in the output, and must be left alone.
const BEFORE: &str = "before";

/// Games of the format that the first byte chooses are written and read back. A writer that refuses a game leaves
/// nothing of it.
pub fn convert(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else { return };
    let format = format_of(*choice);
    let block = reading::block(format, bytes);
    match format.game() {
        GameId::Chess => {
            for record in reading::read::<Chess>(&block, &ReadOptions::everything()).iter().take(MOST_GAMES) {
                check_pgn::<Chess>(record, Format::Pgn);
            }
        }
        GameId::Xiangqi => {
            for record in reading::read::<Xiangqi>(&block, &ReadOptions::everything()).iter().take(MOST_GAMES)
            {
                check_pgn::<Xiangqi>(record, Format::XiangqiPgn);
                check_xqf(record);
            }
        }
    }
}

/// A game by its rules.
#[derive(Debug, PartialEq)]
struct Played {
    start: (Key, Lock),
    moves: Vec<Move>,
    /// The moves from the start to the end of each variation that has moves, sorted.
    variations: Vec<Vec<Move>>,
    outcome: Outcome,
}

/// A line as far as it is legal.
struct Followed {
    moves: Vec<Move>,
    /// Plies of the game before its own first move.
    ply: usize,
    /// Whether the record has a move behind the last legal one.
    is_cut: bool,
    /// Number of the line that it leaves in place of the move before which that one is cut.
    goes_on_from: Option<usize>,
    /// Whether another line goes on where it is cut.
    goes_on: bool,
}

/// Plays tokens after some moves, as far as they are legal.
fn follow<G: Replayable>(
    start: &G,
    before: &[Move],
    tokens: &[G::Token],
    goes_on_from: Option<usize>,
) -> Followed {
    let mut position = start.clone();
    before.iter().for_each(|&m| position.play_unchecked(m));
    let legal = tokens.iter().map_while(|&token| position.play_token(token).ok());
    let moves: Vec<_> = before.iter().copied().chain(legal).collect();
    let is_cut = moves.len() < before.len() + tokens.len();
    Followed { moves, ply: before.len(), is_cut, goes_on_from, goes_on: false }
}

/// Plays a record, variations as far as they are legal; `None` if the start or a move of the main line is illegal.
fn play<G: Replayable>(record: &GameRecord<G::Token>) -> Option<Played> {
    let start = match &record.start {
        Start::Standard => G::start(),
        Start::Fen(fen) => G::from_fen(fen).ok()?,
    };
    let main = follow(&start, &[], &record.moves, None);
    if main.is_cut {
        return None;
    }
    let (moves, mut lines) = (main.moves.clone(), vec![Some(main)]);
    for variation in &record.variations {
        let (leaves, ply) = (variation.leaves as usize, variation.ply as usize);
        // What leaves a line behind its cut goes with it.
        let left = lines.get(leaves)?.as_ref();
        let left = left.filter(|left| ply < left.moves.len() || left.is_cut && ply == left.moves.len());
        let line = left.map(|left| {
            let goes_on_from = (ply == left.moves.len()).then_some(leaves);
            follow(&start, &left.moves[..ply], &variation.moves, goes_on_from)
        });
        // The first line with a legal move in place of the one that is not goes on there.
        let mut from =
            line.as_ref().filter(|line| line.moves.len() > line.ply).and_then(|line| line.goes_on_from);
        while let Some(left) = from.and_then(|from| lines[from].as_mut()) {
            let is_empty = left.moves.len() == left.ply;
            left.goes_on = true;
            from = left.goes_on_from.filter(|_| is_empty);
        }
        lines.push(line);
    }
    let is_told = |line: &Followed| line.moves.len() > line.ply && !line.goes_on;
    let told = lines.into_iter().skip(1).flatten().filter(is_told);
    let mut variations: Vec<_> = told.map(|line| line.moves).collect();
    variations.sort();
    Some(Played { start: (start.key(), start.lock()), moves, variations, outcome: record.outcome })
}

/// A game written as PGN, in any notation, is one sound game that says the same.
fn check_pgn<G: Written>(record: &GameRecord<G::Token>, format: Format)
where
    G::Token: PartialEq,
{
    for spelling in G::SPELLINGS {
        let mut out = BEFORE.to_owned();
        let Ok(cut) = write_pgn::<G>(record, spelling, &WriteOptions::default(), &mut out) else {
            assert_eq!(out, BEFORE, "a refused game leaves something");
            continue;
        };
        let text = out.strip_prefix(BEFORE).expect("what stood before");
        let again = read_one::<G>(format, text.as_bytes());
        assert_eq!(play::<G>(&again), play::<G>(record), "{text}\n{record:?}");
        // Comments behind a cut go with what they are about.
        if cut == 0 {
            assert_eq!(comments(&again), comments(record), "{text}\n{record:?}");
        }
        if [G::FIRST_PLAYER, G::FIRST_PLAYER_ALIAS].iter().map(|name| tags(record, name)).sum::<usize>() < 2 {
            assert_eq!(name(&again.first_player), name(&record.first_player), "{text}");
        }
    }
    let mut line = BEFORE.to_owned();
    let is_written = write_line::<G>(record, G::coordinates(), true, &mut line).is_ok();
    assert_eq!(is_written, line.ends_with('\n') && line.len() > BEFORE.len());
    assert!(is_written || line == BEFORE);
}

/// A game written as XQF says the same, but for texts that do not fit and glyphs.
fn check_xqf(record: &GameRecord<<Xiangqi as Replayable>::Token>) {
    let Some(write) = Xiangqi::XQF else { return };
    let mut out = BEFORE.as_bytes().to_vec();
    if write(record, &WriteOptions::default(), &mut out).is_err() {
        assert_eq!(out, BEFORE.as_bytes(), "a refused game leaves something");
        return;
    }
    let again = read_one::<Xiangqi>(Format::Xqf, &out[BEFORE.len()..]);
    assert_eq!(play::<Xiangqi>(&again), play::<Xiangqi>(record), "{record:?}");
}

fn read_one<G: Archived>(format: Format, bytes: &[u8]) -> GameRecord<G::Token> {
    let mut records = reading::read::<G>(&reading::block(format, bytes), &ReadOptions::everything());
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(records.len(), 1, "{text}\n{records:?}");
    let record = records.remove(0);
    assert_eq!(record.defect, None, "{text}");
    record
}

/// Returns the comments and glyphs without what writing may change: white space, braces, the order of lines.
fn comments<T>(record: &GameRecord<T>) -> impl PartialEq + Debug {
    let plain = |text: &str| {
        let kept = |c: &char| !c.is_whitespace() && *c != '\0';
        text.chars().filter(kept).map(|c| if c == '}' { ')' } else { c }).collect::<String>()
    };
    let note = |kind: &NoteKind| match kind {
        NoteKind::Comment(text) => plain(text),
        NoteKind::Glyph(glyph) => format!("${glyph}"),
    };
    let mut notes: Vec<String> = record.notes.iter().map(|found| note(&found.kind)).collect();
    notes.retain(|text| !text.is_empty());
    notes.sort();
    notes
}

fn tags<T>(record: &GameRecord<T>, name: &str) -> usize {
    record.tags.iter().filter(|(tag, _)| tag == name).count()
}

/// Returns a name as tags can hold it; what says nothing is no name.
fn name(text: &str) -> String {
    let is_unknown = text.chars().all(|c| c.is_control() || matches!(c, '?' | '.' | '-' | ' '));
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    if is_unknown { String::new() } else { text.chars().map(plain).collect() }
}
