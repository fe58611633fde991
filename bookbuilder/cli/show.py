"""`bookbuilder show`: a tally store or a book and a position in, what was played there out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import format_share, print_json, print_table, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.places import position_at

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder import _core
    from bookbuilder.book import Book
    from bookbuilder.selection import Selection
    from bookbuilder.tally import Tally


def show(
    source: Annotated[
        Path, typer.Argument(metavar="STORE|BOOK", help="A tally store or a book.", show_default=False)
    ],
    fen: opt.Fen = None,
    moves: opt.Moves = "",
    min_win_rate: opt.MinWinRate = "0.55",
    min_games: opt.MinGames = 1,
    json: opt.Json = False,
) -> None:
    """Show the moves at a position; of a store also which a book of these thresholds keeps."""
    from bookbuilder.selection import select
    from bookbuilder.store import is_store
    from bookbuilder.tally import Tally

    if source.is_dir() or is_store(source):
        tally = Tally.open(source)
        here = position_at(tally.game, fen, moves)
        answer = store_answer(tally, select(tally, min_win_rate=min_win_rate, min_games=min_games), here)
    else:
        from bookbuilder.book import Book

        book = Book.open(source)
        here = position_at(book.game, fen, moves)
        answer = book_answer(book, here)
    if json:
        print_json(answer)
    else:
        print_answer(answer)
    if not answer["moves"]:
        raise finish(Exit.FAILED, f"{source}: has no move at {here.fen}")


def store_answer(tally: Tally, selection: Selection, here: _core.Position) -> dict[str, Any]:
    """Return what a tally knows of a position, with the selection's verdict on each move."""
    rows = _records(tally.moves(here))
    verdicts = [_verdict(selection, here.play(here.parse_move(row["move"]))) for row in rows]
    return {
        **_place(here, fold=tally.options.fold),
        "reached": tally.reached(here),
        "moves": [_move({**row, **verdict}) for row, verdict in zip(rows, verdicts, strict=True)],
    }


def book_answer(book: Book, here: _core.Position) -> dict[str, Any]:
    """Return what a book knows of a position and of the moves that lead to one of its records."""
    record = book.probe(here)
    return {
        **_place(here, fold=book.fold),
        "reached": record.usage if record is not None else None,
        "moves": [_move({**row, "kept": True, "reason": ""}) for row in _records(book.moves(here))],
    }


def _place(here: _core.Position, *, fold: bool) -> dict[str, Any]:
    key, lock = here.stored(fold)
    return {"game": here.game, "fen": here.fen, "key": f"0x{key:016x}", "lock": f"0x{lock:08x}"}


_FIELDS = (
    "move", "san", "played", "reached", "first_wins", "draws", "second_wins", "p", "p_low", "p_high", "score",
    "quality", "kept", "reason", "rating", "year_min", "year_max",
)  # fmt: skip


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _move(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of the answer; what the source does not know is null."""
    return {name: row.get(name) for name in _FIELDS}


def _verdict(selection: Selection, after: _core.Position) -> dict[str, Any]:
    """Quality and verdict of the position after a move."""
    import numpy as np

    key, lock = after.stored(selection.fold)
    keys, locks = (selection.table.column(name).to_numpy() for name in ("key", "lock"))
    start, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
    place = start + int(np.searchsorted(locks[start:end], np.uint32(lock)))
    if place == end or locks[place] != lock:
        return {"quality": None, "kept": False, "reason": "beyond-ply"}
    row = selection.table.slice(place, 1).select(["quality", "kept", "reason"]).to_pylist()[0]
    return dict(row)


def print_answer(answer: dict[str, Any]) -> None:
    """Print the moves at a position as a table."""
    known = (
        "not in the book itself" if answer["reached"] is None else f"reached by {answer['reached']:,} games"
    )
    say(f"{answer['game']}, {answer['fen']}")
    say(f"key {answer['key']}, lock {answer['lock']}, {known}")
    columns = (
        "move",
        "played",
        "reached",
        "first wins",
        "draws",
        "second wins",
        "P",
        "score",
        "quality",
        "verdict",
    )
    print_table(columns, [_cells(row) for row in answer["moves"]])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    counts = ("played", "reached", "first_wins", "draws", "second_wins")
    return (
        row["san"],
        *("–" if row[name] is None else f"{row[name]:,.0f}" for name in counts),
        format_share(row["p"]),
        format_share(row["score"]),
        "–" if row["quality"] is None else str(row["quality"]),
        "kept" if row["kept"] else (row["reason"] or "–"),
    )
