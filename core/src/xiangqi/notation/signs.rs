//! Parses WXF and Chinese move texts character by character into a [`Relative`]; the two may be mixed. Full-width
//! characters are already narrow. The position is not needed.
//!
//! | length | form | example |
//! |---|---|---|
//! | 3 | piece, column, column | `C25` |
//! | 4 | piece and which, direction, number | `C2=5` `C+-1` `+C-1` `25=6` 炮二平五 前炮退一 車前平三 前三平四 |
//! | 5 | which, piece, column, direction, number | 前兵九平八 |

use std::fmt;

use super::relative::{Order, Relative};
use crate::xiangqi::Kind;
use crate::xiangqi::notation::relative::Direction;

pub(super) fn read(letters: &[char]) -> Option<Relative> {
    let ((kind, order, column), direction, number) = match *letters {
        [a, b, to] => {
            let is_full = |piece: &Piece| kind(a).is_some() && piece.2.is_some();
            (piece(a, b).filter(is_full)?, Direction::Sideways, to)
        }
        [a, b, way, number] => (piece(a, b)?, direction(way)?, number),
        [which, name, column, way, number] => {
            ((kind(name)?, order(which)?, Some(digit(column)?)), direction(way)?, number)
        }
        _ => return None,
    };
    Some(Relative { kind, order, column, direction, number: digit(number)? })
}

/// The kind, which of several pieces, and the column.
type Piece = (Kind, Order, Option<u8>);

/// Parses the first two characters.
fn piece(a: char, b: char) -> Option<Piece> {
    if let Some(kind) = kind(a) {
        return match digit(b) {
            Some(column) if kind == Kind::Pawn && a.is_ascii() => {
                Some((kind, Order::AnyOrMiddle, Some(column)))
            }
            Some(column) => Some((kind, Order::Any, Some(column))),
            None => Some((kind, order_after_name(b)?, None)),
        };
    }
    if let Some(number) = digit(a) {
        return match (kind(b), digit(b)) {
            (Some(kind), _) => Some((kind, Order::Nth(number), None)),
            (_, Some(column)) => Some((Kind::Pawn, Order::Nth(number), Some(column))),
            _ => Some((Kind::Pawn, order(b)?, Some(number))),
        };
    }
    match (a, kind(b), digit(b)) {
        ('+', ..) | ('-', ..) if a == b => Some((Kind::Pawn, order(a)?, None)),
        (_, Some(kind), _) => Some((kind, order(a)?, None)),
        (_, _, Some(column)) => Some((Kind::Pawn, order(a)?, Some(column))),
        _ => None,
    }
}

/// Parses the character before a piece's name or next to a column that selects one of several pieces.
const fn order(letter: char) -> Option<Order> {
    match letter {
        '+' | '前' => Some(Order::Front),
        '.' | '中' => Some(Order::Middle),
        '-' | '后' | '後' => Some(Order::Rear),
        _ => None,
    }
}

/// Parses the character after a piece's name that selects one of several pieces.
fn order_after_name(letter: char) -> Option<Order> {
    match letter.to_ascii_lowercase() {
        '+' => Some(Order::InnerFront),
        '-' => Some(Order::InnerRear),
        nth @ 'a'..='e' => Some(Order::Nth(nth as u8 - b'a' + 1)),
        _ => order(letter),
    }
}

fn kind(letter: char) -> Option<Kind> {
    if letter.is_ascii() { latin_kind(letter) } else { chinese_kind(letter) }
}

const fn direction(letter: char) -> Option<Direction> {
    match letter {
        '+' | '进' | '進' | '上' => Some(Direction::Forward),
        '-' | '退' | '下' => Some(Direction::Back),
        '=' | '.' | '平' => Some(Direction::Sideways),
        _ => None,
    }
}

fn digit(letter: char) -> Option<u8> {
    match letter {
        '1'..='9' => Some(letter as u8 - b'0'),
        _ => NUMERALS.iter().position(|&numeral| numeral == letter).map(|index| index as u8 + 1),
    }
}

/// The numerals one to nine.
pub(super) const NUMERALS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Returns whether a character is a piece's name, in any writing that moves are read in.
pub const fn names_piece(letter: char) -> bool {
    chinese_kind(letter).is_some()
}

/// Returns the kind of a piece's name, of either side: archives use them for both. The radicals at the end are what
/// some converters make of 士, 車 and 馬.
const fn chinese_kind(name: char) -> Option<Kind> {
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

pub(super) const fn letter(kind: Kind) -> char {
    match kind {
        Kind::Elephant => 'E',
        Kind::Horse => 'H',
        _ => kind.letter(),
    }
}

pub(super) fn latin_kind(letter: char) -> Option<Kind> {
    match letter.to_ascii_uppercase() {
        'S' => Some(Kind::Pawn),
        'G' => Some(Kind::Advisor),
        letter => Kind::from_letter(letter),
    }
}

pub(super) const fn direction_sign(direction: Direction) -> char {
    match direction {
        Direction::Forward => '+',
        Direction::Back => '-',
        Direction::Sideways => '=',
    }
}

impl fmt::Display for Relative {
    /// Writes WXF's characters; what WXF cannot say in four is said in five, as in `+P3=4`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = letter(self.kind);
        match (self.order, self.column) {
            (Order::Nth(nth), Some(column)) => write!(out, "{nth}{column}"),
            (Order::Nth(nth), None) => write!(out, "{nth}{letter}"),
            (Order::InnerFront, _) => write!(out, "{letter}+"),
            (Order::InnerRear, _) => write!(out, "{letter}-"),
            (order, column) => {
                let mark = match order {
                    Order::Front => "+",
                    Order::Middle => ".",
                    Order::Rear => "-",
                    _ => "",
                };
                write!(out, "{mark}{letter}")?;
                column.map_or(Ok(()), |column| write!(out, "{column}"))
            }
        }?;
        write!(out, "{}{}", direction_sign(self.direction), self.number)
    }
}
