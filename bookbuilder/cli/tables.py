"""Tables that fit the terminal.

A terminal that is too narrow for a table hides whole columns, in the order that the command declares, and
a note says so. Numbers are never cut. Free text is shortened or wrapped when nothing else is left to hide.
In pipes, and with --wide, a table has all its columns and its whole text.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bookbuilder.cli.figures import format_bar
from bookbuilder.cli.terminal import Style, paint, room, write_block
from bookbuilder.cli.words import counted

__all__ = [
    "RESULTS",
    "Bar",
    "Cell",
    "Column",
    "Painted",
    "TableWriter",
    "bars",
    "facts_columns",
    "number",
    "print_table",
    "results_bar",
    "side_styles",
    "text",
    "verdict_cell",
]

_GAP: Final = "  "

RESULTS: Final = "W █ D ▒ L ░"
"""The heading of a column of results bars; it names the shapes."""

_BAR_CELLS: Final = 12
_LONGEST_BAR: Final = 30
_SHORTEST_BAR: Final = 10
_NARROWEST: Final = 12


@dataclass(frozen=True, slots=True)
class Painted:
    """A cell of coloured parts.

    Attributes:
        parts: each text with its style.
    """

    parts: tuple[tuple[str, Style], ...]

    @classmethod
    def of(cls, content: str, style: Style) -> Painted:
        """Return a cell with one style."""
        return cls(((content, style),))

    def __str__(self) -> str:
        """Return the text without colours."""
        return "".join(part for part, _ in self.parts)


@dataclass(frozen=True, slots=True)
class Bar:
    """A cell with a bar, which is as long as its column.

    Attributes:
        share: the filled part, from 0 to 1.
    """

    share: float

    def __str__(self) -> str:
        """Return the bar in its full length."""
        return format_bar(self.share, _LONGEST_BAR)


Cell: TypeAlias = str | Painted | Bar
"""The content of a cell."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        heading: its heading.
        is_left: whether cells are aligned to the left.
        drop: 0: always shown; columns with the highest number are hidden first, all of one number together.
        least: width that a free text keeps in a narrow terminal; None: as wide as its cells.
        wraps: whether a free text that is too long takes several lines; otherwise it is shortened.
    """

    heading: str
    is_left: bool = False
    drop: int = 0
    least: int | None = None
    wraps: bool = False


def number(heading: str, drop: int = 0) -> Column:
    """Return a column of numbers."""
    return Column(heading, drop=drop)


def text(heading: str, drop: int = 0, *, least: int | None = None, wraps: bool = False) -> Column:
    """Return a column of text."""
    return Column(heading, is_left=True, drop=drop, least=least, wraps=wraps)


def bars(heading: str = "", drop: int = 0) -> Column:
    """Return a column of bars."""
    return Column(heading, is_left=True, drop=drop, least=_SHORTEST_BAR)


def facts_columns(title: str, value: str = "figure", *, is_left: bool = False) -> tuple[Column, Column]:
    """Return the columns of a table of facts: names under a title, and their values."""
    return text(title, least=12, wraps=True), Column(value, is_left=is_left, least=24, wraps=True)


def print_table(
    columns: Sequence[Column | str],
    rows: Iterable[Sequence[Cell]],
    *,
    title: str = "",
    left: Container[int] = (0,),
) -> None:
    """Print a table to stdout.

    Args:
        columns: the columns, or headings alone.
        rows: the cells of each row.
        title: a line above the table.
        left: the numbers of headings whose cells are aligned to the left.
    """
    declared = [
        Column(each, is_left=place in left) if isinstance(each, str) else each
        for place, each in enumerate(columns)
    ]
    writer = TableWriter(declared, title)
    writer.write(list(rows))
    writer.close()


class TableWriter:
    """Prints a table in steps. The first rows decide the width of the columns."""

    def __init__(self, columns: Sequence[Column], title: str = "") -> None:
        self._columns = columns
        self._title = title
        self._places: list[int] = []
        self._widths: list[int] = []
        self._room = room()

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Print rows; the first ones after the headings."""
        is_first, lines = not self._places, []
        if is_first:
            self._place(rows)
            lines = self._head()
        for row in rows:
            lines += self._lines([row[place] for place in self._places])
        write_block(lines, is_first=is_first)

    def close(self) -> None:
        """Say how many columns are hidden."""
        if hidden := len(self._columns) - len(self._places):
            write_block(
                [paint(f"{counted(hidden, 'column')} hidden; --wide shows all", "muted")], is_first=False
            )

    def _place(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Choose the columns that are shown, and their widths."""
        headings = [width_of(each.heading) for each in self._columns]
        cells = [
            max((width_of(str(row[place])) for row in rows), default=0) for place in range(len(self._columns))
        ]
        natural = [max(pair) for pair in zip(headings, cells, strict=True)]
        least = [_least_width(*each) for each in zip(self._columns, headings, cells, strict=True)]
        drops = [each.drop for each in self._columns]
        self._places = _shown(least, drops, self._room)
        if self._room is not None and _total([least[place] for place in self._places]) > self._room:
            # Nothing is left to hide: texts become as narrow as they can.
            least = [
                width if column.least is None else min(width, _NARROWEST)
                for column, width in zip(self._columns, least, strict=True)
            ]
        self._widths = _widened(
            [least[place] for place in self._places], [natural[place] for place in self._places], self._room
        )

    def _head(self) -> list[str]:
        """Return the lines of the title, of the headings and of the rule below them."""
        shown = [self._columns[place] for place in self._places]
        headings = [
            Painted.of(shortened(each.heading, width, from_left="/" in each.heading), "heading")
            for each, width in zip(shown, self._widths, strict=True)
        ]
        rule = "─" * (sum(self._widths) + len(_GAP) * (len(shown) - 1))
        title = [paint(self._title, "heading")] if self._title else []
        return [*title, self._line(headings), paint(rule, "muted")]

    def _lines(self, cells: Sequence[Cell]) -> list[str]:
        """Return the line of a row, or its lines if a text is wrapped."""
        shown = [self._columns[place] for place in self._places]
        split = [
            _fitted(cell, column, width)
            for cell, column, width in zip(cells, shown, self._widths, strict=True)
        ]
        height = max(len(each) for each in split)
        return [self._line([each[row] if row < len(each) else "" for each in split]) for row in range(height)]

    def _line(self, cells: Sequence[Cell]) -> str:
        last = max((place for place, cell in enumerate(cells) if str(cell).strip()), default=-1)
        pieces = []
        for number, (cell, place, width) in enumerate(
            zip(cells[: last + 1], self._places, self._widths, strict=False)
        ):
            pad = " " * (width - width_of(str(cell)))
            if not self._columns[place].is_left:
                pieces.append(pad + _painted(cell))
            elif number < last:
                pieces.append(_painted(cell) + pad)
            else:
                pieces.append(_painted(cell).rstrip())
        return _GAP.join(pieces)


def _painted(cell: Cell) -> str:
    if not isinstance(cell, Painted):
        return str(cell)
    return "".join(paint(part, style) for part, style in cell.parts)


def width_of(content: str) -> int:
    """Return the number of cells that a text takes in a terminal; Chinese characters take two."""
    if content.isascii():
        return len(content)
    from rich.cells import cell_len

    return cell_len(content)


def _least_width(column: Column, heading: int, cells: int) -> int:
    """Return the width that a column needs; the heading of a text may be shortened."""
    if column.least is not None:
        return min(max(heading, cells), column.least)
    return max(cells, min(heading, 6)) if column.is_left else max(heading, cells)


def _shown(widths: Sequence[int], drops: Sequence[int], room: int | None) -> list[int]:
    """Return the places of the columns that fit; those with the highest `drop` are hidden first.

    Example:
        >>> _shown([10, 10, 10, 10], [0, 2, 1, 2], 25)
        [0, 2]
    """
    places = list(range(len(widths)))
    while room is not None and _total([widths[place] for place in places]) > room:
        highest = max(drops[place] for place in places)
        if not highest:
            break
        places = [place for place in places if drops[place] < highest]
    return places


def _widened(least: Sequence[int], natural: Sequence[int], room: int | None) -> list[int]:
    """Return the widths of columns when the free room goes to the narrowest text that needs it.

    Example:
        >>> _widened([4, 4, 4], [4, 20, 6], 20)
        [4, 6, 6]
    """
    if room is None:
        return list(natural)
    widths = list(least)
    for _ in range(room - _total(widths)):
        growing = [place for place, width in enumerate(widths) if width < natural[place]]
        if not growing:
            break
        widths[min(growing, key=lambda place: widths[place])] += 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _fitted(cell: Cell, column: Column, width: int) -> list[Cell]:
    """Return a cell as the lines that it takes in a column of this width."""
    content = str(cell)
    if isinstance(cell, Bar):
        return [format_bar(cell.share, width)]
    if width_of(content) <= width or (column.least is None and not column.is_left):
        return [cell]
    lines = wrapped(content, width) if column.wraps else [shortened(content, width)]
    style: Style = "plain" if isinstance(cell, str) else cell.parts[0][1]
    return [Painted.of(line, style) for line in lines]


def wrapped(content: str, width: int) -> list[str]:
    """Return the lines of a text that is broken at blanks; a longer word is shortened.

    Example:
        >>> wrapped("not among the 2 best", 10)
        ['not among', 'the 2 best']
    """
    lines = [""]
    indent = content[: len(content) - len(content.lstrip())]
    # A number stays with its unit.
    for word in content.strip().replace(" %", "\xa0%").replace(" - ", "\xa0-\xa0").split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1].strip() else f"{indent}{word}"
        if width_of(joined) <= width or not lines[-1].strip():
            lines[-1] = shortened(joined, width)
        else:
            lines.append(shortened(f"{indent}{word}", width))
    return [line.replace("\xa0", " ") for line in lines]


def shortened(content: str, width: int, *, from_left: bool = False) -> str:
    """Return a text that fits, with … where something is missing.

    Example:
        >>> shortened("Sicilian Defence", 8), shortened("a/b/chess.store", 12, from_left=True)
        ('Sicilia…', '…chess.store')
    """
    if width_of(content) <= width:
        return content
    while content and width_of(content) > width - 1:
        content = content[1:] if from_left else content[:-1]
    return f"…{content}" if from_left else f"{content.rstrip()}…"


def verdict_cell(*, is_kept: bool, reason: str | None) -> Painted:
    """Return the cell of a verdict: kept, or the reason why not."""
    return Painted.of("kept", "kept") if is_kept else Painted.of(reason or "–", "dropped")


def side_styles(game: str, side: int) -> tuple[Style, Style]:
    """Return the colours of the side to move and of the other one.

    Args:
        game: the game.
        side: side to move, 0 first, 1 second.
    """
    first: Style = "white" if game == "chess" else "red"
    return (first, "black") if side == 0 else ("black", first)


def results_bar(counts: Sequence[float | None], colors: tuple[Style, Style] = ("plain", "plain")) -> Cell:
    """Return a bar of wins, draws and losses, each with its own shape.

    Args:
        counts: wins of the side to move, draws, and its losses; None if they are not known.
        colors: of the side to move and of the other side.

    Example:
        >>> str(results_bar((2, 1, 1)))
        '██████▒▒▒░░░'
    """
    known = [count or 0 for count in counts]
    if not (total := sum(known)):
        return "–"
    exact = [_BAR_CELLS * count / total for count in known]
    cells = [int(each) for each in exact]
    # The remainders are given to the largest fractions, so that all bars are equally long.
    order = sorted(range(3), key=lambda place: cells[place] - exact[place])
    for place in order[: _BAR_CELLS - sum(cells)]:
        cells[place] += 1
    styles: tuple[Style, ...] = (colors[0], "draw", colors[1])
    return Painted(
        tuple((sign * count, style) for sign, count, style in zip("█▒░", cells, styles, strict=True))
    )
