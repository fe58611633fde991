//! Records and libraries are written here by small encoders, by the tables at the heads of the readers, and read back.

use std::io::Write;

use encoding_rs::GB18030;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use crate::archive::tests::{STANDARD, records, tokens};
use crate::archive::{Block, Format, GameRecord, NoteKind, ReadOptions, Start};
use crate::game::Outcome;
use crate::xiangqi::{Token, Xiangqi};

fn read(format: Format, bytes: &[u8]) -> Vec<GameRecord<Token>> {
    records::<Xiangqi>(&Block::of(format, bytes.to_vec()), &ReadOptions::everything())
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A node of the tree of a record: mark, origin, target, comment.
fn node(version: u8, mark: u8, text: &str, comment: &str) -> Vec<u8> {
    let square = |text: &[u8]| {
        let (file, row) = (text[0] - b'a', b'9' - text[1]);
        if version == 1 { file * 16 + row } else { row * 9 + file }
    };
    let squares = match text {
        "" => [0, 0],
        text => [square(&text.as_bytes()[..2]), square(&text.as_bytes()[2..])],
    };
    let mut bytes = vec![mark | if comment.is_empty() { 0 } else { 4 }, 0, squares[0], squares[1]];
    if !comment.is_empty() {
        bytes.extend((utf16(comment).len() as u32).to_le_bytes());
        bytes.extend(utf16(comment));
    }
    bytes
}

/// A record: 炮二平五 马８进７ (马２进３ 马二进三), and 兵七进一 instead of the first.
fn record(version: u8) -> Vec<u8> {
    let (texts, rest) = if version == 1 { (0, 0) } else { (128, 256) };
    let mut bytes = vec![0; 1958 + rest];
    bytes[..16].copy_from_slice(b"CCBridge Record\0");
    bytes[19] = version;
    for (offset, text) in
        [(52, "开局"), (564, "全国赛"), (756, "1999.1.21"), (948, "红方"), (1172, "黑方"), (1140, "2400")]
    {
        let text = utf16(text);
        bytes[offset + texts..][..text.len()].copy_from_slice(&text);
    }
    bytes[1820 + rest] = 3;
    bytes[1856 + rest] = 2;
    let ranks = ["rnbakabnr", "         ", " c     c ", "p p p p p", "         "];
    let back = ["         ", "P P P P P", " C     C ", "         ", "RNBAKABNR"];
    for (index, letter) in ranks.iter().chain(&back).flat_map(|rank| rank.bytes()).enumerate() {
        let kind = b"RNBAKCP".iter().position(|known| *known == letter.to_ascii_uppercase());
        let side = if letter.is_ascii_uppercase() { 0x10 } else { 0x20 };
        bytes[1864 + rest + index] = kind.map_or(0, |kind| side + 1 + kind as u8);
    }
    bytes[1954 + rest..1958 + rest].fill(0xff);
    bytes.extend(node(version, 0, "", "开局谱"));
    bytes.extend(node(version, 2, "h2e2", "中炮"));
    bytes.extend(node(version, 3, "h9g7", ""));
    bytes.extend(node(version, 0, "b9c7", ""));
    bytes.extend(node(version, 1, "h0g2", "正着"));
    bytes.extend(node(version, 1, "c3c4", ""));
    bytes
}

fn library(slots: u32, records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0; 66_624 + 276 * slots as usize];
    bytes[..16].copy_from_slice(b"CCBridgeLibrary\0");
    bytes[16] = 3;
    bytes[60..64].copy_from_slice(&slots.to_le_bytes());
    for record in records {
        bytes.extend(record);
        bytes.resize(bytes.len() + 4096 - record.len() % 4096, 0xcc);
    }
    bytes
}

fn check(record: &GameRecord<Token>) {
    assert_eq!(record.defect, None);
    assert_eq!((&record.start, record.outcome), (&Start::Standard, Outcome::Draw));
    assert_eq!(record.moves, tokens("h2e2 h9g7"));
    let variations: Vec<_> =
        record.variations.iter().map(|line| (line.leaves, line.ply, line.moves.clone())).collect();
    let expected = [(0, 1, tokens("b9c7 h0g2")), (0, 0, tokens("c3c4"))];
    assert_eq!(variations, expected);
    let notes: Vec<_> = record.notes.iter().map(|note| (note.line, note.ply, note.kind.clone())).collect();
    let comment = |text: &str| NoteKind::Comment(text.to_owned());
    assert_eq!(notes, [(0, 0, comment("开局谱")), (0, 1, comment("中炮")), (1, 3, comment("正着"))]);
}

