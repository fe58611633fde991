//! What FENs are read, and for which reason others are refused.

use crate::game::Game;
use crate::xiangqi::Xiangqi;
use crate::xiangqi::fen::START_FEN;

/// The FEN of the starting position.
pub const START: &str = START_FEN;

const LONE: &str = "3k5/9/9/9/9/9/9/9/9/4K4";

fn reason(fen: &str) -> String {
    Xiangqi::from_fen(fen).unwrap_err().reason
}

#[test]
fn fen_accepts_documented_variants() {
    let placement = START.split(' ').next().unwrap();
    let with_other_letters = START.replace('n', "h").replace('N', "H").replace(['b'], "e").replace('B', "E");
    let forms = [
        placement.to_owned(),
        format!("{placement} w"),
        format!("{placement} r - - 3 7"),
        format!("{placement} w - -"),
        format!("{placement}w"),
        format!("{placement}r - - 0 1"),
        format!("{placement}[] w - - 0 1"),
        format!("  {placement}   w  "),
        with_other_letters,
    ];
    for form in forms {
        assert_eq!(Xiangqi::from_fen(&form).as_ref(), Ok(&Xiangqi::start()), "{form}");
    }
}

#[test]
fn a_glued_letter_is_the_side_and_not_an_elephant_or_rook() {
    let black = Xiangqi::from_fen(&format!("{LONE} b")).unwrap();
    for form in [format!("{LONE}b"), format!("{LONE}b - - 0 1"), format!("{LONE}[]b")] {
        assert_eq!(Xiangqi::from_fen(&form).as_ref(), Ok(&black), "{form}");
    }
    let rook_in_the_corner = "3k5/9/9/9/9/9/9/9/9/4K3r";
    assert!(Xiangqi::from_fen(&format!("{rook_in_the_corner} b")).is_err());
    assert_eq!(
        Xiangqi::from_fen("3k5/9/9/9/9/9/9/9/4A4/4K3r").unwrap().to_fen(),
        "3k5/9/9/9/9/9/9/9/4A4/4K3r w - - 0 1"
    );
}

#[test]
fn invalid_texts_have_their_reason() {
    let cases = [
        ("", "no text"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "as a chess board has"),
        ("3k5/9/9/9/9/9/9/9/4K4 w", "9 ranks where"),
        ("3k5/8/9/9/9/9/9/9/9/4K4 w", "rank 8 has 8 points"),
        ("3k5/9/9/9/9/9/9/9/9p/4K4 w", "rank 1 has 10 points"),
        ("3k5/9/9/9/4q4/9/9/9/9/4K4 w", "'q' on rank 5 is not a piece"),
        ("3k5/9/9/9/0900/9/9/9/9/4K4 w", "'0' on rank 5 is not a piece"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 x", "side to move \"x\""),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w KQkq - 0 1", "field 3 is \"KQkq\"; expected -"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - x 1", "field 5 is \"x\"; expected a number"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 2", "\"2\" after the last field"),
    ];
    for (fen, expected) in cases {
        assert!(reason(fen).contains(expected), "{fen}: {}", reason(fen));
    }
}

#[test]
fn impossible_placements_have_their_reason() {
    let cases = [
        ("9/9/9/9/9/9/9/9/9/4K4 w", "black has no general"),
        ("3k5/9/9/9/9/9/9/9/9/9 w", "red has no general"),
        ("3k5/9/9/9/9/9/9/9/4K4/4K4 w", "red has 2 generals"),
        ("3k5/9/9/9/9/9/9/9/9/6K2 w", "the red general on g0 is outside its palace"),
        ("9/9/9/3k5/9/9/9/9/9/4K4 w", "the black general on d6 is outside its palace"),
        ("3k5/9/9/9/9/9/RRR6/9/9/4K4 b", "red has 3 rooks where a set has 2"),
        ("3k5/9/ppppp4/p8/9/9/9/9/9/4K4 w", "black has 6 pawns where a set has 5"),
        ("3k5/9/9/9/9/9/9/9/3A5/4K4 w", "a red advisor can never stand on d1"),
        ("3k5/9/4b4/9/9/4b4/9/9/9/4K4 w", "a black elephant can never stand on e4"),
        ("3k5/9/9/9/9/9/9/P8/9/4K4 w", "a red pawn can never stand on a2"),
        ("3k5/9/9/9/9/1P7/9/9/9/4K4 w", "a red pawn can never stand on b4"),
        ("3k5/9/p8/9/9/9/9/9/9/4K4 w", "a black pawn can never stand on a7"),
        ("3k5/9/9/9/9/P8/P8/9/9/4K4 w", "red has two pawns on file a before the river"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the generals face each other"),
        ("4k4/9/9/9/9/9/9/9/4R4/4K4 w", "black is in check and not to move"),
        ("4k4/9/3N5/9/9/9/9/9/9/3K5 w", "black is in check and not to move"),
    ];
    for (fen, expected) in cases {
        assert!(reason(fen).contains(expected), "{fen}: {}", reason(fen));
    }
}
