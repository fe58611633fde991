"""Damaged books of every format: an error that names the file, or fewer moves; never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.foreign_books import usual_book

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import FORMATS, convert, read_moves, write_moves
from bookbuilder.book.formats.walk import follow
from bookbuilder.errors import BookError, FormatError, SchemaError

CASES = [
    (game, each.name)
    for game in ("chess", "xiangqi")
    for each in FORMATS.values()
    if game in each.games and each.read is not None
]
CUTS = 50
CHANGES = 60


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound book."""
    game, name = request.param
    path = tmp_path_factory.mktemp("sound") / f"{game}{FORMATS[name].suffix}"
    write_moves(path, usual_book(game))
    return path


def read_damaged(path: Path) -> MoveBook | None:
    """What can be read of a file; None if it was refused with an error that names it."""
    try:
        return read_moves(path)
    except (FormatError, BookError, SchemaError) as error:
        told = str(error)
    assert str(path) in told
    assert len(told) > len(str(path)) + 10
    return None


def test_truncated_file_is_refused_or_read_partly(sound: Path, tmp_path: Path) -> None:
    whole, content = read_moves(sound), sound.read_bytes()
    path = tmp_path / sound.name
    outcomes = []
    for part in range(CUTS):
        cut = content[: len(content) * part // CUTS]
        path.write_bytes(cut)
        book = read_damaged(path)
        outcomes.append(book is None)
        if book is not None:
            assert len(book) <= len(whole)
            if len(book) < len(whole) and sound.suffix not in (".bin", ".csv"):
                assert book.lost, f"{len(cut)} of {len(content)} bytes: {len(book)} moves, and nothing told"
    assert outcomes[0]


def test_changed_bytes_are_refused_or_give_legal_moves(sound: Path, tmp_path: Path) -> None:
    content = sound.read_bytes()
    random_bytes = random.Random(7)
    path = tmp_path / sound.name
    refused = 0
    for _ in range(CHANGES):
        changed = bytearray(content)
        for _ in range(random_bytes.choice((1, 3, 40))):
            changed[random_bytes.randrange(len(changed))] = random_bytes.randrange(256)
        path.write_bytes(changed)
        book = read_damaged(path)
        if book is None:
            refused += 1
            continue
        assert not follow(book).illegal.size, "a move that no position allows was read"
    assert refused < CHANGES or sound.suffix in (".book", ".obk")


def test_damaged_file_converts_to_sound_file_or_nothing(sound: Path, tmp_path: Path) -> None:
    content = bytearray(sound.read_bytes())
    random_bytes = random.Random(11)
    for _ in range(12):
        content[random_bytes.randrange(len(content))] ^= 1 << random_bytes.randrange(8)
        path, target = tmp_path / sound.name, tmp_path / "out.csv"
        path.write_bytes(content)
        try:
            convert(path, target)
        except (FormatError, BookError, SchemaError):
            assert not target.exists()
            continue
        again = read_moves(target)
        game: bb.Game = "chess" if sound.stem == "chess" else "xiangqi"
        assert again.game == game
        target.unlink()
