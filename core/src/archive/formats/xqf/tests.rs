//! XQF files are written here by a small writer, plain and enciphered, and read back.

use encoding_rs::GB18030;
use proptest::prelude::*;

use super::*;
use crate::archive::tests::{STANDARD, records};
use crate::archive::{Format, GameRecord, Start};
use crate::game::{Game, Outcome};
use crate::xiangqi::{Square, Xiangqi};

/// A move of a tree to be written.
#[derive(Debug, Clone, Default)]
struct Branch {
    from: u8,
    to: u8,
    comment: &'static str,
    children: Vec<Branch>,
}

/// A file to be written; squares are file·10 + rank.
struct Writer {
    version: u8,
    /// KeySum, KeyXY, KeyXYf, KeyXYt; the first is set so that they add up.
    keys: [u8; 4],
    mask: u8,
    or: [u8; 4],
    placement: [u8; 32],
    root: Branch,
}

fn line(moves: &[(u8, u8)]) -> Vec<Branch> {
    let step = |children, &(from, to): &(u8, u8)| vec![Branch { from, to, children, ..Branch::default() }];
    moves.iter().rev().fold(Vec::new(), step)
}

impl Writer {
    fn new(version: u8) -> Writer {
        // 炮二平五 马８进７, and 兵七进一 instead of the first.
        let mut children = line(&[(72, 42), (79, 67)]);
        children.extend(line(&[(23, 24)]));
        children[0].comment = "中炮";
        let root = Branch { children, comment: "开局", ..Branch::default() };
        let keys = if version < 11 { [0; 4] } else { [0, 0xdb, 0x93, 0x79] };
        Writer { version, keys, mask: 0, or: [0; 4], placement: STANDARD, root }
    }

    fn head(&self) -> Vec<u8> {
        let mut head = vec![0; HEADER_BYTES];
        head[..4].copy_from_slice(&[b'X', b'Q', self.version, self.mask]);
        head[8..12].copy_from_slice(&self.or);
        head[12..16].copy_from_slice(&self.keys);
        head[12] = 0u8.wrapping_sub(self.keys[1..].iter().fold(0, |sum, key| sum.wrapping_add(*key)));
        if self.version < 11 {
            head[12] = 0;
        }
        head
    }

    fn write(&self) -> Vec<u8> {
        let mut file = self.head();
        let keys = Keys::of(&file, 0).unwrap();
        for index in 0..32 {
            let slot =
                if self.version >= 12 { (usize::from(keys.placement) + 1 + index) % 32 } else { index };
            file[0x10 + index] = self.placement[slot].wrapping_add(keys.placement);
        }
        file[0x33] = 1;
        for (at, text) in [(0xd0, "全国赛"), (0x110, "1999.1.21"), (0x130, "红方"), (0x140, "黑方")] {
            let bytes = GB18030.encode(text).0;
            file[at] = bytes.len() as u8;
            file[at + 1..][..bytes.len()].copy_from_slice(&bytes);
        }
        let mut body = Vec::new();
        self.write_branch(&self.root, false, &keys, &mut body);
        file.extend(body.iter().enumerate().map(|(index, byte)| byte.wrapping_add(keys.stream[index % 32])));
        file
    }

    fn write_branch(&self, branch: &Branch, has_sibling: bool, keys: &Keys, body: &mut Vec<u8>) {
        let comment = GB18030.encode(branch.comment).0;
        let has_child = !branch.children.is_empty();
        let flags = match self.version < 11 {
            true => (u8::from(has_child) * 0xf0) | (u8::from(has_sibling) * 0x0f),
            // The low bits are noise.
            false => {
                u8::from(has_child) << 7
                    | u8::from(has_sibling) << 6
                    | u8::from(!comment.is_empty()) << 5
                    | 0x15
            }
        };
        let from = branch.from.wrapping_add(24).wrapping_add(keys.from);
        let to = branch.to.wrapping_add(32).wrapping_add(keys.to);
        body.extend([from, to, flags, 0]);
        if self.version < 11 || !comment.is_empty() {
            body.extend((comment.len() as u32).wrapping_add(keys.comment).to_le_bytes());
        }
        body.extend(&*comment);
        for (index, child) in branch.children.iter().enumerate() {
            self.write_branch(child, index + 1 < branch.children.len(), keys, body);
        }
    }
}

fn read_with(bytes: &[u8], options: &ReadOptions) -> GameRecord<Token> {
    let mut records = records::<Xiangqi>(&Block::of(Format::Xqf, bytes.to_vec()), options);
    assert_eq!(records.len(), 1);
    records.remove(0)
}

fn read(bytes: &[u8]) -> GameRecord<Token> {
    read_with(bytes, &ReadOptions::everything())
}

fn names(record: &GameRecord<Token>) -> Vec<String> {
    record.moves.iter().map(ToString::to_string).collect()
}

/// All ways in which files of known versions are written.
fn writers() -> Vec<Writer> {
    let masked = Writer { mask: 0xab, or: [0x2a, 0x36, 0xa3, 0xfd], ..Writer::new(18) };
    [10, 11, 12, 13, 15, 16, 18].map(Writer::new).into_iter().chain([masked]).collect()
}

