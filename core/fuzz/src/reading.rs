//! Laws of reading: checks everything that records of a block promise.

use bookbuilder_core::archive::{Archived, Block, Format, GameRecord, ReadOptions};

/// Where blocks begin in their member: not at 0, so that offsets relative to the block are detected.
const OFFSET: u64 = 1000;

/// Lines before a block.
const LINE: u64 = 10;

/// Longest block whose variations are written out move by move, which takes the square of its length.
const MOST_EXPANDED: usize = 16 << 10;

/// What readers promise of places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Games and defects lie in the block.
    InBlock,
    /// Places are those of a content that the block holds compressed.
    InContent,
}

/// Returns a block of these bytes.
pub fn block(format: Format, bytes: &[u8]) -> Block {
    Block { offset: OFFSET, line: LINE, ..Block::of(format, bytes.to_vec()) }
}

/// Returns the records of a block.
pub fn read<G: Archived>(block: &Block, options: &ReadOptions) -> Vec<GameRecord<G::Token>> {
    let mut records = Vec::new();
    G::read_block(block, options, &mut |record| records.push(record.clone()));
    records
}

/// Returns all that a block holds, once every law of reading has been checked.
pub fn check<G: Archived>(format: Format, bytes: &[u8], places: Places) -> Vec<GameRecord<G::Token>>
where
    G::Token: PartialEq,
{
    check_block::<G>(&block(format, bytes), places)
}

/// Returns all games of a block, once every law of reading has been checked.
pub fn check_block<G: Archived>(block: &Block, places: Places) -> Vec<GameRecord<G::Token>>
where
    G::Token: PartialEq,
{
    let whole = read::<G>(block, &ReadOptions::everything());
    check_places(block, &whole, places);
    whole.iter().for_each(check_lines);
    check_plain::<G>(block, &whole);
    let limit = 1 + block.size() % 6;
    check_limited::<G>(block, &whole, limit);
    // The encoding of a block is guessed from all of its games.
    if block.format.is_text() && std::str::from_utf8(&block.bytes).is_ok() {
        check_copies::<G>(block, &whole);
    }
    whole
}

/// Games ascend without overlap and lie in the block, and so do their defects; lines are counted on.
fn check_places<T: std::fmt::Debug>(block: &Block, records: &[GameRecord<T>], places: Places) {
    let mut end = if places == Places::InBlock { block.offset } else { 0 };
    let mut line = 0;
    for record in records {
        assert!(record.offset >= end, "a game begins before the end of another, {end}: {record:?}");
        end = record.offset + record.length;
        assert!(record.line >= line, "lines go backwards: {record:?}");
        line = record.line;
        assert!(record.year < 3000);
        if places == Places::InBlock {
            let block_end = block.offset + block.bytes.len() as u64;
            assert!(end <= block_end, "a game ends behind its block, {block_end}: {record:?}");
            let is_inside = |offset| (block.offset..=block_end).contains(&offset);
            let defect = record.defect.as_ref();
            assert!(defect.is_none_or(|defect| is_inside(defect.offset)), "a defect elsewhere: {record:?}");
        }
    }
}

/// Marks go with moves, variations leave earlier lines where these have moves, notes stand on lines.
fn check_lines<T: std::fmt::Debug>(record: &GameRecord<T>) {
    assert_eq!(record.marks.len(), record.moves.len());
    assert!(record.marks.iter().all(|mark| (-3..=3).contains(mark)));
    let mut extents = vec![(0, record.moves.len() as u64)];
    for (index, line) in record.variations.iter().enumerate() {
        assert!(line.leaves as usize <= index, "variation {} leaves line {}", index + 1, line.leaves);
        assert_eq!(line.marks.len(), line.moves.len());
        let (first, last) = extents[line.leaves as usize];
        let ply = u64::from(line.ply);
        assert!((first..=last).contains(&ply), "variation {} leaves no place: {record:?}", index + 1);
        extents.push((ply, ply + line.moves.len() as u64));
    }
    for note in &record.notes {
        let (first, last) = extents[note.line as usize];
        assert!((first..=last).contains(&u64::from(note.ply)), "a note stands nowhere: {note:?}");
    }
}

