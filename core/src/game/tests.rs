//! Random play, which tests of several rooms share.

use super::{Game, MoveList};

/// Returns the positions of a game in which each choice picks one of the legal moves, as far as there are any.
pub(crate) fn random_play<G: Game>(start: G, choices: &[u16]) -> Vec<G> {
    let mut positions = vec![start];
    let mut moves = MoveList::new();
    for &choice in choices {
        let mut next = positions[positions.len() - 1].clone();
        next.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        next.play_unchecked(moves[usize::from(choice) % moves.len()]);
        positions.push(next);
    }
    positions
}

/// Returns the last of these positions.
pub(crate) fn wander<G: Game>(start: G, choices: &[u16]) -> G {
    random_play(start.clone(), choices).pop().unwrap_or(start)
}
