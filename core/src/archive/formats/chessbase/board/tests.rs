use super::*;

#[test]
fn pieces_behind_a_captured_one_move_up_and_pawns_do_not() {
    let mut board = Board::empty(Color::White);
    for at in [Square::A5, Square::C5, Square::E5, Square::G5] {
        board.put(at, Color::Black.rook());
    }
    for at in [Square::A6, Square::B6, Square::C6] {
        board.put(at, Color::Black.pawn());
    }
    board.put(Square::A1, Color::White.queen());
    assert!(board.go_to(Square::A1, Square::A5, Role::Queen).is_some());
    // The fourth rook has no number, and gets none.
    let rooks = [0, 1, 2].map(|number| board.find(Role::Rook, number));
    assert_eq!(rooks, [Some(Square::C5), Some(Square::E5), None]);
    board.pass();
    assert!(board.go_to(Square::A5, Square::A6, Role::Queen).is_some());
    assert_eq!([0, 1].map(|number| board.find(Role::Pawn, number)), [None, Some(Square::B6)]);
}

#[test]
fn a_pawn_that_is_promoted_takes_the_first_free_number() {
    let mut board = Board::empty(Color::White);
    board.put(Square::A7, Color::White.pawn());
    board.put(Square::B8, Color::Black.knight());
    board.put(Square::C1, Color::White.knight());
    let san = board.go_to(Square::A7, Square::B8, Role::Knight).unwrap();
    assert_eq!(san.to_string(), "a7xb8=N");
    board.pass();
    assert_eq!(board.find(Role::Knight, 1), Some(Square::B8));
}
