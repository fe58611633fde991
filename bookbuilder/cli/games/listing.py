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
from bookbuilder.cli.notation import name_in_language
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
    count = 0

    def take(batch: ArrowStream) -> None:
        nonlocal count
        rows = [_classified(row, openings, is_data=json or as_csv) for row in listed_rows(batch)]
        if json:
            print_text("".join(f"{json_text(row)}\n" for row in rows))
        elif as_csv:
            _print_csv(rows, has_head=count == 0)
        else:
            table.write([_cells(row) for row in rows])
        count += len(rows)

    with read.opened(inputs) as (paths, game, limits):
        openings = openings_of(game)
        run = _core.list_games(paths, game, take, names=openings.positions(), limits=limits)
    if count and not json and not as_csv:
        table.close()
    report = CollectionReport.of_run(run)
    tell_unreadable(report.members_skipped)
    check_losses(report)
    if count == 0:
        raise finish(Exit.FAILED, "no game was found")


def _classified(row: dict[str, Any], openings: Openings, *, is_data: bool) -> dict[str, Any]:
    """The row with code and name of the last named position that its game meets, in place of their number.

    Data have the English name; a table has that of the reader's language.
    """
    place = row.pop("named")
    if place is None:
        return {**row, "classified_eco": "", "classified_opening": ""}
    opening = openings[place]
    name = opening.name if is_data else name_in_language(opening.name, opening.chinese)
    return {**row, "classified_eco": opening.code, "classified_opening": name}


def _print_csv(rows: Sequence[Row], *, has_head: bool) -> None:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    if has_head:
        writer.writerow(rows[0])
    # A line feed in a cell would begin a line on a terminal.
    shown = visible if console.is_terminal(sys.stdout) else str
    for row in rows:
        cells = map(str, row.values())
        # A spreadsheet would run a cell that begins a formula: an apostrophe precedes it.
        inert = (f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell for cell in cells)
        writer.writerow(map(shown, inert))
    print_text(lines.getvalue())


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
