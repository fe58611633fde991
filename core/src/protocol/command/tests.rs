use super::*;

#[test]
fn numbers_are_clamped_to_their_type() {
    let mut words = Words::of("300 -5 99999999999999999999999999 12.75 x");
    assert_eq!(words.number("depth"), Some(300));
    assert_eq!(words.number("nodes"), Some(0));
    assert_eq!(words.number("nodes"), Some(u64::MAX));
    assert_eq!(words.number("nodes"), Some(12));
    assert_eq!(words.number("nodes"), None);
    assert_eq!(words.next(), Some("x"));
    assert_eq!(words.number("nodes"), None);
    assert_eq!(words.skipped.len(), 2);
}
