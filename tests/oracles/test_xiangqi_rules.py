"""The native rules of xiangqi against pyffish (Fairy-Stockfish) on positions of real archives.

The positions are the start positions of the XQF archive and seeded random play from them. Legal moves, checks
and ends must agree exactly. Coordinates have ranks 0-9 here and 1-10 in pyffish.
"""

from __future__ import annotations

import csv
import io
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyffish
import pytest

from bookbuilder import Position
from bookbuilder.errors import FenError

GAME = "xiangqi"
START_POSITIONS = 400
RANDOM_GAMES = 12
LONGEST_GAME_PLIES = 60
COORDINATES = re.compile(r"([a-i])(\d+)([a-i])(\d+)")


@pytest.fixture(scope="module")
def start_fens() -> list[str]:
    """Return the distinct start FENs of the archive, in the order of the manifest."""
    root = os.environ.get("BOOKBUILDER_CORPUS")
    if root is None:
        pytest.skip("BOOKBUILDER_CORPUS is not set")
    manifest = Path(root) / "data" / "xiangqi" / "xqf" / "manifest.csv.zst"
    with pa.input_stream(manifest, compression="zstd") as stream:
        rows = csv.DictReader(io.StringIO(stream.read().decode("utf-8")))
        return list(dict.fromkeys(f"{row['start_fen']} {row['first_side']} - - 0 1" for row in rows))


def refusal(fen: str) -> str | None:
    """Return why a FEN is refused, or None if it is valid."""
    try:
        Position(GAME, fen)
    except FenError as error:
        return str(error)
    return None


def pyffish_moves(fen: str) -> list[str]:
    """Return pyffish's legal moves with ranks 0-9, sorted."""
    matches = (COORDINATES.fullmatch(text) for text in pyffish.legal_moves(GAME, fen, []))
    squares = (match.groups() for match in matches if match is not None)
    return sorted(f"{a}{int(b) - 1}{c}{int(d) - 1}" for a, b, c, d in squares)


def assert_same_rules(fen: str) -> None:
    """Compare moves, check and end of play of one position."""
    position = Position(GAME, fen)
    moves = sorted(position.coordinates(move) for move in position.moves())
    assert moves == pyffish_moves(fen), fen
    is_check = pyffish.gives_check(GAME, fen, [])
    assert position.is_check == is_check, fen
    if not moves:
        assert position.verdict == ("mate" if is_check else "stalemate"), fen


def random_fens(starts: list[str], seed: int) -> Iterator[str]:
    """Yield the FENs of seeded random games, half of them from the starting position."""
    chance = random.Random(seed)
    for game in range(RANDOM_GAMES):
        position = Position(GAME) if game % 2 else Position(GAME, chance.choice(starts))
        for _ in range(chance.randrange(5, LONGEST_GAME_PLIES)):
            yield position.fen
            moves = position.moves()
            if not moves:
                break
            position = position.play(chance.choice(moves))


def test_real_start_positions_are_read(start_fens: list[str]) -> None:
    refused = [reason for reason in map(refusal, start_fens) if reason is not None]
    assert len(refused) == 18
    assert all("is in check and not to move" in reason for reason in refused)


def test_moves_of_real_positions_equal_pyffish(start_fens: list[str]) -> None:
    readable = [fen for fen in start_fens if refusal(fen) is None]
    for fen in random.Random(1).sample(readable, START_POSITIONS):
        assert_same_rules(fen)


def test_moves_in_random_play_equal_pyffish(start_fens: list[str]) -> None:
    readable = [fen for fen in start_fens if refusal(fen) is None]
    for fen in random_fens(readable, seed=2):
        assert_same_rules(fen)
