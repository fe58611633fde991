"""Changed bytes of a book: refused where they are read, or the same answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import run
from support.selections import LITERATURE

from bookbuilder.book.book import Book
from bookbuilder.book.merge import merge_books
from bookbuilder.engine.engine import Engine
from bookbuilder.errors import BookError
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

INDEX = range(64, 131_140)


@pytest.fixture(scope="module")
def sound(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Book:
    tally = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=12, limit=300)
    return Book.write(tmp_path_factory.mktemp("sound") / "a.book", select(tally, LITERATURE, min_win_rate=0))


def places(size: int) -> list[int]:
    """The bytes of the header and the last hundred, and some of the index and of all others."""
    rng = np.random.default_rng(28)
    behind = rng.choice(np.arange(INDEX.stop, size), 400, replace=False).tolist()
    return [*range(64), *rng.choice(np.array(INDEX), 60).tolist(), *behind, *range(size - 100, size)]


def test_a_changed_byte_is_refused_or_gives_the_same(sound: Book, tmp_path: Path) -> None:
    content = sound.path.read_bytes()
    damaged = tmp_path / "damaged.book"
    reads = {
        "show": lambda book: book.moves("startpos").to_csv(),
        "dump": lambda book: book.to_pandas().to_csv(),
        "recipe": lambda book: book.recipe,
    }
    expected = {name: read(sound) for name, read in reads.items()}
    assert sound.info["format_version"] == 1
    refused: Counter[str] = Counter()
    for place in places(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        damaged.write_bytes(changed)
        try:
            book = Book.open(damaged)
        except BookError:
            refused["open"] += 1
            continue
        for name, read in reads.items():
            try:
                assert read(book) == expected[name], (name, place)
            except BookError:
                refused[name] += 1
        with pytest.raises(BookError):
            merge_books(tmp_path / "merged.book", [book])
        with pytest.raises(BookError):
            Engine("chess").load_book(book, "hints")
    assert set(refused) == {"open", *reads}, refused


def test_commands_refuse_a_changed_record(sound: Book, tmp_path: Path) -> None:
    content = bytearray(sound.path.read_bytes())
    # Every record is changed, so each command touches one.
    for place in range(INDEX.stop + 60 + 11, INDEX.stop + 60 + 12 * len(sound), 12):
        content[place - 8] ^= 1
    damaged, other = tmp_path / "damaged.book", sound.path
    damaged.write_bytes(content)
    for command in (
        ["show", damaged],
        ["book", "merge", damaged, other, "-o", tmp_path / "merged.book"],
        ["book", "convert", damaged, tmp_path / "a.bin"],
        ["engine", "search", "--book", damaged, "--depth", 1],
    ):
        ran = run(*command)
        assert ran.code == 3, (command, ran.out)
        assert "checksum" in ran.err, command
    assert list(tmp_path.iterdir()) == [damaged]
