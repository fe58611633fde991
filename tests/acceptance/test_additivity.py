"""Tallies of real archives add up: the table does not depend on split, order or number of threads."""

from __future__ import annotations

import io
import json
import random
import tarfile
import zipfile
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path

import numpy as np
import pytest

import bookbuilder as bb
from bookbuilder.tally.store.layout import MANIFEST

pytestmark = pytest.mark.corpus

XQF_SAMPLE = 9_000

Members = list[tuple[str, bytes]]


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


@pytest.mark.parametrize("pieces", [2, 3, 4, 5])
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


def test_result_does_not_depend_on_grouping_or_order(chess_games: list[bytes], tmp_path: Path) -> None:
    tallies = []
    for number in range(4):
        path = tmp_path / f"{number}.pgn"
        path.write_bytes(b"".join(chess_games[number::4]))
        tallies.append(bb.Tally.from_archives(path, max_ply=40))
    a, b, c, d = tallies
    together = bb.Tally.from_archives(tmp_path, max_ply=40)
    assert ((a + b) + c) + d == (d + c) + (b + a) == a + (c + (d + b)) == together
    grown = a.add_archives(tmp_path)
    assert grown == together
    assert grown.report is not None
    assert grown.report.skipped == (str(tmp_path / "0.pgn"),)


@pytest.fixture(scope="module")
def xqf_members(xqf_archive: Path) -> Members:
    """A part of the XQF archive in random order: names and bytes."""
    with tarfile.open(xqf_archive) as archive:
        members = [
            (entry.name, stream.read())
            for entry in archive
            if (stream := archive.extractfile(entry)) is not None
        ]
    return random.Random(1).sample(members, XQF_SAMPLE)


def as_tar(path: Path, members: Members) -> Path:
    """Write members as a tar file, compressed."""
    with tarfile.open(path.with_suffix(".tar.gz"), "w:gz", compresslevel=1) as archive:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path.with_suffix(".tar.gz")


def as_zip(path: Path, members: Members) -> Path:
    """Write members as a zip file."""
    with zipfile.ZipFile(path.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path.with_suffix(".zip")


def as_directory(path: Path, members: Members) -> Path:
    """Write members as files below a directory."""
    for name, content in members:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


@pytest.fixture(scope="module", params=[True, False], ids=["folded", "unfolded"])
def whole_xqf(
    request: pytest.FixtureRequest, xqf_members: Members, tmp_path_factory: pytest.TempPathFactory
) -> bb.Tally:
    """The tally of the members in one tar file, set-up starts included."""
    path = as_tar(tmp_path_factory.mktemp("xqf") / "whole", xqf_members)
    return bb.Tally.from_archives(path, custom_starts=True, fold=request.param, jobs=1)


@pytest.mark.parametrize("form", [as_tar, as_zip, as_directory])
def test_parts_of_the_xqf_archive_add_up_to_the_whole(
    whole_xqf: bb.Tally, xqf_members: Members, tmp_path: Path, form: Callable[[Path, Members], Path]
) -> None:
    chance = random.Random(2)
    # Directories have fewer files, because each file is a source.
    one = [member for member in xqf_members if chance.random() < 0.3]
    names = {name for name, _ in one}
    other = [member for member in xqf_members if member[0] not in names]
    fold = whole_xqf.options.fold
    first, second = (
        bb.Tally.from_archives(write(tmp_path / name, members), custom_starts=True, fold=fold)
        for name, members, write in (("one", one, form), ("other", other, as_zip))
    )
    together = second + first
    assert first.games.num_rows > 0
    assert same_rows(together, whole_xqf)
    prints, all_prints = (np.sort(each.games.column("fingerprint")) for each in (together, whole_xqf))
    assert np.array_equal(prints, all_prints)
    assert first.rejects.num_rows + second.rejects.num_rows == whole_xqf.rejects.num_rows
