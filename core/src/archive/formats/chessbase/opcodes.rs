//! What a byte of the moves says, once the number of moves before it is taken off.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | null move |
//! | 1–10 | king: 8 directions, castling short and long |
//! | 11–38, 143–170, 171–198 | first, second and third queen |
//! | 39–52, 53–66, 199–212 | rooks |
//! | 67–80, 81–94, 213–226 | bishops |
//! | 95–102, 103–110, 227–234 | knights |
//! | 111–142 | the pawns that began on the files a to h: one step, two steps, capture to the right and to the left |
//! | 235 | two bytes with origin and target follow |
//! | 236 | nothing |
//! | 254, 255 | a variation follows later; the line ends |

use shakmaty::Role;

/// Bytes as they are written → codes.
#[rustfmt::skip]
const CODES: [u8; 256] = [
    0xa2, 0x95, 0x43, 0xf5, 0xc1, 0x3d, 0x4a, 0x6c, 0x53, 0x83, 0xcc, 0x7c, 0xff, 0xae, 0x68, 0xad,
    0xd1, 0x92, 0x8b, 0x8d, 0x35, 0x81, 0x5e, 0x74, 0x26, 0x8e, 0xab, 0xca, 0xfd, 0x9a, 0xf3, 0xa0,
    0xa5, 0x15, 0xfc, 0xb1, 0x1e, 0xed, 0x30, 0xea, 0x22, 0xeb, 0xa7, 0xcd, 0x4e, 0x6f, 0x2e, 0x24,
    0x32, 0x94, 0x41, 0x8c, 0x6e, 0x58, 0x82, 0x50, 0xbb, 0x02, 0x8a, 0xd8, 0xfa, 0x60, 0xde, 0x52,
    0xba, 0x46, 0xac, 0x29, 0x9d, 0xd7, 0xdf, 0x08, 0x21, 0x01, 0x66, 0xa3, 0xf1, 0x19, 0x27, 0xb5,
    0x91, 0xd5, 0x42, 0x0e, 0xb4, 0x4c, 0xd9, 0x18, 0x5f, 0xbc, 0x25, 0xa6, 0x96, 0x04, 0x56, 0x6a,
    0xaa, 0x33, 0x1c, 0x2b, 0x73, 0xf0, 0xdd, 0xa4, 0x37, 0xd3, 0xc5, 0x10, 0xbf, 0x5a, 0x23, 0x34,
    0x75, 0x5b, 0xb8, 0x55, 0xd2, 0x6b, 0x09, 0x3a, 0x57, 0x12, 0xb3, 0x77, 0x48, 0x85, 0x9b, 0x0f,
    0x9e, 0xc7, 0xc8, 0xa1, 0x7f, 0x7a, 0xc0, 0xbd, 0x31, 0x6d, 0xf6, 0x3e, 0xc3, 0x11, 0x71, 0xce,
    0x7d, 0xda, 0xa8, 0x54, 0x90, 0x97, 0x1f, 0x44, 0x40, 0x16, 0xc9, 0xe3, 0x2c, 0xcb, 0x84, 0xec,
    0x9f, 0x3f, 0x5c, 0xe6, 0x76, 0x0b, 0x3c, 0x20, 0xb7, 0x36, 0x00, 0xdc, 0xe7, 0xf9, 0x4f, 0xf7,
    0xaf, 0x06, 0x07, 0xe0, 0x1a, 0x0a, 0xa9, 0x4b, 0x0c, 0xd6, 0x63, 0x87, 0x89, 0x1d, 0x13, 0x1b,
    0xe4, 0x70, 0x05, 0x47, 0x67, 0x7b, 0x2f, 0xee, 0xe2, 0xe8, 0x98, 0x0d, 0xef, 0xcf, 0xc4, 0xf4,
    0xfb, 0xb0, 0x17, 0x99, 0x64, 0xf2, 0xd4, 0x2a, 0x03, 0x4d, 0x78, 0xc6, 0xfe, 0x65, 0x86, 0x88,
    0x79, 0x45, 0x3b, 0xe5, 0x49, 0x8f, 0x2d, 0xb9, 0xbe, 0x62, 0x93, 0x14, 0xe9, 0xd0, 0x38, 0x9c,
    0xb2, 0xc2, 0x59, 0x5d, 0xb6, 0x72, 0x51, 0xf8, 0x28, 0x7e, 0x61, 0x39, 0xe1, 0xdb, 0x69, 0x80,
];

