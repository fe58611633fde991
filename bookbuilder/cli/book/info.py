"""`bookbuilder book verify`: check that a book is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bookbuilder.book.book import Book
from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.console import print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.errors import BookError

if TYPE_CHECKING:
    from bookbuilder.book.open import ListedBook


def verify(book: AnyBook, json: opt.Json = False) -> None:
    """Check a book: every byte, and its moves on a walk from the start; exit code 1 if it is damaged.

    The exit code is 3 if the book cannot even be opened.
    """
    from bookbuilder.book.open import open_book
    from bookbuilder.book.verify import walked

    opened = open_book(book)
    found = fault = None
    try:
        found = walked(opened)
    except BookError as error:
        fault = str(error)
    if json:
        answer = {"book": str(book), "format": opened.format, "sound": fault is None, "fault": fault}
        print_json(answer | {"walk": found})
    elif found is not None:
        _print_soundness(opened, found)
    if fault is not None:
        raise finish(Exit.FAILED, fault)


def _print_soundness(book: Book | ListedBook, found: dict[str, int]) -> None:
    unit = "records" if isinstance(book, Book) else "moves"
    rows = [
        (unit, f"{found['records']:,}"),
        ("  on a walk from the start", f"{found['reached']:,}"),
        ("  that no book moves lead to", f"{found['unreached']:,}"),
        ("moves of the walk, all legal", f"{found['moves']:,}"),
        ("plies of its longest line", f"{found['longest']:,}"),
    ]
    if not isinstance(book, Book):
        rows += [(f"not read: {what}", f"{count:,}") for what, count in book.table.lost.items()]
    print_table(facts_columns(str(book.path), "found"), rows)
