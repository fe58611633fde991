//! Laws and examples of the notations.

use proptest::prelude::*;

use super::super::*;
use super::{any_start, choices, legal, position};
use crate::game::tests::random_play;

const WXF: WxfNotation = WxfNotation;
const CHINESE: ChineseNotation = ChineseNotation::Simplified;

fn square(name: &str) -> Square {
    Square::from_name(name.as_bytes().try_into().unwrap()).unwrap()
}

fn code(name: &str) -> Move {
    encode(square(&name[..2]), square(&name[2..]))
}

/// Every legal move has a unique text in every notation; the text and its token resolve to the move.
pub(super) fn assert_texts_name_their_moves(position: &Xiangqi) {
    let moves = legal(position);
    for notation in Xiangqi::notations() {
        let mut texts: Vec<String> = moves.iter().map(|&m| notation.format(position, m)).collect();
        for (text, &m) in texts.iter().zip(&moves) {
            let context = || format!("{} {text} in {position:?}", notation.name());
            assert_eq!(notation.parse(position, text), Ok(m), "{}", context());
            let token = if notation.name() == "UCI" { Token::parse_uci(text) } else { Token::parse(text) };
            let token = token.unwrap_or_else(|| panic!("no token: {}", context()));
            assert_eq!(position.resolve(token), Ok(m), "{}", context());
            let again = Token::parse(&token.to_string()).unwrap_or_else(|| panic!("{token}: {}", context()));
            assert_eq!(position.resolve(again), Ok(m), "{again}: {}", context());
        }
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), moves.len(), "{} in {position:?}", notation.name());
    }
}

/// Asserts what one move is called in WXF and Chinese, both ways.
fn assert_called(position: &Xiangqi, squares: &str, wxf: &str, chinese: &str) {
    let m = code(squares);
    assert_eq!((WXF.format(position, m), CHINESE.format(position, m)), (wxf.to_owned(), chinese.to_owned()));
    assert_eq!((WXF.parse(position, wxf), CHINESE.parse(position, chinese)), (Ok(m), Ok(m)), "{squares}");
}

fn assert_meant(position: &Xiangqi, squares: &str, texts: &[&str]) {
    for text in texts {
        let token = Token::parse(text).unwrap_or_else(|| panic!("{text} is not a token"));
        assert_eq!(position.resolve(token), Ok(code(squares)), "{text} in {position:?}");
    }
}

#[test]
fn common_moves_have_usual_texts() {
    let mut game = Xiangqi::start();
    let played = [
        ("h2e2", "C2=5", "炮二平五"),
        ("h9g7", "H8+7", "马８进７"),
        ("h0g2", "H2+3", "马二进三"),
        ("i9h9", "R9=8", "车９平８"),
        ("d0e1", "A6+5", "仕六进五"),
        ("c9e7", "E3+5", "象３进５"),
        ("g2h0", "H3-2", "马三退二"),
        ("e9e8", "K5+1", "将５进１"),
        ("i3i4", "P1+1", "兵一进一"),
        ("h9h8", "R8+1", "车８进１"),
    ];
    for (squares, wxf, chinese) in played {
        assert_called(&game, squares, wxf, chinese);
        game.play_unchecked(code(squares));
    }
    assert_eq!(ChineseNotation::Traditional.format(&game, code("h0g2")), "馬二進三");
    assert_eq!(UciNotation.format(&game, code("h0g2")), "h1g3");
}

