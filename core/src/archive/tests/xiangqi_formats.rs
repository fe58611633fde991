//! Xiangqi formats of servers, pages and texts: files are written as the heads of the readers specify, detected by their
//! first bytes, and read back.

use encoding_rs::GB18030;
use proptest::prelude::*;

use super::*;
use crate::game::{Game, Outcome, Replayable};
use crate::xiangqi::{Token, Xiangqi};

const GAME: [&str; 6] = ["h2e2", "h9g7", "h0g2", "i9h9", "c3c4", "g6g5"];

/// Red has two rooks against a bare king; black is to move.
const BOARD: &str = "3k5/9/9/9/9/9/9/9/3R5/4K3R";

fn squares(text: &str) -> [u8; 4] {
    let bytes = text.as_bytes();
    [bytes[0] - b'a', bytes[1] - b'0', bytes[2] - b'a', bytes[3] - b'0']
}

fn tokens(moves: &[&str]) -> Vec<Token> {
    super::tokens(&moves.join(" "))
}

fn read(format: Format, bytes: &[u8]) -> Vec<GameRecord<Token>> {
    read_with(format, bytes, &ReadOptions::everything())
}

fn read_with(format: Format, bytes: &[u8], options: &ReadOptions) -> Vec<GameRecord<Token>> {
    records::<Xiangqi>(&Block::of(format, bytes.to_vec()), options)
}

fn reason(format: Format, bytes: &[u8]) -> &'static str {
    read(format, bytes)[0].defect.as_ref().map_or("none", |defect| defect.reason)
}

fn gbk(text: &str) -> Vec<u8> {
    GB18030.encode(text).0.into_owned()
}

fn mxq(moves: &[&str]) -> Vec<u8> {
    let head =
        ["弈天", "2003年5月21日", "红-方(2弦)-胜-黑方", "2100", "1990", "1", "1", "0", "9", "28", "黑方认负"];
    let mut texts: Vec<Vec<u8>> = head.map(gbk).to_vec();
    texts.push(b"Moves".to_vec());
    for text in moves {
        let [a, b, c, d] = squares(text);
        texts.push(vec![b'0' + a, b'A' + b, b'-', b'0' + c, b'A' + d]);
    }
    texts.push(b"Ends".to_vec());
    texts.push(b"CommentsEnd".to_vec());
    texts.iter().flat_map(|text| [&[text.len() as u8][..], text].concat()).collect()
}

/// Rows count from black's side.
fn rows(text: &str) -> [u8; 4] {
    let [a, b, c, d] = squares(text);
    [a, 9 - b, c, 9 - d]
}

fn digits(moves: &[&str]) -> String {
    moves.iter().flat_map(|text| rows(text)).map(|digit| digit.to_string()).collect()
}

fn page() -> String {
    let main = digits(&GAME);
    let (first, second) = (digits(&["b9c7", "h0g2"]), digits(&["b0c2"]));
    let standard = "8979695949392919097717866646260600102030405060708012720323436383";
    format!(
        "<html><div>[DhtmlXQ]\r\n[DhtmlXQ_title]开局[/DhtmlXQ_title][DhtmlXQ_red]红方[/DhtmlXQ_red]\
         [DhtmlXQ_result]黑胜[/DhtmlXQ_result][DhtmlXQ_binit]{standard}[/DhtmlXQ_binit]\
         [DhtmlXQ_movelist]{main}[/DhtmlXQ_movelist]\
         [DhtmlXQ_move_1_3_2]{second}[/DhtmlXQ_move_1_3_2][DhtmlXQ_move_0_2_1]{first}[/DhtmlXQ_move_0_2_1]\
         [DhtmlXQ_comment0]甲||乙[/DhtmlXQ_comment0][DhtmlXQ_comment1_3]\\u4e2d\\u[/DhtmlXQ_comment1_3]\
         [DhtmlXQ_comment2]丙[/DhtmlXQ_comment2][/DhtmlXQ]</div></html>"
    )
}

fn xqn() -> String {
    let mut text =
        "[Game \"Chinese Chess\"]\r\n[Red \"红方\"]\r\n[Date \"2009.2.1\"]\r\n[Result \"1-0\"]\r\n"
            .to_owned();
    for (ply, name) in GAME.iter().enumerate() {
        let number = if ply % 2 == 0 { format!("{}. ", ply / 2 + 1) } else { String::new() };
        let name = name.to_ascii_uppercase();
        text += &format!("[Score \"8=-2\"]\r\n{number}{}-{}\r\n", &name[..2], &name[2..]);
    }
    text + "{中局} 0-1\r\n"
}

