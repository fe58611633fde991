"""Take evaluations of a plan's positions from the `[%eval …]` comments of archives, as lichess writes them.

A comment stands after a move. It values the position there for White, in pawns or as `#N`.
Each position gets one row: the mean of its comments, and their number as the limit. python-chess reads the
games, variations are skipped, and a game ends at its first illegal move.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

import chess
import chess.pgn
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.engine.evaluate.plan import Plan
from bookbuilder.errors import ArchiveError, FenError, OptionError
from bookbuilder.evals.table import Evals
from bookbuilder.evals.words import MATE_SCORE, mate_score
from bookbuilder.schema import EVALS

__all__ = ["ENGINE", "read_comments"]

ENGINE: Final = "comments"
"""The name of the engine in the table: comments do not name theirs."""


def read_comments(path: Path, plan: Plan) -> Evals:
    """Return the mean evaluations of a plan's positions in the comments of an archive.

    Args:
        path: games as PGN, also `.gz`, `.bz2`, `.zst`.
        plan: the positions, of chess.

    Raises:
        OptionError: the plan is of xiangqi, or no comment values one of its positions.
        ArchiveError: the file is missing or damaged.
    """
    if plan.targets[0].position.game != "chess":
        raise OptionError(f"{path}: comments of chess games, the positions are of xiangqi")
    sums: dict[tuple[int, int], _Sum] = {(each.key, each.lock): _Sum() for each in plan.targets}
    with _opened(path) as stream:
        for _ in _games(path, stream, sums):
            pass
    rows = [row for place, each in sums.items() if (row := _row(place, each)) is not None]
    if not rows:
        raise OptionError(f"{path}: no comment such as [%eval 0.31] values one of these positions")
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), "chess")


@dataclass(slots=True)
class _Sum:
    """The comments on a position: their sum in centipawns for the side to move, and their number."""

    total: int = 0
    count: int = 0


def _row(place: tuple[int, int], comments: _Sum) -> dict[str, Any] | None:
    if not comments.count:
        return None
    known = {"engine": ENGINE, "network": None, "limit": f"comments={comments.count}"}
    known |= {"depth": None, "nodes": None, "best": None}
    # Halves are rounded to even, as Python does.
    return {"key": place[0], "lock": place[1], **known, "score": round(comments.total / comments.count)}


def _opened(path: Path) -> TextIO:
    """Return the text of a file, decompressed by its suffix."""
    try:
        stream: Any = pa.input_stream(str(path), compression="detect")
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise ArchiveError(f"{path}: no such file or directory") from error
        raise ArchiveError(f"{path}: damaged: {error}") from error
    return io.TextIOWrapper(stream, encoding="utf-8", errors="replace")


def _games(path: Path, stream: TextIO, sums: dict[tuple[int, int], _Sum]) -> Iterator[None]:
    """Read game by game, and add up the comments."""
    try:
        while chess.pgn.read_game(stream, Visitor=lambda: _Reader(sums)) is not None:
            yield
    except (pa.ArrowException, OSError) as error:
        raise ArchiveError(f"{path}: damaged: {error}") from error


@dataclass(slots=True)
class _Reader(chess.pgn.BaseVisitor[bool]):
    """Follows the main line of a game on a board of ours."""

    sums: dict[tuple[int, int], _Sum]
    here: Position | None = field(default_factory=lambda: Position("chess"))

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Begin where the game does."""
        if tagname == "FEN":
            try:
                self.here = Position("chess", tagvalue)
            except FenError:
                self.here = None

    def begin_variation(self) -> chess.pgn.SkipType:
        """Skip variations."""
        return chess.pgn.SKIP

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        """Play a move."""
        if self.here is not None:
            self.here = self.here.play(self.here.parse_move(move.uci(), "uci"))

    def visit_comment(self, comment: str) -> None:
        """Add a comment to those on the position."""
        if self.here is None or "[%eval" not in comment:
            return
        found = self.sums.get((self.here.key, self.here.lock))
        node = chess.pgn.Game()
        node.comment = comment
        if found is None or (score := node.eval()) is None:
            return
        side = chess.WHITE if self.here.side == 0 else chess.BLACK
        value = score.pov(side)
        moves = value.mate()
        found.total += mate_score(moves) if moves else value.score(mate_score=MATE_SCORE)
        found.count += 1

    def handle_error(self, error: Exception) -> None:
        """End the game at an illegal move: what follows is about other positions."""
        self.here = None

    def result(self) -> bool:
        """Return that a game was read."""
        return True
