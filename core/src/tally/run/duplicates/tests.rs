use super::*;
use proptest::prelude::*;

fn lines(lines: &[Vec<u8>]) -> Vec<Box<[u8]>> {
    lines.iter().map(|line| line.as_slice().into()).collect()
}

/// Lines of few different moves, so that they do meet.
fn some_lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let line = prop::collection::vec(0..3u8, 1..6);
    // A move is two bytes.
    let line = line.prop_map(|moves| moves.into_iter().flat_map(|code| [code + 1, 0]).collect());
    prop::collection::vec(line, 0..30)
}

proptest! {
    #[test]
    fn a_line_is_dropped_if_it_begins_another_or_equals_an_earlier_one(all in some_lines()) {
        let found = beginnings(&[], &lines(&all));
        for (place, line) in all.iter().enumerate() {
            let begins = all.iter().any(|other| other.len() > line.len() && other.starts_with(line));
            prop_assert_eq!(found.is_dropped[place], begins || all[..place].contains(line));
        }
        prop_assert_eq!(found.superseded, 0);
    }

    #[test]
    fn two_runs_drop_what_one_run_drops_unless_a_known_game_is_superseded(
        all in some_lines(),
        cut in 0..30usize,
    ) {
        let whole = beginnings(&[], &lines(&all));
        let (first, second) = all.split_at(cut.min(all.len()));
        let one = beginnings(&[], &lines(first));
        let kept: Vec<Vec<u8>> =
            first.iter().zip(&one.is_dropped).filter(|(_, dropped)| !**dropped).map(|(line, _)| line.clone()).collect();
        let two = beginnings(&lines(&kept), &lines(second));
        let kept_by_whole = whole.is_dropped[..first.len()].iter().filter(|&&dropped| !dropped).count();
        prop_assert_eq!(two.superseded, (kept.len() - kept_by_whole) as u64);
        prop_assert_eq!(&two.is_dropped[..], &whole.is_dropped[first.len()..]);
    }
}

#[test]
fn names_are_compared_by_surname() {
    for name in ["Carlsen,M", "Carlsen, Magnus", "Magnus Carlsen", "CARLSEN"] {
        assert_eq!(surname(name), "carlsen", "{name}");
    }
    assert_eq!(surname("Vallejo-Pons, F"), surname("Vallejo Pons,Francisco"));
    assert_eq!(surname("广东 吕钦"), "吕钦");
    assert_eq!(surname(""), "");
}
