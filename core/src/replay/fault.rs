//! What cannot be replayed: the start of a game that breaks a rule, a move that cannot be played, a reader's complaint.

use crate::archive::{GameRecord, Start};
use crate::game::{MoveError, Replayable};

/// Why a game, or the rest of one, could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Stable reason code: `illegal-move`, `ambiguous-move`, `bad-fen`, or the reader's.
    pub reason: &'static str,
    /// Plies before the fault.
    pub ply: usize,
    /// The token that could not be used; empty where the fault is not a token's.
    pub token: String,
    /// What is wrong, in words.
    pub message: String,
}

/// Returns the position that a game starts from.
///
/// # Errors
/// A fault where its FEN breaks a rule.
pub(crate) fn starting_position<G: Replayable>(record: &GameRecord<G::Token>) -> Result<G, Fault> {
    match &record.start {
        Start::Standard => Ok(G::start()),
        Start::Fen(fen) => G::from_fen(fen).map_err(|error| Fault {
            reason: "bad-fen",
            ply: 0,
            token: fen.clone(),
            message: error.reason,
        }),
    }
}

/// Returns the fault of a move that cannot be played after `ply` plies.
pub(crate) fn move_fault(error: &MoveError, ply: usize) -> Fault {
    let (reason, token) = match error {
        MoveError::Syntax(token) => ("bad-move-text", token),
        MoveError::Illegal(token) => ("illegal-move", token),
        MoveError::Ambiguous(token) => ("ambiguous-move", token),
    };
    Fault { reason, ply, token: token.clone(), message: format!("{error}, after {ply} plies") }
}

/// Returns the reader's complaint, where the moves it could read were all that the run asked for.
pub(crate) fn reader_fault<T>(record: &GameRecord<T>, ply: usize) -> Option<Fault> {
    record.defect.as_ref().map(|defect| Fault {
        reason: defect.reason,
        ply,
        token: String::new(),
        message: format!("{} (at byte {})", defect.message, defect.offset),
    })
}
