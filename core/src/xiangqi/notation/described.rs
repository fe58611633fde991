//! WXF move texts, `C2=5`. Writes four upper-case characters with `=` for sideways; reads either case, the letters of
//! other writers (`N` for `H`, `B` for `E`, `S` for `P`, `G` for `A`) and `.` for `=`. The rules for several pieces on
//! a column stand in `relative`.
//!
//! Chinese move texts, 炮二平五. Writes four characters, red's numbers as Chinese numerals and black's as full-width
//! digits, as archives do; reads either for either, simplified and traditional alike. The rules for several pieces on
//! a column stand in `relative`.

use crate::game::{Move, MoveError, Notation, Side};
use crate::xiangqi::notation::relative::{Described, Direction, Ordinal};
use crate::xiangqi::notation::signs::{NUMERALS, direction_sign, letter};
use crate::xiangqi::notation::{Token, letters_of, resolve_text, signs};
use crate::xiangqi::{KINDS, Xiangqi};

/// The World Xiangqi Federation's notation, `H2+3`.
#[derive(Debug, Clone, Copy)]
pub struct WxfNotation;

impl Notation<Xiangqi> for WxfNotation {
    fn name(&self) -> &'static str {
        "WXF"
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        parse(position, text, true)
    }

    fn format(&self, position: &Xiangqi, m: Move) -> String {
        let Some(described) = Described::of(position, m) else { return String::new() };
        let (letter, column) = (letter(described.kind), digit(described.column));
        let [a, b] = match described.place {
            None => [letter, column],
            Some(Ordinal { index, count, is_only_column: true }) => one_of(index, count, letter, column),
            Some(Ordinal { index: 0, .. }) => [column, '+'],
            Some(Ordinal { index, count, .. }) if index + 1 == count => [column, '-'],
            Some(_) => [column, column],
        };
        String::from_iter([a, b, direction_sign(described.direction), digit(described.number)])
    }
}

/// Parses a move in WXF or in Chinese: what has not one Chinese character is WXF.
fn parse(position: &Xiangqi, text: &str, is_wxf: bool) -> Result<Move, MoveError> {
    let letters = letters_of(text).filter(|letters| letters.iter().all(char::is_ascii) == is_wxf);
    let relative = letters.and_then(|letters| signs::read(&letters));
    resolve_text(position, text, relative.map(Token::Relative))
}

/// Returns the characters for one of two to five pieces on a column.
fn one_of(index: usize, count: usize, letter: char, column: char) -> [char; 2] {
    let behind = count - 1 - index;
    match index.cmp(&behind) {
        std::cmp::Ordering::Equal => [letter, column],
        std::cmp::Ordering::Less if index == 0 && count > 3 => ['+', '+'],
        std::cmp::Ordering::Less => [letter, '+'],
        std::cmp::Ordering::Greater if behind == 0 && count > 3 => ['-', '-'],
        std::cmp::Ordering::Greater => [letter, '-'],
    }
}

fn digit(number: u8) -> char {
    char::from(b'0' + number)
}

/// The Chinese notation, 马八进七.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChineseNotation {
    /// Written in simplified characters, 车９进１.
    Simplified,
    /// Written in traditional characters, 車９進１.
    Traditional,
}

impl Notation<Xiangqi> for ChineseNotation {
    fn name(&self) -> &'static str {
        match self {
            ChineseNotation::Simplified => "Chinese",
            ChineseNotation::Traditional => "Chinese-traditional",
        }
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        parse(position, text, false)
    }

    fn format(&self, position: &Xiangqi, m: Move) -> String {
        let Some(described) = Described::of(position, m) else { return String::new() };
        let name = NAMES[*self as usize][described.side.index()][described.kind as usize];
        let column = numeral(described.side, described.column);
        let [a, b] = match described.place {
            None => [name, column],
            Some(Ordinal { index, count, is_only_column }) => {
                [self.place(index, count), if is_only_column { name } else { column }]
            }
        };
        let direction = self.direction(described.direction);
        String::from_iter([a, b, direction, numeral(described.side, described.number)])
    }
}

/// The names of the kinds in their order: red's and black's, simplified and traditional.
const NAMES: [[[char; KINDS]; 2]; 2] = [
    [['兵', '仕', '相', '炮', '马', '车', '帅'], ['卒', '士', '象', '炮', '马', '车', '将']],
    [['兵', '仕', '相', '炮', '馬', '車', '帥'], ['卒', '士', '象', '炮', '馬', '車', '將']],
];

impl ChineseNotation {
    fn either(self, simplified: char, traditional: char) -> char {
        match self {
            ChineseNotation::Simplified => simplified,
            ChineseNotation::Traditional => traditional,
        }
    }

    /// Returns 前, 中 or 后, or from four on the numeral of those between.
    fn place(self, index: usize, count: usize) -> char {
        match index {
            0 => '前',
            _ if index + 1 == count => self.either('后', '後'),
            _ if count == 3 => '中',
            _ => NUMERALS[index],
        }
    }

    fn direction(self, direction: Direction) -> char {
        match direction {
            Direction::Forward => self.either('进', '進'),
            Direction::Back => '退',
            Direction::Sideways => '平',
        }
    }
}

/// Returns a number as its side writes it.
pub(super) fn numeral(side: Side, number: u8) -> char {
    match side {
        Side::First => NUMERALS[usize::from(number - 1)],
        Side::Second => char::from_u32('０' as u32 + u32::from(number)).unwrap_or('０'),
    }
}