/// What a byte says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opcode {
    /// No move, and the other side is to move.
    Null,
    /// Castling, to the king's side or to the queen's.
    Castle { is_short: bool },
    /// A piece of a kind, by its number, goes so many files and ranks, around the edges of the board.
    Go { role: Role, number: usize, files: i8, ranks: i8 },
    /// Origin and target follow.
    Squares,
    /// Nothing.
    Padding,
    /// What follows is one of several continuations; the others come when its lines have ended.
    Fork,
    /// The line ends.
    End,
    /// None of these.
    Unknown,
}

/// Returns what a byte says behind so many moves.
pub(super) fn decode(byte: u8, moves: u8) -> Opcode {
    match CODES[usize::from(byte.wrapping_sub(moves))] {
        0 => Opcode::Null,
        code @ 9..=10 => Opcode::Castle { is_short: code == 9 },
        code @ 1..=234 => piece_of(code),
        235 => Opcode::Squares,
        236 => Opcode::Padding,
        254 => Opcode::Fork,
        255 => Opcode::End,
        _ => Opcode::Unknown,
    }
}

/// Returns a byte of an origin and target behind so many moves.
pub(super) fn plain(byte: u8, moves: u8) -> u8 {
    CODES[usize::from(byte.wrapping_sub(moves))]
}

pub(super) fn describe(encoding: u8) -> String {
    let found = match encoding {
        1..=7 => "a rare encoding of moves",
        8..=9 => "a game of losing chess",
        10..=11 => "a game of Chess960",
        12..=19 => "a game of another variant of chess",
        63 => "a position that is not legal",
        _ => "an unknown encoding of moves",
    };
    format!("expected a game of chess in the usual encoding (0), found {found} ({encoding})")
}

/// The first code of each piece but the king and the pawns.
const RANGES: [(u8, Role, usize); 12] = [
    (11, Role::Queen, 0),
    (39, Role::Rook, 0),
    (53, Role::Rook, 1),
    (67, Role::Bishop, 0),
    (81, Role::Bishop, 1),
    (95, Role::Knight, 0),
    (103, Role::Knight, 1),
    (143, Role::Queen, 1),
    (171, Role::Queen, 2),
    (199, Role::Rook, 2),
    (213, Role::Bishop, 2),
    (227, Role::Knight, 2),
];

const FIRST_PAWN: u8 = 111;
const LAST_PAWN: u8 = 142;
const KING_WAYS: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const KNIGHT_WAYS: [(i8, i8); 8] = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)];
const PAWN_WAYS: [(i8, i8); 4] = [(0, 1), (0, 2), (1, 1), (-1, 1)];
/// Of sliding pieces: along the file, along the rank, and both diagonals, 1 to 7 steps each.
const SLIDES: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

fn piece_of(code: u8) -> Opcode {
    let (role, number, (files, ranks)) = match code {
        1..=8 => (Role::King, 0, KING_WAYS[usize::from(code - 1)]),
        FIRST_PAWN..=LAST_PAWN => {
            let way = usize::from(code - FIRST_PAWN);
            (Role::Pawn, way / 4, PAWN_WAYS[way % 4])
        }
        _ => {
            let (first, role, number) =
                RANGES[RANGES.partition_point(|(first, ..)| *first <= code).saturating_sub(1)];
            let way = usize::from(code - first);
            let (files, ranks) = match role {
                Role::Knight => KNIGHT_WAYS[way % 8],
                Role::Bishop => SLIDES[(way / 7 + 2) % 4],
                _ => SLIDES[way / 7 % 4],
            };
            let steps = if role == Role::Knight { 1 } else { (way % 7) as i8 + 1 };
            (role, number, (files * steps, ranks * steps))
        }
    };
    Opcode::Go { role, number, files, ranks }
}

#[cfg(test)]
mod tests;
