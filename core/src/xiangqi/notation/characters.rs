//! The characters of Chinese move texts.

use crate::game::Side;
use crate::xiangqi::Kind;

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
