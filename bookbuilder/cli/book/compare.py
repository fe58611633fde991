"""`bookbuilder book diff|merge`: compare two books, or merge several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bookbuilder.cli.book.convert import loss_rows
from bookbuilder.cli.console import format_bytes, note, print_json
from bookbuilder.cli.notation import shown_line
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_free
from bookbuilder.cli.tables import facts_columns, number, print_table, text
from bookbuilder.errors import OptionError

_FIGURES = ("weight", "games", "wins", "draws", "losses", "quality")


def diff(
    old: Annotated[Path, typer.Argument(metavar="A", help="A book of any format.")],
    new: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    limit: Annotated[int, typer.Option("--rows", min=0, help="Maximum number of moves to list.")] = 20,
    json: opt.Json = False,
) -> None:
    """Compare two books: moves that B adds, removes or changes, the heaviest first."""
    from bookbuilder.book.merge import diff_moves, heaviest_differences, read_both

    before, after = read_both(old, new)
    found = diff_moves(before, after)
    counts = found["change"].value_counts()
    figures = {
        "moves_a": len(before),
        "moves_b": len(after),
        **{name: int(counts.get(name, 0)) for name in ("added", "removed", "changed")},
    }
    listed = heaviest_differences(found, before, after, limit)
    is_compared = before.statistic == after.statistic
    if json:
        facts = {"a": str(old), "b": str(new), **figures, "weights_compared": is_compared}
        print_json({**facts, "differences": listed})
        return
    if not is_compared:
        note(f"weights are not compared: {before.statistic} in {old}, {after.statistic} in {new}")
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in figures.items()]
    print_table(facts_columns(f"{old} → {new}"), rows)
    known = [name for name in _FIGURES if any(_change(row, name) != "–" for row in listed)]
    columns = (text("change"), text("line", least=12, wraps=True), *(number(name, drop=1) for name in known))
    if listed:
        print_table(
            columns,
            [
                (
                    row["change"],
                    shown_line(after.game, row["line"]) or row["key"],
                    *(_change(row, name) for name in known),
                )
                for row in listed
            ],
        )


def _change(row: dict[str, Any], name: str) -> str:
    values = (row[f"{age}_{name}"] for age in ("old", "new"))
    old, new = ("–" if value is None else f"{int(value):,}" for value in values)
    return new if old == new else f"{old} → {new}"


def merge(
    books: Annotated[
        list[Path], typer.Argument(metavar="BOOK...", help="Books of one game, of any formats.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="BOOK", help="The merged book.")],
    priority: Annotated[
        bool,
        typer.Option(
            "--priority", help="Where an earlier book has a move, a later one's moves do not count."
        ),
    ] = False,
    ratio: Annotated[
        str | None,
        typer.Option(metavar="A:B", help="Part of each book in the weights.", show_default="add weights up"),
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Merge books of any formats: games, results and weights add up, and the maximum quality is kept.

    The weights of a .bin do not tell how many games they were made of. To give each book its part at every
    position, use --ratio.
    """
    from bookbuilder.book.merge import merge_books
    from bookbuilder.book.open import open_book

    if len(books) < 2:
        raise OptionError(
            f"{books[0]}: is the only book; name two or more to merge. Copy it into another format with: "
            "bookbuilder book convert"
        )
    require_free(output, force=force)
    parts = None if ratio is None else _parts(ratio)
    opened = [open_book(path) for path in books]
    written = merge_books(output, opened, priority=priority, ratio=parts).to_json()
    if not priority:
        _note_shared([book.info.get("recipe", {}) for book in opened])
    without = [book.path for book in opened if "numbers of games" in book.lacks]
    if without and ratio is None and not priority:
        note(
            f"{without[0]}: its weights do not tell numbers of games, so books of few and of many games "
            "count alike; give their parts with --ratio A:B"
        )
    for book in opened:
        for what, count in book.info.get("not_read", {}).items():
            note(f"{book.path}: not read: {count:,} {what}")
    if json:
        sources = [{"book": str(book.path), "moves": len(book)} for book in opened]
        print_json({"book": str(output), **written, "parts": sources})
        return
    size = written["bytes"]
    rows = [
        *((str(book.path), f"{len(book):,}") for book in opened),
        (f"merged: {written['format']}", f"{written['moves']:,}"),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
        *loss_rows(written),
    ]
    print_table(facts_columns(str(output), "moves"), rows)


def _parts(ratio: str) -> list[int]:
    words = ratio.split(":")
    if not all(word.isascii() and word.isdigit() for word in words):
        raise OptionError(f"--ratio {ratio}: expected whole numbers such as 2:1")
    return [int(word) for word in words]


def _note_shared(recipes: list[dict[str, Any]]) -> None:
    """Name the archives that several books were built from."""
    holders: dict[str, list[str]] = {}
    for recipe in recipes:
        for part in recipe.get("parts", [recipe]):
            for source in part.get("sources", ()):
                holders.setdefault(source.get("blake3", ""), []).append(str(source.get("source")))
    for names in holders.values():
        if len(names) > 1:
            note(f"{names[0]}: is in {len(names)} of the books, its games count {len(names)} times")
