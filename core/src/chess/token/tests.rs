use super::super::tests::any_san;
use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn token_round_trips(san in any_san()) {
        prop_assert_eq!(Token::from(san).san(), san);
    }
}

#[test]
fn token_keeps_castling_and_null_moves() {
    for san in [San::Null, San::Castle(CastlingSide::KingSide), San::Castle(CastlingSide::QueenSide)] {
        assert_eq!(Token::from(san).san(), san);
    }
}
