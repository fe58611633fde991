"""Pictures of boards: a position of either game in, an SVG text that needs no font and no other file out.

The outlines of the pieces are those of the explorer's page, `explorer/web/pieces.json`, drawn by
docs/figures/pieces.py. Squares have sides of 100, before the picture is scaled to its size.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from bookbuilder.games.position import PositionLike, as_position

__all__ = ["PieceSet", "board_svg"]

PieceSet: TypeAlias = Literal["chinese", "latin"]
"""How xiangqi pieces are lettered."""

_Square: TypeAlias = tuple[int, int]
"""File and rank, from 0; the first side's end of the board is rank 0."""

_INK: Final = "#23272e"
_PAPER: Final = "#fdfaf2"
_LIGHT, _DARK = "#e8ecee", "#a3b6c2"
_WOOD, _LINES = "#f1e6d2", "#7d6b4f"
_RED: Final = "#a81e17"
_LAST: Final = "#d9a514"
_ARROW: Final = "#1b6ca8"
_MOVE: Final = re.compile("([a-i])([0-9])([a-i])([0-9])")
_MARGIN: Final = {"chess": 0, "xiangqi": 30}
_SIZE: Final = {"chess": (8, 8), "xiangqi": (9, 10)}
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
    game: Literal["chess", "xiangqi"] = "chess",
    *,
    size: int = 360,
    flip: bool = False,
    last: str = "",
    arrows: Mapping[str, float] | Sequence[str] = (),
    pieces: PieceSet = "chinese",
    coordinates: bool = True,
) -> str:
    """Return the picture of a position as the text of an SVG.

    Args:
        position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
        game: the game of a position that is a text.
        size: width in pixels.
        flip: whether the second side's end of the board is below.
        last: a move whose squares are marked, in UCI or ICCS.
        arrows: moves to be drawn as arrows; a mapping gives each its width, 0.0 … 1.0, such as its share.
        pieces: how xiangqi pieces are lettered.
        coordinates: whether files and ranks are named at the edge.

    Raises:
        FenError: the position is not one of the game.
        ValueError: a move of `last` or `arrows` is none of coordinates.
    """
    here = as_position(position, _game_of(position, game))
    board = _Board(here.game, flip)
    widths = dict(arrows) if isinstance(arrows, Mapping) else dict.fromkeys(arrows, 1.0)
    placed = list(_placed(here.fen, board))
    parts = [
        *board.ground(coordinates),
        *(board.mark(square) for square in (_squares(last, here.game) if last else ())),
        *(board.piece(letter, square, pieces) for square, letter in placed),
        *(board.arrow(_squares(move, here.game), share) for move, share in widths.items()),
    ]
    height = round(size * board.height / board.width)
    used = "".join(_symbol(here.game, letter, pieces) for letter in sorted({each[1] for each in placed}))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {board.width} {board.height}" width="{size}" '
        f'height="{height}" role="img" aria-label="{here.game} board, {here.fen}"><defs>{used}</defs>'
        f"{''.join(parts)}</svg>"
    )


def _game_of(position: object, game: str) -> Literal["chess", "xiangqi"]:
    """The game that a position tells of itself; a text and a `chess.Board` tell none."""
    return "xiangqi" if getattr(position, "game", game) == "xiangqi" else "chess"


@cache
def _outlines() -> dict[str, dict[str, list[tuple[str, str]]]]:
    text = files("bookbuilder").joinpath("explorer", "web", "pieces.json").read_text(encoding="utf-8")
    return {
        kind: {letter: [(part[0], part[1]) for part in parts] for letter, parts in letters.items()}
        for kind, letters in json.loads(text).items()
    }


