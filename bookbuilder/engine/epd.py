"""Parser of EPD, the extended position description.

A line is `board side castling en-passant [halfmoves number] opcode operand…; …`. Operands may be quoted.
Lines of xiangqi have the same form with a board of ten ranks.

Source: PGN standard (Edwards 1994), section 16.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookbuilder._core import Position
from bookbuilder.errors import ArchiveError, FenError
from bookbuilder.games.position import Game

__all__ = ["EpdLine", "parse_epd", "read_epd"]

_XIANGQI_RANKS: Final = 10
_OPERATION: Final = re.compile(r'\s*([A-Za-z]\w*)((?:"[^"]*"|[^;"])*)(?:;|$)')


@dataclass(frozen=True, slots=True)
class EpdLine:
    """One line of a file.

    Attributes:
        number: number of the line in its file, from 1.
        game: chess or xiangqi, by the number of ranks.
        fen: the position, with all fields.
        operations: operands by opcode, without quotes.
    """

    number: int
    game: Game
    fen: str
    operations: dict[str, str]

    @property
    def name(self) -> str:
        """The `id` of the position, or its line number."""
        return self.operations.get("id", "").strip() or f"line {self.number}"


def parse_epd(text: str, number: int = 1) -> EpdLine:
    """Return the position and the operations of a line.

    Raises:
        FenError: the position breaks a rule.

    Example:
        >>> parse_epd('8/8/8/8/8/4k3/8/r3K3 w - - bm Kf1; id "one";').operations
        {'bm': 'Kf1', 'id': 'one'}
    """
    fields = text.split(maxsplit=4)
    board = fields[0] if fields else ""
    game: Game = "xiangqi" if board.count("/") == _XIANGQI_RANKS - 1 else "chess"
    rest = fields[4] if len(fields) > 4 else ""
    counters = re.match(r"(\d+)\s+(\d+)\s*;?\s*", rest)
    if counters is not None:
        rest = rest[counters.end() :]
    clock = f"{counters[1]} {counters[2]}" if counters is not None else "0 1"
    try:
        Position(game, f"{' '.join(fields[:4])} {clock}")
    except FenError as error:
        raise FenError(f"line {number}: {error}") from error
    operations = {
        found[1]: re.sub(r'"([^"]*)"', r"\1", found[2]).strip() for found in _OPERATION.finditer(rest)
    }
    return EpdLine(number, game, f"{' '.join(fields[:4])} {clock}", operations)


def read_epd(path: Path) -> Iterator[EpdLine | FenError]:
    """Yield the lines of a file, or the error of an invalid line. Empty lines and comments (#) are skipped.

    Raises:
        ArchiveError: the file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from error
    for number, text in enumerate(lines, start=1):
        if text.strip() and not text.lstrip().startswith("#"):
            try:
                yield parse_epd(text, number)
            except FenError as error:
                yield error
