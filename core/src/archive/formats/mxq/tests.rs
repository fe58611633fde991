use super::*;

fn moves(text: &str) -> Vec<Move> {
    let square = |text: &[u8]| Square::at(text[0] - b'a', text[1] - b'0').unwrap();
    text.split(' ').map(|text| (square(&text.as_bytes()[..2]), square(&text.as_bytes()[2..]))).collect()
}

#[test]
fn the_capture_of_a_king_and_what_led_to_it_are_cut_off() {
    // The cannon gives check over the advisor, black does not see it.
    let mut game = moves("h2e2 d9e8 e2e6 a9a8 e6e9");
    cut_king_capture(&mut game);
    assert_eq!(game, moves("h2e2 d9e8 e2e6"));
}

#[test]
fn other_illegal_moves_stay() {
    for text in ["h2e2 d9e8 e2e6", "h2e2 h2e2", "h2e2 d9e8 e2e6 a9a8 e6d6"] {
        let mut game = moves(text);
        cut_king_capture(&mut game);
        assert_eq!(game, moves(text), "{text}");
    }
}
