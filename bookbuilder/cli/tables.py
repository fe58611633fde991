"""Tables that fit the terminal.

A terminal that is too narrow for a table hides whole columns, in the order that the command declares, and
a note says so. Numbers are never cut. Free text is shortened or wrapped when nothing else is left to hide.
In pipes, and with --wide, a table has all its columns and its whole text.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from rich.box import Box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bookbuilder.cli.console import counted, has_color, room, visible, write_block

RESULTS: Final = "W █ D ▒ L ░"
"""The heading of a column of results bars; it names the shapes."""

_RULE: Final = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
_GAP: Final = 2
_BLANKS_AT_END: Final = re.compile(r" +(?=(?: *\x1b\[[\d;]*m)* *$)")
_RESULTS_CELLS: Final = 12
_LONGEST_BAR: Final = 30
_SHORTEST_BAR: Final = 10
_NARROWEST: Final = 12
_UNLIMITED: Final = 1 << 20
# The hues of the explorer, in tones that are readable on a light and on a dark background.
_STYLES: Final = {
    "kept": "color(32)",
    "dropped": "color(136)",
    "white": "color(250)",
    "red": "color(167)",
    "black": "color(240)",
    "draw": "color(245)",
}


class Bar(NamedTuple):
    """A cell with a bar, which is as long as its column."""

    share: float  # the filled part, from 0 to 1

    def drawn(self, width: int) -> Text:
        """Return the bar in a column of this width."""
        eighths = round(8 * width * min(max(self.share, 0.0), 1.0))
        return Text("█" * (eighths // 8) + "▏▎▍▌▋▊▉"[eighths % 8 - 1] * (eighths % 8 > 0))


Cell: TypeAlias = str | int | Text | Bar
"""The content of a cell; whole numbers are written with separators."""


class Column(NamedTuple):
    """A column of a table."""

    heading: str
    is_left: bool = False  # whether cells are aligned to the left
    # 0: always shown; columns with the highest number are hidden first, all of one number together.
    drop: int = 0
    least: int | None = None  # width that a free text keeps in a narrow terminal; None: as wide as its cells
    wraps: bool = False  # whether a free text that is too long takes several lines; else it is shortened


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


def print_facts(
    title: str, rows: Iterable[Sequence[Cell]], value: str = "figure", *, is_left: bool = False
) -> None:
    """Print a table of facts: names under a title, and their values under a heading."""
    print_table(facts_columns(title, value, is_left=is_left), rows)


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, title: str = "") -> None:
    """Print a table to stdout, with a title above it."""
    writer = TableWriter(columns, title)
    writer.write(list(rows))
    writer.close()


class TableWriter:
    """Prints a table in steps. The first rows decide the columns and their widths."""

    def __init__(self, columns: Sequence[Column], title: str = "") -> None:
        self._columns = columns
        self._title = title
        self._widths: dict[int, int] = {}
        self._room = room()

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Print rows; the first ones after the headings."""
        is_first = not self._widths
        texts = [[cell if isinstance(cell, Bar | Text) else _text(cell) for cell in row] for row in rows]
        if is_first:
            self._widths = _fitted_widths(self._columns, texts, self._room)
        table = Table(
            box=_RULE, show_edge=False, show_header=is_first, padding=(0, 1, 0, 0), pad_edge=False,
            header_style="bold", border_style="dim", title=visible(self._title) if is_first else None,
            title_style="bold", title_justify="left",
        )  # fmt: skip
        for index, width in self._widths.items():
            column = self._columns[index]
            table.add_column(
                _text(column.heading),
                justify="left" if column.is_left else "right",
                no_wrap=not column.wraps,
                overflow="fold" if column.wraps else "ellipsis",
                min_width=width,
                max_width=width if column.is_left else None,  # numbers are never cut
            )
        for row in texts:
            cells = ((row[index], width) for index, width in self._widths.items())
            table.add_row(*(cell.drawn(width) if isinstance(cell, Bar) else cell for cell, width in cells))
        write_block(_drawn(table), is_first=is_first)

    def close(self) -> None:
        """Say how many columns are hidden."""
        if hidden := len(self._columns) - len(self._widths):
            words = f"{counted(hidden, 'column')} hidden; --wide shows all"
            write_block(_drawn(Text(words, style="dim")), is_first=False)


