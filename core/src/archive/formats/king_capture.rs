//! Cuts the end off games of servers that allow to capture a king.
//!
//! On such servers a player may leave the king in check, and the opponent takes it. By the rules the game ended before:
//! the move that left the king in check and all later ones are removed. Other illegal moves stay and are reported.

use super::placement::{Placement, STANDARD_FEN};
use crate::game::{Game, Replayable};
use crate::xiangqi::{Square, Token, Xiangqi};

/// Origin and target.
pub(super) type Move = (Square, Square);

/// Cuts a game from the standard start before its first illegal move, if a king is captured from there on.
pub(super) fn cut(moves: &mut Vec<Move>) {
    let mut position = Xiangqi::start();
    let is_illegal = |&(from, to): &Move| position.play_token(Token::new(from, to)).is_err();
    let Some(first_illegal) = moves.iter().position(is_illegal) else { return };
    let Some((mut placement, _)) = Placement::read(STANDARD_FEN) else { return };
    let captured = moves.iter().map(|&(from, to)| placement.shift(from, to));
    if captured.skip(first_illegal).any(|letter| matches!(letter, Some(b'k' | b'K'))) {
        moves.truncate(first_illegal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<Move> {
        let square = |text: &[u8]| Square::at(text[0] - b'a', text[1] - b'0').unwrap();
        text.split(' ').map(|text| (square(&text.as_bytes()[..2]), square(&text.as_bytes()[2..]))).collect()
    }

    #[test]
    fn the_capture_of_a_king_and_what_led_to_it_are_cut_off() {
        // The cannon gives check over the advisor, black does not see it.
        let mut game = moves("h2e2 d9e8 e2e6 a9a8 e6e9");
        cut(&mut game);
        assert_eq!(game, moves("h2e2 d9e8 e2e6"));
    }

    #[test]
    fn other_illegal_moves_stay() {
        for text in ["h2e2 d9e8 e2e6", "h2e2 h2e2", "h2e2 d9e8 e2e6 a9a8 e6d6"] {
            let mut game = moves(text);
            cut(&mut game);
            assert_eq!(game, moves(text), "{text}");
        }
    }
}
