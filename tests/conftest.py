"""Fixtures of all tests: the real archives, our own archives, and synthetic tables."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from bookbuilder.archives.played_game import PlayedGame, Result
from bookbuilder.archives.sources import Source
from bookbuilder.archives.write import write_archive
from bookbuilder.schema import GAMES, TALLY
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.tally import Tally

CORPUS = os.environ.get("BOOKBUILDER_CORPUS")


def pytest_configure() -> None:
    """Let programs that tests start be interrupted, also in a background job of a shell."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


FULL = (
    "acceptance",
    "archives/test_chessbase.py",
    "archives/test_hostile_pgn.py",
    "archives/test_mistyped_moves.py",
    "archives/test_scid.py",
    "browser",
    "cli/test_help.py",
    "engine/match/test_books.py",
    "engine/match/test_match.py",
    "explorer/test_clients.py",
    "faults",
    "oracles",
    "project/test_docs.py",
    "project/test_doctests.py",
    "project/test_extras.py",
    "project/test_notebooks.py",
    "project/test_types.py",
)
"""Tests of the full suite: they need other programs, browsers or real archives, or they take minutes."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files of the full suite unread in a fast run: they import what only test-full brings."""
    is_fast = config.getoption("markexpr") == "not slow and not full"
    return (is_fast and _is_full(collection_path)) or None


