//! Reads xiangqi moves in SAN, as boards of engines write them: `Cbe2`, `Hxc7+`, `c4`, `Cb3-c3`.
//!
//! Writers count ranks from 0 (XBoard) or from 1 (Fairy-Stockfish, PyChess). Only a rank 0 or 10 tells which, so a text is
//! read first and its ranks are settled when the game is known.

use std::fmt;

use super::relative::Unresolved;
use super::signs::latin_kind;
use crate::game::{Game, Move, MoveList};
use crate::xiangqi::moves::decode;
use crate::xiangqi::{Kind, Square, Xiangqi};

/// What [`San`] holds where the text names no file or rank.
const NONE: u8 = u8::MAX;

/// A move by its piece and its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct San {
    kind: Kind,
    /// File and rank of the origin, where the text names them.
    from: [u8; 2],
    /// File and rank of the target; the rank as it is written.
    to: [u8; 2],
    /// The number of the first rank.
    base: u8,
}

impl San {
    pub(super) fn read(text: &str) -> Option<San> {
        if !text.is_ascii() {
            return None;
        }
        let text = text.trim_end_matches(['+', '#', '=']);
        let letter = text.chars().next().filter(char::is_ascii_uppercase);
        let kind = letter.map_or(Some(Kind::Pawn), latin_kind)?;
        let (rest, to) = square(&text[usize::from(letter.is_some())..])?;
        let from = rest.strip_suffix(['x', '-']).unwrap_or(rest);
        let is_file = from.starts_with(|sign: char| sign.is_ascii_lowercase());
        let (file, rank) = from.split_at(usize::from(is_file));
        let file = file.bytes().next().map_or(Some(NONE), file_of)?;
        let rank = if rank.is_empty() { NONE } else { rank_of(rank)? };
        Some(San { kind, from: [file, rank], to, base: 0 })
    }

    /// Returns the move with ranks that count from a number.
    pub(super) const fn with_base(self, base: u8) -> San {
        San { base, ..self }
    }

    /// Returns the number of the first rank, if the ranks tell it.
    pub(super) fn base(self) -> Option<u8> {
        let ranks = [self.from[1], self.to[1]];
        match (ranks.contains(&0), ranks.contains(&10)) {
            (true, _) => Some(0),
            (_, true) => Some(1),
            _ => None,
        }
    }

    /// Returns the one legal move that fits.
    pub(super) fn find(self, position: &Xiangqi) -> Result<Move, Unresolved> {
        let rank = self.to[1].checked_sub(self.base).ok_or(Unresolved::Illegal)?;
        let target = Square::at(self.to[0], rank).ok_or(Unresolved::Illegal)?;
        let fits = |from: Square| {
            position.piece_at(from).is_some_and(|(_, kind)| kind == self.kind)
                && [NONE, from.file()].contains(&self.from[0])
                && [NONE, from.rank() + self.base].contains(&self.from[1])
        };
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let is_meant = |m: &Move| decode(*m).is_some_and(|(from, to)| to == target && fits(from));
        Unresolved::unless_one(legal.into_iter().filter(is_meant))
    }
}

fn file_of(letter: u8) -> Option<u8> {
    letter.checked_sub(b'a').filter(|file| *file < 9)
}

/// Returns the square that ends a text, its rank as it is written, and what stands before it.
fn square(text: &str) -> Option<(&str, [u8; 2])> {
    let rank = text.rfind(|sign: char| !sign.is_ascii_digit())? + 1;
    let (before, rank) = text.split_at(rank);
    let (&file, rest) = before.as_bytes().split_last()?;
    Some((before.get(..rest.len())?, [file_of(file)?, rank_of(rank)?]))
}

/// Returns the number of a rank, 0 to 10.
fn rank_of(text: &str) -> Option<u8> {
    if text.len() > 1 && text != "10" { None } else { text.parse().ok() }
}

impl fmt::Display for San {
    /// Writes the move as [`San::read`] reads it back.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = |file: u8| char::from(b'a' + file);
        if self.kind != Kind::Pawn {
            write!(out, "{}", self.kind.letter())?;
        }
        if self.from[0] != NONE {
            write!(out, "{}", file(self.from[0]))?;
        }
        if self.from[1] != NONE {
            write!(out, "{}", self.from[1])?;
        }
        write!(out, "{}{}", file(self.to[0]), self.to[1])
    }
}
