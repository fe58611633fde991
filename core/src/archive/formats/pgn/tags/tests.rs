use super::*;

fn end(text: &str) -> usize {
    read_tags(text.as_bytes(), 0, &mut Vec::new())
}

fn read(text: &str) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    read_tags(text.as_bytes(), 0, &mut tags);
    tags.iter()
        .map(|tag| {
            let value = tag.unescaped().into_owned();
            (String::from_utf8(tag.name.to_vec()).unwrap(), String::from_utf8(value).unwrap())
        })
        .collect()
}

#[test]
fn values_end_where_their_tag_ends() {
    for (text, value) in [
        ("[A \"b\"]\n", "b"),
        ("[A \"\"]\r\n", ""),
        ("[A\"b\" ]", "b"),
        ("[A  \"b \\\"c\\\" \\\\\"]\n", "b \"c\" \\"),
        ("[A \"b \"c\" d\"]\n", "b \"c\" d"),
        ("[A \"b]c\"]\n", "b]c"),
        ("[A \"b]\nx", "b"),
        ("[A \"b\nx", "b"),
        ("[A \"b\n\"]\n", "b"),
        ("[A \"b\r\n1. e4 {\"]}", "b"),
        ("[A \"b\" c]\n", "b"),
        ("[A \"b\\\"]\n", "b\\"),
    ] {
        assert_eq!(read(text), [("A".to_owned(), value.to_owned())], "{text}");
    }
}

#[test]
fn tags_may_share_a_line_and_blank_lines_may_lie_between() {
    let text = "[A \"1\"] [B \"2\"]\n\n[C \"3\"]\r\n\r\n1. e4 [D \"4\"]";
    assert_eq!(read(text).len(), 3);
    assert_eq!(end(text), text.find("1. e4").unwrap());
}

#[test]
fn a_tag_with_a_strange_name_keeps_it() {
    let strange =
        "[White Elo \"2300\"]\n[\u{5f8c} \"a \\\"b\\\"\"]\r\n[Site]\n[]\n[%clk \"1\"]\n[ Round \"2\" ]\n";
    let text = format!("[Event \"x\"]\n{strange}[Black \"b\"]\n\n1. e4");
    let expected =
        [("Event", "x"), ("White Elo", "2300"), ("\u{5f8c}", "a \"b\""), ("Round", "2"), ("Black", "b")];
    assert_eq!(read(&text), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(end(&text), text.find("1. e4").unwrap());
    assert_eq!(end(strange), 0, "no game begins with it");
}

#[test]
fn asides_among_tags_are_passed_over() {
    for aside in [
        "\n; a",
        "\n% [X \"y\"]",
        "\n{a [b] \"c\"}",
        " ; a",
        "{a}",
        "]",
        " ,",
        "x",
        "\u{e4}",
        "\nWhite \"w\"]",
        "\n[Site]",
        "\n\n;a\n%b\n\n[]",
    ] {
        let text = format!("[Event \"x\"]{aside}\n[Black \"b\"]\n\n1. e4");
        let expected =
            [("Event", "x"), ("Black", "b")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(read(&text), expected, "{text}");
        let place = "[Event \"x\"]".len() + aside.len() - aside.trim_ascii_start().len();
        // Behind the tags it is of the movetext.
        let text = format!("[Event \"x\"]{aside}\n\n1. e4 [Black \"b\"]");
        assert_eq!((read(&text).len(), end(&text)), (1, place), "{text}");
        let text = format!("[Event \"x\"]{aside}\n[Event \"y\"]");
        assert_eq!(end(&text), place, "{text}");
    }
    for text in [
        "[A \"1\"] e4\n[B \"2\"]",
        "[A \"1\"] *\n[B \"2\"]",
        "[A \"1\"]\n{a\nb}\n[B \"2\"]",
        "[A \"1\"]\n-\n[B \"2\"]",
    ] {
        assert_eq!(read(text).len(), 1, "{text}");
    }
}

#[test]
fn an_event_tag_behind_a_blank_line_is_of_the_next_game() {
    for text in
        ["[Event \"a\"]\n\n[Event \"b\"]\n", "[Event \"a\"]\n[Event \"b\"]\n", "[A \"1\"]\n\n[Event \"b\"]\n"]
    {
        assert_eq!(end(text), text.rfind("[Event").unwrap());
    }
    let text = "[Site \"a\"]\n[Event \"b\"]\n*";
    assert_eq!(end(text), text.len() - 1);
}
