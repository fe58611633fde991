"""The engine with endgame tables against perfect defence: it wins what is won and holds what is drawn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

import bookbuilder as bb
from bookbuilder import Position
from bookbuilder.engine.endgames import Metric
from bookbuilder.errors import FenError
from bookbuilder.games.position import Game

ATTACKERS = {"chess": "QRP", "xiangqi": "RCNP"}
MEN = {"chess": "QRBNP", "xiangqi": "RCNPAB"}


def classes(game: Game, men: int) -> list[str]:
    """All materials of three or four men, kings included, with an attacker or two minor men."""
    names = [f"K{one}vK" for one in MEN[game]]
    if men == 4:
        pairs = list(combinations_with_replacement(MEN[game], 2))
        names = [f"K{one}{other}vK" for one, other in pairs] + [f"K{one}vK{other}" for one, other in pairs]
    minor = ("KBBvK", "KBNvK", "KNNvK") if game == "chess" else ()
    return [name for name in names if set(name) & set(ATTACKERS[game]) or name in minor]


ADVISORS = (3, 5, 13, 21, 23)
ELEPHANTS = (2, 6, 18, 22, 26, 38, 42)


def square_of(letter: str, game: Game, chance: random.Random) -> int:
    """A square on which a man of the first side may stand."""
    if game == "chess":
        return chance.randrange(8, 56) if letter == "P" else chance.randrange(64)
    places = {
        "K": [9 * rank + file for rank in range(3) for file in (3, 4, 5)],
        "A": ADVISORS,
        "B": ELEPHANTS,
        "P": [at for at in range(27, 90) if at >= 45 or at % 9 % 2 == 0],
    }
    return chance.choice(places.get(letter, range(90)))


def random_positions(material: str, game: Game, truth: bb.Endgames) -> Iterator[Position]:
    """Random legal positions of a material, without end."""
    chance = random.Random(material)
    files, ranks = (8, 8) if game == "chess" else (9, 10)
    first, second = material.split("v")
    while True:
        board = {square_of(letter, game, chance): letter for letter in first}
        for letter in second:
            square = square_of(letter, game, chance)
            board[(ranks - 1 - square // files) * files + square % files] = letter.lower()
        if len(board) < len(first + second):
            continue
        rows = [
            "".join(board.get(files * rank + file, "1") for file in range(files)) for rank in range(ranks)
        ]
        fen = f"{'/'.join(reversed(rows))} {chance.choice('wb')} - - 0 1"
        try:
            position = Position(game, fen)
        except FenError:
            continue
        if position.verdict is None and truth.probe(position) is not None:
            yield position


def play(engine: bb.Engine, start: Position, truth: bb.Endgames, plies: int, nodes: int) -> str:
    """The result of the engine, which moves first, against perfect defence: won, thrown or open."""
    wdl = truth.find(start).wdl
    position, moves = start, list[str]()
    while position.verdict is None and len(moves) < plies:
        is_own = position.side == start.side
        move = (
            engine.search(start, moves=moves, nodes=nodes).move if is_own else truth.moves(position)[0].move
        )
        position = position.play(position.parse_move(move))
        moves.append(move)
        value = truth.probe(position)
        # Without a table the attackers are gone.
        if is_own and wdl > (0 if value is None else -value.wdl):
            return "thrown"
    return "won" if truth.find(position).dtm == 0 and truth.find(position).wdl == -1 else "open"


def check_class(material: str, game: Game, metric: Metric, count: int, folder: Path) -> None:
    bb.build_tables([material], folder / "dtm", game=game, verify=False)
    bb.build_tables([material], folder / metric, game=game, metric=metric, verify=False)
    truth = bb.Endgames(folder / "dtm")
    engine = bb.Engine(game, hash_mib=4, endgames=folder / metric)
    asked = 0
    for position in random_positions(material, game, truth):
        value = truth.find(position)
        if value.wdl < 0:
            continue
        engine.clear()
        result = play(engine, position, truth, 220 if value.wdl else 40, 2_000)
        assert result == ("won" if value.wdl else "open"), (position.fen, value, result)
        asked += 1
        if asked == count:
            return


METRICS = [(game, metric) for game in ("chess", "xiangqi") for metric in ("wld", "dtc", "dtm")]
METRICS.append(("chess", "dtz"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for tables."""
    return tmp_path_factory.mktemp("tables")


@pytest.mark.parametrize(("game", "metric"), METRICS)
def test_engine_wins_and_holds_with_three_men(game: Game, metric: Metric, folder: Path) -> None:
    for material in classes(game, 3):
        check_class(material, game, metric, 6, folder / game)


@pytest.mark.parametrize(("game", "material"), [("chess", "KBNvK"), ("chess", "KQvKR"), ("xiangqi", "KNvKA")])
def test_engine_wins_by_who_wins_alone(game: Game, material: str, folder: Path) -> None:
    check_class(material, game, "wld", 12, folder / game)


def test_search_with_a_clock_leaves_distances_to_the_next_move(tmp_path: Path) -> None:
    bb.build_tables(["KRvK"], tmp_path, game="chess", metric="wld", verify=False)
    bb.build_tables(["KRvK"], tmp_path / "dtm", game="chess", metric="dtm", verify=False)
    engine = bb.Engine("chess", hash_mib=4, endgames=tmp_path)
    start = Position("chess", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    assert engine.search(start, movetime_ms=1).move is not None
    # A search of fixed nodes waits until the distances are known.
    ranked = bb.Endgames(tmp_path / "dtm").moves(start)
    nearest = {each.move for each in ranked if each.plies == ranked[0].plies}
    assert engine.search(start, nodes=1).move in nearest


@pytest.mark.slow
@pytest.mark.parametrize(("game", "metric"), METRICS)
def test_engine_wins_and_holds_in_every_class(game: Game, metric: Metric, folder: Path) -> None:
    for material in classes(game, 3) + classes(game, 4):
        check_class(material, game, metric, 300, folder / game)


def test_search_that_ends_early_keeps_its_mate(folder: Path) -> None:
    bb.build_tables(["KQRvK"], folder / "mate", game="chess", metric="wld", verify=False)
    engine = bb.Engine("chess", hash_mib=4, endgames=folder / "mate")
    start = Position("chess", "2R5/8/8/8/4Q3/2K5/8/3k4 w - - 0 1")
    for nodes in range(1000, 8000, 500):
        engine.clear()
        found = engine.search(start, nodes=nodes)
        assert found.mate_in == 3
        after = start.play(start.parse_move(found.move or ""))
        assert engine.search(after, depth=4).mate_in == -2, (nodes, found.move)
