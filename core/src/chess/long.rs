//! Long algebraic move texts: SAN with the whole origin square. Writes
//! `e2-e4`, `Bb5xc6+`, `e7xd8=Q#`, `O-O`; reads these and, since SAN is a shorter form of the
//! same, everything that SAN accepts.

use shakmaty::san::SanPlus;

use super::{Chess, SanNotation};
use crate::game::{Game, Move, MoveError, Notation};

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
        let Some(decoded) = position.decode(m) else { return String::new() };
        let shakmaty::Move::Castle { .. } = decoded else {
            let mut after = position.clone();
            after.play_unchecked(m);
            let suffix = match after.verdict() {
                Some(crate::game::Verdict::Mate) => "#",
                _ if after.is_check() => "+",
                _ => "",
            };
            return long(decoded) + suffix;
        };
        SanPlus::from_move(position.board.clone(), decoded).to_string()
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
mod tests {
    use super::*;
    use crate::game::MoveList;

    #[test]
    fn long_notation_round_trips() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        ] {
            let position = Chess::from_fen(fen).unwrap();
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            for m in moves {
                let text = LongNotation.format(&position, m);
                assert_eq!(LongNotation.parse(&position, &text), Ok(m), "{text} in {fen}");
            }
        }
    }

    #[test]
    fn long_notation_writes_origin_capture_promotion_and_check() {
        let position = Chess::from_fen("3q2k1/4P3/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
        let long = |san: &str| LongNotation.format(&position, SanNotation.parse(&position, san).unwrap());
        assert_eq!(long("exd8=Q+"), "e7xd8=Q+");
        assert_eq!(long("Ra7"), "Ra1-a7");
        assert_eq!(long("O-O"), "O-O");
        assert_eq!(long("Ke2"), "Ke1-e2");
    }
}
