use encoding_rs::{BIG5, GB18030};
use proptest::prelude::*;

use super::*;

#[test]
fn each_game_is_utf_8_if_it_can_be() {
    let game = |name: &str| format!("[Event \"{name}\"]\n\n1. 炮二平五 *\n\n");
    for charset in [GB18030, BIG5] {
        let other = charset.encode(&game("乙")).0.into_owned();
        let bytes = [game("甲").into_bytes(), other, game("丙").into_bytes()].concat();
        let text = utf8(&bytes, charset);
        assert_eq!(std::str::from_utf8(&text), Ok(&*(game("甲") + &game("乙") + &game("丙"))));
        let mut places = Places::new(&bytes, &text, charset);
        let starts = |text: &[u8]| memmem::find_iter(text, b"[Event").collect::<Vec<_>>();
        let found: Vec<_> = starts(&text).into_iter().map(|place| places.of(place)).collect();
        assert_eq!(found, starts(&bytes));
        let moves = memmem::rfind(&text, "平".as_bytes()).unwrap();
        assert_eq!(places.of(moves), memmem::rfind(&bytes, "平".as_bytes()).unwrap());
        assert_eq!((places.of(1), places.of(text.len())), (1, bytes.len()));
    }
}

/// With each place looked for from the start of its line this takes minutes.
#[test]
fn places_on_a_long_line_are_found_one_after_the_other() {
    const COUNT: usize = 50_000;
    let text = "1. 炮二平五 * ".repeat(COUNT);
    let bytes = GB18030.encode(&text).0.into_owned();
    let mut places = Places::new(&bytes, text.as_bytes(), GB18030);
    let (long, short) = (text.len() / COUNT, bytes.len() / COUNT);
    assert!((0..COUNT).all(|index| places.of(index * long) == index * short));
}

proptest! {
    #[test]
    fn lines_stay_lines_whatever_the_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for charset in [GB18030, BIG5] {
            let text = utf8(&bytes, charset);
            let breaks = |text: &[u8]| memchr_iter(b'\n', text).collect::<Vec<_>>();
            prop_assert_eq!(breaks(&text).len(), breaks(&bytes).len());
            let mut places = Places::new(&bytes, &text, charset);
            for (place, expected) in breaks(&text).into_iter().zip(breaks(&bytes)) {
                // Broken characters may be longer in the text: no place on a line is one on the next.
                prop_assert!(places.of(place) <= expected);
                prop_assert_eq!(places.of(place + 1), expected + 1);
            }
        }
    }

    #[test]
    fn places_in_sound_text_are_exact(text in "[a-c \\n炮八马象，｛镶\\[]{0,80}") {
        for charset in [GB18030, BIG5] {
            let (bytes, _, has_gaps) = charset.encode(&text);
            if has_gaps {
                continue;
            }
            let decoded = charset.decode_without_bom_handling(&bytes).0.into_owned();
            let mut places = Places::new(&bytes, decoded.as_bytes(), charset);
            for (place, _) in decoded.char_indices() {
                // A line of Chinese bytes can be valid UTF-8 by chance.
                let expected = charset.encode(&decoded[..place]).0.len();
                let start = memrchr(b'\n', &bytes[..expected]).map_or(0, |end| end + 1);
                let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |end| start + end);
                if bytes[start..end].is_ascii() || std::str::from_utf8(&bytes[start..end]).is_err() {
                    prop_assert_eq!(places.of(place), expected);
                }
            }
        }
    }
}
