use super::*;

#[test]
fn pieces_behind_a_captured_one_move_up_and_pawns_do_not() {
    let mut board = Board::empty(Color::White);
    let black = |role| Piece { color: Color::Black, role };
    for (file, role) in [(0, Role::Rook), (2, Role::Rook), (4, Role::Rook), (6, Role::Rook)] {
        board.put(place(file, 4).unwrap(), black(role));
    }
    for file in 0..3 {
        board.put(place(file, 5).unwrap(), black(Role::Pawn));
    }
    board.put(place(0, 0).unwrap(), Piece { color: Color::White, role: Role::Queen });
    assert!(board.play(place(0, 0).unwrap(), place(0, 4).unwrap(), Role::Queen).is_some());
    assert_eq!(board.find(Role::Rook, 0), place(2, 4));
    assert_eq!(board.find(Role::Rook, 1), place(4, 4));
    // The fourth rook has no number, and gets none.
    assert_eq!(board.find(Role::Rook, 2), None);
    board.pass();
    assert!(board.play(place(0, 4).unwrap(), place(0, 5).unwrap(), Role::Queen).is_some());
    assert_eq!(board.find(Role::Pawn, 0), None);
    assert_eq!(board.find(Role::Pawn, 1), place(1, 5));
}

#[test]
fn a_pawn_that_is_promoted_takes_the_first_free_number() {
    let mut board = Board::usual();
    let (from, to) = (place(0, 6).unwrap(), place(1, 7).unwrap());
    board.take(from);
    board.put(from, Piece { color: Color::White, role: Role::Pawn });
    let san = board.play(from, to, Role::Knight).unwrap();
    assert_eq!(san.to_string(), "a7xb8=N");
    board.pass();
    assert_eq!(board.find(Role::Knight, 2), Some(to));
}
