"""`bookbuilder games list`: print a line for each game of archives."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from bookbuilder.cli import console
from bookbuilder.cli.console import json_text, print_text, visible
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.games.streams import Reading
from bookbuilder.cli.inputs import check_losses, tell_unreadable
from bookbuilder.cli.notation import is_chinese
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import TableWriter, number, text
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder._core import ArrowStream
    from bookbuilder.games.openings import Openings

# Fields of the table, with their columns.
_TABLE: Final = {
    "number": number("number"),
    "first_player": text("first player", least=14),
    "second_player": text("second player", least=14),
    "date": text("date", drop=2),
    "result": text("result"),
    "plies": number("plies", drop=3),
    "opening": text("opening", drop=1, least=20),
    "event": text("event", drop=4, least=20),
}

Row: TypeAlias = Mapping[str, Any]


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
    table = TableWriter(list(_TABLE.values()))
    print_rows = _print_json if json else _CsvPrinter()
    count = 0

    def take(batch: ArrowStream) -> None:
        nonlocal count
        rows = [_classified(row, openings) for row in listed_rows(batch)]
        count += len(rows)
        if json or as_csv:
            print_rows(rows)
            return
        if is_chinese():
            rows = [{**row, "classified_opening": chinese.get(row["classified_opening"], "")} for row in rows]
        table.write([_cells(row) for row in rows])

    with read.opened(inputs) as (paths, game, limits):
        openings = openings_of(game)
        chinese = {each.name: each.chinese or each.name for each in openings}
        run = _core.list_games(paths, game, take, names=openings.positions(), limits=limits)
    if count and not json and not as_csv:
        table.close()
    report = CollectionReport.of_run(run)
    tell_unreadable(report.members_skipped)
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


def _print_json(rows: Sequence[Row]) -> None:
    print_text("".join(f"{json_text(row)}\n" for row in rows))


class _CsvPrinter:
    """Prints CSV; the first rows get a line of headings."""

    def __init__(self) -> None:
        self._has_head = False

    def __call__(self, rows: Sequence[Row]) -> None:
        """Print rows."""
        lines = io.StringIO()
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        if not self._has_head:
            writer.writeheader()
            self._has_head = True
        # A line feed in a cell would begin a line on a terminal.
        shown = visible if console.is_terminal(sys.stdout) else str
        writer.writerows({name: shown(_inert(str(value))) for name, value in row.items()} for row in rows)
        print_text(lines.getvalue())


def _inert(cell: str) -> str:
    """Return a cell that no spreadsheet runs: an apostrophe precedes what would begin a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _cells(row: Row) -> list[str]:
    numbers = {"number": f"{row['number']:,}", "plies": f"{row['plies']:,}"}
    texts = {**row, **numbers, "opening": _opening(row)}
    return [texts[field] for field in _TABLE]


def _opening(row: Row) -> str:
    """Return the opening by the tags of a game, completed by its moves if they have the same code."""
    code, name = row["eco"] or row["classified_eco"], row["opening"]
    if not name and code == row["classified_eco"]:
        name = row["classified_opening"]
    return " ".join(text for text in (code, name) if text)
