"""`bookbuilder book info|verify|dump`: a clustered book in, its facts, its soundness or its records out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import format_bytes, print_json, print_table, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.errors import BookError

if TYPE_CHECKING:
    from bookbuilder.book import Book

app = typer.Typer(help="Inspect and verify clustered books.", no_args_is_help=True)

BookFile = Annotated[Path, typer.Argument(metavar="BOOK", help="A clustered book.", show_default=False)]


@app.command()
def info(book: BookFile, json: opt.Json = False) -> None:
    """Tell what a book is and how it was made."""
    from bookbuilder.book import Book

    facts = book_facts(Book.open(book))
    if json:
        print_json(facts)
    else:
        print_facts(str(book), facts)


def book_facts(book: Book) -> dict[str, Any]:
    """Return the facts of a book: game, records, clusters, bytes, fold, columns, recipe."""
    return dict(book.info)


def print_facts(name: str, facts: dict[str, Any]) -> None:
    """Print the facts of a book."""
    recipe = facts["recipe"]
    selection = recipe.get("selection", {}) if isinstance(recipe, dict) else {}
    shown = {key: value for key, value in selection.items() if value is not None and key != "quality"}
    rows = [
        ("game", facts["game"]),
        ("records", f"{facts['records']:,}"),
        ("clusters used", f"{facts['clusters_used']:,} of 32,768"),
        ("bytes", f"{facts['bytes']:,} ({format_bytes(facts['bytes'])})"),
        ("mirrors folded", "yes" if facts["fold"] else "no"),
        ("locks and counts", "yes" if facts["columns"] else "no"),
        *((key.replace("_", " "), str(value)) for key, value in shown.items()),
    ]
    print_table((name, "fact"), rows)


@app.command()
def verify(book: BookFile, json: opt.Json = False) -> None:
    """Check every byte of a book: checksum, order, index; exit code 1 if something is wrong."""
    from bookbuilder.book import Book

    opened = Book.open(book)
    try:
        opened.verify()
        fault = None
    except BookError as error:
        fault = str(error)
    if json:
        print_json({"book": str(book), "records": len(opened), "sound": fault is None, "fault": fault})
    elif fault is None:
        say(f"{book}: sound, {len(opened):,} records")
    if fault is not None:
        raise finish(Exit.FAILED, fault)


@app.command()
def dump(
    book: BookFile,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Most records.", show_default="all")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Print the records of a book in the order of their keys, as CSV or JSON."""
    from bookbuilder.book import Book

    opened = Book.open(book)
    frame = opened.to_pandas()
    if limit is not None:
        frame = frame.head(limit)
    frame = frame.assign(key=frame["key"].map("0x{:016x}".format))
    if "lock" in frame:
        frame = frame.assign(lock=frame["lock"].map("0x{:08x}".format))
    if json:
        print_json({"game": opened.game, "records": frame.to_dict("records")})
    else:
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
