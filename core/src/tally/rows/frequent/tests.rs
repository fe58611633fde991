use std::collections::BTreeSet;

use super::*;
use crate::tally::Row;
use proptest::prelude::*;

fn row(key: u64, played: u16, games: u64, ply: u16) -> Row {
    Row { key, lock: key as u32, played, games, ply, mover: (ply % 2) as u8, ..Row::default() }
}

fn table(rows: &[Row]) -> Rows {
    let mut table = Rows::default();
    table.extend(rows);
    table
}

/// Sorted rows of few positions with few games.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let counts = prop::collection::btree_map((0u64..20, 0u16..4), (1u64..4, 0u16..6), 0..60);
    counts.prop_map(|counts| {
        counts.into_iter().map(|((key, played), (games, ply))| row(key, played, games, ply)).collect()
    })
}

fn sum(numbers: &Numbers, wanted: impl Fn(RareKind) -> bool) -> usize {
    numbers.iter().filter(|&(kind, _)| wanted(kind)).map(|(_, count)| count as usize).sum()
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_rows_and_numbers(
        rows in rows(),
        cuts in prop::collection::btree_set(0usize..60, 0..6),
        least in 0u64..6,
    ) {
        let games = |key: u64| rows.iter().filter(|row| row.key == key).map(|row| row.games).sum::<u64>();
        let (kept, rare): (Vec<Row>, Vec<Row>) = rows.iter().partition(|row| games(row.key) >= least);
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|&cut| cut < rows.len()).collect();
        cuts.push(rows.len());
        let (mut found, mut start) = (Frequent::new(least), 0);
        for cut in cuts {
            found.take(&table(&rows[start..cut]).view());
            start = cut;
        }
        found.close();
        prop_assert_eq!(&found.rows, &table(&kept));
        prop_assert_eq!(sum(&found.rare_rows, |_| true), rare.len());
        let ended = rare.iter().filter(|row| row.played == 0).count();
        prop_assert_eq!(sum(&found.rare_rows, |(has_move, ..)| !has_move), ended);
        let positions: BTreeSet<u64> = rare.iter().map(|row| row.key).collect();
        prop_assert_eq!(sum(&found.rare_positions, |_| true), positions.len());
    }
}
