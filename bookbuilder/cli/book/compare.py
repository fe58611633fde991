"""`bookbuilder book diff|pick`: compare two books, or pick a move of a book."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.book.book import Book
from bookbuilder.book.book_moves import PickPolicy
from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.console import print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import PositionWords, joined, position_at
from bookbuilder.cli.tables import facts_columns, number, print_table, text

if TYPE_CHECKING:
    import pandas as pd

_FIELDS: Final = ("usage", "wins", "draws", "losses", "quality")


def diff(
    old: Annotated[Path, typer.Argument(metavar="A", help="A book of any format.", show_default=False)],
    new: Annotated[Path, typer.Argument(metavar="B", help="Another one.", show_default=False)],
    limit: Annotated[int, typer.Option("--rows", min=0, help="How many differences to list.")] = 20,
    json: opt.Json = False,
) -> None:
    """Compare two books: records that B adds, removes or changes, the most games first.

    If one of them is not a clustered book, moves and weights are compared instead.
    """
    from bookbuilder.book.merge import diff_books
    from bookbuilder.cli.book.moves import diff_listed, is_listed

    if is_listed(old, new):
        diff_listed(old, new, limit=limit, json=json)
        return

    before, after = Book.open(old), Book.open(new)
    found = diff_books(before, after)
    figures = _figures(found, before, after)
    listed = _listed(found, before, after, limit)
    if json:
        print_json({"a": str(old), "b": str(new), **figures, "differences": listed.to_dict("records")})
        return
    rows = [
        (name.replace("_", " "), f"{value:,.4g}" if isinstance(value, float) else f"{value:,}")
        for name, value in figures.items()
    ]
    print_table(facts_columns(f"{old} → {new}"), rows)
    if len(listed):
        _print_differences(listed)


def _figures(found: pd.DataFrame, before: Book, after: Book) -> dict[str, Any]:
    counts = found["change"].value_counts()
    changed = found[found["change"] == "changed"]
    quality = (changed["new_quality"] - changed["old_quality"]).astype(float)
    removed = int(counts["removed"])
    return {
        "records_a": len(before),
        "records_b": len(after),
        "same": len(before) - removed - int(counts["changed"]),
        "added": int(counts["added"]),
        "removed": removed,
        "changed": int(counts["changed"]),
        **{
            f"changed_{name}": int((changed[f"old_{name}"] != changed[f"new_{name}"]).sum())
            for name in _FIELDS
        },
        "games_more": int(found["new_usage"].fillna(0).sum() - found["old_usage"].fillna(0).sum()),
        "mean_quality_change": float(quality.mean()) if len(changed) else 0.0,
    }


def _listed(found: pd.DataFrame, before: Book, after: Book, limit: int) -> pd.DataFrame:
    """Return the differences with the most games, each with the first line that leads to it."""
    from bookbuilder.book.lines import lines_of_records
    from bookbuilder.schema import array_from_native

    games = found[["old_usage", "new_usage"]].max(axis=1)
    most = found.loc[games.sort_values(ascending=False, kind="stable").index[:limit]]
    lines = [""] * len(most)
    for book in (after, before):
        places = array_from_native(book.native.find(*_arrays(most, locks=book.has_columns)))
        known = lines_of_records(book, places.tolist()) if len(most) else {}
        lines = [line or known.get(place, "") for line, place in zip(lines, places.tolist(), strict=True)]
    listed = most.assign(line=lines, key=most["key"].map("0x{:016x}".format))
    return listed.astype({"change": str}).drop(columns="lock")


def _arrays(frame: pd.DataFrame, *, locks: bool) -> tuple[Any, Any]:
    import pyarrow as pa

    lock = frame["lock"].to_numpy() if locks else 0 * frame["lock"].to_numpy()
    return pa.array(frame["key"].to_numpy()), pa.array(lock, pa.uint32())


def _print_differences(listed: pd.DataFrame) -> None:
    def cell(row: Mapping[Hashable, Any], name: str) -> str:
        old, new = (
            "–" if value is None or value != value else f"{value:,}"
            for value in (_plain(row[f"old_{name}"]), _plain(row[f"new_{name}"]))
        )
        return new if old == new else f"{old} → {new}"

    rows = [
        (row["change"], row["line"] or row["key"], *(cell(row, name) for name in _FIELDS))
        for row in listed.to_dict("records")
    ]
    wins = [number(name, drop=1) for name in ("first wins", "draws", "second wins")]
    print_table(
        (text("change"), text("line", least=24, wraps=True), number("games"), *wins, number("quality")), rows
    )


def _plain(value: Any) -> int | None:  # noqa: ANN401 (a number or pandas' NA)
    import pandas as pd

    return None if pd.isna(value) else int(value)


def pick(
    book: AnyBook,
    position: PositionWords = None,
    how: Annotated[
        PickPolicy,
        typer.Option("--pick", help="Heaviest; at random by weight or games x (quality + 1); all equally."),
    ] = "weighted",
    seed: Annotated[
        int | None, typer.Option("--seed", help="Of the random numbers.", show_default="another each time")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Pick a move of a book at a position; exit code 1 if it has none there."""
    from bookbuilder.book.open import open_book

    opened = open_book(book)
    here = position_at(opened.game, joined(position))
    move = opened.pick(here, how, seed=seed)
    if json:
        print_json({"game": opened.game, "fen": here.fen, "how": how, "seed": seed, "move": move})
    elif move is not None:
        say(move)
    if move is None:
        raise finish(Exit.FAILED, f"{book}: has no move at {here.fen}")