#[test]
fn all_spellings_are_accepted() {
    let start = Xiangqi::start();
    assert_meant(&start, "h2e2", &["h2e2", "H2E2", "h2-e2", "H2-E2", "Ｈ２－Ｅ２", "ｈ２ｅ２", "H2–E2"]);
    assert_meant(&start, "h2e2", &["C2=5", "c2=5", "C2.5", "c2.5", "Ｃ２＝５", "Ｃ２．５", "C25"]);
    assert_meant(&start, "h2e2", &["炮二平五", "砲二平五", "包二平五", "炮２平５", "炮2平5", "炮二平5"]);
    assert_meant(&start, "h0g2", &["H2+3", "N2+3", "n2+3", "马二进三", "馬二進三", "傌二进三", "马二上三"]);
    assert_meant(&start, "g0e2", &["E3+5", "B3+5", "e3+5", "b3+5", "相三进五", "象３進５"]);
    assert_meant(&start, "d0e1", &["A6+5", "a6+5", "G6+5", "仕六进五", "士６进５", "⼠六进五"]);
    assert_meant(&start, "a0a1", &["R9+1", "车九进一", "車九進一", "俥九进一"]);
    assert_meant(&start, "e0e1", &["K5+1", "帅五进一", "帥五進一", "将５进１", "將５進１"]);
    assert_meant(&start, "g3g4", &["P3+1", "S3+1", "3P+1", "兵三进一", "卒３进１"]);
}

/// Texts that are not moves.
const NOT_MOVES: &str = ",1-0,0-1,1-1,1.5,1/2-1/2,*,1.,h2,h2e,h2e22,j2e2,h2e:,a10a9,Nf3,O-O,e4,C0=5,C2=0,C2,C2+,\
                         炮二平,炮二平五!, h2e2,炮 二 平 五,炮十平五,红胜,和棋,H2=,+-+1,xxxx,前前进一,平二炮五,炮二炮五";

#[test]
fn token_rejects_other_texts() {
    for text in NOT_MOVES.split(',') {
        assert_eq!(Token::parse(text), None, "{text}");
    }
}

#[test]
fn notations_reject_texts_of_others() {
    let start = Xiangqi::start();
    let texts = ["h2e2", "h3e3", "C2=5", "炮二平五", "砲２平５"];
    let readers: [(&dyn Notation<Xiangqi>, [bool; 5]); 5] = [
        (&IccsNotation, [true, true, false, false, false]),
        (&UciNotation, [true, true, false, false, false]),
        (&WXF, [false, false, true, false, false]),
        (&CHINESE, [false, false, false, true, true]),
        (&ChineseNotation::Traditional, [false, false, false, true, true]),
    ];
    for (notation, readable) in readers {
        for (text, readable) in texts.into_iter().zip(readable) {
            let is_syntax = notation.parse(&start, text) == Err(MoveError::Syntax(text.to_owned()));
            assert_eq!(!is_syntax, readable, "{text} by {}", notation.name());
        }
    }
}

#[test]
fn four_and_five_pawns_on_a_column() {
    let four = position("5k3/9/4P4/4P4/4P4/4P4/9/9/9/3K5 w");
    assert_called(&four, "e7d7", "++=6", "前兵平六");
    assert_called(&four, "e6d6", "P+=6", "二兵平六");
    assert_called(&four, "e5d5", "P-=6", "三兵平六");
    assert!(!four.is_legal(code("e4d4")));
    assert_meant(&four, "e7d7", &["Pa=6", "15=6", "一兵平六"]);
    let five = position("3k5/9/9/9/9/p8/p8/p8/p8/p3K4 b");
    assert_called(&five, "a0b0", "++=2", "前卒平２");
    assert_called(&five, "a1b1", "P+=2", "二卒平２");
    assert_called(&five, "a2b2", "P1=2", "三卒平２");
    assert_called(&five, "a3b3", "P-=2", "四卒平２");
    assert_called(&five, "a4b4", "--=2", "后卒平２");
    assert_meant(&five, "a4b4", &["Pe=2", "pe=2", "51=2", "五卒平２", "５卒平２", "-P=2"]);
}

