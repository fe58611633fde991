"""Opening lines with shares, from which games between engines begin.

A file of lines is text: a heading, then in each row the share of a line among the games, and its moves.
`chess_openings.tsv` and `xiangqi_openings.tsv` come with the program. They were written by hand: main lines
of both games, about as frequent as in games of masters.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Self

from bookbuilder._core import Position
from bookbuilder.errors import ArchiveError, BookBuilderError
from bookbuilder.games.position import Game

__all__ = ["OpeningLines"]

_HEADING = "share\tmoves"


@dataclass(frozen=True)
class OpeningLines:
    """Lines of moves from the start position, in coordinates, and the share of games of each.

    Attributes:
        lines: the lines.
        shares: whole numbers above 0; only their ratios count.
    """

    lines: tuple[tuple[str, ...], ...]
    shares: tuple[int, ...]

    @classmethod
    def of_program(cls, game: Game) -> Self:
        """Return the lines that come with the program.

        Example:
            >>> lines = OpeningLines.of_program("chess")
            >>> {line[0] for line in lines.lines} >= {"e2e4", "d2d4", "c2c4", "g1f3"}
            True
        """
        text = files("bookbuilder.engine").joinpath(f"{game}_openings.tsv").read_text(encoding="utf-8")
        return cls.parse(text, game, where=f"{game}_openings.tsv")

    @classmethod
    def read(cls, path: str | os.PathLike[str], game: Game) -> Self:
        """Return the lines of a file; moves may have any notation.

        Raises:
            ArchiveError: a row is not a share and legal moves; the message names file, row and ply.
            OSError: the file cannot be read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise ArchiveError(
                f"{path}: is not text in UTF-8: {error.reason} at byte {error.start}"
            ) from error
        return cls.parse(text, game, where=str(path))

    @classmethod
    def parse(cls, text: str, game: Game, *, where: str) -> Self:
        """Return the lines of a text; `where` names it in errors.

        Raises:
            ArchiveError: as of `read`.
        """
        found: list[tuple[tuple[str, ...], int]] = []
        for number, row in enumerate(text.splitlines(), 1):
            if row.strip() and row != _HEADING:
                share, *moves = row.split()
                if not share.isascii() or not share.isdigit() or not int(share) or not moves:
                    raise ArchiveError(
                        f'{where}:{number}: expected a share above 0 and moves, such as "30 e4 c5 Nf3"'
                    )
                found.append((_coordinates(moves, game, f"{where}:{number}"), int(share)))
        if not found:
            raise ArchiveError(f'{where}: has no opening lines; expected rows such as "30 e4 c5 Nf3"')
        lines, shares = zip(*found, strict=True)
        return cls(lines, shares)

    @cached_property
    def _sums(self) -> list[int]:
        return list(accumulate(self.shares))

    def draw(self, chance: random.Random) -> tuple[str, ...]:
        """Return one of the lines, each as often as its share says."""
        return chance.choices(self.lines, cum_weights=self._sums)[0]


def _coordinates(moves: list[str], game: Game, where: str) -> tuple[str, ...]:
    """Return moves of any notation as coordinates."""
    position, found = Position(game), []
    for ply, move in enumerate(moves, 1):
        try:
            code = position.parse_move(move)
        except BookBuilderError as error:
            raise ArchiveError(f"{where}, ply {ply}: {error}") from error
        found.append(position.coordinates(code))
        position = position.play(code)
    return tuple(found)
