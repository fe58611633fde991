"""No reader and no command is worse than linear in the size of its input, whatever its shape.

CPU time is compared between sizes of one shape. Start and imports are not in it: commands run in the process
of the test. A quadratic step takes 64 times as long for 8 times the size; the law allows 20 times. To count
instructions would be exact, but takes fifty times as long.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Final

import pytest
from support.cli_runner import run

MB: Final = 1_000_000
SLACK: Final = 2.5
"""By how much more than the input the time may grow: short runs are noisy."""
NOISE: Final = 0.05
"""CPU seconds that caches, collections of garbage and first calls may cost."""
TAGS: Final = '[Event "x"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
GAME: Final = f"{TAGS}1. e4 e5 2. Nf3 Nc6 1-0\n\n"
SHUFFLE: Final = "Nf3 Nf6 Ng1 Ng8 "
XIANGQI: Final = '[Game "Chinese Chess"]\n[Event "x"]\n[Result "1-0"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 1-0\n\n'

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"

Shape = Callable[[int], str]


def repeated(piece: str, before: str = "", behind: str = "") -> Shape:
    """Return a shape: a text of a size, filled with a piece."""
    return lambda size: before + piece * ((size - len(before) - len(behind)) // len(piece)) + behind


def nested(size: int) -> str:
    """Return a game of variations, each in the one before."""
    depth = size // 10
    return f"{TAGS}1. e4 e5 {'(1... e5 ' * depth}{')' * depth} 2. Nf3 *\n\n"


SHAPES: Final[dict[str, Shape]] = {
    "games on one line": repeated('[Event "x"] [White "A"] [Result "1-0"]  1. e4 e5 2. Nf3 1-0  '),
    "moves on one line": repeated("1. e4 e5 2. Nf3 1-0 "),
    "one game on one line": repeated(SHUFFLE, TAGS + "1. ", "1-0\n\n"),
    "one game": repeated(SHUFFLE + "\n", TAGS, "1-0\n\n"),
    "tiny games": repeated(GAME),
    "only tags": repeated('[Tag "x"]\n'),
    "only event tags": repeated('[Event "x"]\n'),
    "open tags": repeated('[Event "', GAME),
    "only comments": repeated("{ [%eval 0.3] } ", TAGS + "1. e4 ", "*\n\n"),
    "an open comment": repeated("x 1-0 [Event { ; ", GAME + TAGS + "1. e4 {"),
    "comments to the end of line": repeated("; x (\n", TAGS + "1. e4 "),
    "nested variations": nested,
    "open variations": repeated("(", GAME + TAGS + "1. e4 e5 "),
    "closed variations": repeated(")", GAME + TAGS + "1. e4 e5 "),
    "short variations": repeated("(1. d4 d5) ", TAGS + "1. e4 ", "*\n\n"),
    "glyphs and numbers": repeated("$1 1. ... ", TAGS + "1. e4 ", "*\n\n"),
    "one word": repeated("e", TAGS),
    "results": repeated("1-0 ", TAGS),
    "blank lines": repeated("\n", GAME),
    "blank space": repeated(" ", GAME),
    "lines with CR alone": lambda size: repeated(GAME)(size).replace("\n", "\r"),
    "escapes in a tag": repeated('\\"', '[Event "'),
    "letters of three bytes": repeated("马", GAME + TAGS + "1. e4 {"),
    "xiangqi": repeated(XIANGQI),
    "xiangqi on one line": lambda size: repeated(XIANGQI)(size).replace("\n", " "),
    "coordinates": repeated("h2e2h9g7h0g2i9h9\n"),
    "coordinates on one line": repeated("h2e2h9g7h0g2g7h9g2h0e2h2"),
    "DhtmlXQ": repeated("[DhtmlXQ]\n[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n"),
    "open DhtmlXQ": repeated("[DhtmlXQ_movelist]", "[DhtmlXQ]\n[DhtmlXQ_title]x"),
}
OF_FILES: Final = {name for name in SHAPES if name.startswith(("coordinates", "DhtmlXQ", "open DhtmlXQ"))}
"""Formats whose games have a file each."""
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "count": ("games", "count", "IN"),
    "list": ("games", "list", "IN", "--json"),
    "check": ("games", "check", "IN"),
    "filter": ("games", "filter", "IN", "-o", "OUT.SUFFIX", "--dedupe", "exact", "--force"),
    "convert": ("games", "convert", "IN", "-o", "OUT.pgn", "--force"),
    "tally": ("tally", "IN", "-o", "OUT.store", "--force"),
    "build": ("build", "IN", "-o", "OUT.book", "--force"),
    "show": ("show", "IN"),
    "calibrate": ("calibrate", "IN", "--min-games", "1", "--split", "games"),
}
TABLES: Final[dict[str, tuple[str, Shape]]] = {
    "games": ("pgn", repeated(GAME)),
    "csv": ("csv", repeated(f"{START} 0 1,e2e4,1\n", "fen,move,weight\n")),
    "csv on one line": ("csv", repeated("fen,")),
    "csv in quotes": ("csv", repeated('""', 'fen,move,weight\n"')),
}
"""Tables of moves: they are read by `book convert`."""


def cpu_seconds(words: list[str]) -> float:
    """Return the CPU time of a command, which may refuse its input."""
    gc.collect()
    started = time.process_time()
    assert run(*words, "--quiet").code in (0, 1, 3)
    return time.process_time() - started


def check_growth(words: list[str], path: Path, shape: Shape, sizes: tuple[int, ...]) -> list[float]:
    """Check that the time grows with the size and no faster; a noisy run gets a second chance."""
    found: list[float] = []
    for size in sizes:
        path.write_bytes(shape(size).encode())
        for chance in (1, 2):
            seconds = cpu_seconds(words)
            if not found or seconds < SLACK * size / sizes[0] * (found[0] + NOISE):
                break
            assert chance == 1, f"{size} bytes: {seconds:.2f} s, {sizes[0]} bytes: {found[0]:.2f} s"
        found.append(seconds)
    return found


SIZES: Final = [
    pytest.param((MB // 8, MB), id="1 MB"),
    pytest.param((MB, 2 * MB, 4 * MB, 8 * MB), id="8 MB", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_commands_on_texts_take_linear_time(shape: str, sizes: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / "in.pgn"
    for name, command in COMMANDS.items():
        suffix = "pgn" if shape not in OF_FILES else "zip"
        places = {"OUT": f"{tmp_path}/out", "SUFFIX": suffix, "IN": str(path)}
        words = [
            reduce(lambda text, name: text.replace(name, places[name]), places, word) for word in command
        ]
        found = check_growth(words, path, SHAPES[shape], sizes)
        print(f"FIGURE {shape}, {name}: {' '.join(f'{seconds:.2f}' for seconds in found)} s")


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("table", TABLES)
def test_readers_of_tables_take_linear_time(table: str, sizes: tuple[int, ...], tmp_path: Path) -> None:
    suffix, shape = TABLES[table]
    path = tmp_path / f"in.{suffix}"
    words = ["book", "convert", str(path), f"{tmp_path}/out.bin", "--force"]
    found = check_growth(words, path, shape, sizes)
    print(f"FIGURE {table}: {' '.join(f'{seconds:.2f}' for seconds in found)} s")
