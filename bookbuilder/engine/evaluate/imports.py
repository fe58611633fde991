"""Take evaluations of a plan's positions from what others made: lichess's dump, or comments of games.

**lichess** publishes a dump (database.lichess.org). Each line is a JSON object: `fen` with four fields, and
`evals`, each with `knodes`, `depth` and `pvs`. The first variation is the best. Scores (`cp`, or `mate` in
moves) are White's. `line` has moves in UCI, and the king castles by moving to its rook. Several hundred
million lines are read one after the other, so only the positions of a plan are parsed.

**Comments** such as `[%eval …]` of archives stand after a move; `collection/valued.rs` has their forms. Each
position gets one row: the mean of its comments, and their number as the limit. Variations are skipped, and a
game ends at its first illegal move.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import chess
import numpy as np
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.archives.collection import CollectionReport
from bookbuilder.archives.find import find_archives
from bookbuilder.engine.evaluate.plan import Plan, Target
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.evals.table import Evals
from bookbuilder.evals.words import mate_score
from bookbuilder.games.position import as_position
from bookbuilder.schema import EVALS, from_native

LICHESS: Final = "lichess"
"""The name of the engine in the table: several versions of Stockfish, which the dump does not name."""
COMMENTS: Final = "comments"
"""The name of the engine in the table: comments do not name theirs."""

# Centipawns; more than any opening is worth.
_DOUBTFUL: Final = 1000
_PIECE_BYTES: Final = 1 << 22
_FEN: Final = re.compile(rb'\{"fen": ?"([^"]*)"')
# A board with side and castling rights; the square of en passant is written in several ways.
_FIELDS: Final = 3


def read_dump(path: Path, plan: Plan) -> Evals:
    """Return the evaluations of a plan's positions from a dump: `.jsonl`, `.jsonl.zst`, `.gz` or `.bz2`.

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
        if not (targets := wanted.get(b" ".join(begin[1].split(b" ")[:_FIELDS]))):
            continue
        try:
            data = json.loads(line)
            board = chess.Board(f"{data['fen']} 0 1")
            found = [_dump_row(board, each) for each in data["evals"]]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            why = f"not an evaluation of lichess's dump: {error}"
            raise ArchiveError(f"{path}: line {number}: {why}") from error
        # With the same square of en passant, however it is written.
        place = as_position(board, "chess").stored(False)
        same = [target for target in targets if target.position.stored(False) == place]
        rows += [{"key": target.key, "lock": target.lock, **row} for target in same for row in found]
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), "chess")


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


def read_comments(*paths: str | os.PathLike[str], plan: Plan) -> Evals:
    """Return the mean evaluations of a plan's positions in the comments of archives.

    The paths are files, directories (searched recursively), patterns or `@` lists of them.

    Raises:
        ArchiveError: a file is missing, damaged or of an unknown format, or has games of the other game.
    """
    game = plan.targets[0].position.game
    places = pa.table(
        {
            "key": pa.array([each.key for each in plan.targets], pa.uint64()),
            "lock": pa.array([each.lock for each in plan.targets], pa.uint32()),
        }
    )
    files = [os.fspath(path) for path in find_archives(paths)]
    sums, run = _core.sum_comments(files, game, places, fold=plan.fold)
    report = CollectionReport.of_run(run)
    for skipped in report.unreadable() if report.games_read else report.members_skipped:
        raise ArchiveError(skipped["reason"])
    summed = from_native(sums)
    total_count = zip(summed["total"].to_pylist(), summed["count"].to_pylist(), strict=True)
    rows = [
        # Halves are rounded to even.
        place | {"engine": COMMENTS, "limit": f"comments={count}", "score": round(total / count)}
        for place, (total, count) in zip(places.to_pylist(), total_count, strict=True)
        if count
    ]
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), game)


def is_doubtful(evals: Evals) -> bool:
    """Return whether half of the values are beyond ten pawns, as if centipawns were read as pawns."""
    scores = np.abs(evals.table["score"].to_numpy())
    return bool(np.median(scores) > _DOUBTFUL)


def _read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, decompressed by its suffix: `.zst`, `.gz`, `.bz2`."""
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            yield from io.BufferedReader(cast("io.RawIOBase", stream), _PIECE_BYTES)
    except FileNotFoundError as error:
        raise ArchiveError(f"{path}: no such file or directory") from error
    except (pa.ArrowException, OSError) as error:
        raise ArchiveError(f"{path}: damaged: {error}") from error