fn positions() -> String {
    format!("甲|{BOARD} b|d9e9\n\n乙|{BOARD} b - - 0 1\r\n{BOARD} r - - 0 1 bm i0i9; id \"x\";\nno board\n")
}

/// Every format, with a name.
fn files() -> Vec<(Format, &'static str, Vec<u8>)> {
    vec![
        (Format::Mxq, "a", mxq(&GAME)),
        (Format::DhtmlXq, "page", page().into_bytes()),
        (Format::DhtmlXq, "page.html", gbk(&page())),
        (Format::Xqn, "a.xqn", gbk(&xqn())),
        (Format::PositionList, "a.epd", positions().into_bytes()),
        (Format::PositionList, "a.txt", gbk(&positions())),
        (Format::CoordinateText, "a.txt", GAME.concat().into_bytes()),
    ]
}

#[test]
fn defects_lie_in_their_block_wherever_that_begins() {
    let xml = gbk("<ChineseChessRecord><Head><Name>开局开局开局开局</Head>");
    let mut library = b"CCBridgeLibrary\0".to_vec();
    library.resize(64, b'0');
    for (format, bytes, place) in [
        (Format::Xqf, b"XQ\x0a".to_vec(), 3),
        (Format::Cbl, library, 64),
        // Places in decoded text are longer than the bytes.
        (Format::Cbf, xml.clone(), xml.len() as u64 - 7),
    ] {
        let block = Block { offset: 1000, ..Block::of(format, bytes) };
        let mut offsets = Vec::new();
        Xiangqi::read_block(&block, &ReadOptions::default(), &mut |record| {
            offsets.extend(record.defect.as_ref().map(|defect| defect.offset));
        });
        assert_eq!(offsets, [1000 + place], "{}", format.name());
    }
}

#[test]
fn every_format_is_told_and_read() {
    let directory = tempfile::tempdir().unwrap();
    for (format, name, bytes) in files() {
        let path = directory.path().join(name.trim_end_matches(".gz"));
        std::fs::write(&path, &bytes).unwrap();
        let (seen, result) = see(&path);
        assert!(result.is_ok(), "{name}: {result:?}");
        assert_eq!((seen.blocks.len(), seen.blocks[0].1), (1, format), "{name}");
        let records = read(format, &bytes);
        let last = records.last().unwrap();
        assert!(last.offset + last.length <= bytes.len() as u64);
        if format != Format::PositionList {
            assert_eq!((&records[0].defect, &records[0].moves), (&None, &tokens(&GAME)), "{name}");
            assert_eq!((&records[0].start, records[0].marks.len()), (&Start::Standard, GAME.len()));
        }
    }
}

#[test]
fn files_of_other_kinds_are_told_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let chess = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;";
    for (name, bytes) in [("a.eplib", &b"1110000"[..]), ("a.epd", chess.as_bytes()), ("a.txt", b"e2e4e7e5\n")]
    {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(see(&path).1.unwrap_err().code(), "foreign", "{name}");
    }
}

#[test]
fn an_mxq_file_tells_players_ratings_and_result() {
    let record = &read(Format::Mxq, &mxq(&GAME))[0];
    assert_eq!((&*record.first_player, &*record.second_player), ("红-方(2弦)", "黑方"));
    assert_eq!((record.ratings, record.year, record.outcome), ([2100, 1990], 2003, Outcome::FirstWins));
    assert_eq!((record.notes.len(), record.notes[0].ply), (1, 6));
    let bytes = mxq(&GAME);
    assert_eq!(reason(Format::Mxq, &bytes[..bytes.len() - 20]), "truncated");
    assert_eq!(reason(Format::Mxq, &mxq(&[])[1..]), "truncated");
    let place = memchr::memmem::find(&bytes, b"7J-6H").unwrap();
    let mut changed = bytes.clone();
    changed[place] = b'?';
    assert_eq!(reason(Format::Mxq, &changed), "bad-move");
}

