"""The chess tally against polyglot's own book of the same games: every difference is explained.

Polyglot adds 2 for a win of the mover and 1 for a draw or an unknown result each time a move is played, so
its weight is 2·wins + draws + unknown. Two things differ, and both are computed here from the games:

* it counts a repeated position of a game each time; the tally counts it once, with its first move;
* it drops entries whose weight is 0.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import bookbuilder as bb

pytestmark = pytest.mark.corpus

PLIES = 30  # as the tally of the fixture
POLYGLOT = shutil.which("polyglot") or "/usr/games/polyglot"
ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
# At this count polyglot halves the counts of a position.
COUNT_MAX = 16_384
WEIGHTS = {b"1-0": (2, 0), b"0-1": (0, 2)}

Entries = dict[tuple[int, int], int]
"""(key, move code) → weight."""


@pytest.fixture(scope="module")
def polyglot_book(chess_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book that polyglot makes of the games."""
    book = tmp_path_factory.mktemp("polyglot") / "sample.bin"
    options = ["-max-ply", str(PLIES), "-min-game", "1"]
    subprocess.run(
        [POLYGLOT, "make-book", "-pgn", str(chess_file), "-bin", str(book), *options],
        check=True,
        cwd=book.parent,
        stdout=subprocess.DEVNULL,
    )
    return book


def entries_of(book: Path) -> npt.NDArray[np.void]:
    """The entries of a Polyglot book: 16 bytes each, big-endian."""
    return np.frombuffer(book.read_bytes(), ENTRY)


def weights_of(tally: bb.Tally) -> Entries:
    """Return polyglot's weights if each game counted once in each position."""
    columns = {name: tally.column(name).tolist() for name in ("key", "move", "mover", "games", "draws")}
    wins = np.where(
        tally.column("mover") == 0, tally.column("first_wins"), tally.column("second_wins")
    ).tolist()
    known = (tally.column("first_wins") + tally.column("draws") + tally.column("second_wins")).tolist()
    rows = zip(columns["key"], columns["move"], columns["games"], columns["draws"], wins, known, strict=True)
    return {(key, move): 2 * w + d + games - n for key, move, games, d, w, n in rows if move != 0}


def repetitions(games: list[bytes]) -> Counter[tuple[int, int]]:
    """Return the weights of all repeated positions of the games, except their first occurrence."""
    twice: Counter[tuple[int, int]] = Counter()
    for game in games:
        tags, text = game.split(b"\r\n\r\n", 1)
        moves = re.sub(r"\d+\.+", " ", text.decode("latin-1")).split()[:-1][:PLIES]
        position = bb.Position("chess")
        line: list[tuple[int, int]] = []
        for san in moves:
            code = position.parse_move(san)
            line.append((position.key, code))
            position = position.play(code)
        keys = [key for key, _ in line] + [position.key]
        if len(set(keys)) == len(keys):
            continue
        result = re.search(rb'\[Result "([^"]*)"', tags)
        weights = WEIGHTS.get(result[1] if result else b"", (1, 1))
        for ply, row in enumerate(line):
            if row[0] in keys[:ply]:
                twice[row] += weights[ply % 2]
    return twice


def test_polyglot_book_entries_equal_our_counts(
    polyglot_book: Path, chess_tally: bb.Tally, chess_games: list[bytes]
) -> None:
    assert int(chess_tally.column("games").max()) < COUNT_MAX
    ours, twice = weights_of(chess_tally), repetitions(chess_games)
    entries = entries_of(polyglot_book)
    rows = zip(entries["key"].tolist(), entries["move"].tolist(), entries["weight"].tolist(), strict=True)
    theirs: Entries = {(key, move): weight for key, move, weight in rows}
    assert len(theirs) == len(entries) > 200_000
    expected = Counter(ours)
    expected.update(twice)
    assert theirs == dict(+expected)
    # Nearly all entries have no repetition to explain.
    once = {row: weight for row, weight in ours.items() if row not in twice and weight > 0}
    assert once == {row: weight for row, weight in theirs.items() if row not in twice}
    assert 0 < len(twice) < len(theirs) // 500
