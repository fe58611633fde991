//! The line's laws, the three detectors against each other, and the verdicts of whole lines.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::chess::Chess;
use crate::game::{Game, HistoryRules, MoveList, Notated, RepetitionRule, Side, Verdict};
use crate::xiangqi::Xiangqi;

fn play<G: Notated + HistoryRules>(position: &mut G, history: &mut History, texts: &str) {
    for text in texts.split_whitespace() {
        let m = G::coordinates().parse(position, text).unwrap();
        history.play_on(position, m);
    }
}

fn line<G: HistoryRules + Notated>(fen: &str, texts: &str) -> (G, History) {
    let mut position = G::from_fen(fen).unwrap();
    let mut history = History::at(&position);
    play(&mut position, &mut history, texts);
    (position, history)
}

fn verdict<G: HistoryRules + Notated>(fen: &str, texts: &str) -> Option<Verdict> {
    let (position, history) = line::<G>(fen, texts);
    judge(&position, &history, RepetitionRule::Axf, 3).verdict
}

#[test]
fn chess_draws_at_the_third_occurrence_and_after_fifty_moves() {
    let knights = "g1f3 g8f6 f3g1 f6g8 ";
    assert_eq!(verdict::<Chess>(&Chess::start().to_fen(), knights), None);
    let Some(Verdict::Repetition(ruling)) = verdict::<Chess>(&Chess::start().to_fen(), &knights.repeat(2))
    else {
        panic!("the third occurrence is a repetition")
    };
    assert_eq!(ruling.loser, None);
    let fen = "4k3/8/8/8/8/8/7P/R3K3 w - - 98 70";
    assert_eq!(verdict::<Chess>(fen, "a1a2"), None);
    assert_eq!(verdict::<Chess>(fen, "a1a2 e8e7"), Some(Verdict::MoveCount));
    assert_eq!(verdict::<Chess>(fen, "h2h3 e8e7"), None);
    // Mate comes before the count.
    assert_eq!(verdict::<Chess>("7k/R7/6K1/8/8/8/8/8 w - - 99 70", "a7a8"), Some(Verdict::Mate));
}

/// Red's rook wanders on its own back ranks, black's general steps to and fro, never twice the same position.
fn wander(plies: usize) -> String {
    let rook = ["a", "b", "c"].iter().flat_map(|file| (0..10).map(move |rank| format!("{file}{rank}")));
    let mut rook: Vec<String> = rook.collect();
    // File by file, up and down, so that each step is one of a rook.
    rook[10..20].reverse();
    let general = ["d9", "d8"];
    let moves = (0..plies).map(|ply| match ply % 2 {
        0 => format!("{}{}", rook[ply / 2], rook[ply / 2 + 1]),
        _ => format!("{}{}", general[ply / 2 % 2], general[(ply / 2 + 1) % 2]),
    });
    moves.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_pawn_move_does_not_reset_the_clock_of_xiangqi_and_a_capture_does() {
    let (_, history) = line::<Xiangqi>("3k5/9/9/9/9/4P4/9/9/9/R4K3 w - - 0 1", &wander(16));
    assert_eq!(history.clock(), 16);
    let (_, history) = line::<Xiangqi>(&Xiangqi::start().to_fen(), "c3c4 h7h0 i0h0");
    assert_eq!(history.clock(), 0);
    let (_, history) = line::<Xiangqi>(&Xiangqi::start().to_fen(), "c3c4 c6c5");
    assert_eq!(history.clock(), 2);
}

#[test]
fn checks_beyond_ten_of_a_side_are_not_counted() {
    let mut position = Xiangqi::from_fen("3k5/9/9/9/9/9/9/9/9/R4K3 w - - 0 1").unwrap();
    let mut history = History::at(&position);
    let cycle = ["a0a9", "d9d8", "a9a8", "d8d9", "a8a9", "d9d8", "a9a8", "d8d9"];
    for (ply, text) in cycle.iter().cycle().take(28).enumerate() {
        let text = if ply > 7 && ply % 8 == 0 { "a8a9" } else { text };
        play(&mut position, &mut history, text);
        // The eleventh check is red's move at ply 20.
        let free = (ply / 2 + 1).saturating_sub(10);
        assert_eq!(history.clock(), ply + 1 - free, "after {} plies", ply + 1);
        // Told again, as a search does that comes back to the node, it counts no more.
        history.note_check::<Xiangqi>(position.is_check());
        assert_eq!(history.clock(), ply + 1 - free, "told twice after {} plies", ply + 1);
    }
}

#[test]
fn a_perpetual_checker_loses_by_its_cycle() {
    let fen = "3k5/9/9/9/9/9/9/9/9/R4K3 w - - 0 1";
    let (position, history) = line::<Xiangqi>(fen, "a0a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9 a8a9");
    let two = judge(&position, &history, RepetitionRule::Axf, 2);
    assert_eq!(two.cycle.len(), 4);
    let three = judge(&position, &history, RepetitionRule::Axf, 3);
    let Some(Verdict::Repetition(ruling)) = three.verdict else { panic!("{three:?}") };
    assert_eq!((ruling.loser, three.cycle.len()), (Some(Side::First), 8));
    assert_eq!(three.verdict.unwrap().winner(Xiangqi::ID, position.side()), Some(Side::Second));
    let none = judge(&position, &history, RepetitionRule::None, 3);
    assert_eq!(none.verdict.unwrap().winner(Xiangqi::ID, position.side()), None);
}

/// Plays and takes back as `choices` say, each of the histories alike, and hands them to `look` after each choice.
fn walk<G: HistoryRules>(choices: &[u16], histories: &mut [History], mut look: impl FnMut(&[History])) {
    let mut positions = vec![G::start()];
    for &choice in choices {
        let position = &positions[positions.len() - 1];
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let next = moves.iter().filter(|&&m| !position.is_irreversible(m)).map(|&m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            (Step::of(position, m), next)
        });
        let next: Vec<(Step, G)> = next.collect();
        // One choice in six takes a move back, half of the others return to a position of the line if they can.
        let back = next.iter().position(|(_, next)| positions.contains(next)).filter(|_| choice % 2 == 0);
        if choice % 6 == 5 && positions.len() > 1 {
            positions.pop();
            histories.iter_mut().for_each(History::undo);
        } else if let Some((step, next)) = next.get(back.unwrap_or(usize::from(choice / 6) % 4)) {
            histories.iter_mut().for_each(|history| history.play(next.key(), *step));
            positions.push(next.clone());
        }
        look(histories);
    }
}

