use super::*;

#[test]
fn values_in_comments_are_centipawns_for_white() {
    for (comment, value) in [
        ("[%eval 0.31] [%clk 0:03:00]", Some(31)),
        ("good [%clk 0:03:00] [%eval -1.2]", Some(-120)),
        ("[%eval +3]", Some(3)),
        ("[%eval 29,20]", Some(29)),
        ("[%eval -250]", Some(-250)),
        ("[%eval 0,20]", Some(0)),
        ("[%eval 0.005,23]", Some(0)),
        ("[%eval -0.5,18]", Some(-50)),
        ("[%eval .5]", Some(50)),
        ("[%eval #3]", Some(29_994)),
        ("[%eval #-1]", Some(-29_998)),
        ("[%eval #0]", Some(-30_000)),
        ("[%eval #99999]", None),
        ("[%eval broken]", None),
        ("[%eval 1.2.3]", None),
        ("[%eval ]", None),
        ("[%eval -]", None),
        ("[%eval 99999999999999999999]", None),
        ("0.31", None),
    ] {
        assert_eq!(value_in(comment), value, "{comment}");
    }
}

#[test]
fn values_of_matches_and_profiles_are_read() {
    for (comment, value) in [
        ("+0.31/12 0.5s", Some(31)),
        ("-1.20/9 2s", Some(-120)),
        ("+M3/20 0.1s", Some(29_994)),
        ("-M3/20 0.1s", Some(-29_994)),
        ("+1/12", None),
        ("see 1/2", None),
        ("book", None),
    ] {
        assert_eq!(match_value(comment), value, "{comment}");
    }
    let first = |ply, value| (ply, Value::First(value));
    assert_eq!(profile_values("0,2,18,32767,-29998]"), Some(vec![first(0, 18), first(2, -29_998)]));
    assert_eq!(profile_values("0,x]"), None);
}
