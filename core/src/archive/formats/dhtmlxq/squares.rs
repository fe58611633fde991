//! The squares that the digits of a page name.

use crate::archive::formats::lines::Squares;
use crate::xiangqi::Square;

/// Returns the square of two digits, file and row.
pub(super) fn square_of(file: u8, row: u8) -> Option<Square> {
    let digit = |byte: u8| byte.checked_sub(b'0').filter(|&digit| digit < 10);
    Square::at(digit(file)?, 9 - digit(row)?)
}

pub(super) fn squares_of(digits: [u8; 4]) -> Squares {
    Some((square_of(digits[0], digits[1])?, square_of(digits[2], digits[3])?))
}
