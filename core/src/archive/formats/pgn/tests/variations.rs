//! Variations and notes: their places and their lengths.

use super::*;

#[test]
fn variations_and_notes_keep_their_places() {
    let text = "[A \"b\"]\n\n{start} 1. e4! (1. d4 {queen} d5 (1... Nf6 2. c4) (1... f5) 2. c4) (1. c4) e5 $10 {end} 1-0\n";
    let record = &read_with(text.as_bytes(), &ReadOptions::everything())[0];
    assert_eq!((moves(record), &*record.marks), ("e4 e5".to_owned(), &[2, 0][..]));
    let lines: Vec<_> = record
        .variations
        .iter()
        .map(|line| {
            (line.leaves, line.ply, line.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        })
        .collect();
    let line = |leaves, ply, moves: &str| (leaves, ply, moves.to_owned());
    assert_eq!(lines, [line(0, 0, "d4 d5 c4"), line(1, 1, "Nf6 c4"), line(1, 1, "f5"), line(0, 0, "c4")]);
    let comment = |line, ply, text: &str| Note { line, ply, kind: NoteKind::Comment(text.to_owned()) };
    let glyph = |ply, glyph| Note { line: 0, ply, kind: NoteKind::Glyph(glyph) };
    let notes =
        [comment(0, 0, "start"), glyph(1, 1), comment(1, 1, "queen"), glyph(2, 10), comment(0, 2, "end")];
    assert_eq!(record.notes, notes);
    assert_eq!(record.tags, [("A".to_owned(), "b".to_owned())]);
    assert_eq!(read(text)[0].variations, []);
}

#[test]
fn parentheses_before_the_first_move_are_no_variation() {
    for (text, variations) in [("(+)-(-) (+)-(-)", 0), ("(won) 1. e4 (1. d4) *", 1), ("1. (d4) e4 *", 0)] {
        let record = &read_with(format!("[A \"b\"]\n\n{text}\n").as_bytes(), &ReadOptions::everything())[0];
        assert_eq!((record.variations.len(), &record.defect), (variations, &None), "{text}");
    }
}

#[test]
fn a_variation_holds_what_stands_before_its_first_unreadable_move() {
    let text = "[A \"b\"]\n\n1. e4 (1. d4 Nz6 2. c4) e5 (1... c5 2. Nf9) 1-0\n";
    let record = &read_with(text.as_bytes(), &ReadOptions::everything())[0];
    assert_eq!((moves(record), &record.defect), ("e4 e5".to_owned(), &None));
    let lengths: Vec<_> = record.variations.iter().map(|line| line.moves.len()).collect();
    assert_eq!(lengths, [1, 1]);
}