#[test]
fn the_capture_of_a_king_is_no_part_of_a_server_game() {
    // The cannon gives check over the advisor, black does not see it. Other illegal moves stay.
    for (last, kept) in [("e6e9", 3), ("e6d6", 5)] {
        let game = ["h2e2", "d9e8", "e2e6", "a9a8", last];
        assert_eq!(read(Format::Mxq, &mxq(&game))[0].moves, tokens(&game[..kept]));
    }
}

#[test]
fn a_page_gives_its_lines_and_comments() {
    for bytes in [page().into_bytes(), gbk(&page())] {
        let record = &read(Format::DhtmlXq, &bytes)[0];
        assert_eq!(
            (&*record.event, &*record.first_player, record.outcome),
            ("开局", "红方", Outcome::SecondWins)
        );
        let lines: Vec<_> =
            record.variations.iter().map(|line| (line.leaves, line.ply, line.moves.clone())).collect();
        assert_eq!(lines, [(0, 1, tokens(&["b9c7", "h0g2"])), (1, 2, tokens(&["b0c2"]))]);
        let notes: Vec<_> =
            record.notes.iter().map(|note| (note.line, note.ply, note.kind.clone())).collect();
        let comment = |text: &str| NoteKind::Comment(text.to_owned());
        assert_eq!(notes, [(0, 0, comment("甲\n乙")), (1, 3, comment("中\\u")), (0, 2, comment("丙"))]);
    }
}

#[test]
fn comments_of_a_page_behind_plies_that_are_not_read_are_left_out() {
    for (limit, places) in
        [(0, &[(0, 0)][..]), (1, &[(0, 0)]), (2, &[(0, 0), (0, 2)]), (3, &[(0, 0), (1, 3), (0, 2)])]
    {
        let options = ReadOptions { max_ply: Some(limit), full: false, ..ReadOptions::everything() };
        let record = &read_with(Format::DhtmlXq, page().as_bytes(), &options)[0];
        let notes: Vec<_> = record.notes.iter().map(|note| (note.line, note.ply)).collect();
        assert_eq!((record.moves.len(), notes.as_slice()), (limit, places));
    }
}

#[test]
fn a_page_may_hold_many_games_or_one_without_brackets() {
    let two = page() + &page();
    let records = read(Format::DhtmlXq, two.as_bytes());
    assert_eq!(records.len(), 2);
    let inner =
        |record: &GameRecord<Token>| two[record.offset as usize..][..record.length as usize].to_owned();
    assert_eq!(inner(&records[0]), inner(&records[1]));
    let bare = page().replace("[DhtmlXQ]", "").replace("[/DhtmlXQ]", "");
    assert_eq!(read(Format::DhtmlXq, bare.as_bytes())[0].variations.len(), 2);
}

#[test]
fn a_page_tells_its_start_by_placement_or_fen() {
    let placement = "99".repeat(4) + "49" + &"99".repeat(15) + "30" + &"99".repeat(11);
    let with = |key: &str, value: &str, moves: &str| {
        let text =
            format!("[DhtmlXQ_{key}]{value}[/DhtmlXQ_{key}][DhtmlXQ_movelist]{moves}[/DhtmlXQ_movelist]");
        read(Format::DhtmlXq, text.as_bytes()).remove(0)
    };
    let start = |fen: &str| Start::Fen(fen.to_owned());
    // The side of the first piece moved moves first.
    assert_eq!(with("binit", &placement, "3031").start, start("3k5/9/9/9/9/9/9/9/9/4K4 b - - 0 1"));
    assert_eq!(with("binit", &placement, "").start, start("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1"));
    assert_eq!(with("fen", &format!("{BOARD} b"), "3848").start, start(&format!("{BOARD} w - - 0 1")));
    assert_eq!(with("fen", "no board", "").start, start("no board"));
    assert_eq!(with("binit", "", "7747").start, Start::Standard);
    assert_eq!(with("binit", "123", "").defect.unwrap().reason, "placement");
    assert_eq!(with("binit", &"00".repeat(32), "").defect.unwrap().reason, "placement");
}

#[test]
fn defects_of_pages_are_named() {
    let reason = |text: &str| reason(Format::DhtmlXq, text.as_bytes());
    assert_eq!(reason("<html></html>"), "no-game");
    assert_eq!(reason("[DhtmlXQ_movelist]77477[/DhtmlXQ_movelist]"), "bad-move");
    assert_eq!(reason("[DhtmlXQ_movelist]7747[DhtmlXQ_red]x[/DhtmlXQ_red]"), "unterminated-item");
    let orphan = page().replace("move_0_2_1", "move_7_2_1");
    assert_eq!(reason(&orphan), "variation");
    assert_eq!(reason(&page().replace("move_0_2_1", "move_0_9_1")), "variation");
    assert_eq!(reason(&page().replace("move_1_3_2", "move_2_3_2")), "variation");
}

