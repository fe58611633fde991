//! Parses WXF and Chinese move texts character by character into a [`Relative`]; the two may be mixed. Full-width
//! characters are already narrow. The position is not needed.
//!
//! | length | form | example |
//! |---|---|---|
//! | 3 | piece, column, column | `C25` |
//! | 4 | piece and which, direction, number | `C2=5` `C+-1` `+C-1` `25=6` 炮二平五 前炮退一 車前平三 前三平四 |
//! | 5 | which, piece, column, direction, number | 前兵九平八 |

use super::relative::{Order, Relative};
use crate::xiangqi::Kind;
use crate::xiangqi::notation::relative::Direction;
use crate::xiangqi::notation::{chinese, wxf};

/// Parses a text; `None` if it is not a move.
pub(super) fn read(letters: &[char]) -> Option<Relative> {
    match *letters {
        [a, b, to] => {
            let (kind, order, column) = piece(a, b).filter(|_| kind(a).is_some())?;
            column?;
            Some(Relative { kind, order, column, direction: Direction::Sideways, number: digit(to)? })
        }
        [a, b, way, number] => {
            let (kind, order, column) = piece(a, b)?;
            Some(Relative { kind, order, column, direction: direction(way)?, number: digit(number)? })
        }
        [which, name, column, way, number] => {
            let (order, column) = (order(which)?, Some(digit(column)?));
            Some(Relative {
                kind: kind(name)?,
                order,
                column,
                direction: direction(way)?,
                number: digit(number)?,
            })
        }
        _ => None,
    }
}

/// Parses the first two characters: the kind, which of several pieces, and the column.
fn piece(a: char, b: char) -> Option<(Kind, Order, Option<u8>)> {
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
        'a' => Some(Order::Nth(1)),
        'b' => Some(Order::Nth(2)),
        'c' => Some(Order::Nth(3)),
        'd' => Some(Order::Nth(4)),
        'e' => Some(Order::Nth(5)),
        _ => order(letter),
    }
}

fn kind(letter: char) -> Option<Kind> {
    if letter.is_ascii() { wxf::kind(letter) } else { chinese::kind(letter) }
}

const fn direction(letter: char) -> Option<Direction> {
    match letter {
        '+' | '进' | '進' | '上' => Some(Direction::Forward),
        '-' | '退' | '下' => Some(Direction::Back),
        '=' | '.' | '平' => Some(Direction::Sideways),
        _ => None,
    }
}

/// Returns the number 1–9 that a digit or a Chinese numeral stands for.
const fn digit(letter: char) -> Option<u8> {
    match letter {
        '1'..='9' => Some(letter as u8 - b'0'),
        _ => chinese::number(letter),
    }
}