#[test]
fn plain_and_enciphered_files_say_the_same() {
    for writer in writers() {
        let bytes = writer.write();
        let record = read(&bytes);
        assert_eq!(
            (&record.defect, record.length),
            (&None, bytes.len() as u64),
            "version {}",
            writer.version
        );
        assert_eq!((names(&record), record.marks.len()), (vec!["h2e2".to_owned(), "h9g7".to_owned()], 2));
        assert_eq!((record.variations.len(), record.notes.len()), (1, 2));
        assert_eq!((&record.start, record.outcome), (&Start::Standard, Outcome::FirstWins));
        assert_eq!((&*record.first_player, &*record.second_player), ("红方", "黑方"));
        assert_eq!((&*record.event, &*record.date, record.year), ("全国赛", "1999.1.21", 1999));
    }
    let options = ReadOptions { max_ply: Some(1), full: false, ..ReadOptions::default() };
    assert_eq!(read_with(&Writer::new(18).write(), &options).moves.len(), 1);
}

#[test]
fn the_first_moved_piece_tells_the_side_to_move() {
    let mut writer = Writer::new(10);
    let black = Start::Fen(Xiangqi::start().to_fen().replace(" w ", " b "));
    writer.root.children = line(&[(79, 67)]);
    assert_eq!(read(&writer.write()).start, black);
    writer.root.children.clear();
    let mut bytes = writer.write();
    bytes[0x32] = 1;
    assert_eq!(read(&bytes).start, black);
}

#[test]
fn absent_pieces_leave_gaps_in_the_fen() {
    let mut writer = Writer::new(12);
    writer.placement = [0xff; 32];
    writer.placement[4] = 40;
    writer.placement[20] = 49;
    writer.placement[31] = 1;
    writer.root.children = line(&[(40, 41)]);
    assert_eq!(read(&writer.write()).start, Start::Fen("4k4/9/9/9/9/9/9/9/p8/4K4 w - - 0 1".to_owned()));
}

fn defect(bytes: &[u8]) -> (&'static str, u64) {
    let defect = read(bytes).defect.expect("a defect");
    (defect.reason, defect.offset)
}

#[test]
fn every_defect_is_named_and_located() {
    for writer in writers() {
        let bytes = writer.write();
        let length = bytes.len() as u64;
        assert_eq!(defect(&bytes[..1000]), ("truncated", 1000));
        assert_eq!(defect(&bytes[..bytes.len() - 1]).0, "truncated");
        assert_eq!(defect(&[&bytes[..], b"x"].concat()), ("trailing-bytes", length));
        let mut other = bytes.clone();
        other[0] = 5;
        assert_eq!(defect(&other), ("magic", 0));
        other[..3].copy_from_slice(&[b'X', b'Q', 19]);
        assert_eq!(defect(&other), ("version", 2));
    }
    let mut bytes = Writer::new(18).write();
    bytes[13] ^= 1;
    assert_eq!(defect(&bytes), ("key-sum", 12));
    let mut bytes = Writer::new(10).write();
    bytes[0x11] = bytes[0x10];
    assert_eq!(defect(&bytes), ("placement", 0x10));
}

#[test]
fn impossible_comment_lengths_are_defects() {
    for length in [-1, 1_000_000, i32::MAX] {
        let mut bytes = Writer::new(10).write();
        bytes[0x404..0x408].copy_from_slice(&length.to_le_bytes());
        assert_eq!(defect(&bytes), ("comment-length", 0x404));
    }
}

#[test]
fn the_main_line_ends_before_a_square_off_the_board() {
    let mut writer = Writer::new(16);
    writer.root.children = line(&[(72, 42), (79, 99), (42, 46)]);
    let record = read(&writer.write());
    assert_eq!(names(&record), ["h2e2"]);
    assert_eq!(record.defect.unwrap().reason, "bad-square");
}

#[test]
fn a_deep_tree_with_a_branch_at_every_move_needs_no_call_stack() {
    let mut body = vec![18, 20, 0xf0, 0, 0, 0, 0, 0];
    let count: usize = 300_000;
    for _ in 0..count {
        body.extend([23 + 24, 24 + 32, 0xff, 0, 0, 0, 0, 0]);
    }
    body.extend([23 + 24, 24 + 32, 0, 0, 0, 0, 0, 0].repeat(count + 1));
    let bytes = [&Writer::new(10).write()[..HEADER_BYTES], &body].concat();
    let record = read(&bytes);
    assert_eq!((record.defect, record.moves.len()), (None, count + 1));
    let token = Token::new(Square::at(2, 3).unwrap(), Square::at(2, 4).unwrap());
    assert_eq!((record.moves[0], record.variations.len()), (token, count));
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(head in prop::collection::vec(any::<u8>(), 0..64), body in prop::collection::vec(any::<u8>(), 0..300), version in 0u8..20) {
        let mut bytes = vec![0; HEADER_BYTES];
        bytes[..head.len()].copy_from_slice(&head);
        bytes[..3].copy_from_slice(&[b'X', b'Q', version]);
        bytes[12] = 0u8.wrapping_sub(bytes[13].wrapping_add(bytes[14]).wrapping_add(bytes[15]));
        bytes.extend(body);
        read(&bytes);
        read(&head);
    }

    #[test]
    fn a_cut_file_keeps_the_moves_before_the_cut(cut in 0usize..200) {
        let bytes = Writer::new(18).write();
        let whole = read(&bytes);
        let cut = bytes.len().saturating_sub(cut);
        let part = read(&bytes[..cut]);
        prop_assert!(whole.moves.starts_with(&part.moves));
        prop_assert_eq!(part.defect.is_none(), cut == bytes.len());
    }
}
