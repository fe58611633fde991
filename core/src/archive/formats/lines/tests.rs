use super::*;

fn squares(from: u8, to: u8) -> Squares {
    Some((Square::new(from)?, Square::new(to)?))
}

/// a b (c d | e), and f instead of a.
fn grow(options: &ReadOptions) -> Lines<Token> {
    let mut lines = Lines::new(options);
    let mut branching = Branching::new(true);
    let nodes = [
        (1, true, true),
        (2, true, false),
        (3, true, true),
        (4, false, false),
        (5, false, false),
        (6, false, false),
    ];
    for (number, has_child, has_alternative) in nodes {
        assert!(branching.is_main_line() == (number < 5) || !options.full);
        let place = branching.push(&mut lines, squares(number, 80), has_child, has_alternative);
        lines.comment(place, &number.to_string());
    }
    assert!(branching.is_complete());
    lines
}

#[test]
fn alternatives_leave_the_line_of_their_parent() {
    let lines = grow(&ReadOptions::everything());
    assert_eq!((lines.moves.len(), lines.first_origin()), (4, Square::new(1)));
    let variations: Vec<_> =
        lines.variations.iter().map(|v| (v.leaves, v.ply, v.moves.len(), v.marks.len())).collect();
    assert_eq!(variations, [(0, 2, 1, 1), (0, 0, 1, 1)]);
    let notes: Vec<_> = lines.notes.iter().map(|note| (note.line, note.ply)).collect();
    assert_eq!(notes, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 3), (2, 1)]);
}

#[test]
fn only_what_is_asked_for_is_collected() {
    let lines = grow(&ReadOptions { full: true, max_ply: Some(1), ..ReadOptions::default() });
    assert_eq!((lines.moves.len(), lines.variations.len(), lines.notes.len()), (4, 0, 0));
    let options = ReadOptions { max_ply: Some(0), variations: true, notes: true, ..ReadOptions::default() };
    let lines = grow(&options);
    assert_eq!((lines.moves.len(), lines.variations.len(), lines.notes.len()), (0, 0, 0));
    assert_eq!(lines.first_origin(), Square::new(1));
}

#[test]
fn comments_mark_the_move_before_them() {
    let mut lines =
        Lines::<Token>::new(&ReadOptions { full: true, variations: true, ..ReadOptions::default() });
    lines.comment(Place::START, "好棋");
    let first = lines.extend(Place::START, squares(1, 2));
    let second = lines.extend(first, squares(3, 4));
    lines.comment(second, "Blunder. Better was another move");
    let other = lines.branch(first, squares(3, 5));
    lines.comment(other, "妙手！");
    lines.comment(first, "goodness");
    let mut record = GameRecord::default();
    lines.fill(&mut record);
    assert_eq!((record.marks, &*record.variations[0].marks), (vec![0, -3], &[3][..]));
}

#[test]
fn nothing_follows_a_move_off_the_board() {
    let mut lines = Lines::<Token>::new(&ReadOptions::everything());
    let place = lines.extend(Place::START, None);
    assert_eq!(lines.extend(place, squares(1, 2)), Place { line: None, ply: 2 });
    assert_eq!(lines.branch(Place::START, None).line, None);
    assert!(lines.moves.is_empty() && lines.variations.is_empty());
}
