"""`bookbuilder games list`: print a line for each game of archives."""

from __future__ import annotations

import csv
import json as jsonlib
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer
from rich.cells import cell_len, set_cell_size

from bookbuilder.cli.console import JSON_SCHEMA
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.games.input import Reading
from bookbuilder.cli.games.output import tell_left_out
from bookbuilder.cli.inputs import check_losses
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder._core import ArrowStream
    from bookbuilder.games.openings import Openings

# Columns of the table: heading, field, whether it stands right.
_TABLE: Final = (
    ("number", "number", True),
    ("first player", "first_player", False),
    ("second player", "second_player", False),
    ("date", "date", False),
    ("result", "result", False),
    ("plies", "plies", True),
    ("opening", "opening", False),
    ("event", "event", False),
)

# Cells that a column takes at most: names of openings have a hundred signs.
_WIDEST: Final = 48

Row: TypeAlias = Mapping[str, Any]


@spread
def list_games(
    inputs: opt.Inputs,
    read: Reading,
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each game.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a line of headings.")] = False,
) -> None:
    """List games: players, date, result, plies, opening, event; moves are read, not checked.

    The opening is that of the ECO or ECCO tag, else what the moves are known as.

    Exit code 1 if there is none.
    """
    from bookbuilder import _core
    from bookbuilder.archives.collection import CollectionReport, listed_rows
    from bookbuilder.games.openings import openings_of

    if json and as_csv:
        raise OptionError("--json and --csv are two answers: give one of them")
    print_rows = _print_json if json else _CsvPrinter() if as_csv else _TablePrinter()
    count = 0

    def take(batch: ArrowStream) -> None:
        nonlocal count
        rows = [_classified(row, openings) for row in listed_rows(batch)]
        count += len(rows)
        print_rows(rows)

    with read.opened(inputs) as (paths, game, limits):
        openings = openings_of(game)
        run = _core.list_games(paths, game, take, names=openings.positions(), limits=limits)
    report = CollectionReport.of_run(run)
    tell_left_out(report, quiet=read.quiet)
    check_losses(report)
    if count == 0:
        raise finish(Exit.FAILED, "no game was found")


def _classified(row: dict[str, Any], openings: Openings) -> dict[str, Any]:
    """The row with code and name of the last named position that its game meets, in place of their number."""
    place = row.pop("named")
    opening = None if place is None else openings[place]
    return {
        **row,
        "classified_eco": "" if opening is None else opening.code,
        "classified_opening": "" if opening is None else opening.name,
    }


Printer: TypeAlias = Callable[[Sequence[Row]], None]


def _print_json(rows: Sequence[Row]) -> None:
    lines = (jsonlib.dumps({"schema": JSON_SCHEMA, **row}, ensure_ascii=False) for row in rows)
    sys.stdout.write("".join(f"{line}\n" for line in lines))


class _CsvPrinter:
    """Prints CSV; the first rows get a line of headings."""

    def __init__(self) -> None:
        self._has_head = False

    def __call__(self, rows: Sequence[Row]) -> None:
        """Print rows."""
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        if not self._has_head:
            writer.writeheader()
            self._has_head = True
        writer.writerows(rows)


class _TablePrinter:
    """Prints a table whose columns are as wide as the first rows need: later ones do not have to be known.

    In a terminal each row keeps to its line.
    """

    def __init__(self) -> None:
        self._widths: list[int] = []
        self._room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    def __call__(self, rows: Sequence[Row]) -> None:
        """Print rows."""
        table = [_cells(row) for row in rows]
        lines = []
        if not self._widths:
            head = [heading for heading, _, _ in _TABLE]
            self._widths = [max(map(cell_len, column)) for column in zip(head, *table, strict=True)]
            lines = [self._line(head), "─" * (sum(self._widths) + 2 * len(self._widths) - 2)]
        lines += [self._line(cells) for cells in table]
        sys.stdout.write("".join(f"{self._fitted(line.rstrip())}\n" for line in lines))

    def _fitted(self, line: str) -> str:
        return line if self._room is None else _cut(line, self._room)

    def _line(self, cells: Sequence[str]) -> str:
        padded = []
        for cell, width, (_, _, is_right) in zip(cells, self._widths, _TABLE, strict=True):
            gap = " " * (width - cell_len(cell))
            padded.append(gap + cell if is_right else cell + gap)
        return "  ".join(padded)


def _cells(row: Row) -> list[str]:
    opening = _opening(row)
    numbers = {"number": f"{row['number']:,}", "plies": f"{row['plies']:,}"}
    texts = {**row, **numbers, "opening": opening}
    # Control characters of a file must not reach the terminal.
    plain = ("".join(c if c.isprintable() else " " for c in texts[field]) for _, field, _ in _TABLE)
    return [_cut(text, _WIDEST) for text in plain]


def _cut(text: str, cells: int) -> str:
    """The text, as far as it fits."""
    return text if cell_len(text) <= cells else f"{set_cell_size(text, cells - 1)}…"


def _opening(row: Row) -> str:
    """Return the opening by the tags of a game, completed by its moves if they have the same code."""
    code, name = row["eco"] or row["classified_eco"], row["opening"]
    if not name and code == row["classified_eco"]:
        name = row["classified_opening"]
    return " ".join(text for text in (code, name) if text)
