"""Tallies of real archives add up: the table does not depend on split, order or number of threads."""

from __future__ import annotations

import json
import random
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path

import pytest

import bookbuilder as bb
from bookbuilder.tally.store.layout import MANIFEST

pytestmark = pytest.mark.corpus


def store_parts(tally: bb.Tally, folder: Path) -> object:
    """Return names, sizes and digests of the files with the rows."""
    tally.save(folder)
    return json.loads((folder / MANIFEST).read_text())["parts"]


def same_rows(one: bb.Tally, other: bb.Tally) -> bool:
    """Return whether the rows are equal, column by column."""
    return bool(one.to_arrow().equals(other.to_arrow()))


def split(things: list[object], pieces: int, chance: random.Random) -> list[list[object]]:
    """Cut a list at random places."""
    cuts = [0, *sorted(chance.sample(range(1, len(things)), pieces - 1)), len(things)]
    return [things[start:end] for start, end in pairwise(cuts)]


@pytest.fixture(scope="module")
def whole_games(chess_file: Path) -> bb.Tally:
    """The tally of whole chess games, one thread."""
    return bb.Tally.from_archives(chess_file, jobs=1)


def test_result_does_not_depend_on_threads(whole_games: bb.Tally, chess_file: Path) -> None:
    assert bb.Tally.from_archives(chess_file, jobs=2) == whole_games


@pytest.mark.parametrize("pieces", [2, 5])
def test_pieces_of_a_chess_archive_add_up_to_the_whole(
    whole_games: bb.Tally, chess_games: list[bytes], tmp_path: Path, pieces: int
) -> None:
    chance = random.Random(pieces)
    tallies = []
    for number, games in enumerate(split(list(chess_games), pieces, chance)):
        path = tmp_path / f"{number}.pgn"
        path.write_bytes(b"".join(games))  # type: ignore[arg-type]
        tallies.append(bb.Tally.from_archives(path, jobs=1 + number % 2))
    chance.shuffle(tallies)
    together = reduce(add, tallies)
    assert same_rows(together, whole_games)
    assert together.games.num_rows == whole_games.games.num_rows
    assert store_parts(together, tmp_path / "pieces") == store_parts(whole_games, tmp_path / "whole")
