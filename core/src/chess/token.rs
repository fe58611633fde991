//! A move of chess as an archive writes it, not yet checked for legality: the parts of a SAN in one number.
//!
//! Replays read, compare and keep millions of them. An enum of single bytes is written in pieces and read whole, for
//! which the processor waits each time.
//!
//! | bits | meaning |
//! |---|---|
//! | 20 | written as a capture |
//! | 19–17 | promotion: 0 none, else the piece, pawn = 1 … king = 6 |
//! | 16–13 | rank of the origin: 0 not named, else 1 … 8 |
//! | 12–9 | file of the origin: 0 not named, else 1 … 8 |
//! | 8–6 | piece: pawn = 1 … king = 6; 7 castling, 0 a null move |
//! | 5–0 | target square, a1 = 0 … h8 = 63; of castling 0 the king's, 1 the queen's side |

use std::fmt;

use shakmaty::san::San;
use shakmaty::{CastlingSide, File, Rank, Role, Square};

/// A move as it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token(u32);

const CASTLING: u32 = 7;

impl Token {
    /// Returns the parts.
    #[inline(always)]
    pub fn san(self) -> San {
        let part = |shift: u32, bits: u32| self.0 >> shift & ((1 << bits) - 1);
        match part(6, 3) {
            0 => San::Null,
            CASTLING => San::Castle(CastlingSide::from_king_side(part(0, 6) == 0)),
            role => San::Normal {
                role: Role::ALL[role as usize - 1],
                file: part(9, 4).checked_sub(1).map(File::new),
                rank: part(13, 4).checked_sub(1).map(Rank::new),
                capture: part(20, 1) == 1,
                to: Square::new(part(0, 6)),
                promotion: part(17, 3).checked_sub(1).map(|role| Role::ALL[role as usize]),
            },
        }
    }
}

impl From<San> for Token {
    /// Packs the parts. A drop, which belongs to another game, becomes a null move: neither is legal.
    #[inline(always)]
    fn from(san: San) -> Token {
        Token(match san {
            San::Null | San::Put { .. } => 0,
            San::Castle(side) => CASTLING << 6 | u32::from(side.is_queen_side()),
            San::Normal { role, file, rank, capture, to, promotion } => {
                let file = file.map_or(0, |file| file as u32 + 1);
                let rank = rank.map_or(0, |rank| rank as u32 + 1);
                let promotion = promotion.map_or(0, |role| role as u32);
                u32::from(capture) << 20
                    | promotion << 17
                    | rank << 13
                    | file << 9
                    | (role as u32) << 6
                    | to as u32
            }
        })
    }
}

/// As SAN has it.
impl fmt::Display for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.san().fmt(formatter)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Token({self})")
    }
}

#[cfg(test)]
mod tests;
