//! Chinese move texts, 炮二平五. Writes four characters, red's numbers as Chinese numerals and black's as full-width
//! digits, as archives do; reads either for either, simplified and traditional alike. The rules for several pieces on
//! a column stand in `relative`.

use crate::game::{Move, MoveError, Notation, Side};
use crate::xiangqi::notation::relative::{Described, Direction, Ordinal};
use crate::xiangqi::notation::{Letters, Token, resolve_text, signs};
use crate::xiangqi::{Kind, Xiangqi};

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
        // What has not one Chinese character is WXF.
        let letters = Letters::of(text).filter(|letters| !letters.iter().all(char::is_ascii));
        let relative = letters.and_then(|letters| signs::read(&letters));
        resolve_text(position, text, relative.map(Token::Relative))
    }

    fn format(&self, position: &Xiangqi, m: Move) -> String {
        let Some(described) = Described::of(position, m) else { return String::new() };
        let name = self.name_of(described.side, described.kind);
        let column = numeral(described.side, described.column);
        let [a, b] = match described.place {
            Ordinal::Only => [name, column],
            Ordinal::OneOf { index, count } => [self.place(index, count), name],
            Ordinal::OneOfColumn { index, count } => [self.place(index, count), column],
        };
        let direction = self.direction(described.direction);
        String::from_iter([a, b, direction, numeral(described.side, described.number)])
    }
}

impl ChineseNotation {
    fn either(self, simplified: char, traditional: char) -> char {
        match self {
            ChineseNotation::Simplified => simplified,
            ChineseNotation::Traditional => traditional,
        }
    }

    fn name_of(self, side: Side, kind: Kind) -> char {
        match (kind, side) {
            (Kind::Pawn, Side::First) => '兵',
            (Kind::Pawn, Side::Second) => '卒',
            (Kind::Advisor, Side::First) => '仕',
            (Kind::Advisor, Side::Second) => '士',
            (Kind::Elephant, Side::First) => '相',
            (Kind::Elephant, Side::Second) => '象',
            (Kind::Cannon, _) => '炮',
            (Kind::Horse, _) => self.either('马', '馬'),
            (Kind::Rook, _) => self.either('车', '車'),
            (Kind::General, Side::First) => self.either('帅', '帥'),
            (Kind::General, Side::Second) => self.either('将', '將'),
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

/// The numerals one to nine.
pub(super) const NUMERALS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Returns a number as its side writes it.
pub(super) fn numeral(side: Side, number: u8) -> char {
    match side {
        Side::First => NUMERALS[usize::from(number - 1)],
        Side::Second => char::from_u32('０' as u32 + u32::from(number)).unwrap_or('０'),
    }
}

/// Returns the number that a numeral stands for.
pub(super) const fn number(numeral: char) -> Option<u8> {
    Some(match numeral {
        '一' => 1,
        '二' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}

/// Returns whether a character is a piece's name, in any writing that moves are read in.
pub const fn names_piece(letter: char) -> bool {
    kind(letter).is_some()
}

/// Returns the kind of a piece's name, of either side: archives use them for both. The radicals at the end are what
/// some converters make of 士, 車 and 馬.
pub(super) const fn kind(name: char) -> Option<Kind> {
    Some(match name {
        '兵' | '卒' => Kind::Pawn,
        '仕' | '士' | '⼠' => Kind::Advisor,
        '相' | '象' => Kind::Elephant,
        '炮' | '砲' | '包' => Kind::Cannon,
        '马' | '馬' | '傌' | '⾺' => Kind::Horse,
        '车' | '車' | '俥' | '⾞' | '\u{f902}' => Kind::Rook,
        '帅' | '帥' | '将' | '將' => Kind::General,
        _ => return None,
    })
}
