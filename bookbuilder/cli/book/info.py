"""`bookbuilder book verify`: check that a book is sound."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.book.book import Book
from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.console import print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.errors import BookError, OptionError

if TYPE_CHECKING:
    from bookbuilder.book.open import ListedBook
    from bookbuilder.book.verify import Comparison, Soundness


def verify(
    book: AnyBook,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            metavar="STORE",
            help="Compare with this tally store, of the archives that the book was made from.",
        ),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Check a book: every byte, and its moves on a walk from the start; exit code 1 if it is damaged.

    The exit code is 3 if the book cannot even be opened.

    With --store, compare every record with what the book's recipe selects from the store.
    """
    from bookbuilder.book.open import open_book
    from bookbuilder.book.verify import compare_with_tally, walked
    from bookbuilder.tally.tally import Tally

    opened = open_book(book)
    if store is not None and not isinstance(opened, Book):
        raise OptionError(f"{book}: --store compares records, which only clustered books have")
    found = compared = fault = None
    try:
        found = walked(opened)
        if store is not None and isinstance(opened, Book):
            compared = compare_with_tally(opened, Tally.open(store))
            fault = f"{book}: {compared.fault}" if compared.fault else None
    except BookError as error:
        fault = str(error)
    if json:
        answer = {"book": str(book), "format": opened.format, "sound": fault is None, "fault": fault}
        results = {"walk": found, "compared": compared}
        print_json(answer | {name: None if each is None else asdict(each) for name, each in results.items()})
    elif found is not None:
        _print_soundness(opened, found, compared)
    if fault is not None:
        raise finish(Exit.FAILED, fault)


def _print_soundness(book: Book | ListedBook, found: Soundness, compared: Comparison | None) -> None:
    unit = "records" if isinstance(book, Book) else "moves"
    rows = [
        (unit, f"{found.records:,}"),
        ("  on a walk from the start", f"{found.reached:,}"),
        ("  that no book moves lead to", f"{found.unreached:,}"),
        ("moves of the walk, all legal", f"{found.moves:,}"),
        ("plies of its longest line", f"{found.longest:,}"),
    ]
    if not isinstance(book, Book):
        rows += [(f"not read: {what}", f"{count:,}") for what, count in book.table.lost.items()]
    if compared is not None:
        rows += [
            ("records as in the store", f"{compared.same:,}"),
            ("  that differ", f"{compared.different:,}"),
            ("  that it does not keep", f"{compared.unknown:,}"),
            ("positions that the book lacks", f"{compared.missing:,}"),
        ]
    print_table(facts_columns(str(book.path), "found"), rows)