def _is_full(path: Path) -> bool:
    """Return whether a file is of the full suite as a whole."""
    return any(path.is_relative_to(Path(__file__).parent / name) for name in FULL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the full suite; skip tests on real archives if the environment names none."""
    skip = pytest.mark.skip(reason="BOOKBUILDER_CORPUS is not set")
    for item in items:
        is_slow = "slow" in item.keywords
        if not is_slow and ("corpus" in item.keywords or _is_full(item.path)):
            item.add_marker(pytest.mark.full)
        if "corpus" in item.keywords and not CORPUS:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with data/ (real archives) and oracles/; without it the test is skipped."""
    if not CORPUS:
        pytest.skip("BOOKBUILDER_CORPUS is not set")
    return Path(CORPUS)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data(repository: Path) -> Path:
    """Our own archives."""
    return repository / "data"


# Six short games. Three reach the position after e4 e5 Nf3, one of them by transposition.
CHESS_GAMES = (
    ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1-0"),
    ("1. e4 e5 2. Nf3 Nf6", "0-1"),
    ("1. e4 c5 2. Nf3 d6 3. d4 cxd4", "1-0"),
    ("1. e4 e6 2. d4 d5", "1/2-1/2"),
    ("1. Nf3 e5 2. e4 Nc6", "1-0"),
    ("1. d4 d5 2. c4 e6", "1/2-1/2"),
)
OTHER_CHESS_GAMES = (("1. e4 e5 2. Bc4 Nf6", "0-1"), ("1. c4 e5", "*"))
XIANGQI_GAMES: tuple[tuple[str, Result], ...] = (
    ("h2e2 h9g7 h0g2 i9h9", "1-0"),
    ("b2e2 b9c7 b0c2 a9b9", "0-1"),  # the mirror of the first
    ("c3c4 g6g5 h2e2", "1/2-1/2"),
)


def pgn_of(games: tuple[tuple[str, str], ...]) -> str:
    """Return the games as PGN with ratings and dates."""
    return "".join(
        f'[Event "Test"]\n[Date "20{number:02}.01.01"]\n[White "A"]\n[Black "B"]\n[WhiteElo "2500"]\n'
        f'[BlackElo "2400"]\n[Result "{result}"]\n\n{moves} {result}\n\n'
        for number, (moves, result) in enumerate(games, start=1)
    )


@pytest.fixture(scope="session")
def chess_pgn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small chess archive: `CHESS_GAMES`."""
    path = tmp_path_factory.mktemp("archives") / "chess.pgn"
    path.write_text(pgn_of(CHESS_GAMES))
    return path


@pytest.fixture(scope="session")
def other_pgn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another small chess archive: `OTHER_CHESS_GAMES`."""
    path = tmp_path_factory.mktemp("archives") / "other.pgn"
    path.write_text(pgn_of(OTHER_CHESS_GAMES))
    return path


@pytest.fixture(scope="session")
def xiangqi_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small xiangqi archive, XQF files in a zip: `XIANGQI_GAMES`."""
    path = tmp_path_factory.mktemp("archives") / "xiangqi.zip"
    games = [
        PlayedGame(
            game="xiangqi",
            event="Test",
            date=f"20{number:02}.01.01",
            number=number,
            first="A",
            second="B",
            result=result,
            moves=tuple(moves.split()),
        )
        for number, (moves, result) in enumerate(XIANGQI_GAMES, start=1)
    ]
    with path.open("wb") as stream:
        write_archive(stream, ".zip", "xiangqi", games)
    return path


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is neither an archive nor a book."""
    path = tmp_path_factory.mktemp("archives") / "foreign.bin"
    path.write_bytes(bytes(range(256)) * 40)
    return path


# Results near thresholds: exactly P = 0.55, just below, only draws, only wins, only losses.
EDGES = [(11, 0, 9), (10, 3, 9), (0, 4, 0), (0, 0, 0), (20, 1, 0), (0, 0, 20), (1, 0, 1), (3, 9, 2)]


def synthetic_columns(seed: int, positions: int) -> dict[str, np.ndarray]:
    """Return columns of TALLY: `positions` random keys, some with two locks, one to four moves each."""
    rng = np.random.default_rng(seed)
    key = np.sort(rng.integers(0, 2**64, positions, dtype=np.uint64))
    key[1::17] = key[:-1:17][: key[1::17].size]
    lock = np.arange(positions, dtype=np.uint32) * 3 + 1
    moves = rng.integers(1, 5, positions)
    of = np.repeat(np.arange(positions), moves)
    nth = np.arange(of.size) - np.repeat(np.cumsum(moves) - moves, moves)
    results = rng.geometric(0.4, (of.size, 3)) - 1
    edged = rng.random(of.size) < 0.3
    results[edged] = np.array(EDGES)[rng.integers(0, len(EDGES), int(edged.sum()))]
    rated = rng.integers(0, 3, of.size)
    year = np.where(rng.random(of.size) < 0.2, 0, rng.integers(1850, 2026, of.size))
    columns: dict[str, Any] = {
        "key": key[of],
        "lock": lock[of],
        "move": nth * 7 + (rng.random(positions) < 0.5)[of],
        "mover": rng.integers(0, 2, positions)[of],
        "games": results.sum(axis=1) + rng.integers(0, 2, of.size) + (results.sum(axis=1) == 0),
        "first_wins": results[:, 0],
        "draws": results[:, 1],
        "second_wins": results[:, 2],
        "ply": np.minimum(rng.geometric(0.1, positions) - 1, 60)[of],
        "rating_sum": rated * rng.integers(1500, 2850, of.size),
        "rated": rated,
        "year_min": np.where(year > 0, np.maximum(year - 3, 1), 0),
        "year_max": year,
        "marks": rng.integers(-4, 5, of.size) * (rng.random(of.size) < 0.2),
        "sample": rng.integers(0, 2**64, of.size, dtype=np.uint64),
        "sample_rating": rng.integers(0, 2850, of.size),
    }
    paired = rng.integers(0, results.sum(axis=1) + 1)
    columns |= {"paired": paired, "surplus": rng.integers(-100 * paired, 100 * paired + 1)}
    return {field.name: columns[field.name].astype(field.type.to_pandas_dtype()) for field in TALLY}


def synthetic_games(seed: int, games: int) -> pa.Table:
    """A table of schema GAMES, sorted."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "fingerprint": rng.integers(0, 2**64, games, dtype=np.uint64),
            "source": pa.array(["games.pgn"] * games, pa.string()),
            "member": pa.nulls(games, pa.string()),
            "offset": np.arange(games, dtype=np.uint64) * 700,
            "line": np.arange(games, dtype=np.uint64) * 12 + 1,
            "first_player": pa.array([f"Ä. {i % 7}" for i in range(games)], pa.string()),
            "second_player": pa.array([f"B. {i % 5}" for i in range(games)], pa.string()),
            "first_rating": rng.integers(0, 2800, games).astype(np.uint16),
            "second_rating": rng.integers(0, 2800, games).astype(np.uint16),
            "date": pa.array(["2001.??.??"] * games, pa.string()),
            "year": np.full(games, 2001, np.uint16),
            "event": pa.array(["?"] * games, pa.string()),
            "result": rng.integers(0, 4, games).astype(np.uint8),
            "plies": rng.integers(0, 200, games).astype(np.uint16),
            "line_hash": pa.nulls(games, pa.uint64()),
            "moves": pa.nulls(games, pa.binary()),
        },
        schema=GAMES,
    )


@pytest.fixture(scope="session")
def make_tally() -> Callable[..., Tally]:
    """A function (seed, positions) → Tally."""

    def make(seed: int = 1, positions: int = 500, *, games: int = 20, **options: Any) -> Tally:
        return Tally(
            pa.table(synthetic_columns(seed, positions), schema=TALLY),
            TallyOptions(**{"game": "chess", "max_ply": 60, **options}),
            games=synthetic_games(seed, games),
            sources=[Source(source="games.pgn", size=seed, blake3=f"{seed:064x}", games=games)],
        )

    return make
