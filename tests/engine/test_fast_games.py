"""The engine with 10 ms and 5 ms a move, against itself and others: `GAMES` of each pairing."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from typing import Final

import pytest
from support.protocols import Engine, rules_of

BASE_MS: Final = 10
INCREMENT_MS: Final = 5
MOST_PLIES: Final = 200
MARGIN_MS: Final = 10.0
"""What pipes, the driver and the system may take of a clock; more is a loss on time."""
PAIRINGS: Final = [
    *(("uci", name) for name in ("self", "stockfish", "fairy-stockfish", "toga2")),
    *(("ucci", name) for name in ("self", "fairy-stockfish")),
]
START: Final = {
    "uci": "startpos",
    "ucci": "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
}
NEW: Final = {"uci": ["ucinewgame"], "ucci": ["setoption usemillisec true", "setoption newgame"]}


def choose(engine: Engine, protocol: str, moves: list[str], clocks: list[float]) -> str:
    """Return the move of an engine, by the clocks of the first and the second side."""
    first, second = (max(round(clock), 1) for clock in clocks)
    own, other = (first, second) if len(moves) % 2 == 0 else (second, first)
    go = {
        "uci": f"go wtime {first} btime {second} winc {INCREMENT_MS} binc {INCREMENT_MS}",
        "ucci": f"go time {own} increment {INCREMENT_MS} opptime {other} oppincrement {INCREMENT_MS}",
    }
    engine.say(f"position {START[protocol]} moves {' '.join(moves)}", go[protocol])
    while not (line := engine.line()).startswith(("bestmove", "nobestmove")):
        pass
    return [*line.split(), "none"][1]


def play(protocol: str, engines: list[Engine], rng: random.Random, late: Counter[str]) -> int:
    """Play a game from a random opening; count moves and overruns of the first engine, and return the plies.

    A player whose clock falls below zero plays on with an empty clock, so that one pause is one overrun.
    """
    rules, moves, clocks = rules_of(protocol), list[str](), [float(BASE_MS)] * 2
    seats = engines if rng.random() < 0.5 else engines[::-1]
    for engine in engines:
        engine.say(*NEW[protocol], "isready")
        engine.hear("readyok")
    opening = rng.randint(4, 8)
    while len(moves) < MOST_PLIES and (legal := rules.legal()):
        side = len(moves) % 2
        if len(moves) < opening:
            moves.append(rng.choice(legal))
        else:
            started = time.perf_counter()
            moves.append(choose(seats[side], protocol, moves, clocks))
            clocks[side] -= 1000 * (time.perf_counter() - started)
            if seats[side] is engines[0]:
                late["moves"] += 1
                late["losses"] += clocks[side] < -MARGIN_MS
                assert moves[-1] in legal, moves
            elif moves[-1] not in legal:
                break
            clocks[side] = max(clocks[side], 0) + INCREMENT_MS
        rules.set_up(moves)
    return len(moves)


def pairing(protocol: str, other: str, games: int) -> Counter[str]:
    """Play games against another engine, and return our moves and losses on time."""
    engines, rng, late = (
        [Engine("self", protocol), Engine(other, protocol)],
        random.Random(games),
        Counter[str](),
    )
    started = time.perf_counter()
    try:
        plies = sum(play(protocol, engines, rng, late) for _ in range(games))
    finally:
        for engine in engines:
            engine.close()
    rate = round(games / (time.perf_counter() - started), 2)
    print(
        "FIGURE",
        json.dumps({"protocol": protocol, "other": other, "plies": plies, "per_second": rate, **late}),
    )
    return late


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "other"), PAIRINGS)
def test_fast_games_have_no_fault(protocol: str, other: str) -> None:
    late = pairing(protocol, other, int(os.environ.get("GAMES", "50")))
    # A loaded machine delays any process now and then; an engine that plans badly is late again and again.
    assert late["losses"] <= 0.005 * late["moves"] + 1, late


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
def test_fast_game_has_only_legal_moves(protocol: str) -> None:
    assert pairing(protocol, "self", 1)["moves"] > 0
