"""Files with random changes: our own are refused or give the same answers; foreign ones never crash."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import chess
import pytest
from support.cli_runner import run
from support.mutations import mutated

import bookbuilder as bb
from bookbuilder.book.formats.registry import read_moves
from bookbuilder.errors import BookBuilderError
from bookbuilder.journal import read_journal

FEW = 60
MANY = int(os.environ.get("MUTATIONS", "10000"))
POSITIONS = 300


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        name: of the file, or a pattern of it, below the folder of files.
        read: returns its answers, from the file or from the folder that it is in.
        is_checked: whether the file tells that it was changed.
    """

    name: str
    read: Callable[[Path], Any]
    is_checked: bool


def of_book(path: Path) -> Any:
    book = bb.Book.open(path)
    return book.to_arrow(), dict(book.recipe), dict(book.info)


def of_store(path: Path) -> Any:
    tally = bb.Tally.open(path.parent)
    return tally.to_arrow(), tally.sources, tally.options, tally.games


def of_tables(path: Path) -> Any:
    return bb.Endgames(path.parent).probe_all(rook_endings())


@cache
def rook_endings() -> list[str]:
    """Some positions of a king and a rook against a king."""
    rng, found = random.Random(28), []
    while len(found) < POSITIONS:
        board = chess.Board(None)
        for square, piece in zip(rng.sample(range(64), 3), "KRk", strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            found.append(board.fen())
    return found


KINDS = {
    "book": Kind("chess.book", of_book, is_checked=True),
    "manifest": Kind("chess.store/manifest.json", of_store, is_checked=True),
    "part": Kind("chess.store/part-*.parquet", of_store, is_checked=True),
    "games": Kind("chess.store/games-*.parquet", of_store, is_checked=True),
    "evaluations": Kind("chess.evals", lambda path: bb.Evals.read(path).table, is_checked=True),
    "growth": Kind("g.csv.growth", lambda path: read_journal(path)[:2], is_checked=True),
    "endgames": Kind("tables/KRvK.*", of_tables, is_checked=True),
    "edits": Kind("chess.edits", bb.MoveEdits.read, is_checked=False),
    **{
        suffix: Kind(f"{game}.{suffix}", lambda path: read_moves(path).table, is_checked=False)
        for suffix, game in (
            *((each, "chess") for each in ("bin", "abk", "csv")),
            *((each, "xiangqi") for each in ("obk", "dat")),
        )
    },
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of each kind."""
    folder = tmp_path_factory.mktemp("files")
    # Readers of xiangqi books look positions up ply by ply, which takes most of the time of a small book.
    for game, plies in (("chess", 8), ("xiangqi", 4)):
        tally = bb.Tally.from_archives(*bb.demo(game), max_ply=plies)
        tally.save(folder / f"{game}.store")
        bb.write_book(bb.select(tally, min_games=2), folder / f"{game}.book")
        own = ("bin", "abk", "csv") if game == "chess" else ("obk", "dat")
        for suffix in own:
            bb.write_book(bb.select(tally, min_games=2), folder / f"{game}.{suffix}")
    edits = bb.MoveEdits("chess")
    for move in ("e4", "g4"):
        edits = edits.added(bb.MoveEdit(position="startpos", move=move, keep=True, mark="!?", comment="own"))
    edits.write(folder / "chess.edits")
    store = folder / "chess.store"
    asked = ("--nodes", 50, "-q")
    for command in (
        ("evaluate", store, "--positions", 20, "-o", folder / "chess.evals"),
        ("book", "grow", store, "--searches", 20, "-o", folder / "g.csv"),
    ):
        assert run(*command, *asked).code == 0
    bb.build_tables(["KRvK"], folder / "tables")
    return folder


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_changed_file_is_refused_or_the_same(files: Path, tmp_path: Path, kind: Kind, count: int) -> None:
    [source] = files.glob(kind.name)
    if source.parent == files:
        target = tmp_path / source.name
    else:
        target = shutil.copytree(source.parent, tmp_path / source.parent.name) / source.name
    content = source.read_bytes()
    target.write_bytes(content)
    sound = kind.read(target)
    refused = 0
    for number, changed in enumerate(mutated(content, count, seed=28)):
        target.write_bytes(changed)
        try:
            answer = kind.read(target)
        except (BookBuilderError, OSError):
            refused += 1
            continue
        assert not kind.is_checked or is_same(answer, sound), f"change {number}"
    assert refused or not kind.is_checked
    print(json.dumps({"file": kind.name, "changes": count, "refused": refused}))


def is_same(answer: Any, sound: Any) -> bool:
    """Whether a file gives the same answers; a log may have ended earlier."""
    if isinstance(sound, tuple) and not hasattr(sound, "_fields"):
        return len(answer) == len(sound) and all(map(is_same, answer, sound))
    if isinstance(sound, list):
        return bool(answer == sound[: len(answer)])
    return bool(answer.equals(sound)) if hasattr(sound, "equals") else bool(answer == sound)
