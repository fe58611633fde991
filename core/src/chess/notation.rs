//! Chess move texts: SAN and UCI. Reads and writes both.

use shakmaty::CastlingMode;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use super::{Chess, encode};
use crate::game::{Move, MoveError, Notation, Replayable};

/// Standard algebraic notation, `Nf3`, `O-O`, `exd8=Q#`; reads its usual variants too (see [`san`]).
#[derive(Debug, Clone, Copy)]
pub struct SanNotation;

/// Universal chess interface notation, `g1f3`, `e1g1`, `e7d8q`.
#[derive(Debug, Clone, Copy)]
pub struct UciNotation;

impl Notation<Chess> for SanNotation {
    fn name(&self) -> &'static str {
        "SAN"
    }

    fn parse(&self, position: &Chess, text: &str) -> Result<Move, MoveError> {
        position.resolve(text.parse()?)
    }

    fn format(&self, position: &Chess, m: Move) -> String {
        let san = position.decode(m).map(|m| SanPlus::from_move(position.board.clone(), m).to_string());
        san.unwrap_or_default()
    }
}

impl Notation<Chess> for UciNotation {
    fn name(&self) -> &'static str {
        "UCI"
    }

    fn parse(&self, position: &Chess, text: &str) -> Result<Move, MoveError> {
        let uci = UciMove::from_ascii(text.as_bytes()).map_err(|_| MoveError::Syntax(text.to_owned()))?;
        uci.to_move(&position.board).map(encode).map_err(|_| MoveError::Illegal(text.to_owned()))
    }

    fn format(&self, position: &Chess, m: Move) -> String {
        position.decode(m).map(|m| m.to_uci(CastlingMode::Standard).to_string()).unwrap_or_default()
    }
}
