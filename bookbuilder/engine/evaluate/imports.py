"""Take evaluations of a plan's positions from what others made: lichess's dump and chessdb's values.

**lichess** publishes a dump (database.lichess.org). Each line is a JSON object: `fen` with four fields, and
`evals`, each with `knodes`, `depth` and `pvs`. The first variation is the best. Scores (`cp`, or `mate` in
moves) are White's. `line` has moves in UCI, and the king castles by moving to its rook. Several hundred
million lines are read one after the other, so only the positions of a plan are parsed.

**chessdb.cn** has tools that write EPD lines with its values. A line has a position, then perhaps other
fields, then the value for the side to move: centipawns, `M12` or `-M12` for mates in plies, or `mated`.
Positions that chessdb does not know have none. Lines that begin with `#` are comments:

    rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - ; cdb eval: -23, ply: 1; PV: e7e5 g1f3

Source of chessdb's lines: `fens2cdb.py` and `cdbbulkpv.py` of <https://github.com/robertnurnberg/cdblib>, and
`cdbdirect`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import chess
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.engine.evaluate.plan import Plan, Target
from bookbuilder.errors import ArchiveError, FenError, MoveError, OptionError
from bookbuilder.evals.table import Evals
from bookbuilder.evals.words import MATE_SCORE, mate_score
from bookbuilder.games.position import as_position
from bookbuilder.schema import EVALS

LICHESS: Final = "lichess"
"""The name of the engine in the table: several versions of Stockfish, which the dump does not name."""
CHESSDB: Final = "chessdb"
"""The name of the engine in the table: values are those of many searches, backed up."""

_PIECE_BYTES: Final = 1 << 22
_FEN: Final = re.compile(rb'\{"fen": ?"([^"]*)"')
# A board with side and castling rights; the square of en passant is written in several ways.
_FIELDS: Final = 3
_VALUE: Final = re.compile(rb";\s*cdb eval:\s*([^,;]*)")
_BEST: Final = re.compile(rb";\s*PV:\s*([a-i]\d[a-i]\d[qrbn]?)")
_MATE: Final = re.compile(r"(-?)M(\d{1,4})")
_NUMBER: Final = re.compile(r"[+-]?\d{1,6}")
_NOTHING: Final = ("", "invalid")


def read_dump(path: Path, plan: Plan) -> Evals:
    """Return the evaluations of a plan's positions.

    Args:
        path: the dump, `.jsonl` or `.jsonl.zst`; also `.gz`, `.bz2`.
        plan: the positions, of chess.

    Raises:
        OptionError: the plan is of xiangqi.
        ArchiveError: the file is not such a dump, or is damaged; the message names the line.
        OSError: it cannot be read.
    """
    if plan.targets[0].position.game != "chess":
        raise OptionError(f"{path}: lichess's dump is of chess, the positions are of xiangqi")
    wanted: dict[bytes, list[Target]] = {}
    for target in plan.targets:
        head = b" ".join(target.position.fen.encode().split()[:_FIELDS])
        wanted.setdefault(head, []).append(target)
    rows = []
    for number, line in enumerate(_read_lines(path), start=1):
        if (begin := _FEN.match(line)) is None:
            if line.strip():
                raise ArchiveError(f'{path}: line {number}: expected {{"fen":"…, as in lichess\'s dump')
            continue
        targets = wanted.get(b" ".join(begin[1].split(b" ")[:_FIELDS]))
        if targets is not None:
            rows += _dump_rows(path, number, line, targets)
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), "chess")


def _dump_rows(path: Path, number: int, line: bytes, targets: list[Target]) -> list[dict[str, Any]]:
    """Return the rows of a line, for the positions with its board that are the same position."""
    try:
        data = json.loads(line)
        board = chess.Board(f"{data['fen']} 0 1")
        found = [_dump_row(board, each) for each in data["evals"]]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ArchiveError(f"{path}: line {number}: not an evaluation of lichess's dump: {error}") from error
    same = [each for each in targets if _is_same(each, board)]
    return [{"key": target.key, "lock": target.lock, **row} for target in same for row in found]


def _dump_row(board: chess.Board, entry: dict[str, Any]) -> dict[str, Any]:
    best, nodes = entry["pvs"][0], 1000 * int(entry["knodes"])
    sign = 1 if board.turn == chess.WHITE else -1
    score = mate_score(sign * int(best["mate"])) if "mate" in best else sign * int(best["cp"])
    move = board.parse_uci(best["line"].split()[0])
    return {
        "engine": LICHESS,
        "network": None,
        "limit": f"nodes={nodes}",
        "depth": int(entry["depth"]),
        "nodes": nodes,
        "score": score,
        "best": as_position(board, "chess").parse_move(move.uci(), "uci"),
    }


def _is_same(target: Target, board: chess.Board) -> bool:
    """Return whether a board is the target, en passant included: by its key."""
    position = as_position(board, "chess")
    return (position.key, position.lock) == (target.position.key, target.position.lock)


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
    for number, line in enumerate(_read_lines(path), start=1):
        if (targets := wanted.get(_head(line))) and (found := _VALUE.search(line)):
            where = f"{path}: line {number}"
            rows += [
                row for each in targets if (row := _chessdb_row(where, line, found[1], each)) is not None
            ]
    if not rows:
        raise OptionError(f'{path}: no line such as "FEN ; cdb eval: 12;" values one of these positions')
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), game)


def _head(line: bytes) -> bytes:
    """Return board and side of a position: castling and en passant are written in several ways."""
    return b" ".join(line.split(None, 2)[:2])


def _chessdb_row(where: str, line: bytes, value: bytes, target: Target) -> dict[str, Any] | None:
    """Return the row of a line; None if its position is another one, or has no value."""
    score = _chessdb_score(where, value.decode("ascii", "replace").strip())
    game, here = target.position.game, target.position
    fields = [*line.split(b";")[0].decode("ascii", "replace").split(), "-", "-"][:4]
    try:
        position = Position(game, " ".join([*fields, "0 1"]))
    except FenError as error:
        raise ArchiveError(f"{where}: {error}") from error
    if score is None or (position.key, position.lock) != (here.key, here.lock):
        return None
    known = {"engine": CHESSDB, "network": None, "limit": "chessdb", "depth": None, "nodes": None}
    return {
        "key": target.key,
        "lock": target.lock,
        **known,
        "score": score,
        "best": _chessdb_best(line, here),
    }


def _chessdb_score(where: str, text: str) -> int | None:
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


def _chessdb_best(line: bytes, position: Position) -> int | None:
    """Return the first move of the line that chessdb gives."""
    found = _BEST.search(line)
    if found is None:
        return None
    try:
        return position.parse_move(found[1].decode(), "uci")
    except MoveError:
        return None


def _read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, decompressed by its suffix: `.zst`, `.gz`, `.bz2`.

    Raises:
        ArchiveError: it is missing, or damaged.
    """
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            rest = b""
            while piece := stream.read(_PIECE_BYTES):
                *lines, rest = (rest + piece).split(b"\n")
                yield from lines
            yield rest
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise ArchiveError(f"{path}: no such file or directory") from error
        raise ArchiveError(f"{path}: damaged: {error}") from error