def _drawn(drawing: Table | Text) -> str:
    """Return the lines of a table, without blanks at their ends."""
    stream = io.StringIO()
    is_colored = has_color()
    console = Console(
        file=stream,
        width=_UNLIMITED,
        force_terminal=is_colored,
        color_system="256" if is_colored else None,
        no_color=not is_colored,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    console.print(drawing, soft_wrap=isinstance(drawing, Text))
    return "".join(f"{_BLANKS_AT_END.sub('', line)}\n" for line in stream.getvalue().splitlines())


def _text(cell: str | int) -> Text:
    return Text(f"{cell:,}" if isinstance(cell, int) else visible(cell))


def _fitted_widths(
    columns: Sequence[Column], rows: Sequence[Sequence[Text | Bar]], room: int | None
) -> dict[int, int]:
    """Return the columns that fit by their numbers, with their widths."""
    natural, widths = {}, {}
    for index, column in enumerate(columns):
        heading = _text(column.heading).cell_len
        cells = (row[index] for row in rows)
        widest = max((_LONGEST_BAR if isinstance(cell, Bar) else cell.cell_len for cell in cells), default=0)
        natural[index] = max(heading, widest)
        # The heading of a text may be shortened.
        needed = max(widest, min(heading, 6) if column.is_left else heading)
        widths[index] = needed if column.least is None else min(natural[index], column.least)
    if room is None:
        return natural

    def spare() -> int:
        return room - sum(widths.values()) - _GAP * (len(widths) - 1)

    while spare() < 0 and (highest := max(columns[index].drop for index in widths)):
        widths = {index: width for index, width in widths.items() if columns[index].drop < highest}
    if spare() < 0:  # nothing is left to hide: texts become as narrow as they can
        widths = {
            index: width if columns[index].least is None else min(width, _NARROWEST)
            for index, width in widths.items()
        }
    # Free room goes to the narrowest text that needs it.
    for _ in range(spare()):
        growing = [index for index, width in widths.items() if width < natural[index]]
        if not growing:
            break
        widths[min(growing, key=widths.__getitem__)] += 1
    return widths


def verdict_cell(*, is_kept: bool, reason: str | None) -> Text:
    """Return the cell of a verdict: kept, or the reason why not."""
    if is_kept:
        return Text("kept", _STYLES["kept"])
    words = "–" if reason is None else _REASONS.get(reason, reason.replace("-", " "))
    return Text(words, _STYLES["dropped"])


# As on the page of the explorer.
_REASONS: Final = {
    "below-p": "below P",
    "below-games": "few games",
    "beyond-ply": "too deep",
    "below-share": "rare here",
    "proved-worse": "did worse",
    "below-score": "low score",
}


def results_bar(counts: Sequence[float | None], game: str, side: int) -> Cell:
    """Return a bar of wins, draws and losses, each with its own shape.

    The counts are wins of the side to move (0 first, 1 second), draws, and its losses; None if they are not
    known. The game decides the colours.

    Example:
        >>> str(results_bar((2, 1, 1), "chess", 0))
        '██████▒▒▒░░░'
    """
    known = [count or 0 for count in counts]
    if not (total := sum(known)):
        return "–"
    exact = [_RESULTS_CELLS * count / total for count in known]
    cells = [int(each) for each in exact]
    # The remainders are given to the largest fractions, so that all bars are equally long.
    order = sorted(range(3), key=lambda index: cells[index] - exact[index])
    for index in order[: _RESULTS_CELLS - sum(cells)]:
        cells[index] += 1
    styles = ["white" if game == "chess" else "red", "draw", "black"][:: -1 if side else 1]
    return Text.assemble(
        *((sign * count, _STYLES[style]) for sign, count, style in zip("█▒░", cells, styles, strict=True))
    )