/// What is not asked for is not there, and all else is as it was.
fn check_plain<G: Archived>(block: &Block, whole: &[GameRecord<G::Token>])
where
    G::Token: PartialEq,
{
    let plain = read::<G>(block, &ReadOptions::default());
    assert_eq!(plain.len(), whole.len(), "options change the number of games");
    for (plain, whole) in plain.iter().zip(whole) {
        assert!(plain.tags.is_empty() && plain.variations.is_empty() && plain.notes.is_empty());
        assert_eq!((plain.offset, plain.length, plain.line), (whole.offset, whole.length, whole.line));
        // A defect of variations shows where these are asked for.
        assert!(plain.defect.is_none() || whole.defect.is_some(), "{plain:?}\n{whole:?}");
        assert!(plain.moves == whole.moves, "options change the moves: {plain:?}\n{whole:?}");
        assert!(plain.marks == whole.marks, "options change the marks: {plain:?}\n{whole:?}");
        assert_eq!(facts(plain), facts(whole));
    }
}

/// What a record says of its game beside the moves.
fn facts<T>(record: &GameRecord<T>) -> impl PartialEq + std::fmt::Debug {
    let texts = [&record.first_player, &record.second_player, &record.date, &record.event].map(String::clone);
    let start = (record.variant.clone(), record.start.clone());
    (texts, record.ratings, record.year, start, record.outcome, record.tagged)
}

/// With a ply limit the same games come out, cut.
fn check_limited<G: Archived>(block: &Block, whole: &[GameRecord<G::Token>], limit: usize)
where
    G::Token: PartialEq,
{
    let options = ReadOptions { max_ply: Some(limit), full: false, ..ReadOptions::everything() };
    let limited = read::<G>(block, &options);
    assert_eq!(limited.len(), whole.len(), "a limit of {limit} plies changes the number of games");
    for (limited, whole) in limited.iter().zip(whole) {
        check_lines(limited);
        assert_eq!((limited.offset, limited.length), (whole.offset, whole.length));
        let moves = &whole.moves[..limit.min(whole.moves.len())];
        assert!(limited.moves == moves, "a limit of {limit} plies: {limited:?}\n{whole:?}");
        if whole.defect.is_none() {
            assert_eq!(facts(limited), facts(whole));
            if block.bytes.len() < MOST_EXPANDED {
                let (limited, expected) = (paths(limited, limit), paths(whole, limit));
                assert!(limited == expected, "a limit of {limit} plies: {limited:?}\n{expected:?}");
            }
        }
    }
}

/// Returns the moves from the start of the game to the end of each variation, cut; without those that have no move.
fn paths<T: Copy>(record: &GameRecord<T>, limit: usize) -> Vec<Vec<T>> {
    let mut paths = vec![record.moves.clone()];
    for line in &record.variations {
        let mut path = paths[line.leaves as usize].clone();
        path.truncate(line.ply as usize);
        path.extend_from_slice(&line.moves);
        paths.push(path);
    }
    let has_moves = |line: usize| {
        let line = &record.variations[line];
        !line.moves.is_empty() && (line.ply as usize) < limit
    };
    let cut = |path: &Vec<T>| path[..limit.min(path.len())].to_vec();
    let of_variations = paths[1..].iter().enumerate();
    of_variations.filter(|(line, _)| has_moves(*line)).map(|(_, path)| cut(path)).collect()
}

/// A sound game with tags that begin a line, copied as it stands, is the same game; unless prose behind it opens a brace
/// that only a later game closes. Tags on the line of a marker are the next game's by what stands before them.
fn check_copies<G: Archived>(block: &Block, whole: &[GameRecord<G::Token>])
where
    G::Token: PartialEq,
{
    for record in whole.iter().filter(|record| !record.tags.is_empty() && record.defect.is_none()) {
        let start = (record.offset - block.offset) as usize;
        let text = &block.bytes[start..start + record.length as usize];
        let before = block.bytes[..start].iter().rfind(|byte| !matches!(byte, b' ' | b'\t'));
        if !matches!(before, None | Some(b'\n')) {
            continue;
        }
        let last = |brace: u8| text.iter().rposition(|&byte| byte == brace);
        if last(b'{') > last(b'}') {
            continue;
        }
        let copies = read::<G>(&self::block(block.format, text), &ReadOptions::everything());
        assert_eq!(copies.len(), 1, "a game is no game alone: {record:?}\n{copies:?}");
        let copy = &copies[0];
        assert!(copy.moves == record.moves && copy.defect.is_none(), "{record:?}\n{copy:?}");
        assert!(copy.variations == record.variations && copy.notes == record.notes, "{record:?}\n{copy:?}");
        assert_eq!((facts(copy), &copy.tags), (facts(record), &record.tags));
    }
}
