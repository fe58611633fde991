"""The default book of real games keeps the moves that are played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bookbuilder import Tally, select
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.select import Selection

pytestmark = pytest.mark.corpus

Move = tuple[int, int, int]


def main_moves(tally: Tally, *, of_games: int | None = None) -> set[Move]:
    """Return the moves in 10 % of the games at their positions, in the first nine plies.

    Positions of 1 % of all games, or of this number of games that moved on.
    """
    graph, games, move = tally_graph(tally), tally.column("games").astype(np.int64), tally.column("move")
    reached = np.add.reduceat(games, graph.starts)[graph.parent]
    moved = np.add.reduceat(np.where(move, games, 0), graph.starts)[graph.parent]
    is_main = (move != 0) & (tally.column("ply") < 9) & (10 * games >= moved)
    is_main &= 100 * reached >= tally.game_count if of_games is None else moved >= of_games
    rows = np.flatnonzero(is_main).tolist()
    columns = [tally.column(name) for name in ("key", "lock", "move")]
    return {tuple(int(column[row]) for column in columns) for row in rows}


def lacking(moves: set[Move], chosen: Selection) -> int:
    """Return the number of moves that a book lacks, where it has others."""
    kept = chosen.kept()
    have = set(zip(*(kept.column(name).to_pylist() for name in ("key", "lock", "move")), strict=True))
    places = {each[:2] for each in have}
    return sum(each[:2] in places for each in moves - have)


@pytest.mark.parametrize(("games", "share"), [(2_000, 0.025), (12_000, 0.005), (None, 0.005)])
def test_main_moves_are_in_the_book(players_archive: Path, games: int | None, share: float) -> None:
    tally = Tally.from_archives(players_archive, max_ply=40, limit=games)
    moves = main_moves(tally)
    assert len(moves) > 100
    assert lacking(moves, select(tally, shape="moves")) <= share * len(moves)


def test_main_moves_of_one_player_are_in_the_book(players_archive: Path) -> None:
    tally = Tally.from_archives(players_archive, max_ply=40, limit=2_000)
    moves = main_moves(tally, of_games=50)
    assert len(moves) > 100
    assert lacking(moves, select(tally, shape="moves")) <= 3


def test_few_games_of_a_player_give_his_moves(corpus: Path) -> None:
    archive = corpus / "data" / "chess" / "lichess_magnus_online.pgn.zst"
    few = select(Tally.from_archives(archive, max_ply=40, limit=20), shape="moves").kept()
    assert set(few.column("side").to_pylist()) == {0, 1}
    tally = Tally.from_archives(archive, max_ply=40, limit=100)
    first = tally.moves("startpos").iloc[0]["code"]
    start = select(tally, shape="moves").kept().to_pandas().query("ply == 1")
    assert first in set(start["move"])
