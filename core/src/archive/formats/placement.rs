//! The pieces of a start position, as binary xiangqi formats list them: by slots or letters.

use crate::archive::Start;
use crate::game::Side;
use crate::xiangqi::{FILES, RANKS, SQUARES, Square};

/// The standard start as [`Placement::to_fen`] writes it.
pub(super) const STANDARD_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// A square without a piece.
const EMPTY: u8 = b'.';

/// Letters of the 32 slots in which XQF, DhtmlXQ and old CBL list the pieces.
const SLOTS: &[u8; 32] = b"RNBAKABNRCCPPPPPrnbakabnrccppppp";

/// The pieces at the start, as letters of a FEN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placement {
    squares: [u8; SQUARES],
    /// The first square on which a second piece was put.
    shared: Option<Square>,
}

impl Placement {
    pub(super) fn empty() -> Placement {
        Placement { squares: [EMPTY; SQUARES], shared: None }
    }

    pub(super) fn put_slot(&mut self, slot: usize, square: Square) {
        if let Some(&letter) = SLOTS.get(slot) {
            self.put(letter, square);
        }
    }

    pub(super) fn put(&mut self, letter: u8, square: Square) {
        let before = std::mem::replace(&mut self.squares[square.index()], letter);
        if before != EMPTY {
            self.shared.get_or_insert(square);
        }
    }

    /// Returns an error if two pieces share a square.
    pub(super) fn checked(&self) -> Result<(), String> {
        let shared = |square| format!("expected one piece a square, found two on {square}");
        self.shared.map_or(Ok(()), |square| Err(shared(square)))
    }

    pub(super) fn letter_at(&self, square: Square) -> Option<u8> {
        Some(self.squares[square.index()]).filter(|&letter| letter != EMPTY)
    }

    /// Moves whatever stands on `from` to `to`, by no rules, and returns the letter of what it captures.
    pub(super) fn shift(&mut self, from: Square, to: Square) -> Option<u8> {
        let moved = std::mem::replace(&mut self.squares[from.index()], EMPTY);
        let captured = std::mem::replace(&mut self.squares[to.index()], moved);
        Some(captured).filter(|&letter| letter != EMPTY)
    }

    /// Reads the board of a FEN and the side behind it, glued on (`…5K3w`) or not; `None` if it is not a board of ten
    /// ranks of nine points. The letters are not checked.
    pub(super) fn read(fen: &str) -> Option<(Placement, Option<Side>)> {
        let mut fields = fen.split_ascii_whitespace();
        let mut placement = Placement::empty();
        let mut glued = "";
        let mut ranks = fields.next()?.splitn(usize::from(RANKS), '/');
        for rank in (0..RANKS).rev() {
            let text = ranks.next()?;
            let rest = placement.read_rank(rank, text)?;
            if rank > 0 && !rest.is_empty() {
                return None;
            }
            glued = rest;
        }
        let side = match if glued.is_empty() { fields.next() } else { Some(glued) } {
            Some("w" | "r") => Some(Side::First),
            Some("b") => Some(Side::Second),
            _ if glued.is_empty() => None,
            _ => return None,
        };
        Some((placement, side))
    }

    /// Reads nine points of a rank; returns the text behind them.
    fn read_rank<'a>(&mut self, rank: u8, text: &'a str) -> Option<&'a str> {
        let mut file = 0;
        for (index, letter) in text.char_indices() {
            if file == FILES {
                return Some(&text[index..]);
            }
            match letter {
                '1'..='9' => file += letter as u8 - b'0',
                'a'..='z' | 'A'..='Z' => {
                    self.put(letter as u8, Square::at(file, rank)?);
                    file += 1;
                }
                _ => return None,
            }
            if file > FILES {
                return None;
            }
        }
        (file == FILES).then_some("")
    }

    /// Returns the start with these pieces. The side to move is that of the piece on the square that the first move
    /// leaves, whatever a header says; `default` without such a move or piece.
    pub(super) fn start_of(&self, first_origin: Option<Square>, default: Side) -> Start {
        self.start(match first_origin.and_then(|square| self.letter_at(square)) {
            Some(letter) if letter.is_ascii_uppercase() => Side::First,
            Some(_) => Side::Second,
            None => default,
        })
    }

    pub(super) fn start(&self, side: Side) -> Start {
        match self.to_fen(side) {
            fen if fen == STANDARD_FEN => Start::Standard,
            fen => Start::Fen(fen),
        }
    }

    pub(super) fn to_fen(&self, side: Side) -> String {
        let mut fen = String::with_capacity(80);
        for rank in self.squares.chunks(usize::from(FILES)).rev() {
            let mut gap = 0;
            for &letter in rank.iter().chain(b"/") {
                if letter == EMPTY {
                    gap += 1;
                    continue;
                }
                if gap > 0 {
                    fen.push(char::from(b'0' + gap));
                }
                gap = 0;
                fen.push(char::from(letter));
            }
        }
        fen.pop();
        fen.push_str(match side {
            Side::First => " w - - 0 1",
            Side::Second => " b - - 0 1",
        });
        fen
    }
}

/// Returns the square of two digits: its file from red's left, and its row from black's back rank.
pub(super) fn square_of(file: u8, row: u8) -> Option<Square> {
    let digit = |byte: u8| byte.checked_sub(b'0').filter(|&digit| digit < 10);
    Square::at(digit(file)?, 9 - digit(row)?)
}

#[cfg(test)]
mod tests;