#[test]
fn records_of_both_versions_are_read() {
    for version in [1, 2] {
        let bytes = record(version);
        let records = read(Format::Cbr, &bytes);
        assert_eq!(records.len(), 1);
        check(&records[0]);
        assert_eq!((records[0].length, records[0].year), (bytes.len() as u64, 1999));
        assert_eq!((&*records[0].first_player, &*records[0].second_player), ("红方", "黑方"));
        assert_eq!((&*records[0].event, records[0].ratings), ("全国赛", [2400, 0]));
        assert!(records[0].tags.contains(&("Title".to_owned(), "开局".to_owned())));
    }
}

#[test]
fn a_library_holds_many_records_each_at_its_place() {
    let long = [record(2), vec![0; 5000]].concat();
    let bytes = library(128, &[record(2), long, record(1)]);
    let records = read(Format::Cbl, &bytes);
    let places: Vec<_> = records.iter().map(|record| (record.offset, record.length)).collect();
    let start = 101_952;
    let length = record(2).len() as u64;
    assert_eq!(places, [(start, length), (start + 4096, length), (start + 3 * 4096, record(1).len() as u64)]);
    records.iter().for_each(check);
}

#[test]
fn a_library_is_read_whatever_its_number_of_slots_says() {
    let mut bytes = library(128, &[record(2)]);
    bytes[60..64].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(read(Format::Cbl, &bytes).len(), 1);
    let mut empty = library(128, &[]);
    assert_eq!(read(Format::Cbl, &empty), []);
    empty.truncate(5000);
    assert_eq!(read(Format::Cbl, &empty)[0].defect.as_ref().unwrap().reason, "truncated");
}

fn string(text: &str) -> Vec<u8> {
    let text = GB18030.encode(text).0;
    [&(text.len() as u32).to_le_bytes()[..], &text].concat()
}

/// A game of an old library: a main line of two moves, another second move, another first.
fn old_game() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(STANDARD.map(|square: u8| (square / 10 + 1) * 16 + 10 - square % 10));
    bytes.extend(4u32.to_le_bytes());
    bytes.extend(string("全国赛"));
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(string("开局"));
    bytes.extend([0; 24]);
    bytes.extend(3u32.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(string("开局谱"));
    bytes.push(1);
    bytes.extend(b"2009-02-01 17:14:052009-02-01 17:14:05");
    let nodes = [(1, "h2e2"), (2, "h9g7"), (2, "b9c7"), (3, "h0g2"), (1, "c3c4")];
    bytes.extend((nodes.len() as u32).to_le_bytes());
    for (ply, text) in nodes {
        let square = |text: &[u8]| (text[0] - b'a') * 16 + b'9' - text[1];
        bytes.extend([ply, 0, square(&text.as_bytes()[..2]), square(&text.as_bytes()[2..]), 0x66, 0]);
    }
    bytes.extend(&*GB18030.encode("中炮\r\n\r\n\r\n正着\r\n\r\n").0);
    [&(bytes.len() as u32 + 4).to_le_bytes()[..], &bytes].concat()
}

fn old_content(games: &[Vec<u8>]) -> Vec<u8> {
    let mut content = [string("开局库"), vec![0; 16]].concat();
    content.extend(b"2009-02-01 17:14:022009-02-01 17:14:05");
    content.extend((games.len() as u32).to_le_bytes());
    content.extend(string("布局汇编"));
    games.iter().for_each(|game| content.extend(game));
    content
}

