use super::*;
use crate::game::Outcome;
use crate::tally::rows::frequent::Frequent;
use crate::tally::rows::merge::merge;
use crate::tally::rows::row::Rows;
use proptest::prelude::*;

fn observation() -> impl Strategy<Value = Observation> {
    // Few positions, some of them sharing keys, so that rows do combine.
    (0..40u64, 0..2u32, 0..8u32, 0..4u16, 0..60u16, -3..=3i8).prop_map(
        |(key, lock, game, played, ply, mark)| Observation {
            key: key.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            lock,
            game,
            played: Move(played),
            ply,
            mark,
            mover: (key & 1) as u8,
            cell: u16::from(mark > 1),
        },
    )
}

fn facts() -> impl Strategy<Value = Vec<GameFacts>> {
    let one = (any::<u64>(), [0..3u16, 0..3u16], 0..3u16, 0..4u8).prop_map(
        |(fingerprint, ratings, year, outcome)| GameFacts {
            fingerprint,
            ratings: ratings.map(|rating| rating * 1200 - rating * rating * 500),
            year: year * 1000,
            plies: 1,
            outcome: match outcome {
                0 => Outcome::Unknown,
                1 => Outcome::FirstWins,
                2 => Outcome::Draw,
                _ => Outcome::SecondWins,
            },
            games: 1,
        },
    );
    prop::collection::vec(one, 8)
}

fn harvest(observations: &[Observation], facts: &[GameFacts]) -> Harvest {
    let mut parts = Parts::default();
    parts.scatter(&mut observations.to_vec());
    Harvest { parts, facts: facts.to_vec(), added_up: Vec::new() }
}

proptest! {
    #[test]
    fn any_split_and_order_gives_the_same_table(
        observations in prop::collection::vec(observation(), 0..300),
        facts in facts(),
        cuts in prop::collection::vec(0..300usize, 0..4),
    ) {
        let whole = combine(vec![harvest(&observations, &facts)], None).unpack();
        prop_assert_eq!(whole.view().disorder(), None);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(observations.len())).collect();
        cuts.extend([0, observations.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[Observation]> =
            cuts.windows(2).rev().map(|pair| &observations[pair[0]..pair[1]]).collect();
        // By workers of one run …
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let together = combine(pieces.iter().map(|piece| harvest(piece, &facts)).collect(), Some(&pool)).unpack();
        prop_assert_eq!(&together, &whole);
        // … and by merging the tables of several runs.
        let tables: Vec<Rows> = pieces.iter().map(|piece| combine(vec![harvest(piece, &facts)], None).unpack()).collect();
        let views: Vec<_> = tables.iter().map(Rows::view).collect();
        prop_assert_eq!(&merge(&views).unwrap(), &whole);
    }

    #[test]
    fn frequent_rows_are_those_that_are_taken_from_all_rows(
        observations in prop::collection::vec(observation(), 0..300),
        facts in facts(),
        least in 0..30u64,
        cut in 0..300usize,
    ) {
        let rows = combine(vec![harvest(&observations, &facts)], None);
        let all = rows.unpack();
        let cut = cut.min(all.len());
        let mut taken = Frequent::new(least);
        for piece in [0..cut, cut..all.len()] {
            let mut table = Rows::default();
            piece.for_each(|index| table.push(all.view().row(index)));
            taken.take(&table.view());
        }
        taken.close();
        let found = rows.frequent(least);
        prop_assert_eq!(&found.rows, &taken.rows);
        prop_assert!(found.rare_rows.iter().eq(taken.rare_rows.iter()));
        prop_assert!(found.rare_positions.iter().eq(taken.rare_positions.iter()));
        prop_assert_eq!(all.len(), rows.len());
    }

    #[test]
    fn a_row_counts_its_observations(
        observations in prop::collection::vec(observation(), 0..200),
        facts in facts(),
    ) {
        let rows = combine(vec![harvest(&observations, &facts)], None).unpack();
        prop_assert_eq!(rows.games.iter().sum::<u64>(), observations.len() as u64);
        for index in 0..rows.len() {
            let identity = rows.view().identity(index);
            let same: Vec<_> = observations
                .iter()
                .filter(|o| (o.key, o.lock, o.played.0, o.cell) == identity)
                .collect();
            prop_assert_eq!(rows.games[index], same.len() as u64);
            prop_assert_eq!(Some(rows.ply[index]), same.iter().map(|o| o.ply).min());
            let gained = same.iter().filter_map(|o| crate::tally::rows::sum::surplus(&facts[o.game as usize]));
            prop_assert_eq!((rows.paired[index], rows.surplus[index]), (gained.clone().count() as u64, gained.sum()));
            let drawn = same.iter().filter(|o| facts[o.game as usize].outcome == Outcome::Draw);
            prop_assert_eq!(rows.draws[index], drawn.count() as u64);
            let years = same.iter().map(|o| facts[o.game as usize].year).filter(|&year| year > 0);
            prop_assert_eq!(rows.year_min[index], years.min().unwrap_or(0));
        }
    }
}
