use super::*;

#[test]
fn numbers_are_clamped_to_their_type() {
    let mut words = Words::of("300 -5 99999999999999999999999999 12.75 x");
    assert_eq!(words.number::<u8>("depth"), Some(255));
    assert_eq!(words.number::<u64>("nodes"), Some(0));
    assert_eq!(words.number::<u64>("nodes"), Some(u64::MAX));
    assert_eq!(words.number::<u64>("nodes"), Some(12));
    assert_eq!(words.number::<u64>("nodes"), None);
    assert_eq!(words.next(), Some("x"));
    assert_eq!(words.number::<u64>("nodes"), None);
    assert_eq!(words.skipped.len(), 2);
}

#[test]
fn a_position_is_a_start_and_moves() {
    let parse = |line: &str| Setup::of(&mut Words::of(line));
    let moves = vec!["e2e4".to_owned(), "e7e5".to_owned()];
    for line in ["startpos  moves e2e4 e7e5", "startpos e2e4 e7e5"] {
        assert_eq!(parse(line), Setup { fen: None, moves: moves.clone() });
    }
    for line in ["fen 8/8 w - - moves e2e4 e7e5", "8/8 w - - moves e2e4 e7e5"] {
        assert_eq!(parse(line), Setup { fen: Some("8/8 w - -".to_owned()), moves: moves.clone() });
    }
    assert_eq!(parse(""), Setup { fen: Some(String::new()), moves: Vec::new() });
}