def _placed(fen: str, board: _Board) -> Iterator[tuple[_Square, str]]:
    """The pieces of a FEN's board, from the top left."""
    for below, row in enumerate(fen.split(" ", 1)[0].split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                yield (file, board.ranks - 1 - below), letter
                file += 1


def _squares(move: str, game: str) -> tuple[_Square, _Square]:
    """The two squares of a move in UCI or ICCS."""
    first_rank = 1 if game == "chess" else 0
    found = _MOVE.match(move)
    if found is None:
        raise ValueError(f"{move!r} is no move in coordinates; expected one like e2e4 or h2e2")
    files, ranks = (found[1], found[3]), (found[2], found[4])
    start, end = (
        (ord(file) - ord("a"), int(rank) - first_rank) for file, rank in zip(files, ranks, strict=True)
    )
    return start, end


def _symbol(game: str, letter: str, pieces: PieceSet) -> str:
    """The drawing of one piece, to be used where it stands."""
    is_first = letter.isupper()
    if game == "chess":
        style = _CHESS_STYLE[is_first]
        body = "".join(
            f'<path {style[kind]} d="{path}"/>' for kind, path in _outlines()["chess"][letter.upper()]
        )
        lines = 'stroke-width="3.2" stroke-linejoin="round" stroke-linecap="round"'
        return f'<g id="{_name(game, letter, pieces)}" {lines}>{body}</g>'
    letters = _outlines()[pieces]
    glyph = letters.get(letter, letters[letter.upper()])[0][1]
    ink, paper, edge = (_RED, _PAPER, _RED) if is_first else ("#f6efe0", "#333840", "#14171b")
    return (
        f'<g id="{_name(game, letter, pieces)}">'
        f'<circle cx="50" cy="50" r="44" fill="{paper}" stroke="{edge}" stroke-width="3.4"/>'
        f'<circle cx="50" cy="50" r="37.5" fill="none" stroke="{ink}" stroke-width="1.6"/>'
        f'<path transform="translate(22.5 22.5) scale(.55)" fill="{ink}" d="{glyph}"/></g>'
    )


def _name(game: str, letter: str, pieces: PieceSet) -> str:
    kind = game if game == "chess" else pieces
    return f"piece-{kind}-{'first' if letter.isupper() else 'second'}-{letter.upper()}"


class _Board:
    """Where things stand on one board."""

    def __init__(self, game: str, flip: bool) -> None:
        self.game, self.flip = game, flip
        self.files, self.ranks = _SIZE[game]
        self.margin = _MARGIN[game]
        self.width = self.files * 100 + 2 * self.margin
        self.height = self.ranks * 100 + 2 * self.margin

    def corner(self, square: _Square) -> tuple[int, int]:
        """The top left corner of a square, or of the field around a point."""
        file, rank = square
        column, row = (self.files - 1 - file, rank) if self.flip else (file, self.ranks - 1 - rank)
        return self.margin + column * 100, self.margin + row * 100

    def ground(self, coordinates: bool) -> Iterator[str]:
        """The empty board."""
        yield from self._squares() if self.game == "chess" else self._points()
        if coordinates:
            yield from self._coordinates()

    def mark(self, square: _Square) -> str:
        """A square that the last move touched."""
        x, y = self.corner(square)
        if self.game == "chess":
            return f'<rect x="{x}" y="{y}" width="100" height="100" fill="{_LAST}" fill-opacity=".42"/>'
        return f'<circle cx="{x + 50}" cy="{y + 50}" r="49" fill="{_LAST}" fill-opacity=".55"/>'

    def piece(self, letter: str, square: _Square, pieces: PieceSet) -> str:
        """A piece where it stands."""
        x, y = self.corner(square)
        return f'<use href="#{_name(self.game, letter, pieces)}" x="{x}" y="{y}"/>'

    def arrow(self, squares: tuple[_Square, _Square], share: float) -> str:
        """An arrow, as wide as the share is large."""
        (x1, y1), (x2, y2) = ((x + 50, y + 50) for x, y in map(self.corner, squares))
        width = 7 + 19 * min(1.0, max(0.0, share))
        angle = math.atan2(y2 - y1, x2 - x1)
        head = 1.9 * width
        ahead, aside = (math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))

        def point(along: float, across: float) -> str:
            x = along * ahead[0] + across * aside[0]
            y = along * ahead[1] + across * aside[1]
            return f"{x1 + x:.1f} {y1 + y:.1f}"

        length = math.hypot(x2 - x1, y2 - y1) - 12
        shaft, half = max(20.0, length - 1.5 * head), width / 2
        path = (
            point(18, half), point(shaft, half), point(shaft, head), point(length, 0),
            point(shaft, -head), point(shaft, -half), point(18, -half),
        )  # fmt: skip
        return (
            f'<path d="M{"L".join(path)}z" fill="{_ARROW}" fill-opacity=".62" stroke="#fff" '
            'stroke-opacity=".7" stroke-width="2"/>'
        )

    def _squares(self) -> Iterator[str]:
        yield f'<rect width="800" height="800" fill="{_LIGHT}"/>'
        dark = ((column, row) for row in range(8) for column in range(8) if (column + row) % 2)
        path = "".join(f"M{column * 100} {row * 100}h100v100h-100z" for column, row in dark)
        yield f'<path d="{path}" fill="{_DARK}"/>'

    def _points(self) -> Iterator[str]:
        """Lines, the river between ranks 4 and 5, the palaces, and the marks of cannons and pawns."""
        yield f'<rect width="{self.width}" height="{self.height}" rx="10" fill="{_WOOD}"/>'
        near, far = self.margin + 50, self.margin + 850
        lines = [f"M{near} {near + row * 100}H{far}" for row in range(10)]
        for column in range(1, 8):
            lines.append(f"M{near + column * 100} {near}v400m0 100v400")
        for top in (near, near + 700):
            lines.append(f"M{near + 300} {top}l200 200M{near + 500} {top}l-200 200")
        line = f'fill="none" stroke="{_LINES}"'
        yield (
            f'<path d="{"".join(lines)}" {line} stroke-width="2.4"/>'
            f'<rect x="{near}" y="{near}" width="800" height="900" {line} stroke-width="4"/>'
            f'<rect x="{near - 9}" y="{near - 9}" width="818" height="918" {line} stroke-width="2"/>'
            f'<path d="{self._corners(near)}" fill="none" stroke="{_LINES}" stroke-width="2.4"/>'
        )

    def _corners(self, near: int) -> str:
        """The little angles around the points where cannons and pawns begin."""
        marked = [
            (1, 2),
            (7, 2),
            (1, 7),
            (7, 7),
            *((file, rank) for file in range(0, 9, 2) for rank in (3, 6)),
        ]
        return "".join(
            f"M{near + file * 100 + 8 * right} {near + rank * 100 + 24 * up}v{-16 * up}h{16 * right}"
            for file, rank in marked
            for right in (-1, 1)
            for up in (-1, 1)
            if 0 <= file * 2 + right <= 16
        )

    def _coordinates(self) -> Iterator[str]:
        base = 1 if self.game == "chess" else 0
        style = 'font-family="system-ui,sans-serif" font-weight="600"'
        if self.game == "chess":
            ink = "#2f4452"
            for n in range(8):
                file, rank = (7 - n, n) if self.flip else (n, 7 - n)
                yield (
                    f'<text x="{n * 100 + 93}" y="793" text-anchor="end" font-size="19" {style} '
                    f'fill="{ink}">{chr(97 + file)}</text><text x="6" y="{n * 100 + 21}" font-size="19" '
                    f'{style} fill="{ink}">{rank + base}</text>'
                )
            return
        for file in range(9):
            x = self.corner((file, 0))[0] + 50
            yield (
                f'<text x="{x}" y="{self.height - 9}" text-anchor="middle" font-size="24" {style} '
                f'fill="{_LINES}">{chr(97 + file)}</text>'
            )
        for rank in range(10):
            y = self.corner((0, rank))[1] + 58
            yield f'<text x="8" y="{y}" font-size="24" {style} fill="{_LINES}">{rank + base}</text>'
