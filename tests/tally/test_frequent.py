"""A tally of frequent positions has the rows of those positions, and the numbers of all others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bookbuilder.archives.demo import demo
from bookbuilder.columns import column_of
from bookbuilder.errors import StoreError
from bookbuilder.games.position import Game
from bookbuilder.selection.candidates import group_starts
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.tally import Tally


def counted(kind: str, game: Game, folder: Path) -> Tally:
    """A tally of the demo: of a run in memory, of a table, of a store, or of a store with facets."""
    archives = demo(game)
    if kind == "facets":
        grow(folder / "a.store", archives, TallyOptions(game=game, max_ply=12, facets=("year",)))
        return Tally.open(folder / "a.store")
    tally = Tally.from_archives(*archives, max_ply=12)
    if kind == "table":
        return Tally(tally.to_arrow(), tally.options, games=tally.games)
    return Tally.open(tally.save(folder / "a.store")) if kind == "store" else tally


def expected(tally: Tally, least: int) -> tuple[pa.Table, Counter[tuple[bool, int, int]], int]:
    """Rows of frequent positions, kinds of the other rows, and the number of the other positions."""
    starts = group_starts(tally.column("key"), tally.column("lock"))
    games = np.add.reduceat(tally.column("games"), starts)
    often = np.repeat(games >= least, np.diff(starts, append=len(tally)))
    rest = [tally.column(name)[~often].tolist() for name in ("move", "mover", "ply")]
    kinds = Counter((move != 0, mover, ply) for move, mover, ply in zip(*rest, strict=True))
    return tally.to_arrow().filter(column_of(often)), kinds, int(np.count_nonzero(games < least))


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
@pytest.mark.parametrize("kind", ["run", "table", "store", "facets"])
def test_rows_of_frequent_positions_and_numbers_of_others(kind: str, game: Game, tmp_path: Path) -> None:
    tally = counted(kind, game, tmp_path)
    for least in (1, 2, 5, 10**9):
        rows, kinds, positions = expected(tally, least)
        found = tally.frequent(least)
        assert found.rare is not None
        assert found.to_arrow().equals(rows)
        assert found.rare.rows == kinds
        assert found.rare.positions.total() == positions
        assert len(found) + found.rare.rows.total() == len(tally)
        assert found.game_count == tally.game_count
        assert found.games.equals(tally.games)
        assert (found.sources, found.report) == (tally.sources, tally.report)


def test_refuses_what_needs_all_rows(tmp_path: Path) -> None:
    tally = counted("run", "chess", tmp_path)
    often = tally.frequent(2)
    for use in (
        lambda: often.save(tmp_path / "b.store"),
        lambda: often + tally,
        lambda: tally + often,
        lambda: often.add_archives(*demo("chess")),
        lambda: often.frequent(1),
        lambda: often.frequent(2, also={(1, 2)}),  # the rows in memory are not held
    ):
        with pytest.raises(StoreError, match="lacks positions of fewer than 2 games"):
            use()
    assert not (tmp_path / "b.store").exists()


def test_further_positions_are_added(tmp_path: Path) -> None:
    tally = counted("store", "chess", tmp_path)
    keys, locks = (tally.column(name).tolist() for name in ("key", "lock"))
    places = set(list(zip(keys, locks, strict=True))[::97])
    at_once, later = tally.frequent(3, also=places), tally.frequent(3).frequent(3, also=places)
    assert later.to_arrow().equals(at_once.to_arrow())
    assert later.rare == at_once.rare
