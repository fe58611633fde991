use proptest::prelude::*;

use super::*;

#[test]
fn mates_count_plies_from_the_side_to_move() {
    assert_eq!(Score::mate_in(3).mate_plies(), Some(3));
    assert_eq!(Score::mated_in(2).mate_plies(), Some(-2));
    assert_eq!(Score::mated_in(0).mate_plies(), Some(0));
    assert!(Score::mate_in(1) > Score::mate_in(3) && Score::mate_in(3) > Score::from_centipawns(i32::MAX));
}

proptest! {
    #[test]
    fn a_score_comes_back_from_the_table_as_it_went_in(
        centipawns in -40_000..40_000, plies in 0..MAX_PLY, ply in 0..MAX_PLY,
    ) {
        for score in [
            Score::from_centipawns(centipawns),
            Score::mate_in(ply + plies / 2),
            Score::mated_in(ply + plies / 2),
        ] {
            prop_assert_eq!(score.seen_from_node(ply).seen_from_root(ply), score);
        }
    }

    #[test]
    fn a_mate_is_as_far_from_the_node_whatever_the_way(distance in 0..50_usize, ply in 0..50_usize) {
        let stored = Score::mate_in(ply + distance).seen_from_node(ply);
        prop_assert_eq!(stored, Score::mate_in(distance));
    }
}
