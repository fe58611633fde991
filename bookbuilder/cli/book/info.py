"""`bookbuilder book info|verify`: show facts of a book, or check that it is sound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.book.book import Book
from bookbuilder.cli.book.gaps import Against, AnyBook
from bookbuilder.cli.book.summary import print_reach, warn_of_gaps
from bookbuilder.cli.console import counted, format_bytes, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.help import Application
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.errors import BookError, OptionError

if TYPE_CHECKING:
    from bookbuilder.book.open import ListedBook
    from bookbuilder.book.verify import Comparison, Soundness

__all__ = ["app", "print_facts"]

app = Application(help="Inspect, verify, compare, merge and change books.", no_args_is_help=True)

# The number of archives that are named; --json names all.
_ARCHIVES: Final = 5


@app.command()
def info(book: AnyBook, against: Against = None, json: opt.Json = False, quiet: opt.Quiet = False) -> None:
    """Show facts of a book: how it was built, and what the start position leads to.

    Without --against both sides play book moves. With it the opponent plays any move of the store.
    """
    from bookbuilder.book.graph import graph_of_file
    from bookbuilder.book.open import open_book
    from bookbuilder.book.reach import book_reach
    from bookbuilder.tally.tally import Tally

    facts = open_book(book).info
    reach = book_reach(graph_of_file(book, None if against is None else Tally.open(against)))
    if json:
        print_json({**facts, "reach": reach.to_json()})
    else:
        print_facts(str(book), facts)
        print_reach(reach.game, reach.to_json())
    warn_of_gaps(reach.game, reach.to_json(), quiet=quiet)


def print_facts(name: str, facts: dict[str, Any]) -> None:
    """Print the facts of a book, from its `info`."""
    rows = [
        ("game", facts["game"]),
        ("format", facts["format"]),
        *((unit, f"{facts[unit]:,}") for unit in ("records", "moves") if unit in facts),
        ("bytes", f"{facts['bytes']:,} ({format_bytes(facts['bytes'])})"),
        ("mirrors folded", "yes" if facts["fold"] else "no"),
        ("does not store", ", ".join(facts["does_not_store"]) or "–"),
        *_recipe_rows(facts.get("recipe", {})),
    ]
    print_table(facts_columns(name, "fact", is_left=True), rows)


def _recipe_rows(recipe: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the rows of a recipe; options of selection are those that differ from the preset's."""
    from bookbuilder.selection.options import preset

    sources = recipe.get("sources", ())
    for source in sources[:_ARCHIVES]:
        yield "archive", f"{source.get('source')} ({counted(source.get('games', 0), 'game')})"
    if len(sources) > _ARCHIVES:
        yield "  and more", f"{len(sources) - _ARCHIVES:,}"
    if (max_ply := recipe.get("tally", {}).get("max_ply")) is not None:
        yield "counted up to ply", str(max_ply)
    if "preset" in recipe:
        yield "preset", recipe["preset"]
        usual = preset(recipe["preset"]).to_json()
        for name, value in recipe.get("selection", {}).items():
            if value != usual.get(name):
                yield name.replace("_", " "), str(value)
    if "merge" in recipe:
        yield "merged from", f"{len(recipe['parts'])} books"
    if recipe.get("edited"):
        yield "changed by hand", counted(recipe["edited"], "time")


@app.command()
def verify(
    book: AnyBook,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            metavar="STORE",
            help="Compare with this tally store, of the archives that the book was made from.",
            show_default=False,
        ),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Check a book: every byte, and its moves on a walk from the start; exit code 1 if it is damaged.

    The exit code is 3 if the book cannot even be opened.

    With --store, compare every record with what the book's recipe selects from the store, and replay lines to
    a sample of records.
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
            ("lines played out", f"{compared.replayed:,}"),
            ("  that led elsewhere", f"{compared.misled:,}"),
        ]
    print_table(facts_columns(str(book.path), "found"), rows)
