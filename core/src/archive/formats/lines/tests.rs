use super::*;

fn squares(from: u8, to: u8) -> Squares {
    Some((Square::new(from)?, Square::new(to)?))
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
