//! Where a piece goes, by the low four bits of a move's byte. The high four bits are the piece's number.
//!
//! | piece | code |
//! |---|---|
//! | king | 0 null move, 1–8 directions, 9 castling long, 10 short |
//! | queen | as a rook; its own file: a second byte has 64 plus the target |
//! | rook | 0–7 file of the target, 8–15 8 plus its rank |
//! | bishop | file of the target; plus 8 where it goes up to the left or down to the right |
//! | knight | 1–8 directions |
//! | pawn | 0–2 captures to the low file, goes on, captures to the high file, as White sees it; 3–14 the same with promotion to queen, rook, bishop, knight; 15 two steps |
//!
//! Pawns of Black go the same ways, turned around.

use shakmaty::{Color, Role, Square};

const KING_WAYS: [i16; 9] = [0, -9, -8, -7, -1, 1, 7, 8, 9];
const KNIGHT_WAYS: [i16; 9] = [0, -17, -15, -10, -6, 6, 10, 15, 17];
const PAWN_WAYS: [i16; 3] = [7, 8, 9];
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// What a code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// No move, and the other side is to move.
    Null,
    /// Castling, to the king's side or to the queen's.
    Castle { is_short: bool },
    /// To a square, where a pawn may become another piece.
    To(Square, Option<Role>),
    /// A second byte has the target.
    Second,
}

/// Returns what a code of a piece says; `None` if it says nothing.
pub(super) fn decode(role: Role, color: Color, from: Square, code: u8) -> Option<Way> {
    let code = code & 15;
    let by = |way: i16| {
        let target = u32::try_from(i16::from(u8::from(from)) + way).ok()?;
        Some(Way::To(Square::try_from(target).ok()?, None))
    };
    match role {
        Role::King => match code {
            0 => Some(Way::Null),
            1..=8 => by(KING_WAYS[usize::from(code)]),
            9 | 10 => Some(Way::Castle { is_short: code == 10 }),
            _ => None,
        },
        Role::Queen if u32::from(code) == u32::from(from.file()) => Some(Way::Second),
        Role::Queen | Role::Rook => {
            let from = u8::from(from);
            let target = if code < 8 { from & !7 | code } else { (code & 7) << 3 | from & 7 };
            Some(Way::To(Square::try_from(target).ok()?, None))
        }
        Role::Bishop => {
            let files = i16::from(code & 7) - i16::from(u8::from(from) & 7);
            by(files * if code < 8 { 9 } else { -7 })
        }
        Role::Knight => by(*KNIGHT_WAYS.get(usize::from(code)).filter(|way| **way != 0)?),
        Role::Pawn => {
            let ahead = color.fold_wb(1, -1);
            if code == 15 {
                return by(16 * ahead);
            }
            let Way::To(to, _) = by(PAWN_WAYS[usize::from(code % 3)] * ahead)? else { return None };
            let promotion = (code / 3).checked_sub(1).map(|kind| PROMOTIONS[usize::from(kind)]);
            Some(Way::To(to, promotion))
        }
    }
}

/// Returns the target that the second byte of a queen's move has.
pub(super) fn target_of(byte: u8) -> Option<Square> {
    byte.checked_sub(64).and_then(|square| Square::try_from(square).ok())
}
