"""`bookbuilder games list`: archives in, a line for each of their games out."""

from __future__ import annotations

import csv
import json as jsonlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer
from rich.cells import cell_len

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import JSON_SCHEMA, reading
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.games_output import game_of_files, tell_left_out
from bookbuilder.cli.inputs import named_files
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder._core import ArrowStream

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

Row: TypeAlias = Mapping[str, Any]


def list_games(
    inputs: opt.Inputs,
    game: opt.GameOption = opt.GameChoice.AUTO,
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each game.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a line of headings.")] = False,
    quiet: opt.Quiet = False,
) -> None:
    """List games: players, date, result, plies, opening, event; moves are read, not played.

    Exit code 1 if there is none.
    """
    from bookbuilder import _core
    from bookbuilder.collection import CollectionReport, listed_rows

    if json and as_csv:
        raise OptionError("--json and --csv are two answers: give one of them")
    print_rows = _print_json if json else _CsvPrinter() if as_csv else _TablePrinter()
    count = 0

    def take(batch: ArrowStream) -> None:
        nonlocal count
        rows = listed_rows(batch)
        count += len(rows)
        print_rows(rows)

    with named_files(inputs) as files:
        named = game_of_files(game, files)
        size = sum(path.stat().st_size for path in files)
        with reading(size, quiet=quiet) as progress:
            run = _core.list_games([str(path) for path in files], named, take, progress=progress)
    tell_left_out(CollectionReport.of_run(run), quiet=quiet)
    if count == 0:
        raise finish(Exit.FAILED, "no game was found")


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
    """Prints a table whose columns are as wide as the first rows need: later ones do not have to be known."""

    def __init__(self) -> None:
        self._widths: list[int] = []

    def __call__(self, rows: Sequence[Row]) -> None:
        """Print rows."""
        table = [_cells(row) for row in rows]
        lines = []
        if not self._widths:
            head = [heading for heading, _, _ in _TABLE]
            self._widths = [max(map(cell_len, column)) for column in zip(head, *table, strict=True)]
            lines = [self._line(head), "─" * (sum(self._widths) + 2 * len(self._widths) - 2)]
        lines += [self._line(cells) for cells in table]
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in lines))

    def _line(self, cells: Sequence[str]) -> str:
        padded = []
        for cell, width, (_, _, is_right) in zip(cells, self._widths, _TABLE, strict=True):
            gap = " " * (width - cell_len(cell))
            padded.append(gap + cell if is_right else cell + gap)
        return "  ".join(padded)


def _cells(row: Row) -> list[str]:
    opening = " ".join(text for text in (row["eco"], row["opening"]) if text)
    numbers = {"number": f"{row['number']:,}", "plies": f"{row['plies']:,}"}
    texts = {**row, **numbers, "opening": opening}
    # Control characters of a file must not reach the terminal.
    return ["".join(c if c.isprintable() else " " for c in texts[field]) for _, field, _ in _TABLE]
