"""`bookbuilder book convert`, and its report of losses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from bookbuilder.cli.console import format_bytes, print_json
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_free
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.errors import OptionError


def convert(
    source: Annotated[Path, typer.Argument(metavar="A", help="The book to read.")],
    target: Annotated[Path, typer.Argument(metavar="B", help="The book to write.")],
    read_as: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help="Format of A, such as polyglot.", show_default="by its name"
        ),
    ] = None,
    write_as: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="Format of B.", show_default="by its name")
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Convert a book between formats, and report what is lost.

    .book clustered; .bin Polyglot; .abk Arena; .dat BOOK.DAT; .obk OBK; .pgn .epd write only; .csv.
    """
    from bookbuilder.book.formats.registry import convert as convert_book

    require_free(target, force=force)
    if source.exists() and target.exists() and source.samefile(target):
        raise OptionError(f"{target}: is the book to read; give another name for the book to write")
    written = convert_book(source, target, read_as=read_as, write_as=write_as).to_json()
    if json:
        print_json({"source": str(source), "book": str(target), **written})
        return
    size = written["bytes"]
    rows = [
        (f"written: {written['format']}, {written['game']}", f"{written['moves']:,}"),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
        *loss_rows(written),
    ]
    print_table(facts_columns(str(target), "moves"), rows)


def loss_rows(written: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the rows of a table of losses, from the JSON data of a `Written`."""
    rows = [(f"not read: {what}", f"{count:,}") for what, count in written["not_read"].items()]
    for what, count in written["lost"].items():
        words = f"not written: moves {what}" if what.startswith("of weight 0") else f"lost: {what}"
        if what == "games, wins, draws and losses":
            words = "without games and results, which the format lacks"
        rows.append((words, f"{count:,}"))
    return rows
