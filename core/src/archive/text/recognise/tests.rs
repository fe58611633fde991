use super::*;

#[test]
fn chess_is_told_by_tags_or_by_its_first_moves() {
    for text in [
        "[Event \"?\"]\n",
        "\u{feff}\r\n% made by\r\n[White \"?\"]\r\n",
        "From: a\nTo: b\n\n[Event \"mail\"]\n",
        "1. e4 e5 *",
        "1.e4",
        "\n1.Nf3 e5 *",
        "e4 e5 Nf3",
        "e4 *",
        "{ a comment\nof lines } ; and another\n1. e4 e5",
        "e2e4 e7e5",
        "1. e2-e4 e7-e5",
        "12... Qxf7+!",
        "a7a8q b2b1",
        "[Variant \"Capablanca\"]\n\n1. i2i4 a9a8 b9b8",
        "[Event \"x\"]\n[Variant \"4 Player\"]\n[Red \"a\"]\n",
        "[Event \"x\"]\n\n1. e4 {炮二平五 H2-E0 C2=5 C2=5} e5",
    ] {
        assert_eq!(format_of(text.as_bytes()), Some(Format::Pgn), "{text}");
    }
}

#[test]
fn xiangqi_is_told_by_tags_or_by_moves_that_chess_does_not_have() {
    for text in [
        "[Game \"Chinese Chess\"]\n",
        "[Event \"x\"]\n\n[Variant \"Xiangqi\"]\n[White \"a\"]\n",
        "[Event \"x\"]\n[Red \"a\"]\n\n1. h2e2",
        "[FEN \"4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1\"]\n\n1. e0e1",
        "1. H2-E2 H9-G7",
        "h2e2 h9g7 h0g2",
        "1. 炮二平五 马８进７",
        "1. 炮二平五马８进７",
        "1. 前馬進七",
        "1. Ｃ２＝５ Ｈ８＋７",
        "1. C2=5 h8+7",
        "[Event \"x\"]\n[White \"a\"]\n\n1. Che2 Hg7 2. Hi2 Rh9 3. Rb0",
        "1. +R=7",
        "[Event \"x\"]\n[White \"a\"]\n\n1. C2=5H8+7",
    ] {
        assert_eq!(format_of(text.as_bytes()), Some(Format::XiangqiPgn), "{text}");
    }
    let simplified = "[Event \"对局\"]\n\n1. 炮二平五 马８进７\n";
    let traditional = "[Event \"對局\"]\n\n1. 炮二平五 馬８進７\n";
    for bytes in [GB18030.encode(simplified).0, BIG5.encode(traditional).0] {
        assert_eq!(format_of(&bytes), Some(Format::XiangqiPgn));
    }
}

#[test]
fn other_text_is_no_game() {
    for text in [
        "",
        "Dear diary,\n1. e4 is best\n",
        "1. Introduction",
        "a,b\n1,2\n",
        "a4 paper",
        "e4",
        "*",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "uciok\nreadyok\n",
        "{ only a comment }",
    ] {
        assert_eq!(format_of(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_line_break_and_a_tag_lie_in_no_chinese_character() {
    // What the cutter relies on: after a line break, "[" is a bracket in every encoding of Chinese.
    for encoding in [GB18030, BIG5] {
        for lead in 0x81..=0xfe_u8 {
            let text = [lead, b'\n', b'['];
            let read = encoding.decode_without_bom_handling(&text).0;
            assert!(read.ends_with("\n["), "{} {lead:x}", encoding.name());
        }
    }
}
