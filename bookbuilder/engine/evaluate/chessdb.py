"""Take evaluations of a plan's positions from what tools for chessdb.cn write: EPD lines with its values.

A line has a position, then perhaps other fields, then the value for the side to move:

    rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - ; cdb eval: -23, ply: 1; PV: e7e5 g1f3

A value is in centipawns, or `M12` and `-M12` for mates in plies, or `mated`. Positions that chessdb does not
know have none. Lines that begin with `#` are comments.

Source: `fens2cdb.py` and `cdbbulkpv.py` of <https://github.com/robertnurnberg/cdblib>, and `cdbdirect`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.engine.evaluate.lines import read_lines
from bookbuilder.engine.evaluate.plan import Plan, Target
from bookbuilder.errors import ArchiveError, FenError, MoveError, OptionError
from bookbuilder.evals.table import Evals
from bookbuilder.evals.words import MATE_SCORE
from bookbuilder.schema import EVALS

__all__ = ["ENGINE", "read_chessdb"]

ENGINE: Final = "chessdb"
"""The name of the engine in the table: values are those of many searches, backed up."""

_VALUE: Final = re.compile(rb";\s*cdb eval:\s*([^,;]*)")
_BEST: Final = re.compile(rb";\s*PV:\s*([a-i]\d[a-i]\d[qrbn]?)")
_MATE: Final = re.compile(r"(-?)M(\d{1,4})")
_NUMBER: Final = re.compile(r"[+-]?\d{1,6}")
_NOTHING: Final = ("", "invalid")


def read_chessdb(path: Path, plan: Plan) -> Evals:
    """Return the evaluations of a plan's positions.

    Args:
        path: the lines, also `.zst`, `.gz`, `.bz2`.
        plan: the positions, of either game.

    Raises:
        OptionError: no line values one of the positions.
        ArchiveError: the file is missing or damaged, or a value is none; the message names the line.
    """
    game = plan.targets[0].position.game
    wanted: dict[bytes, list[Target]] = {}
    for target in plan.targets:
        wanted.setdefault(_head(target.position.fen.encode()), []).append(target)
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        if (targets := wanted.get(_head(line))) and (found := _VALUE.search(line)):
            where = f"{path}: line {number}"
            rows += [row for each in targets if (row := _row(where, line, found[1], each)) is not None]
    if not rows:
        raise OptionError(f'{path}: no line such as "FEN ; cdb eval: 12;" values one of these positions')
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), game)


def _head(line: bytes) -> bytes:
    """Return board and side of a position: castling and en passant are written in several ways."""
    return b" ".join(line.split(None, 2)[:2])


def _row(where: str, line: bytes, value: bytes, target: Target) -> dict[str, Any] | None:
    """Return the row of a line; None if its position is another one, or has no value."""
    score = _score(where, value.decode("ascii", "replace").strip())
    game, here = target.position.game, target.position
    fields = [*line.split(b";")[0].decode("ascii", "replace").split(), "-", "-"][:4]
    try:
        position = Position(game, " ".join([*fields, "0 1"]))
    except FenError as error:
        raise ArchiveError(f"{where}: {error}") from error
    if score is None or (position.key, position.lock) != (here.key, here.lock):
        return None
    known = {"engine": ENGINE, "network": None, "limit": "chessdb", "depth": None, "nodes": None}
    return {"key": target.key, "lock": target.lock, **known, "score": score, "best": _best(line, here)}


def _score(where: str, text: str) -> int | None:
    """Return a value in centipawns for the side to move."""
    if text in _NOTHING:
        return None
    if text == "mated":
        return -MATE_SCORE
    if mate := _MATE.fullmatch(text):
        distance = MATE_SCORE - int(mate[2])
        return -distance if mate[1] else distance
    if _NUMBER.fullmatch(text):
        return int(text)
    raise ArchiveError(f'{where}: "cdb eval: {text}": expected centipawns, M12, -M12 or mated')


def _best(line: bytes, position: Position) -> int | None:
    """Return the first move of the line that chessdb gives."""
    found = _BEST.search(line)
    if found is None:
        return None
    try:
        return position.parse_move(found[1].decode(), "uci")
    except MoveError:
        return None
