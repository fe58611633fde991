"""The engine with 10 ms and 5 ms a move, against itself and others: `GAMES` of each pairing."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from typing import Final

import pytest
from support.fast_games import ChessGame, ChessPlayer, Score, UcciPlayer, XiangqiGame, play

OURS: Final = (sys.executable, "-P", "-m", "bookbuilder", "engine")
MARGIN_MS: Final = 10.0
"""What pipes, the driver and the system may take of a clock; more is a loss on time."""
CHESS: Final = ("self", "stockfish", "fairy-stockfish", "toga2")
XIANGQI: Final = ("self", "fairy-stockfish")


def command(name: str, protocol: str) -> list[str]:
    """Return the command of an engine; `self` is ours."""
    if name == "self":
        return [*OURS, protocol]
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if path is None:
        pytest.skip(f"{name} is not installed")
    return [path]


def chess_player(name: str) -> ChessPlayer:
    """Start an engine of chess."""
    return ChessPlayer(command(name, "uci"))


def xiangqi_player(name: str) -> UcciPlayer:
    """Start an engine of xiangqi."""
    return UcciPlayer(command(name, "ucci"))


def pairing(
    game: Callable[[], ChessGame] | Callable[[], XiangqiGame],
    start: Callable[[str], ChessPlayer] | Callable[[str], UcciPlayer],
    other: str,
    games: int,
) -> Score:
    """Play games with alternating colours, and return what happened to our engine."""
    players, scores, rng = [start("self"), start(other)], [Score(), Score()], random.Random(games)
    started, plies = time.perf_counter(), 0
    for number in range(games):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        playing = game()
        is_sound = play(playing, [players[each] for each in order], [scores[each] for each in order], rng)
        plies += playing.plies
        worst = [round(max(score.overruns, default=0), 1) for score in scores]
        print(other, number, playing.plies, is_sound, worst, os.getloadavg()[0], flush=True)
        for place in range(2):
            if scores[place].crashes and not is_sound:
                players[place] = start(("self", other)[place])
    figures = {
        "game": game.__name__,
        "other": other,
        "games": games,
        "plies": plies,
        "games_per_second": round(games / (time.perf_counter() - started), 2),
        "overhead_ms": players[0].overhead_ms(),
        "ours": scores[0].figures(MARGIN_MS),
        "others": scores[1].figures(MARGIN_MS),
        "faults": [*scores[0].illegal, *scores[0].crashes, *scores[1].illegal, *scores[1].crashes][:3],
    }
    print(json.dumps(figures), flush=True)
    for player in players:
        player.close()
    return scores[0]


def check(score: Score) -> None:
    """Check that our engine played only legal moves, did not end, and was hardly ever late."""
    assert not score.illegal, score.illegal[:1]
    assert not score.crashes, score.crashes[:1]
    # A loaded machine delays any process now and then; an engine that plans badly is late again and again.
    losses = sum(each > MARGIN_MS for each in score.overruns)
    assert losses <= 0.005 * score.moves + 1, score.figures(MARGIN_MS)


@pytest.mark.slow
@pytest.mark.parametrize("other", CHESS)
def test_fast_games_of_chess_have_no_fault(other: str) -> None:
    check(pairing(ChessGame, chess_player, other, int(os.environ.get("GAMES", "50"))))


@pytest.mark.slow
@pytest.mark.parametrize("other", XIANGQI)
def test_fast_games_of_xiangqi_have_no_fault(other: str) -> None:
    check(pairing(XiangqiGame, xiangqi_player, other, int(os.environ.get("GAMES", "50"))))


def test_two_fast_games_of_each_game_have_no_fault() -> None:
    for score in (
        pairing(ChessGame, chess_player, "self", 2),
        pairing(XiangqiGame, xiangqi_player, "self", 2),
    ):
        assert not score.illegal
        assert not score.crashes
