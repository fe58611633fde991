use super::*;

#[test]
fn content_decides_before_the_name() {
    let kinds = [
        (&b"[Event \"?\"]\n"[..], "games.txt", Kind::Text(Format::Pgn)),
        (b"\xef\xbb\xbf\r\n% made by\r\n[White \"?\"]\r\n", "x", Kind::Text(Format::Pgn)),
        (b"1. e4 e5 *", "bare.pgn.zst", Kind::Text(Format::Pgn)),
        (b"e4 e5 *", "pgn", Kind::Text(Format::Pgn)),
        (b"Dear diary", "a.pgn", Kind::Text(Format::Pgn)),
        (b"1. Introduction", "a.txt", Kind::Foreign("text without PGN tags or moves")),
        (b"a,b\n1,2\n", "t.csv", Kind::Foreign("text without PGN tags or moves")),
        (b"\0\0\0\0\0\0\0\0\0\0[Event \"x\"]\n", "a", Kind::Text(Format::Pgn)),
        (b"1. e4\0 e5 2. Nf3", "a", Kind::Text(Format::Pgn)),
        (b"%\r[White \"x\"]\r\r1. e4", "a", Kind::Text(Format::Pgn)),
        (b"\xff\xfe1\0.\0e\x004\0", "a", Kind::Text(Format::Pgn)),
        (b"\xff\xfeD\0e\0a\0r\0", "a", Kind::Foreign("text without PGN tags or moves")),
        (b"\0\x01\x02\x03\x04", "a.pgn", Kind::Foreign("binary data of an unknown kind")),
        (b"XQ\x12\0", "game", Kind::Whole(Format::Xqf)),
        (b"[Game \"Chinese Chess\"]\n", "x.pgn", Kind::Text(Format::XiangqiPgn)),
        (b"7z\xbc\xaf\x27\x1c", "x", Kind::SevenZ),
        (b"\x28\xb5\x2f\xfd", "x.pgn", Kind::Compressed(Codec::Zstd)),
        (b"PK\x03\x04", "x", Kind::Zip),
        (b"", "x.pgn", Kind::Empty),
        // Moves end with their line, or where the head is cut; a blank or a result is another format's.
        (b"h2e2h9g7\n", "a.txt", Kind::Whole(Format::CoordinateText)),
        (b"h2e2h9", "a.txt", Kind::Whole(Format::CoordinateText)),
        (b"h2e2 h9g7\n", "a.txt", Kind::Text(Format::XiangqiPgn)),
        (b"h2e2h9g7 1-0\n", "a.txt", Kind::Foreign("text without PGN tags or moves")),
    ];
    for (head, name, kind) in kinds {
        assert_eq!(kind_of(head, name), kind, "{name}");
    }
    assert!(matches!(kind_of(b"\x05\x00\x00\x01", "a.xqf"), Kind::Foreign(found) if found.contains("XQF")));
}