fn old_library(content: &[u8]) -> Vec<u8> {
    let mut bytes = b"CCBridge\x15\0\0\0\x03\0\0\0".to_vec();
    bytes.extend((content.len() as u32).to_le_bytes());
    let mut encoder = ZlibEncoder::new(bytes, flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn an_old_library_is_read_to_its_end() {
    let content = old_content(&[old_game(), old_game()]);
    let records = read(Format::Cbl, &old_library(&content));
    assert_eq!(records.len(), 2);
    records.iter().for_each(check);
    assert_eq!(records[0].event, "全国赛");
    assert_eq!(records[1].offset + records[1].length, content.len() as u64);
    assert_eq!(records[0].offset + records[0].length, records[1].offset);
}

#[test]
fn games_before_the_damage_of_an_old_library_are_kept() {
    let content = old_content(&[old_game(), old_game()]);
    let cases = [
        ("truncated", old_library(&content[..content.len() - 1])),
        ("trailing-bytes", old_library(&[&content[..], b"x"].concat())),
        ("damaged", old_library(&content)[..old_library(&content).len() - 40].to_vec()),
        ("damaged", old_library(&content)[..20].to_vec()),
    ];
    for (reason, bytes) in cases {
        let records = read(Format::Cbl, &bytes);
        let last = records.last().unwrap();
        assert_eq!(last.defect.as_ref().unwrap().reason, reason);
        records[..records.len() - 1].iter().for_each(check);
    }
}

#[test]
fn every_defect_of_a_record_is_named() {
    let reason = |bytes: &[u8]| read(Format::Cbr, bytes)[0].defect.as_ref().unwrap().reason;
    let bytes = record(2);
    assert_eq!(reason(b""), "magic");
    assert_eq!(reason(&bytes[..1000]), "truncated");
    assert_eq!(reason(&bytes[..bytes.len() - 1]), "truncated");
    assert_eq!(reason(&[&bytes[..], b"x"].concat()), "trailing-bytes");
    let changed = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    assert_eq!(reason(&changed(19, 3)), "version");
    assert_eq!(reason(&changed(2120, 0x30)), "placement");
    // The origin of the first move: its node stands behind the root's comment of three characters.
    assert_eq!(reason(&changed(2214 + 14 + 2, 90)), "bad-square");
    assert_eq!(reason(&changed(2214 + 4, 0xff)), "truncated");
}

const XML: &str = "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<ChineseChessRecord Version=\"1.0\">
 <Head><Name>开局</Name><Contest /><Red>红方</Red><Black>A &amp; B</Black><BlackRating>2100</BlackRating>
 <RecordResult>2</RecordResult>
 <FEN>rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1</FEN></Head>
 <MoveList>
  <Move value=\"00-00\"><![CDATA[开局谱]]></Move>
  <Move value=\"77-47\">a &#x4e2d; b</Move>
  <Move value=\"70-62\" end=\"1\"><![CDATA[正着]]></Move>
  <Move value=\"10-22\" end=\"1\"><![CDATA[变着]]></Move>
 </MoveList>
</ChineseChessRecord>";

#[test]
fn a_record_in_xml_is_read() {
    let record = &read(Format::Cbf, XML.as_bytes())[0];
    assert_eq!(
        (&record.defect, &record.start, record.outcome),
        (&None, &Start::Standard, Outcome::SecondWins)
    );
    assert_eq!(record.moves, tokens("h2e2 h9g7"));
    assert_eq!((&*record.second_player, record.ratings[1], &*record.event), ("A & B", 2100, "开局"));
    let notes: Vec<_> = record.notes.iter().map(|note| (note.ply, note.kind.clone())).collect();
    let comment = |text: &str| NoteKind::Comment(text.to_owned());
    assert_eq!(notes, [(0, comment("开局谱")), (1, comment("a 中 b")), (2, comment("正着"))]);
}

#[test]
fn every_defect_of_a_record_in_xml_is_named() {
    let reason = |text: &str| read(Format::Cbf, text.as_bytes())[0].defect.clone().unwrap().reason;
    assert_eq!(reason(""), "xml");
    assert_eq!(reason(&XML[..XML.len() - 30]), "xml");
    assert_eq!(reason(XML.strip_suffix("</ChineseChessRecord>").unwrap()), "truncated");
    assert_eq!(reason(&XML.replace("77-47", "97-47")), "bad-square");
    assert_eq!(reason(&XML.replace("</Head>", "</Tail>")), "xml");
}

proptest! {
    #[test]
    fn no_change_of_bytes_makes_a_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let files = [
            (Format::Cbr, record(1)),
            (Format::Cbr, record(2)),
            (Format::Cbf, XML.as_bytes().to_vec()),
            (Format::Cbl, old_library(&old_content(&[old_game(), old_game()]))),
        ];
        for (format, mut bytes) in files {
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if is_cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            read(format, &bytes);
        }
        // The content of an old library, changed before it is compressed.
        let mut content = old_content(&[old_game(), old_game()]);
        for (at, byte) in &changes {
            let at = at.index(content.len());
            content[at] = *byte;
        }
        let bytes = old_library(&content);
        prop_assert!(read(Format::Cbl, &bytes).len() <= 3);
    }

    #[test]
    fn no_change_of_a_library_makes_its_reader_panic(
        changes in prop::collection::vec((0usize..8192, any::<u8>()), 0..12),
        cut in 0usize..9000,
    ) {
        let mut bytes = library(1, &[record(2), record(2)]);
        let start = 66_624 + 276;
        for (at, byte) in &changes {
            bytes[start + at] = *byte;
        }
        bytes.truncate(bytes.len() - cut.min(8000));
        prop_assert!(read(Format::Cbl, &bytes).len() <= 2);
    }
}
