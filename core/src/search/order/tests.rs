use super::*;
use crate::chess::Chess;
use crate::evaluate::Standard;
use crate::game::{Game, Notated, Side};
use crate::xiangqi::Xiangqi;

#[test]
fn history_counters_stay_in_bounds() {
    let mut counter = 0;
    for _ in 0..1000 {
        nudge(&mut counter, LARGEST_STEP);
    }
    assert!(i32::from(counter) <= BOUND);
    for _ in 0..1000 {
        nudge(&mut counter, -LARGEST_STEP);
    }
    assert!(i32::from(counter) >= -BOUND);
}

fn pick_all<G: Searchable>(position: &G, order: &Order, preferred: [Move; 2]) -> Vec<Move>
where
    Standard: Evaluate<G>,
{
    let context = Context { side: position.side(), ply: 0, before: [order.nothing(); 2] };
    let mut picker = Picker::new(Scope::All, preferred);
    std::iter::from_fn(|| picker.next(position, &Standard, (order, &context)).map(|picked| picked.m))
        .collect()
}

#[test]
fn moves_come_by_table_hint_captures_killers_history() {
    // Pawn and queen can take the protected rook: the queen would be lost.
    let position = Chess::from_fen("4k3/8/2p5/3r4/4P3/8/8/3QK3 w - - 0 1").unwrap();
    let find = |text: &str| Chess::coordinates().parse(&position, text).unwrap();
    let mut order = Order::new::<Chess>(Learning::default());
    let arrival = |order: &Order, m| order.arrival(&position, m);
    let at = |ply| Context { side: Side::First, ply, before: [order.nothing(), order.nothing() - 1] };
    let (elsewhere, here) = (at(1), at(0));
    let (good, bad, killer) = (find("e1f2"), find("e1e2"), find("d1d3"));
    let arrivals = [good, bad, killer].map(|m| arrival(&order, m));
    order.reward_quiet(&elsewhere, 3, (good, arrivals[0]), &[(bad, arrivals[1])]);
    order.reward_quiet(&here, 1, (killer, arrivals[2]), &[]);
    let texts: Vec<String> = pick_all(&position, &order, [find("e1f1"), find("d1a4")])
        .into_iter()
        .map(|m| Chess::coordinates().format(&position, m))
        .collect();
    assert_eq!(texts[..5], ["e1f1", "d1a4", "e4d5", "d1d3", "e1f2"]);
    assert_eq!(texts[texts.len() - 2..], ["e1e2", "d1d5"]);
}

fn check_completeness<G: Searchable>(fen: &str)
where
    Standard: Evaluate<G>,
{
    let position = G::from_fen(fen).unwrap();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    // An illegal move is skipped, and a preferred move comes once.
    let mut picked = pick_all(&position, &Order::new::<G>(Learning::default()), [legal[1], Move(0x3fff)]);
    assert_eq!(picked[0], legal[1]);
    picked.sort_unstable();
    legal.sort_unstable();
    assert_eq!(picked, legal.to_vec(), "{fen}");
}

#[test]
fn every_legal_move_comes_once() {
    check_completeness::<Chess>("r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq - 0 1");
    check_completeness::<Xiangqi>("r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1");
}
