//! Laws of move texts and FENs: what is read from any text is written as a text of the same meaning.

use bookbuilder_core::chess::{Chess, LongNotation, san};
use bookbuilder_core::game::{
    Foldable, Folded, Game, Key, Lock, Move, MoveList, Notated, Notation, Replayable, SearchMoves, Symmetry,
};
use bookbuilder_core::xiangqi::{Token, Xiangqi};

/// Move texts. Two bytes tell the game and how many bytes choose the moves to a position; a line with a FEN may stand
/// before the text instead.
pub fn notations(data: &[u8]) {
    let [choice, plies, rest @ ..] = data else { return };
    let (choices, text) = rest.split_at(usize::from(*plies).min(rest.len()));
    let Ok(text) = std::str::from_utf8(text) else { return };
    let (fen, text) = text.split_once('\n').unwrap_or(("", text));
    match choice % 2 {
        0 => {
            let position = reached::<Chess>(fen, choices);
            check_texts(&position, text, &[&LongNotation]);
            check_san(&position, text);
        }
        _ => {
            let position = reached::<Xiangqi>(fen, choices);
            check_texts(&position, text, &[]);
            check_token(&position, text);
        }
    }
}

/// Returns the position after the moves that the bytes choose from that of the FEN, if it is one.
fn reached<G: Game>(fen: &str, choices: &[u8]) -> G {
    let mut position = G::from_fen(fen).unwrap_or_else(|_| G::start());
    let mut moves = MoveList::new();
    for &choice in choices {
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position.play_unchecked(moves[usize::from(choice) % moves.len()]);
    }
    position
}

/// What a notation reads is legal and is read again as it is written; what it writes of a legal move is that move.
fn check_texts<G: Notated>(position: &G, text: &str, more: &[&'static dyn Notation<G>]) {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    for notation in G::notations().iter().chain(more) {
        if let Ok(m) = notation.parse(position, text) {
            assert!(position.is_legal(m), "{} reads {text} as a move that is not legal", notation.name());
            check_written(position, *notation, m);
        }
        moves.iter().for_each(|&m| check_written(position, *notation, m));
    }
}

fn check_written<G: Game>(position: &G, notation: &dyn Notation<G>, m: Move) {
    let text = notation.format(position, m);
    let read = notation.parse(position, &text);
    assert_eq!(read, Ok(m), "{} writes {text} in {}", notation.name(), position.to_fen());
}

fn check_san(position: &Chess, text: &str) {
    let Some((san, length)) = san::read(text.as_bytes()) else { return };
    assert!((1..=text.len()).contains(&length) && text.is_char_boundary(length));
    assert_eq!(san::read(&text.as_bytes()[..length]), Some((san, length)), "{text}");
    check_resolved(position, san);
}

fn check_token(position: &Xiangqi, text: &str) {
    if let Some(token) = Token::parse(text) {
        let written = token.to_string();
        let again = Token::parse(&written).unwrap_or_else(|| panic!("{text} is written as {written}"));
        assert_eq!(again.to_string(), written, "{text}");
        assert_eq!(
            position.resolve(again).ok(),
            position.resolve(token).ok(),
            "{text} is written as {written}"
        );
        check_resolved(position, token);
    }
    if let Some(token) = Token::parse_uci(text) {
        check_resolved(position, token);
    }
}

/// Resolving and playing a token agree, and keys are kept up to date.
fn check_resolved<G: Replayable>(position: &G, token: G::Token) {
    let mut played = position.clone();
    match (position.resolve(token), played.play_token(token)) {
        (Ok(m), Ok(same)) => {
            assert_eq!(m, same);
            assert!(position.is_legal(m), "{token:?} in {}", position.to_fen());
            assert_eq!((played.key(), played.lock()), hash_from_scratch(&played));
        }
        (Err(error), Err(same)) => {
            assert_eq!(error, same);
            assert!(played == *position, "a refused move changes the position");
        }
        (resolved, played) => panic!("{token:?} resolves to {resolved:?} and plays as {played:?}"),
    }
}

/// Returns key and lock as the reader of FENs computes them.
fn hash_from_scratch<G: Game>(position: &G) -> (Key, Lock) {
    let fen = position.to_fen();
    let again = G::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    (again.key(), again.lock())
}

/// FENs of both games: one that is accepted is written as one that says the same, and its position can be played.
pub fn fen(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    check_fen::<Chess>(text);
    check_fen::<Xiangqi>(text);
}

fn check_fen<G: SearchMoves + Foldable>(text: &str) {
    let position = match G::from_fen(text) {
        Ok(position) => position,
        Err(error) => {
            assert!(!error.reason.is_empty() && error.fen == text);
            return;
        }
    };
    let written = position.to_fen();
    let again = G::from_fen(&written).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(again == position, "{text} is written as {written}");
    assert_eq!(again.to_fen(), written);
    assert_eq!((position.key(), position.lock()), (again.key(), again.lock()), "{text}");
    check_moves(&position);
}

/// Legal moves are legal, lead to positions with sound keys, and are as many as are counted.
fn check_moves<G: SearchMoves + Foldable>(position: &G) {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    assert_eq!(moves.len(), position.count_legal_moves(), "{}", position.to_fen());
    let Folded { key, lock, symmetry } = position.folded();
    if symmetry == Symmetry::Itself {
        assert_eq!((key, lock), (position.key(), position.lock()));
    }
    let verdict = position.verdict();
    for &m in &moves {
        assert!(position.is_legal(m));
        let mut next = position.clone();
        next.play_unchecked(m);
        assert_eq!((next.key(), next.lock()), hash_from_scratch(&next), "{m:?} in {}", position.to_fen());
        assert_eq!(next.side(), position.side().other());
        assert!(G::mirror_move(G::mirror_move(m)) == m);
    }
    assert!(!moves.is_empty() || verdict.is_some(), "{}", position.to_fen());
    position.noisy_moves(&mut moves);
    assert!(moves.iter().all(|&m| position.is_legal(m)), "{}", position.to_fen());
}
