use super::*;

#[test]
fn a_board_is_read_and_written_back() {
    let (placement, side) = Placement::read(STANDARD_FEN).unwrap();
    assert_eq!((placement.to_fen(Side::First), side), (STANDARD_FEN.to_owned(), Some(Side::First)));
    assert_eq!(placement.start(Side::First), Start::Standard);
    assert_eq!(placement.first_side(Square::at(7, 9), Side::First), Side::Second);
}

#[test]
fn a_side_letter_may_be_glued_to_the_board() {
    let board = "4k4/9/9/9/9/9/9/9/9/4K3r";
    assert_eq!(Placement::read(&format!("{board}b")).unwrap().1, Some(Side::Second));
    assert_eq!(Placement::read(&format!("{board}w - - 0 1")).unwrap().1, Some(Side::First));
    assert_eq!(Placement::read(board).unwrap().1, None);
    assert_eq!(Placement::read(&format!("{board} b")).unwrap().1, Some(Side::Second));
}

#[test]
fn other_boards_are_refused() {
    let chess = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for text in ["", "w", chess, "9/9/9/9/9/9/9/9/9/9x", "9/9/9/9/9/9/9/9/9/99", "9/9/9/9/9/9/9/9/9w/9"] {
        assert_eq!(Placement::read(text), None, "{text}");
    }
}
