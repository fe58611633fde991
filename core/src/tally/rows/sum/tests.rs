use super::*;

fn facts(ratings: [u16; 2], outcome: Outcome) -> GameFacts {
    GameFacts { fingerprint: 0, ratings, year: 0, plies: 0, outcome, games: 1 }
}

#[test]
fn the_table_is_the_formula_rounded() {
    for ahead in 0..=2000u16 {
        let formula = 100.0 / (1.0 + 10f64.powf(-f64::from(ahead) / 400.0));
        assert!((formula.fract() - 0.5).abs() > 1e-6, "{ahead}: too near to a half to be rounded by floats");
        let found = surplus(&facts([1 + ahead, 1], Outcome::SecondWins));
        assert_eq!(found, Some(-(formula.round() as i64)), "{ahead}");
    }
}

#[test]
fn what_one_side_gains_the_other_loses() {
    let mirrored = [
        (Outcome::FirstWins, Outcome::SecondWins),
        (Outcome::Draw, Outcome::Draw),
        (Outcome::SecondWins, Outcome::FirstWins),
    ];
    for (one, two) in (1..3000).step_by(37).flat_map(|one| (1..3000).step_by(41).map(move |two| (one, two))) {
        for (outcome, other) in mirrored {
            let gained = surplus(&facts([one, two], outcome)).unwrap();
            assert_eq!(surplus(&facts([two, one], other)), Some(-gained));
        }
    }
}
