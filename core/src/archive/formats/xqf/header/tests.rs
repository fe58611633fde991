use super::*;

#[test]
fn texts_are_clamped_and_halved_characters_dropped() {
    assert_eq!(text(b"\x04\xba\xec\xc6\xe5\xff\xff"), "红棋");
    assert_eq!(text(b"\x03\xba\xec\xc6"), "红");
    assert_eq!(text(b"\xff\xba\xec"), "红");
    assert_eq!(text(b"\x00\xba\xec"), "");
}
