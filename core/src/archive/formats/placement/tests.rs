use super::*;

#[test]
fn other_boards_are_refused() {
    let chess = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for text in ["", "w", chess, "9/9/9/9/9/9/9/9/9/9x", "9/9/9/9/9/9/9/9/9/99", "9/9/9/9/9/9/9/9/9w/9"] {
        assert_eq!(Placement::read(text), None, "{text}");
    }
}
