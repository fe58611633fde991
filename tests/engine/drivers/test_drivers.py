"""Drivers of engines: recorded lines of six engines, and a fake one that is slow, odd, or silent."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from support.fake_engine import fake

from bookbuilder._core import Position, Referee
from bookbuilder.engine.drivers.player import Info, PlayerFault
from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine
from bookbuilder.engine.drivers.workers import Question, Workers, in_parallel, open_player
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

SLOW = "time.sleep(0.3); print('info nodes 9 score cp 5 depth 2\\nbestmove MOVE', flush=True)"
ODD = r"""
        print("hello\ninfo depth\ninfo score cp x\ninfo score mate")
        print("info pv MOVE score cp 5 depth 2 nodes 9\ninfo depth 3 score cp 99 lowerbound nodes 10")
        print("info string score cp 1\nbestmove MOVE", flush=True)
"""
ENDLESS = "print('info depth 2 score cp 5 nodes 500', flush=True)"
KINDS: list[tuple[Game, str, str]] = [
    ("chess", "uci", "e2e4"),
    ("xiangqi", "uci", "h2e2"),
    ("xiangqi", "ucci", "h2e2"),
]


@pytest.mark.parametrize(("game", "protocol", "move"), KINDS)
@pytest.mark.parametrize(
    ("body", "depth"), [(SLOW, 2), (ODD, 3), (ENDLESS, 2)], ids=["slow", "odd", "endless"]
)
def test_fake_engine_answers(
    tmp_path: Path, game: Game, protocol: str, move: str, body: str, depth: int
) -> None:
    command = fake(tmp_path, protocol, body.replace("MOVE", move), move=move)
    spec = parse_engine(command, game, name=None, options=(), limit=ThinkLimit(nodes=100))
    player = open_player(spec, game)
    try:
        assert player.title == "Fake 1"
        referee, said = Referee(game), list[Info]()
        player.new_game(referee)
        reply = player.think(referee, tell=said.append)
        assert reply.code == Position(game).parse_move(move)
        # A bound does not replace an exact score.
        assert (reply.score_cp, reply.depth) == (5, depth)
        assert 5 in [info.score_cp for info in said]
    finally:
        player.close()
        player.close()


@pytest.mark.parametrize(("game", "protocol", "move"), KINDS)
def test_engine_that_never_answers_fails_twice_and_is_replaced(
    tmp_path: Path, game: Game, protocol: str, move: str
) -> None:
    command = fake(tmp_path, protocol, "pass", move=move)
    spec = parse_engine(command, game, name="fake", options=(), limit=ThinkLimit(nodes=1))
    with Workers(spec, game, jobs=1, timeout=0.2) as workers:
        (answer,) = workers.ask([Question(0, Position(game), 10)])
    assert (answer.reply, answer.reason) == (None, "fake did not move in 0.2 s")


def test_xboard_refuses_nodes() -> None:
    for game in ("chess", "xiangqi"):
        spec = parse_engine("xboard:cat", game, name="c", options=(), limit=ThinkLimit(nodes=1))  # type: ignore[arg-type]
        with pytest.raises(OptionError, match="xboard does not support a limit in nodes"):
            open_player(spec, game)  # type: ignore[arg-type]


def test_xboard_refuses_unknown_options() -> None:
    command = "xboard:echo 'feature option=\"Depth limit -spin 1 1 9\" done=1'"
    options, limit = ["depth limit=3", "Foo=1"], ThinkLimit(depth=1)
    spec = parse_engine(command, "chess", name="c", options=options, limit=limit)
    with pytest.raises(OptionError, match='c has no option "Foo": it has Depth limit$'):
        open_player(spec, "chess")


REAL: list[tuple[str, Game, str]] = [
    ("stockfish", "chess", "nodes=2000"),
    ("toga2", "chess", "nodes=2000"),
    ("xboard:hoichess", "chess", "depth=4"),
    ("xboard:polyglot -noini -ec /usr/games/toga2", "chess", "movetime=1000"),
    ("fairy-stockfish", "chess", "nodes=2000"),
    ("fairy-stockfish", "xiangqi", "nodes=2000"),
    ("ucci:fairy-stockfish", "xiangqi", "nodes=2000"),
    ("xboard:hoixiangqi", "xiangqi", "depth=4"),
    ("bundled", "xiangqi", "nodes=2000"),
    ("ucci:bundled", "xiangqi", "nodes=2000"),
    ("bundled", "chess", "nodes=2000"),
]


@pytest.mark.parametrize(("text", "game", "limit"), REAL)
def test_real_engines_answer(text: str, game: Game, limit: str) -> None:
    protocol, _, command = text.rpartition(":")
    program, *rest = command.split()
    if program != "bundled" and (path := shutil.which(program, path="/usr/games:/usr/bin")) is not None:
        program = path
    elif program != "bundled":
        pytest.skip(f"{program} is not installed")
    spec = parse_engine(
        ":".join(filter(None, (protocol, " ".join([program, *rest])))),
        game,
        name=None,
        options=(),
        limit=ThinkLimit.parse(limit),
    )
    player = open_player(spec, game)
    try:
        move = "e2e4" if game == "chess" else "h2e2"
        referee, said = Referee(game, None, [move]), list[Info]()
        player.new_game(referee)
        reply = player.think(referee, lines=2, tell=said.append)
        assert reply.code in referee.position.moves()
        assert protocol == "xboard" or reply.score_cp is not None
        if protocol == "" and game == "chess":
            assert {info.multipv for info in said if info.pv} >= (
                {1} if program.endswith("toga2") else {1, 2}
            )
    finally:
        player.close()


def test_calls_in_parallel_come_as_they_end() -> None:
    gate = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            gate.wait(60)
        else:
            gate.set()
        return number

    assert sorted(in_parallel(work, [0, 1, 2], 2, gate.set)) == [0, 1, 2]
    assert list(in_parallel(work, [], 2, gate.set)) == []


def test_error_of_a_call_interrupts_the_others() -> None:
    gate = threading.Event()

    def work(number: int) -> None:
        if number:
            raise PlayerFault("broken")
        gate.wait(60)

    with pytest.raises(PlayerFault, match="broken"):
        list(in_parallel(work, [0, 1], 2, gate.set))
    assert gate.is_set()