/// Returns how many repetitions the detectors agreed on.
fn detectors_agree<G: HistoryRules>(choices: &[u16]) -> usize {
    let start = History::at(&G::start());
    let wide = Detection::OpenFlag(Arc::new(OpenFlags::new(1 << 16)));
    let narrow = Detection::OpenFlag(Arc::new(OpenFlags::new(8)));
    let kinds = [Detection::Scan, Detection::SmallTable, wide, narrow];
    let mut histories = kinds.map(|kind| start.watched_by(&kind));
    let mut found = 0;
    walk::<G>(choices, &mut histories, |histories| {
        let [scan, counts, wide, narrow] = [0, 1, 2, 3].map(|index| histories[index].cycle());
        assert_eq!(scan, counts);
        let line = &histories[0].line;
        let slots: std::collections::HashMap<u64, Key> =
            line.iter().map(|played| (played.key.0 & 0xffff, played.key)).collect();
        let is_alone = line.iter().all(|played| slots[&(played.key.0 & 0xffff)] == played.key);
        assert!(wide == scan || !is_alone && wide.is_none(), "{wide:?} where the line says {scan:?}");
        // In a table this small flags are lost, but none is made up.
        assert!(narrow == scan || narrow.is_none(), "{narrow:?} where the line says {scan:?}");
        found += usize::from(scan.is_some());
    });
    found
}

#[test]
fn the_walks_meet_repetitions() {
    let choice = |seed: u32, n: u32| ((seed * 1000 + n).wrapping_mul(2_654_435_761) >> 16) as u16;
    let walks = (0..20).map(|seed| (0..100).map(|n| choice(seed, n)).collect::<Vec<u16>>());
    let found = walks.map(|walk| [detectors_agree::<Chess>(&walk), detectors_agree::<Xiangqi>(&walk)]);
    let [chess, xiangqi] = found.fold([0, 0], |sum, found| [sum[0] + found[0], sum[1] + found[1]]);
    assert!(chess > 100 && xiangqi > 100, "{chess} and {xiangqi}");
}

proptest! {
    #[test]
    fn detectors_agree_on_random_walks_of_chess(choices in prop::collection::vec(any::<u16>(), 0..200)) {
        detectors_agree::<Chess>(&choices);
    }

    #[test]
    fn detectors_agree_on_random_walks_of_xiangqi(choices in prop::collection::vec(any::<u16>(), 0..200)) {
        detectors_agree::<Xiangqi>(&choices);
    }
}

#[test]
fn shared_flags_give_no_false_repetition() {
    let flags = Arc::new(OpenFlags::new(64));
    let run = |seed: u16| {
        let start = History::at(&Xiangqi::start());
        let scan = start.watched_by(&Detection::Scan);
        let open = start.watched_by(&Detection::OpenFlag(Arc::clone(&flags)));
        let choices: Vec<u16> =
            (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 9) as u16 ^ seed).collect();
        for choices in choices.chunks(200) {
            let mut histories = [scan.clone(), open.clone()];
            walk::<Xiangqi>(choices, &mut histories, |histories| {
                let (scan, open) = (histories[0].cycle(), histories[1].cycle());
                assert!(open == scan || open.is_none(), "{open:?} where the line says {scan:?}");
            });
        }
    };
    std::thread::scope(|scope| {
        for seed in [1, 2, 3] {
            scope.spawn(move || run(seed));
        }
    });
}
