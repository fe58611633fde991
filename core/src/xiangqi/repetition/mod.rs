//! Perpetual checks and chases: judges a cycle of moves.
//!
//! The [`Ruling`] says which side has to change its moves, by which article. Each side is classed by its own moves of the
//! cycle; the graver class loses, equal classes draw:
//!
//! | class | every move of the side | articles (AXF 2003) |
//! |---|---|---|
//! | check | gives check | 6, 7, 8 |
//! | chase of a pinned rook | newly chases one and the same rook, which a horse pins | 19 |
//! | chase | newly chases one and the same piece | 15–18, 24–29, 32, 35, 36 |
//! | undermining | chases one and the same piece, at times only by taking away its protection | appendix |
//! | idle | anything else: a check now and then, threats of mate, offers, two pieces in turn | 5, 9, 12, 32, 40 |
//!
//! `chase` defines chases, `roots` real protection. The CXA (1999) differs: a side has to change if each of its moves is a
//! check, a threat of mate (`mate_threat`) or a chase of any piece.
//!
//! Threats of mate, which the CXA counts among forbidden moves.
//!
//! A threat of mate: the side that has just moved would mate by a series of checks if the other side passed.

mod chase;

use std::cmp::Ordering;

use crate::game::{Article, Game as _, Move, MoveList, RepetitionRule, Ruling, SearchMoves, Side};
use crate::xiangqi::Xiangqi;
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::moves::decode;
use crate::xiangqi::square::{SQUARES, Square};

/// Returns what a cycle of legal moves from `start` back to it amounts to.
pub(super) fn rule_on(start: &Xiangqi, cycle: &[Move], rule: RepetitionRule) -> Ruling {
    if rule == RepetitionRule::None {
        return Ruling::new(None, Article::Repetition);
    }
    let checks = perpetual_checkers(start, cycle);
    if checks != [false; 2] {
        return rule_on_both(checks, Article::PerpetualCheck, Article::MutualPerpetualCheck);
    }
    match rule {
        RepetitionRule::Axf => rule_on_chases(start, cycle),
        RepetitionRule::Cxa => rule_on_series(start, cycle),
        RepetitionRule::CheckOnly | RepetitionRule::None => Ruling::new(None, Article::NothingForbidden),
    }
}

/// Returns the ruling on what either side does with every move: who does it alone loses.
fn rule_on_both(does: [bool; 2], alone: Article, mutual: Article) -> Ruling {
    match does {
        [true, true] => Ruling::new(None, mutual),
        [true, false] => Ruling::new(Some(Side::First), alone),
        [false, true] => Ruling::new(Some(Side::Second), alone),
        [false, false] => Ruling::new(None, Article::NothingForbidden),
    }
}

/// Returns for either side whether each of its moves gives check (AXF 6 to 8).
fn perpetual_checkers(start: &Xiangqi, cycle: &[Move]) -> [bool; 2] {
    let mut is_perpetual = [true; 2];
    let mut position = start.clone();
    for &m in cycle {
        let mover = position.side;
        position.play_unchecked(m);
        is_perpetual[mover.index()] &= position.is_check();
    }
    is_perpetual
}

/// AXF: who chases one and the same piece with every move loses against anything less grave.
fn rule_on_chases(start: &Xiangqi, cycle: &[Move]) -> Ruling {
    let mut prey_of_both = [Prey::ALL; 2];
    let mut origins = Origins::new();
    let mut position = start.clone();
    for &m in cycle {
        let mover = position.side;
        let before = position.clone();
        position.play_unchecked(m);
        origins.follow(m);
        let new = chase::new_chases(&before.board, &position.board, m);
        let pinned_rooks = chase::rooks_pinned_by_horse(&position.board, mover.other());
        let prey = &mut prey_of_both[mover.index()];
        prey.chased &= origins.of(new.attacked | new.undermined);
        prey.attacked &= origins.of(new.attacked);
        prey.pinned_rooks &= origins.of(new.attacked & pinned_rooks);
        prey.is_attack_each_time &= position.is_check() || !new.attacked.is_empty();
        if prey_of_both.iter().all(|prey| prey.chased.is_empty()) {
            break;
        }
    }
    compare(prey_of_both)
}

