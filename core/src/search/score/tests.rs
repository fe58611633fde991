use proptest::prelude::*;

use super::*;

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
