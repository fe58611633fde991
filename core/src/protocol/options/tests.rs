use super::*;

#[test]
fn a_value_is_checked_against_its_option() {
    let find = |name: &str| find(Dialect::Uci, Variant::Chess, name).unwrap();
    assert_eq!(find("hash").parse("Hash", "64"), Ok(Value::Number(64)));
    assert_eq!(
        find("book FILE").parse("Book file", "/a path/b.book"),
        Ok(Value::Text("/a path/b.book".into()))
    );
    assert_eq!(find("Book file").parse("Book file", "<empty>"), Ok(Value::Text(String::new())));
    assert_eq!(find("Book mode").parse("Book mode", "ROOT"), Ok(Value::Word("root")));
    for (name, value) in [("Hash", "0"), ("Hash", "many"), ("Ponder", "perhaps"), ("Book mode", "all")] {
        let why = find(name).parse(name, value).unwrap_err().to_string();
        assert!(why.contains(name) && why.contains(value) && why.contains("expected"), "{why}");
    }
    for mode in BookMode::ALL {
        let mut options = Options::default();
        options.set(Name::BookMode, find("book mode").parse("Book mode", mode.name()).unwrap());
        assert_eq!(options.mode(), mode);
    }
    for policy in BookPolicy::ALL {
        let mut options = Options::default();
        options.set(Name::BookPolicy, find("book policy").parse("Book policy", policy.name()).unwrap());
        assert_eq!(options.policy(), policy);
    }
    for rule in RepetitionRule::ALL {
        let value = find("repetition rule").parse("Repetition rule", rule.name()).unwrap();
        let mut options = Options::default();
        options.set(Name::RepetitionRule, value);
        assert_eq!(options.repetition().rule, rule);
    }
    assert!(super::find(Dialect::Uci, Variant::Pikafish, "UCI_Variant").is_ok());
    assert!(super::find(Dialect::Ucci, Variant::Pikafish, "hashsize").is_ok());
}
