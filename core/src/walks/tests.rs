use proptest::prelude::*;

use super::*;

/// Moves between a few positions, with a weight or a chance for each.
fn graphs() -> impl Strategy<Value = (Vec<u32>, Vec<u32>, Vec<u8>, Vec<f64>)> {
    let position = prop::collection::vec((0..8u32, 0..2u8, 0..4u8), 0..5);
    prop::collection::vec(position, 8).prop_map(|positions| {
        let ends = positions.iter().scan(0, |end, moves| {
            *end += moves.len() as u32;
            Some(*end)
        });
        let all = || positions.iter().flatten();
        (
            ends.collect(),
            all().map(|each| if each.0 == 7 { NOWHERE } else { each.0 }).collect(),
            all().map(|each| each.1).collect(),
            all().map(|each| f64::from(each.2)).collect(),
        )
    })
}

proptest! {
    #[test]
    fn a_line_is_as_short_as_any_and_ends_with_the_heaviest_move((ends, children, usable, weights) in graphs()) {
        let moves = Moves { ends: &ends, children: &children };
        prop_assert!(moves.are_whole());
        let (into, depths) = shortest_lines(moves, &usable, &weights, 0, 100);
        // The distances by relaxing all moves until nothing changes.
        let mut distances = vec![i32::MAX; ends.len()];
        distances[0] = 0;
        let from = |m: usize| ends.partition_point(|&end| end as usize <= m);
        let usable = || (0..children.len()).filter(|&m| usable[m] == 1 && children[m] != NOWHERE);
        for _ in 0..ends.len() {
            for m in usable() {
                let child = children[m] as usize;
                distances[child] = distances[child].min(distances[from(m)].saturating_add(1));
            }
        }
        for position in 0..ends.len() {
            prop_assert_eq!(depths[position], if distances[position] == i32::MAX { -1 } else { distances[position] });
            let last = usable()
                .filter(|&m| children[m] as usize == position)
                .filter(|&m| distances[from(m)] != i32::MAX && distances[from(m)] + 1 == distances[position])
                .max_by(|&one, &two| weights[one].total_cmp(&weights[two]));
            let wanted = if position == 0 { None } else { last };
            prop_assert_eq!(into[position], wanted.map_or(-1, |m| m as i64));
        }
    }

    #[test]
    fn visits_are_the_sums_over_all_lines((ends, children, goes_on, weights) in graphs(), plies in 0..5u32) {
        let moves = Moves { ends: &ends, children: &children };
        let goes_on: Vec<u8> = (0..ends.len()).map(|place| goes_on.get(place).copied().unwrap_or(1)).collect();
        let chances: Vec<f64> = weights.iter().map(|weight| weight / 16.0).collect();
        let (expected, visits) = expected_visits(moves, &chances, &goes_on, 0, plies, 0.0);
        let mut wanted = (0.0, vec![0.0; ends.len()]);
        let mut lines = vec![(0u32, 1.0, 0)];
        while let Some((position, chance, ply)) = lines.pop() {
            wanted.1[position as usize] += chance;
            if goes_on[position as usize] == 0 || ply == plies {
                continue;
            }
            wanted.0 += chance;
            let next = moves.of(position).filter(|&m| chances[m] > 0.0 && children[m] != NOWHERE);
            lines.extend(next.map(|m| (children[m], chance * chances[m], ply + 1)));
        }
        prop_assert!((expected - wanted.0).abs() < 1e-9);
        prop_assert!(visits.iter().zip(&wanted.1).all(|(one, two)| (one - two).abs() < 1e-9));
    }
}

#[test]
fn moves_that_belong_to_no_position_are_not_whole() {
    assert!(Moves { ends: &[1, 1], children: &[1] }.are_whole());
    assert!(!Moves { ends: &[1, 1], children: &[2] }.are_whole());
    assert!(!Moves { ends: &[1, 1], children: &[1, 0] }.are_whole());
    assert!(!Moves { ends: &[1, 0], children: &[] }.are_whole());
}