#[test]
fn pawns_on_two_columns_are_named_by_column() {
    let red = position("3k5/9/2P3P2/2P3P2/6P2/9/9/9/9/4K4 w");
    assert_called(&red, "g7f7", "3+=4", "前三平四");
    assert_called(&red, "g6f6", "33=4", "中三平四");
    assert_called(&red, "g5f5", "3-=4", "后三平四");
    assert_called(&red, "c7d7", "7+=6", "前七平六");
    assert_called(&red, "c6d6", "7-=6", "后七平六");
    assert_called(&red, "c7c8", "7++1", "前七进一");
    assert_meant(&red, "g7f7", &["前兵三平四", "13=4", "一兵平四", "Pa=4", "+3=4", "3+.4"]);
    assert_meant(&red, "g6f6", &["中兵三平四", "中兵平四", "23=4", "二兵平四", "3.=4"]);
    assert_meant(&red, "g5f5", &["三兵平四", "Pc=4", "後三平四"]);
    assert_meant(&red, "c6b6", &["五兵平八", "Pe=8", "27=8", "后兵平八", "7-=8"]);
    assert_eq!(CHINESE.parse(&red, "前兵进一"), Err(MoveError::Ambiguous("前兵进一".to_owned())));
    let black = position("3k5/9/9/9/9/9/2p3p2/2p3p2/9/4K4 b");
    assert_called(&black, "g2g1", "7++1", "前７进１");
    assert_called(&black, "c3d3", "3-=4", "后３平４");
}

#[test]
fn repeated_number_is_middle_pawn_or_counted_pawn() {
    // The middle pawn on column 3 has its own pawn's place to its left; the third has not.
    let red = position("3k5/9/5PP2/5PP2/6P2/9/9/9/9/4K4 w");
    assert_meant(&red, "g5f5", &["33=4"]);
    assert_meant(&red, "g6h6", &["33=2"]);
}

/// Boards on which pawns of both sides crowd on few columns beyond the river, among some other pieces.
fn crowded() -> impl Strategy<Value = Option<Xiangqi>> {
    let columns = prop::collection::vec(0..9usize, 1..4);
    let places = |pieces: &'static [char]| {
        prop::collection::vec((any::<prop::sample::Index>(), 0..5usize, prop::sample::select(pieces)), 0..30)
    };
    (
        columns,
        places(&['P', 'p']),
        prop::collection::vec(
            (0..9usize, 0..10usize, prop::sample::select(&['R', 'r', 'C', 'c', 'N', 'n'][..])),
            0..8,
        ),
        any::<bool>(),
    )
        .prop_map(|(columns, pawns, officers, is_red)| {
            let mut board = [['1'; 9]; 10];
            (board[0][3], board[9][5]) = ('k', 'K');
            let mut left = std::collections::HashMap::from([('P', 5), ('p', 5)]);
            let pawns = pawns.into_iter().map(|(column, row, pawn)| {
                (*column.get(&columns), if pawn == 'P' { row } else { 9 - row }, pawn)
            });
            for (file, row, piece) in pawns.chain(officers) {
                let left = left.entry(piece).or_insert(2);
                if *left > 0 && board[row][file] == '1' {
                    *left -= 1;
                    board[row][file] = piece;
                }
            }
            let rows: Vec<String> = board.iter().map(String::from_iter).collect();
            Xiangqi::from_fen(&format!("{} {}", rows.join("/"), if is_red { 'w' } else { 'b' })).ok()
        })
}

proptest! {
    #[test]
    fn texts_round_trip_in_random_play(start in any_start(), choices in choices(60)) {
        for position in random_play(start, &choices) {
            assert_texts_name_their_moves(&position);
        }
    }

    #[test]
    fn texts_round_trip_with_crowded_pawns(position in crowded()) {
        if let Some(position) = position {
            assert_texts_name_their_moves(&position);
            assert_texts_name_their_moves(&position.mirrored());
        }
    }

    #[test]
    fn token_round_trips(text in "[1-9A-Ea-eHPRKhn+=.-]{3,5}|[前中后一二三炮兵车]{1,3}[进退平][一二１９]") {
        let start = Xiangqi::start();
        if let Some(token) = Token::parse(&text) {
            let again = Token::parse(&token.to_string());
            prop_assert!(again.is_some(), "{} of {}", token, text);
            prop_assert_eq!(again.map(|again| start.resolve(again).ok()), Some(start.resolve(token).ok()));
        }
    }

    #[test]
    fn any_text_is_read_or_refused_but_never_panics(text in "\\PC{0,8}", choices in choices(20)) {
        if let (Some(token), Some(position)) = (Token::parse(&text), random_play(Xiangqi::start(), &choices).pop()) {
            let _ = position.resolve(token);
        }
        let _ = Token::parse_uci(&text);
    }
}
