use super::*;

fn token(from: u8, to: u8) -> Option<Token> {
    Some(Token::new(Square::new(from)?, Square::new(to)?))
}

#[test]
fn comments_mark_the_move_before_them() {
    let mut lines =
        Lines::<Token>::new(&ReadOptions { full: true, variations: true, ..ReadOptions::default() });
    lines.comment(Place::START, "好棋");
    let first = lines.put(Place::START, token(1, 2), false);
    let second = lines.put(first, token(3, 4), false);
    lines.comment(second, "Blunder. Better was another move");
    let other = lines.put(first, token(3, 5), true);
    lines.comment(other, "妙手！");
    lines.comment(first, "goodness");
    let mut record = GameRecord::default();
    lines.fill(&mut record);
    assert_eq!((record.marks, &*record.variations[0].marks), (vec![0, -3], &[3][..]));
}