/// The enemy pieces that a side has chased with every move so far, by their points at the start of the cycle.
///
/// A move that checks and chases counts as both: a check now and then does not excuse a chase of the same piece.
#[derive(Clone, Copy)]
struct Prey {
    chased: Bitboard,
    /// Those of them that were newly attacked each time.
    attacked: Bitboard,
    /// Those of them that were rooks pinned by a horse each time (AXF 19).
    pinned_rooks: Bitboard,
    /// Whether each move checked or attacked something, were it one piece after the other.
    is_attack_each_time: bool,
}

impl Prey {
    const ALL: Prey = Prey {
        chased: Bitboard::ALL,
        attacked: Bitboard::ALL,
        pinned_rooks: Bitboard::ALL,
        is_attack_each_time: true,
    };

    /// Returns the article on the gravest of the chases, and its victim.
    fn offence(mut self, other: Prey) -> Option<(Article, Square)> {
        if let Some(victim) = self.pinned_rooks.next() {
            return Some((Article::PinnedRookChase, victim));
        }
        if let Some(victim) = self.attacked.next() {
            return Some((Article::PerpetualChase, victim));
        }
        // Taking away protection is an offence against an idle side, not against one that attacks with every move.
        let victim = self.chased.next().filter(|_| !other.is_attack_each_time)?;
        Some((Article::PerpetualUndermining, victim))
    }
}

/// Weighs what the first and the second side chase: the graver offence loses, equal ones draw.
fn compare([first, second]: [Prey; 2]) -> Ruling {
    let offences = (first.offence(second), second.offence(first));
    let (loser, (article, victim)) = match offences {
        (None, None) => return Ruling::new(None, Article::NothingForbidden),
        (Some(first), None) => (Side::First, first),
        (None, Some(second)) => (Side::Second, second),
        (Some(first), Some(second)) => match first.0.cmp(&second.0) {
            Ordering::Greater => (Side::First, first),
            Ordering::Less => (Side::Second, second),
            Ordering::Equal => return Ruling::new(None, Article::MutualPerpetualChase),
        },
    };
    Ruling { loser: Some(loser), article, victim: Some(victim.index() as u8) }
}

/// CXA: a side that only checks, threatens mate and chases, in any order and any pieces, has to change.
fn rule_on_series(start: &Xiangqi, cycle: &[Move]) -> Ruling {
    let mut is_forbidden = [true; 2];
    let mut position = start.clone();
    for &m in cycle {
        let mover = position.side;
        let before = position.clone();
        position.play_unchecked(m);
        if is_forbidden[mover.index()] {
            is_forbidden[mover.index()] = position.is_check()
                || !chase::new_chases(&before.board, &position.board, m).is_empty()
                || threatens_mate(&position);
        }
    }
    rule_on_both(is_forbidden, Article::ForbiddenSeries, Article::MutualForbiddenSeries)
}

/// Where the piece on each point stood when the cycle began: pieces keep their identity through moves.
struct Origins([Square; SQUARES]);

impl Origins {
    fn new() -> Origins {
        Origins(std::array::from_fn(Square::of))
    }

    fn follow(&mut self, m: Move) {
        if let Some((from, to)) = decode(m) {
            self.0[to.index()] = self.0[from.index()];
        }
    }

    fn of(&self, pieces: Bitboard) -> Bitboard {
        pieces.fold(Bitboard::EMPTY, |origins, piece| origins | Bitboard::of(self.0[piece.index()]))
    }
}

/// Longest series of checks looked for; chosen: the threats of real perpetuals mate in one or two.
const MOST_CHECKS: usize = 3;

/// Returns whether the side not to move would mate by checks, were it to move now. Not asked where the side to move
/// is in check: that is a check, not a threat.
pub(super) fn threatens_mate(position: &Xiangqi) -> bool {
    position.pass().is_some_and(|passed| mates_by_checks(&passed, MOST_CHECKS))
}

/// Returns whether the side to move mates by at most this number of checks.
fn mates_by_checks(position: &Xiangqi, checks: usize) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().any(|&m| {
        let checked = position.after(m);
        checked.is_check() && every_reply_is_mated(&checked, checks - 1)
    })
}

fn every_reply_is_mated(checked: &Xiangqi, checks: usize) -> bool {
    let mut replies = MoveList::new();
    checked.legal_moves(&mut replies);
    if checks == 0 {
        return replies.is_empty();
    }
    replies.iter().all(|&reply| mates_by_checks(&checked.after(reply), checks))
}

#[cfg(test)]
mod tests;
