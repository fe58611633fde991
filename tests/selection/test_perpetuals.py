"""Cycles of moves are found, and the moves that lose by repetition are dropped."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE, LITERATURE

from bookbuilder._core import NOWHERE, Position
from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.archives.write import write_archive
from bookbuilder.book.book import Book
from bookbuilder.errors import SelectionError
from bookbuilder.games.ruling import judge
from bookbuilder.selection.explain import explain
from bookbuilder.selection.graph import Graph, tally_graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.perpetuals import cycles_of
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

# Both chariots go one step aside and come back.
OPENING = "h0g2 h9g7"
CIRCLE = ("i0h0", "i9h9", "h0i0", "h9i9")


def archive(path: Path, lines: list[str]) -> Path:
    """An archive of the lines, drawn games of xiangqi."""
    with path.open("wb") as stream:
        games = [
            PlayedGame(
                game="xiangqi", event="t", date="2001.01.01", number=number, first="A", second="B",
                result="1/2-1/2", moves=tuple(line.split()),
            )
            for number, line in enumerate(lines, start=1)
        ]  # fmt: skip
        write_archive(stream, ".zip", "xiangqi", games)
    return path


@pytest.fixture(scope="module")
def tally(tmp_path_factory) -> Tally:
    """Games with a cycle of four positions, and a side line."""
    around = " ".join(CIRCLE)
    lines = [
        f"{OPENING} g3g4",
        f"{OPENING} {CIRCLE[0]} {CIRCLE[1]} g3g4",
        f"{OPENING} {around} {CIRCLE[0]} {CIRCLE[1]}",
        f"{OPENING} {CIRCLE[0]} g6g5",
        f"{OPENING} {CIRCLE[0]} {CIRCLE[1]} {CIRCLE[2]}",
        f"{OPENING} {CIRCLE[0]} {CIRCLE[1]} {CIRCLE[2]} {CIRCLE[3]}",
    ]
    return Tally.from_archives(archive(tmp_path_factory.mktemp("a") / "g.zip", lines))


def steps(graph: Graph, positions: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The rows that lead to one of these positions."""
    rows = graph.child != NOWHERE
    rows[rows] = positions[graph.child[rows]]
    return rows


def test_each_cycle_is_found_once(tally) -> None:
    graph = tally_graph(tally)
    everything = np.ones(graph.positions, dtype=bool)
    (cycle,) = cycles_of(graph, steps(graph, everything))
    assert len(cycle.rows) == 4
    assert [int(graph.child[row]) for row in cycle.rows] == [*cycle.positions[1:], cycle.positions[0]]
    for position in cycle.positions:
        without = everything.copy()
        without[position] = False
        assert cycles_of(graph, steps(graph, without)) == []


@pytest.mark.parametrize("loser", ["first", "second"])
def test_rarest_move_of_the_loser_is_dropped(tally, loser) -> None:
    asked = set()

    def judge(position: Position, moves: tuple[str, ...]) -> str:
        asked.add(moves)
        here = position
        for move in moves:
            here = here.play(here.parse_move(move))
        assert here == position
        return loser

    loose = select(tally, LITERATURE, min_win_rate=0)
    safe = select(tally, LITERATURE, min_win_rate=0, repetition=judge)
    assert len(asked) == 1
    assert safe.reasons()["repetition"] == 1
    dropped = safe.to_pandas()[lambda frame: frame.reason == "repetition"].iloc[0]
    assert dropped["side"] == ["first", "second"].index(loser)
    graph = tally_graph(tally)
    (cycle,) = cycles_of(graph, steps(graph, np.asarray(loose.table.column("kept"))))
    rivals = [row for row in cycle.rows if tally.column("mover")[row] == dropped["side"]]
    fewest = min(tally.column("games")[row] for row in rivals)
    (mine,) = [
        row for row in rivals if loose.table.column("key")[int(graph.child[row])].as_py() == dropped["key"]
    ]
    assert tally.column("games")[mine] == fewest
    assert cycles_of(graph, steps(graph, np.asarray(safe.table.column("kept")))) == []
    # As moves: the same move of the same position goes, and nothing else.
    moves = select(tally, LITERATURE, min_win_rate=0, repetition=judge, shape="moves").to_pandas()
    (gone,) = np.flatnonzero(moves["reason"] == "repetition").tolist()
    assert gone == mine