#[test]
fn a_text_of_coordinates_holds_games_and_their_starts() {
    let text = format!("{}\r\n\r\nd1d5\n{BOARD}b\nd1x5\n", GAME.concat());
    let records = read(Format::CoordinateText, text.as_bytes());
    let facts: Vec<_> = records.iter().map(|record| (record.line, record.moves.len())).collect();
    assert_eq!(facts, [(1, 6), (3, 1), (5, 0)]);
    // The letter says black; red moves.
    assert_eq!(records[1].start, Start::Fen(format!("{BOARD} w - - 0 1")));
    assert_eq!(
        &text[records[1].offset as usize..][..records[1].length as usize],
        format!("d1d5\n{BOARD}b\n")
    );
    assert_eq!(records[2].defect.as_ref().unwrap().reason, "bad-move");
}

#[test]
fn a_log_is_read_past_its_scores() {
    let record = &read(Format::Xqn, &gbk(&xqn()))[0];
    // What ends the moves wins over the tag.
    assert_eq!((&*record.first_player, record.year, record.outcome), ("红方", 2009, Outcome::SecondWins));
    assert_eq!((record.notes.len(), record.notes[0].ply), (1, 6));
    assert_eq!((record.tags.len(), &record.defect), (4, &None));
    // The first score stands right behind the tags, where it would be one.
    let relative = xqn().replace("H2-E2", "炮二平五 ").replace("\r\n[Score", " [Score");
    let records = read(Format::Xqn, &gbk(&relative));
    let position = Xiangqi::start();
    let first = position.resolve(records[0].moves[0]);
    assert_eq!((records.len(), records[0].moves.len()), (1, GAME.len()));
    assert_eq!(first, position.resolve(tokens(&GAME)[0]));
    let broken = gbk(&xqn().replace("H9-G7", "马八八八"));
    let defect = read(Format::Xqn, &broken)[0].defect.clone().unwrap();
    let place = memchr::memmem::find(&broken, &gbk("马八八")).unwrap() as u64;
    assert_eq!((defect.reason, defect.offset), ("bad-move-text", place));
    assert_eq!(reason(Format::Xqn, b"h2e2 {x"), "unterminated-comment");
    let board = "4k4/9/9/9/9/9/9/9/3R5/5K2R";
    let set_up = format!("[FEN \"{board} b\"]\nd1d5 *");
    assert_eq!(read(Format::Xqn, set_up.as_bytes())[0].start, Start::Fen(format!("{board} w - - 0 1")));
}

#[test]
fn a_position_list_gives_positions_with_names() {
    let records = read(Format::PositionList, positions().as_bytes());
    let facts: Vec<_> = records.iter().map(|record| (record.line, &*record.event)).collect();
    assert_eq!(facts, [(1, "甲"), (3, "乙"), (4, ""), (5, "")]);
    let starts = [" b", " b - - 0 1", " r - - 0 1"].map(|rest| Start::Fen(format!("{BOARD}{rest}")));
    for (record, start) in records.iter().zip(&starts) {
        assert_eq!((&record.start, &record.defect), (start, &None));
        let Start::Fen(fen) = &record.start else { panic!("{record:?}") };
        assert!(Xiangqi::from_fen(fen).is_ok() || fen.contains(" r"), "{fen}");
    }
    assert_eq!(records[0].tags[1], ("Solution".to_owned(), "d9e9".to_owned()));
    assert_eq!(records[3].defect.as_ref().unwrap().reason, "no-position");
}

proptest! {
    #[test]
    fn no_change_of_bytes_makes_a_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..16),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        for (format, _, mut bytes) in files() {
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if is_cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            for record in read(format, &bytes) {
                prop_assert_eq!(record.moves.len(), record.marks.len());
                prop_assert!(record.offset + record.length <= bytes.len() as u64);
                for (index, line) in record.variations.iter().enumerate() {
                    prop_assert!(line.leaves as usize <= index);
                }
            }
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (format, _) in Xiangqi::READERS {
            read(*format, &bytes);
        }
    }
}
