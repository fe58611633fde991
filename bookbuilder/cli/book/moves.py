"""`book diff|merge|verify` of books that list moves: their answers and tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookbuilder.cli.book.convert import loss_rows
from bookbuilder.cli.console import format_bytes, note, print_json
from bookbuilder.cli.tables import facts_columns, number, print_table, text

if TYPE_CHECKING:
    from bookbuilder.book.listed_book import ListedBook

__all__ = ["diff_listed", "is_listed", "merge_listed", "verify_listed"]


def is_listed(*paths: Path) -> bool:
    """Return whether one of the books is of another format than the clustered book."""
    from bookbuilder.book.file_graph import is_clustered

    return not all(is_clustered(path) for path in paths)


def diff_listed(old: Path, new: Path, *, limit: int, json: bool) -> None:
    """Compare two books move by move, and print the differences, the heaviest first."""
    from bookbuilder.book.formats.registry import read_moves
    from bookbuilder.book.merge_moves import diff_moves, heaviest_differences

    before, after = read_moves(old), read_moves(new)
    found = diff_moves(before, after)
    counts = found["change"].value_counts()
    changes = {name: int(counts.get(name, 0)) for name in ("added", "removed", "changed")}
    figures = {"moves_a": len(before), "moves_b": len(after), **changes}
    listed = heaviest_differences(found, before, after, limit)
    is_compared = before.statistic == after.statistic
    if not is_compared:
        note(f"weights are not compared: {before.statistic} in {old}, {after.statistic} in {new}")
    if json:
        facts = {"a": str(old), "b": str(new), **figures, "weights_compared": is_compared}
        print_json({**facts, "differences": listed})
        return
    print_table(
        facts_columns(f"{old} → {new}"), [(name.replace("_", " "), f"{n:,}") for name, n in figures.items()]
    )
    if listed:
        rows = [(row["change"], row["line"] or row["key"], _weights(row)) for row in listed]
        print_table((text("change"), text("line", least=12, wraps=True), number("weight")), rows)


def _weights(row: dict[str, Any]) -> str:
    old, new = (
        "–" if value is None else f"{int(value):,}" for value in (row["old_weight"], row["new_weight"])
    )
    return new if old == new else f"{old} → {new}"


def merge_listed(output: Path, books: Sequence[Path], *, priority: bool, json: bool, quiet: bool) -> None:
    """Merge books of any format move by move; the name of the output says its format."""
    from bookbuilder.book.formats.registry import read_moves, write_moves
    from bookbuilder.book.merge_moves import merge_moves

    opened = [read_moves(path) for path in books]
    merged = merge_moves(opened, priority=priority)
    for path, book in zip(books, opened, strict=True):
        for what, count in book.lost.items():
            if count:
                note(f"{path}: {count:,} {what} are not read, so the merged book lacks them", quiet=quiet)
    statistics = sorted({book.statistic for book in opened})
    if len(statistics) > 1 and not priority:
        note(f"weights of different kinds are added up: {', '.join(statistics)}", quiet=quiet)
    written = write_moves(output, merged).to_json()
    parts = {str(path): len(book) for path, book in zip(books, opened, strict=True)}
    if json:
        sources = [{"book": name, "moves": moves} for name, moves in parts.items()]
        print_json({"book": str(output), **written, "parts": sources})
        return
    size = written["bytes"]
    rows = [
        *((name, f"{moves:,}") for name, moves in parts.items()),
        (f"merged: {written['format']}", f"{written['moves']:,}"),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
        *loss_rows(written),
    ]
    print_table((str(output), "moves"), rows)


def verify_listed(book: ListedBook, *, json: bool) -> None:
    """Print what a walk from the start position finds in a book that was read whole."""
    from bookbuilder.book.formats.walk import follow

    found = follow(book.table)
    own = found.own()
    facts = {
        "moves": len(book),
        "reached": len(book) - found.unreached(len(book)),
        "unreached": found.unreached(len(book)),
        "longest": int(found.ply[own.before].max(initial=-1)) + 1,
    }
    if json:
        answer = {"book": str(book.path), "format": book.format, "sound": True, "fault": None}
        print_json({**answer, "walk": facts, "not_read": dict(book.table.lost)})
        return
    rows = [
        ("format", book.format),
        ("moves, all legal", f"{facts['moves']:,}"),
        ("  on a walk from the start", f"{facts['reached']:,}"),
        ("  that no line leads to", f"{facts['unreached']:,}"),
        ("plies of its longest line", f"{facts['longest']:,}"),
        *((f"not read: {what}", f"{count:,}") for what, count in book.table.lost.items()),
    ]
    print_table((str(book.path), "found"), rows)
