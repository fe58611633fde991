"""`bookbuilder show`: a store or a book and a position in, its opening and what was played there out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from bookbuilder.cli import options as opt
from bookbuilder.cli.asking import Asking
from bookbuilder.cli.console import format_share, print_json, print_table, say
from bookbuilder.cli.counting import spread
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.places import position_at

if TYPE_CHECKING:
    from bookbuilder import _core
    from bookbuilder.book import Book
    from bookbuilder.openings import Opening, Openings
    from bookbuilder.selection import Selection
    from bookbuilder.tally import Tally


BoardFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--svg",
        metavar="FILE",
        help="Draw the board, with arrows as wide as moves are frequent.",
        show_default=False,
    ),
]


@spread
def show(
    source: Annotated[
        Path, typer.Argument(metavar="STORE|BOOK", help="A tally store or a book.", show_default=False)
    ],
    asking: Asking,
    fen: opt.Fen = None,
    moves: opt.Moves = "",
    min_win_rate: opt.MinWinRate = "0.55",
    min_games: opt.MinGames = 1,
    svg: BoardFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Show the moves at a position; of a store also which a book of these thresholds keeps."""
    from bookbuilder.games import START_WORD, as_game
    from bookbuilder.openings import openings_of
    from bookbuilder.selection import select
    from bookbuilder.store import is_store
    from bookbuilder.tally import Tally

    if svg is not None:
        require_free(svg, force=force)
    if source.is_dir() or is_store(source):
        tally = Tally.open(source, filters=asking.filters())
        here = position_at(tally.game, fen, moves)
        # Positions are judged each by itself: those that moves lead to are all that is needed.
        near = tally.at([here.play(here.parse_move(move)) for move in tally.move_columns(here)["move"]])
        answer = store_answer(tally, select(near, min_win_rate=min_win_rate, min_games=min_games), here)
    else:
        from bookbuilder.book import Book

        asking.refuse(f"{source}: is a book, which keeps no games apart")
        book = Book.open(source)
        here = position_at(book.game, fen, moves)
        answer = book_answer(book, here)
    openings = openings_of(as_game(here.game))
    answer = named(answer, here, openings, openings.classify(moves.split(), fen or START_WORD))
    if svg is not None:
        draw_board(svg, answer, moves.split())
    if json:
        print_json(answer)
    else:
        print_answer(answer)
    if not answer["moves"]:
        raise finish(Exit.FAILED, f"{source}: has no move at {here.fen}")


def store_answer(tally: Tally, selection: Selection, here: _core.Position) -> dict[str, Any]:
    """Return what a tally knows of a position, with the selection's verdict on each move."""
    rows = _records(tally.move_columns(here))
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
        "moves": [_move({**row, "kept": True, "reason": ""}) for row in _records(dict(book.moves(here)))],
    }


def named(
    answer: dict[str, Any], here: _core.Position, openings: Openings, way: Opening | None
) -> dict[str, Any]:
    """Return an answer with the opening on the way to its position, and of each move the one it leads to."""
    after = [openings.name_of(here.play(here.parse_move(row["move"]))) for row in answer["moves"]]
    rows = [{**row, "opening": _opening(each)} for row, each in zip(answer["moves"], after, strict=True)]
    return {**answer, "opening": _opening(way), "moves": rows}


def _opening(opening: Opening | None) -> dict[str, str | int] | None:
    return None if opening is None else opening.to_json()


def _place(here: _core.Position, *, fold: bool) -> dict[str, Any]:
    key, lock = here.stored(fold)
    return {"game": here.game, "fen": here.fen, "key": f"0x{key:016x}", "lock": f"0x{lock:08x}"}


# Of a rarer move no arrow is drawn.
_LEAST_SHOWN = 0.01
_COORDINATES = re.compile("[a-i][0-9][a-i][0-9][qrbn]?")
_FIELDS = (
    "move", "san", "played", "reached", "first_wins", "draws", "second_wins", "p", "p_low", "p_high", "score",
    "quality", "kept", "reason", "rating", "year_min", "year_max",
)  # fmt: skip


def _records(columns: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """The rows of columns of equal length."""
    names = [str(name) for name in columns]
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(each.tolist() for each in columns.values()), strict=True)
    ]


def _move(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of the answer; what the source does not know is null."""
    return {name: row.get(name) for name in _FIELDS}


def _verdict(selection: Selection, after: _core.Position) -> dict[str, Any]:
    """Quality and verdict of the position after a move."""
    import numpy as np

    from bookbuilder.schema import values

    key, lock = after.stored(selection.fold)
    keys, locks = (values(selection.table.column(name)) for name in ("key", "lock"))
    start, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
    place = start + int(np.searchsorted(locks[start:end], np.uint32(lock)))
    if place == end or locks[place] != lock:
        return {"quality": None, "kept": False, "reason": "beyond-ply"}
    row = selection.table.slice(place, 1).select(["quality", "kept", "reason"]).to_pylist()[0]
    return dict(row)


def draw_board(path: Path, answer: dict[str, Any], way: Sequence[str]) -> None:
    """Write the picture of an answer's position: its last move marked, its moves as arrows."""
    from bookbuilder._core import Position
    from bookbuilder.board_svg import board_svg

    here = Position(answer["game"], answer["fen"])
    counts = {row["move"]: row["played"] or row["reached"] for row in answer["moves"]}
    total = sum(counts.values())
    arrows = {move: count / total for move, count in counts.items() if count >= _LEAST_SHOWN * total}
    last = way[-1] if way and _COORDINATES.fullmatch(way[-1]) else ""
    with whole_file(path) as stream:
        stream.write(board_svg(here, last=last, arrows=arrows).encode())


def print_answer(answer: dict[str, Any]) -> None:
    """Print the moves at a position as a table."""
    known = (
        "not in the book itself" if answer["reached"] is None else f"reached by {answer['reached']:,} games"
    )
    say(f"{answer['game']}, {answer['fen']}")
    if (opening := answer["opening"]) is not None:
        say(f"opening {_name(opening)}{' ' * bool(opening['chinese'])}{opening['chinese']}")
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
        "opening",
    )
    # A column that is empty in every row would only widen the table.
    count = len(columns) - all(row["opening"] is None for row in answer["moves"])
    rows = [_cells(row)[:count] for row in answer["moves"]]
    last = len(columns) - 1
    print_table(columns[:count], rows, left=(0, last), wrapped=(last,))


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    counts = ("played", "reached", "first_wins", "draws", "second_wins")
    return (
        row["san"],
        *("–" if row[name] is None else f"{row[name]:,.0f}" for name in counts),
        format_share(row["p"]),
        format_share(row["score"]),
        "–" if row["quality"] is None else str(row["quality"]),
        "kept" if row["kept"] else (row["reason"] or "–"),
        "" if row["opening"] is None else _name(row["opening"]),
    )


def _name(opening: dict[str, Any]) -> str:
    return f"{opening['code']} {opening['name']}"