def test_cycles_without_a_loser_are_kept(tally) -> None:
    # The rule needs the graph, which drops positions that counted moves do not lead to.
    loose = select(tally, LITERATURE, min_win_rate=0, repetition=lambda position, moves: None)
    assert "repetition" not in loose.reasons()
    # The horses and chariots of the circle threaten nothing.
    assert select(tally, LITERATURE, min_win_rate=0, repetition="axf").table.equals(loose.table)
    with pytest.raises(SelectionError, match="only the codes can be repeated"):
        SelectionOptions.from_json({"repetition": "function judge"})
    with pytest.raises(SelectionError, match="expected a function or one of axf, cxa"):
        select(tally, LITERATURE, repetition="fide")


# Red's chariot takes an advisor with check, steps to and fro with check, and Black's general with it.
CHECKS = "a0a1 b9c7 a1d1 h9g7 d1d9 e9e8 d9d8 e8e9 d8d9"


@pytest.mark.parametrize("shape", ["positions", "moves"])
def test_rarest_move_of_a_perpetual_check_is_dropped(tmp_path, shape) -> None:
    verdict = judge("xiangqi", moves=f"{CHECKS} e9e8 d9d8 e8e9 d8d9 e9e8".split())
    assert (verdict.reason, verdict.loser) == ("perpetual-check", "first")
    start = CHECKS.split()
    lines = [CHECKS, f"{CHECKS} e9d9", *(" ".join(start[:8]),) * 2, " ".join([*start[:6], "d9d7"])]
    tally = Tally.from_archives(archive(tmp_path / "g.zip", lines))
    chosen = select(tally, LITERATURE, min_win_rate=0, repetition="axf", shape=shape)
    assert chosen.reasons()["repetition"] == 1
    here = Position("xiangqi")
    for move in start[:8]:
        here = here.play(here.parse_move(move))
    # d8d9 is of two games, d9d8 of four; d1d9, which leads to the same position, is gone with it.
    (row,) = explain(tally, chosen, here).to_dict("records")
    assert (row["move"], row["kept"], row["reason"]) == ("d8d9", False, "repetition")
    assert row["why"] == "its side would lose a perpetual by it (axf)"
    for rule in ("check-only", "cxa"):
        judged = select(tally, LITERATURE, min_win_rate=0, repetition=rule, shape=shape)
        assert judged.reasons()["repetition"] == 1
    unjudged = select(tally, LITERATURE, min_win_rate=0, repetition="none", shape=shape)
    assert "repetition" not in unjudged.reasons()
    book = tmp_path / f"{shape}{'.book' if shape == 'positions' else '.dat'}"
    options = (*ABSOLUTE, "--min-win-rate", 0, "--repetition-safe", "--json", "--quiet")
    ran = run("build", tmp_path / "g.zip", "-o", book, *options)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["verdicts"]["repetition"] == 1
    if shape == "positions":
        assert Book.open(book).recipe["selection"]["repetition"] == "axf"
        assert run("build", "--recipe", book, "-o", tmp_path / "b.book", "--quiet").code == 0
        assert (tmp_path / "b.book").read_bytes() == book.read_bytes()


def test_chess_repetition_drops_nothing(tmp_path) -> None:
    game = tmp_path / "a.pgn"
    shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"
    ends = ("3. Nf3 d5 4. Ng1", "3. Nf3 Nf6 4. e4", "3. Nf3 Nf6 4. Ng1 d5", "3. e4")
    lines = [shuffle, *(f"{shuffle.partition(' 3.')[0]} {end}" for end in ends)]
    game.write_text("".join(f'[Result "1-0"]\n\n{line} 1-0\n\n' for line in lines), encoding="ascii")
    tally = Tally.from_archives(game)
    assert cycles_of(tally_graph(tally), np.ones(len(tally), dtype=bool))
    for shape in ("positions", "moves"):
        chosen = select(tally, LITERATURE, min_win_rate=0, shape=shape, repetition="axf")
        assert "repetition" not in chosen.reasons()
