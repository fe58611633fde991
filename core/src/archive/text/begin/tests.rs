use super::*;

fn boundaries(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    while let Some(place) = next_boundary(text.as_bytes(), places.last().map_or(1, |last| last + 1)) {
        places.push(place);
    }
    places
}

#[test]
fn an_event_tag_at_a_line_start_begins_a_game() {
    let text = "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 { open\n[%clk 1]\n[Event \"b\"]\n1. d4 *";
    assert_eq!(boundaries(text), [text.rfind("[Event").unwrap()]);
    let twins = "[Event \"a\"]\r\n[Result \"*\"]\r\n[Event \"b\"]\r\n";
    assert_eq!(boundaries(twins), [twins.rfind("[Event").unwrap()]);
}

#[test]
fn a_game_may_begin_with_another_tag() {
    let text = "[Site \"a\"]\n[Event \"a\"]\n\n1. e4 *\n\n[Site \"b\"]\n[Event \"b\"]\n\n1. d4 *\n";
    assert_eq!(boundaries(text), [text.rfind("[Site").unwrap()]);
}

#[test]
fn a_line_with_tags_and_a_whole_game_is_a_game() {
    let text =
        "[Result \"1-0\"] e4 *\n[Result \"0-1\"] d4 1/2-1/2\r\n[Event \"x\"] c4 1-0\n[Site \"y\"] 0-1\n";
    let lines: Vec<_> = text.match_indices("\n[").map(|(place, _)| place + 1).collect();
    assert_eq!(boundaries(text), lines);
    // A value that is not closed, moves that go on, and a result as a value.
    for line in ["[White \"a *", "[White \"a\"] e4", "[Result \"1-0\"]", "[A \"b\"] [C \"1-0"] {
        assert!(boundaries(&format!("{line}\n[Black \"b\"]\n")).is_empty(), "{line}");
    }
}

#[test]
fn tags_behind_a_marker_begin_a_game_that_goes_on_in_the_next_line() {
    for tags in ["[Event \"b\"]", "[Event \"b\"] [Site \"s\"]", "[Site \"s\"]\r"] {
        for marker in ["1-0", "0-1 ", "1/2-1/2", "Qg2* \t"] {
            let text = format!("[Event \"a\"]\n\n1. e4 [White \"w\"] {marker}{tags}\n[Black \"x\"]\n\n*");
            assert_eq!(boundaries(&text)[0], text.find(tags).unwrap(), "{text}");
        }
    }
    let text = "1. e4 *[Event \"b\"]\n[White \"w\"]\n[Event \"c\"]\n";
    assert_eq!(boundaries(text), [text.find("[Event").unwrap(), text.rfind("[Event").unwrap()]);
    let text = "[Event \"a\"]\n\n1. e4 * {[Event \"b\"]}\n[White \"w\"]\n";
    assert_eq!(boundaries(text), [text.find("[White").unwrap()]);
}

#[test]
fn an_aside_separates_no_tags() {
    let odd = ["[White Elo \"2300\"]", "[White-Elo \"2300\"]", "[Site]", "[]\r", "White \"w\"]"];
    let comments = ["; a", "% a", "{a} ", "{}\r", "; a\n[]\n{a}"];
    for strange in odd.into_iter().chain(comments) {
        let text = format!(
            "[Event \"a\"]\n{strange}\n[White \"b\"]\n\n*\n\n[Site \"c\"]\n{strange}\n[Event \"d\"]\n"
        );
        assert_eq!(boundaries(&text), [text.rfind("[Site \"").unwrap()], "{text}");
        // The first tag that is one begins the game.
        let text = format!("[Event \"a\"]\n\n1. e4 *\n\n{strange}\n[Site \"c\"]\n[White \"w\"]\n");
        assert_eq!(boundaries(&text), [text.rfind("[Site \"").unwrap()], "{text}");
    }
}

#[test]
fn an_indented_tag_is_one_of_the_tags_before() {
    let text = " [Event \"a\"]\n[Site \"b\"]\n[Event \"c\"]\n";
    assert_eq!(boundaries(text), [text.rfind("[Event").unwrap()]);
    let text = text.replace(" [", "\u{feff}[");
    assert_eq!(boundaries(&text), [text.rfind("[Event").unwrap()]);
    let text = "1. e4 *\n [Event \"a\"]\n[Site \"b\"]\n";
    assert!(boundaries(text).is_empty());
}
