"""Pictures of boards as SVG, for both games. A picture needs no font and no other file.

The outlines of the pieces are shared with the explorer's page, `explorer/web/pieces.json`: own drawings on a
field of 100 × 100. Squares have sides of 100 before the picture is scaled.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from bookbuilder.games.position import Game, PositionLike, as_position

PieceSet: TypeAlias = Literal["chinese", "latin"]
"""The letters of xiangqi pieces."""

_Square: TypeAlias = tuple[int, int]
"""File and rank, from 0; rank 0 is the first side's back rank."""

_INK: Final = "#23272e"
_PAPER: Final = "#fdfaf2"
_LIGHT, _DARK = "#e8ecee", "#a3b6c2"
_WOOD, _LINES = "#f1e6d2", "#7d6b4f"
_RED: Final = "#a81e17"
_LAST: Final = "#d9a514"
_ARROW: Final = "#1b6ca8"
_MOVE: Final = re.compile("([a-i])([0-9])([a-i])([0-9])")
# Files, ranks, and the number of the first rank.
_BOARDS: Final = {"chess": (8, 8, 1), "xiangqi": (9, 10, 0)}
_TEXT: Final = 'font-family="system-ui,sans-serif" font-weight="600"'
_CHESS_STYLE: Final = {
    True: {
        "body": f'fill="{_PAPER}" stroke="{_INK}"',
        "line": f'fill="none" stroke="{_INK}"',
        "mark": f'fill="{_INK}"',
    },
    False: {
        "body": 'fill="#3b414a" stroke="#14171b"',
        "line": 'fill="none" stroke="#e9e6de"',
        "mark": 'fill="#e9e6de"',
    },
}


def board_svg(
    position: PositionLike,
    game: Game = "chess",
    *,
    size: int = 360,
    flip: bool = False,
    last: str = "",
    arrows: Mapping[str, float] | Sequence[str] = (),
    pieces: PieceSet = "chinese",
    coordinates: bool = True,
) -> str:
    """Return the picture of a position as SVG text.

    Args:
        position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.
        game: the game, if the position is a text.
        size: width in pixels.
        flip: whether to show the board from the second side.
        last: a move whose squares are marked, in UCI or ICCS.
        arrows: moves to draw as arrows; a mapping gives each its width, 0.0 … 1.0.
        pieces: the letters of xiangqi pieces.
        coordinates: whether to name files and ranks.

    Raises:
        FenError: the position is not a position of the game.
        ValueError: a move of `last` or `arrows` is not in coordinates.
    """
    here = as_position(position, "xiangqi" if getattr(position, "game", game) == "xiangqi" else "chess")
    board = _Board(here.game, pieces, flip=flip)
    widths = dict(arrows) if isinstance(arrows, Mapping) else dict.fromkeys(arrows, 1.0)
    # A digit of a FEN stands for empty squares.
    rows = re.sub(r"\d", lambda digit: " " * int(digit[0]), here.fen.split(" ", 1)[0]).split("/")
    placed = [
        ((file, board.ranks - 1 - below), letter)
        for below, row in enumerate(rows)
        for file, letter in enumerate(row)
        if letter != " "
    ]
    parts = [
        *board.ground(),
        *(board.coordinates() if coordinates else ()),
        *(board.mark(square) for square in (board.squares(last) if last else ())),
        *(board.piece(letter, square) for square, letter in placed),
        *(board.arrow(board.squares(move), share) for move, share in widths.items()),
    ]
    used = "".join(board.symbol(letter) for letter in sorted({letter for _, letter in placed}))
    height = round(size * board.height / board.width)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {board.width} {board.height}" width="{size}" '
        f'height="{height}" role="img" aria-label="{board.game} board, {here.fen}">'
        f"<defs>{used}</defs>{''.join(parts)}</svg>"
    )


