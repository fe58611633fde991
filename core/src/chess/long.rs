//! Long algebraic move texts: SAN with the whole origin square. Writes
//! `e2-e4`, `Bb5xc6+`, `e7xd8=Q#`, `O-O`; reads these and, since SAN is a shorter form of the
//! same, everything that SAN accepts.

use super::{Chess, SanNotation};
use crate::game::{Move, MoveError, Notation};

/// Long algebraic notation, `Ng1-f3`.
#[derive(Debug, Clone, Copy)]
pub struct LongNotation;

impl Notation<Chess> for LongNotation {
    fn name(&self) -> &'static str {
        "LAN"
    }

    fn parse(&self, position: &Chess, text: &str) -> Result<Move, MoveError> {
        let m = SanNotation.parse(position, &text.replacen('-', if is_castling(text) { "-" } else { "" }, 1));
        m.map_err(|error| match error {
            MoveError::Syntax(_) => MoveError::Syntax(text.to_owned()),
            MoveError::Illegal(_) => MoveError::Illegal(text.to_owned()),
            MoveError::Ambiguous(_) => MoveError::Ambiguous(text.to_owned()),
        })
    }

    fn format(&self, position: &Chess, m: Move) -> String {
        let san = SanNotation.format(position, m);
        match position.decode(m) {
            Some(m) if !m.is_castle() => long(m) + &san[san.trim_end_matches(['+', '#']).len()..],
            _ => san,
        }
    }
}

fn is_castling(text: &str) -> bool {
    text.starts_with(['O', '0', 'o'])
}

fn long(m: shakmaty::Move) -> String {
    let piece = match m.role() {
        shakmaty::Role::Pawn => String::new(),
        role => role.upper_char().to_string(),
    };
    let from = m.from().map_or_else(String::new, |square| square.to_string());
    let dash = if m.is_capture() { 'x' } else { '-' };
    let promotion = m.promotion().map_or_else(String::new, |role| format!("={}", role.upper_char()));
    format!("{piece}{from}{dash}{}{promotion}", m.to())
}

#[cfg(test)]
mod tests;
