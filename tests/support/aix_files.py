"""Write an AIX database from games of python-chess, with its own encoder of moves."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import chess
import chess.engine
import chess.pgn
import duckdb
import pyarrow as pa

__all__ = ["LICHESS", "columns_of", "encode_low", "write_columns", "write_games"]

# The types of pgn-to-aix. DuckDB makes a moment of a text.
LICHESS: Final[dict[str, pa.DataType]] = {
    "lichess_id": pa.string(),
    "tournament": pa.string(),
    "movedata": pa.binary(),
    "clocks_white": pa.list_(pa.uint16()),
    "clocks_black": pa.list_(pa.uint16()),
    "evals": pa.list_(pa.int16()),
    "ply_count": pa.uint16(),
    "white": pa.string(),
    "black": pa.string(),
    "white_rating": pa.int16(),
    "black_rating": pa.int16(),
    "time_initial": pa.uint16(),
    "time_increment": pa.uint8(),
    "result": pa.string(),
    "termination": pa.string(),
    "white_rating_diff": pa.int16(),
    "black_rating_diff": pa.int16(),
    "eco": pa.string(),
    "opening": pa.string(),
    "white_title": pa.string(),
    "black_title": pa.string(),
    "utc_timestamp": pa.timestamp("us"),
}
_PROMOTIONS: Final = {chess.QUEEN: 0, chess.ROOK: 0x40, chess.BISHOP: 0x80, chess.KNIGHT: 0xC0}


def encode_low(board: chess.Board, moves: Iterable[chess.Move]) -> bytes:
    """Encode moves from a board on in the encoding "low": two bytes each, and a zero.

    The first byte has the origin, 64 for a promotion and 128 for a capture; the second has the target and the
    piece. Castling is the king's move to the rook.
    """
    board = board.copy()
    data = bytearray()
    for move in moves:
        target = move.to_square
        if board.is_castling(move):
            rank = chess.square_rank(move.from_square)
            target = chess.square(7 if board.is_kingside_castling(move) else 0, rank)
        flags = 0x80 * board.is_capture(move) | 0x40 * bool(move.promotion)
        data += bytes([move.from_square | flags, target | _PROMOTIONS.get(move.promotion or chess.QUEEN, 0)])
        board.push(move)
    return bytes(data) + b"\0"


def columns_of(games: Sequence[chess.pgn.Game]) -> dict[str, list[Any]]:
    """The columns of `pgn-to-aix --lichess` for games from lichess."""
    rows = [_row(game) for game in games]
    return {name: [row.get(name) for row in rows] for name in LICHESS}


def write_games(path: Path, games: Sequence[chess.pgn.Game], **options: str) -> Path:
    """Write games as `pgn-to-aix --lichess` does; see `write_columns`."""
    return write_columns(path, pa.table(columns_of(games), pa.schema(LICHESS.items())), **options)


def write_columns(path: Path, table: pa.Table, *, options: str = "compression zstd") -> Path:
    """Write a table by DuckDB, which is what pgn-to-aix writes with; return the path."""
    with duckdb.connect() as connection:
        connection.register("games", table)
        connection.sql(f"copy (from games) to '{path}' (format parquet, parquet_version v2, {options})")
    return path


def _row(game: chess.pgn.Game) -> dict[str, Any]:
    tags = game.headers
    nodes = [*game.mainline()]
    clocks = [node.clock() for node in nodes]
    initial, plus, increment = tags.get("TimeControl", "-").partition("+")
    moment = f"{tags.get('UTCDate', '')}T{tags.get('UTCTime', '')}".replace(".", "-")
    found = re.search(r"tournament/(\w+)", tags["Event"])
    plain = {"white": "White", "black": "Black", "result": "Result", "termination": "Termination"}
    plain |= {"eco": "ECO", "opening": "Opening", "white_title": "WhiteTitle", "black_title": "BlackTitle"}
    numbers = {"white_rating": "WhiteElo", "black_rating": "BlackElo"}
    numbers |= {"white_rating_diff": "WhiteRatingDiff", "black_rating_diff": "BlackRatingDiff"}
    return {
        "lichess_id": tags["Site"].rpartition("/")[2],
        "tournament": found and found[1],
        "movedata": encode_low(game.board(), game.mainline_moves()),
        "clocks_white": [int(clock or 0) for clock in clocks[::2]] if any(clocks) else None,
        "clocks_black": [int(clock or 0) for clock in clocks[1::2]] if any(clocks) else None,
        "evals": _evals([node.eval() for node in nodes]),
        "ply_count": len(nodes),
        **{name: tags.get(tag) for name, tag in plain.items()},
        **{name: int(tags[tag]) if tag in tags else None for name, tag in numbers.items()},
        "time_initial": int(initial) if plus else None,
        "time_increment": int(increment) if plus else None,
        "utc_timestamp": _moment(moment),
    }


def _evals(scores: Sequence[chess.engine.PovScore | None]) -> list[int] | None:
    """Evaluations up to the last that is there, a gap as the one before."""
    numbers: list[int] = []
    known = [place for place, score in enumerate(scores) if score is not None]
    for score in scores[: known[-1] + 1 if known else 0]:
        numbers.append(_eval(score.white()) if score else numbers[-1] if numbers else 0)
    return numbers or None


def _eval(score: chess.engine.Score) -> int:
    mate = score.mate()
    if mate is None:
        return score.score() or 0
    return 32768 - mate if mate > 0 else -32769 - mate


def _moment(text: str) -> datetime.datetime | None:
    return datetime.datetime.fromisoformat(text) if len(text) > 1 else None
