use proptest::prelude::*;

use super::*;

fn nodes_until_over(watch: &mut Watch<'_>) -> u64 {
    (0..).take_while(|_| watch.enter()).count() as u64
}

#[test]
fn the_first_thread_keeps_its_share_of_nodes() {
    for limit in [0, 1, 2, 3000, 3001, 40_000] {
        let limits = Limits::nodes(limit);
        let pool = Pool::new(3, &limits);
        let mut first = Watch::start(&limits, &pool);
        let others: u64 =
            [1, 2].map(|thread| nodes_until_over(&mut Watch::follow(&pool, thread))).iter().sum();
        assert_eq!(others, limit - limit.div_ceil(3));
        assert_eq!(nodes_until_over(&mut first), limit.div_ceil(3));
    }
}

fn clock(left_ms: u64, increment_ms: u64, moves_to_go: Option<u32>) -> Clock {
    Clock {
        left: Duration::from_millis(left_ms),
        increment: Duration::from_millis(increment_ms),
        moves_to_go,
        overhead: Duration::from_millis(30),
    }
}

proptest! {
    #[test]
    fn a_move_never_takes_more_than_the_clock_shows(
        left in 0..10_000_000_u64, increment in 0..100_000_u64, moves in prop::option::of(0..200_u32),
    ) {
        let allotment = clock(left, increment, moves).allot();
        prop_assert!(allotment.target <= allotment.limit);
        prop_assert!(allotment.limit <= Duration::from_millis(left.saturating_sub(30).max(1)));
    }

    #[test]
    fn a_whole_time_control_is_survived(left in 1_000..600_000_u64, moves in 1..80_u32) {
        let mut left = left;
        for to_go in (1..=moves).rev() {
            let taken = clock(left, 0, Some(to_go)).allot().limit.as_millis() as u64;
            prop_assert!(taken < left, "{taken} of {left} ms with {to_go} moves to go");
            left -= taken;
            // With less time than the overhead, no move is in time.
            if left <= 40 { break; }
        }
    }
}

#[test]
fn a_long_game_without_increments_leaves_time_for_every_answer() {
    let mut left = 5_000;
    for number in 1..=200 {
        // An unstable search takes more. Both processes and the pipe between them take some of the clock too.
        let taken = clock(left, 0, None).allot().target.as_millis() as u64 * 13 / 10 + 4;
        assert!(left > taken + 30, "move {number}: {taken} of {left} ms");
        left -= taken;
    }
}