@cache
def _outlines() -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Return the outlines of the pieces: set → letter → kind and path of each part."""
    text = files("bookbuilder").joinpath("explorer", "web", "pieces.json").read_text(encoding="utf-8")
    outlines: dict[str, dict[str, list[tuple[str, str]]]] = json.loads(text)
    return outlines


class _Board:
    """The parts of the picture of one board."""

    def __init__(self, game: str, pieces: PieceSet, *, flip: bool) -> None:
        self.game, self.pieces, self.flip = game, pieces, flip
        self.is_chess = game == "chess"
        self.files, self.ranks, self.first_rank = _BOARDS[game]
        self.margin = 0 if self.is_chess else 30
        self.width = self.files * 100 + 2 * self.margin
        self.height = self.ranks * 100 + 2 * self.margin

    def squares(self, move: str) -> tuple[_Square, _Square]:
        """Return the two squares of a move in UCI or ICCS."""
        found = _MOVE.match(move)
        if found is None:
            raise ValueError(f"{move!r} is not a move in coordinates; expected one like e2e4 or h2e2")
        start, end = ((ord(found[n]) - ord("a"), int(found[n + 1]) - self.first_rank) for n in (1, 3))
        return start, end

    def corner(self, square: _Square) -> tuple[int, int]:
        """Return the top left corner of a square, or of the field around a point."""
        file, rank = square
        column, row = (self.files - 1 - file, rank) if self.flip else (file, self.ranks - 1 - rank)
        return self.margin + column * 100, self.margin + row * 100

    def symbol(self, letter: str) -> str:
        """Return the drawing of a piece, which `piece` places on the board."""
        is_first, name = letter.isupper(), self._name(letter)
        if self.is_chess:
            style, parts = _CHESS_STYLE[is_first], _outlines()["chess"][letter.upper()]
            body = "".join(f'<path {style[kind]} d="{path}"/>' for kind, path in parts)
            lines = 'stroke-width="3.2" stroke-linejoin="round" stroke-linecap="round"'
            return f'<g id="{name}" {lines}>{body}</g>'
        letters = _outlines()[self.pieces]
        glyph = letters.get(letter, letters[letter.upper()])[0][1]
        ink, paper, edge = (_RED, _PAPER, _RED) if is_first else ("#f6efe0", "#333840", "#14171b")
        return (
            f'<g id="{name}">'
            f'<circle cx="50" cy="50" r="44" fill="{paper}" stroke="{edge}" stroke-width="3.4"/>'
            f'<circle cx="50" cy="50" r="37.5" fill="none" stroke="{ink}" stroke-width="1.6"/>'
            f'<path transform="translate(22.5 22.5) scale(.55)" fill="{ink}" d="{glyph}"/></g>'
        )

    def piece(self, letter: str, square: _Square) -> str:
        """Return a piece on its square."""
        x, y = self.corner(square)
        return f'<use href="#{self._name(letter)}" x="{x}" y="{y}"/>'

    def _name(self, letter: str) -> str:
        kind = self.game if self.is_chess else self.pieces
        return f"piece-{kind}-{'first' if letter.isupper() else 'second'}-{letter.upper()}"

    def mark(self, square: _Square) -> str:
        """Return the mark of a square of the last move."""
        x, y = self.corner(square)
        if self.is_chess:
            return f'<rect x="{x}" y="{y}" width="100" height="100" fill="{_LAST}" fill-opacity=".42"/>'
        return f'<circle cx="{x + 50}" cy="{y + 50}" r="49" fill="{_LAST}" fill-opacity=".55"/>'

    def arrow(self, squares: tuple[_Square, _Square], share: float) -> str:
        """Return an arrow between two squares, wider for a larger share."""
        (x1, y1), (x2, y2) = ((x + 50, y + 50) for x, y in map(self.corner, squares))
        width = 7 + 19 * min(1.0, max(0.0, share))
        angle = math.atan2(y2 - y1, x2 - x1)
        ahead, aside = (math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))
        head, half = 1.9 * width, width / 2
        length = math.hypot(x2 - x1, y2 - y1) - 12
        shaft = max(20.0, length - 1.5 * head)
        outline = (
            (18, half), (shaft, half), (shaft, head), (length, 0),
            (shaft, -head), (shaft, -half), (18, -half),
        )  # fmt: skip
        path = "L".join(
            f"{x1 + (along * ahead[0] + across * aside[0]):.1f} "
            f"{y1 + (along * ahead[1] + across * aside[1]):.1f}"
            for along, across in outline
        )
        return (
            f'<path d="M{path}z" fill="{_ARROW}" fill-opacity=".62" stroke="#fff" '
            'stroke-opacity=".7" stroke-width="2"/>'
        )

    def ground(self) -> Iterator[str]:
        """Yield the empty board."""
        if self.is_chess:
            yield f'<rect width="800" height="800" fill="{_LIGHT}"/>'
            dark = ((column, row) for row in range(8) for column in range(8) if (column + row) % 2)
            path = "".join(f"M{column * 100} {row * 100}h100v100h-100z" for column, row in dark)
            yield f'<path d="{path}" fill="{_DARK}"/>'
            return
        # Lines, the river between ranks 4 and 5, the palaces, and angles around points of cannons and pawns.
        yield f'<rect width="{self.width}" height="{self.height}" rx="10" fill="{_WOOD}"/>'
        near, far = self.margin + 50, self.margin + 850
        lines = [f"M{near} {near + row * 100}H{far}" for row in range(10)]
        lines += [f"M{near + column * 100} {near}v400m0 100v400" for column in range(1, 8)]
        lines += [f"M{near + 300} {top}l200 200M{near + 500} {top}l-200 200" for top in (near, near + 700)]
        marked = [(file, rank) for rank in (2, 7) for file in (1, 7)]
        marked += [(file, rank) for file in range(0, 9, 2) for rank in (3, 6)]
        angles = "".join(
            f"M{near + file * 100 + 8 * right} {near + rank * 100 + 24 * up}v{-16 * up}h{16 * right}"
            for file, rank in marked
            for right in (-1, 1)
            for up in (-1, 1)
            if 0 <= file * 2 + right <= 16
        )
        line = f'fill="none" stroke="{_LINES}"'
        yield (
            f'<path d="{"".join(lines)}" {line} stroke-width="2.4"/>'
            f'<rect x="{near}" y="{near}" width="800" height="900" {line} stroke-width="4"/>'
            f'<rect x="{near - 9}" y="{near - 9}" width="818" height="918" {line} stroke-width="2"/>'
            f'<path d="{angles}" {line} stroke-width="2.4"/>'
        )

    def coordinates(self) -> Iterator[str]:
        """Yield the names of files and ranks."""
        font = f'font-size="{19 if self.is_chess else 24}" {_TEXT}'
        ink = "#2f4452" if self.is_chess else _LINES

        def label(x: int, y: int, text: str | int, anchor: str = "") -> str:
            return f'<text x="{x}" y="{y}" {anchor}{font} fill="{ink}">{text}</text>'

        if self.is_chess:
            for n in range(8):
                file, rank = (7 - n, n) if self.flip else (n, 7 - n)
                yield label(n * 100 + 93, 793, chr(97 + file), 'text-anchor="end" ')
                yield label(6, n * 100 + 21, rank + 1)
            return
        for file in range(9):
            x = self.corner((file, 0))[0] + 50
            yield label(x, self.height - 9, chr(97 + file), 'text-anchor="middle" ')
        for rank in range(10):
            yield label(8, self.corner((0, rank))[1] + 58, rank)
