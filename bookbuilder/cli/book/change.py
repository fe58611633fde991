"""`bookbuilder book edit|undo|journal|merge`: change a book, or merge books."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bookbuilder.book.book import Book
from bookbuilder.book.recipe import Edit, edits_of
from bookbuilder.cli.book.info import BookFile
from bookbuilder.cli.console import format_bytes, note, print_json, say
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import PositionArgument, position_at
from bookbuilder.cli.output import require_free
from bookbuilder.cli.tables import facts_columns, print_table, text
from bookbuilder.errors import OptionError


def edit(
    book: BookFile,
    position: PositionArgument,
    move: Annotated[str, typer.Argument(metavar="MOVE", help="In coordinates or SAN.", show_default=False)],
    quality: Annotated[
        int | None,
        typer.Option("--quality", min=0, max=31, help="The new quality.", show_default=False),
    ] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Take the move out of the book.")] = False,
    json: opt.Json = False,
) -> None:
    """Change one move of a book, and add the change to the book's journal; `book undo` undoes it.

    A record describes the position after the move: other moves that lead to it change with it.
    """
    from bookbuilder.book.edits import edit_book

    if (quality is None) == (not drop):
        raise OptionError("expected either --quality N or --drop")
    here = position_at(Book.open(book).game, position)
    _print_edit(edit_book(book, here, move, quality=quality), "done", json=json)


def undo(book: BookFile, json: opt.Json = False) -> None:
    """Undo the last edit of a book. Undoing all edits restores the book byte for byte."""
    from bookbuilder.book.edits import undo_edit

    _print_edit(undo_edit(book), "taken back", json=json)


def journal(book: BookFile, json: opt.Json = False) -> None:
    """List the edits of a book, the oldest first."""
    edits = edits_of(Book.open(book).recipe)
    if json:
        print_json({"book": str(book), "edits": [asdict(each) for each in edits]})
        return
    rows = [
        (str(number), each.position, each.move, _change(each)) for number, each in enumerate(edits, start=1)
    ]
    print_table((text("edit"), text("position", least=20, wraps=True), text("move"), text("change")), rows)


def merge(
    books: Annotated[
        list[Path],
        typer.Argument(metavar="BOOK...", help="Books of one game, of any formats.", show_default=False),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="BOOK", help="The merged book.")],
    priority: Annotated[
        bool,
        typer.Option(
            "--priority", help="Where an earlier book has a move, a later one's moves do not count."
        ),
    ] = False,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Merge books: games and results add up, and the highest quality is kept.

    Books of other formats are merged move by move, and weights add up. The name of the merged book says its
    format.
    """
    from bookbuilder.book.formats.registry import format_of
    from bookbuilder.book.merge import merge_books
    from bookbuilder.cli.book.moves import is_listed, merge_listed

    if len(books) < 2:
        raise OptionError(
            f"{books[0]}: is the only book; name two or more to merge. Copy it into another format with: "
            "bookbuilder book convert"
        )
    require_free(output, force=force)
    if is_listed(*books) or format_of(output).name != "book":
        merge_listed(output, books, priority=priority, json=json, quiet=quiet)
        return
    opened = [Book.open(path) for path in books]
    if not priority:
        _note_shared(opened, quiet=quiet)
    merged = merge_books(output, opened, priority=priority)
    _print_merged(output, opened, merged, json=json)


def _print_merged(output: Path, opened: list[Book], merged: Book, *, json: bool) -> None:
    size = output.stat().st_size
    if json:
        print_json(
            {
                "book": str(output),
                "game": merged.game,
                "bytes": size,
                "records": len(merged),
                "parts": [{"book": str(each.path), "records": len(each)} for each in opened],
            }
        )
        return
    rows = [(str(each.path), f"{len(each):,}") for each in opened]
    rows += [("merged", f"{len(merged):,}"), ("bytes", f"{size:,} ({format_bytes(size)})")]
    print_table(facts_columns(str(output), "records"), rows)


def _note_shared(books: list[Book], *, quiet: bool) -> None:
    """Name the archives that several books were built from."""
    holders: dict[str, list[str]] = {}
    for book in books:
        recipe = book.recipe
        for part in recipe.get("parts", [recipe]):
            for source in part.get("sources", ()):
                holders.setdefault(source.get("blake3", ""), []).append(str(source.get("source")))
    for names in holders.values():
        if len(names) > 1:
            note(
                f"{names[0]}: is in {len(names)} of the books, its games count {len(names)} times",
                quiet=quiet,
            )


def _print_edit(done: Edit, what: str, *, json: bool) -> None:
    if json:
        print_json({"edit": asdict(done), "done": what})
    else:
        say(f"{done.move} in {done.position}: {_change(done)}, {what}")


def _change(done: Edit) -> str:
    before = "" if done.before is None else f"quality {done.before['quality']}"
    return f"{before} dropped" if done.quality is None else f"{before} → {done.quality}"
