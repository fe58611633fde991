"""`bookbuilder show`: a store or a book and a position in, its opening and what was played there out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from bookbuilder.cli.console import format_share, print_json, print_table, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.options.facets import Asking
from bookbuilder.cli.options.position import position_at
from bookbuilder.cli.options.selection import MinGames, MinWinRate
from bookbuilder.cli.output import require_free, whole_file

if TYPE_CHECKING:
    from bookbuilder import _core
    from bookbuilder.book.book import Book
    from bookbuilder.games.openings import Opening, Openings
    from bookbuilder.tally.store.reading import OpenStore


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
    min_win_rate: MinWinRate = "0.55",
    min_games: MinGames = 1,
    svg: BoardFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Show the moves at a position; of a store also which a book of these thresholds keeps."""
    from bookbuilder.games.openings import openings_of
    from bookbuilder.games.position import START_WORD, as_game
    from bookbuilder.tally.store.layout import is_store
    from bookbuilder.tally.store.reading import OpenStore

    if svg is not None:
        require_free(svg, force=force)
    if source.is_dir() or is_store(source):
        store = OpenStore(source, filters=asking.filters())
        here = position_at(store.options.game, fen, moves)
        answer = store_answer(store, here, min_win_rate=min_win_rate, min_games=min_games)
    else:
        from bookbuilder.book.book import Book

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


def store_answer(
    store: OpenStore, here: _core.Position, *, min_win_rate: str, min_games: int
) -> dict[str, Any]:
    """Return what a store knows of a position, with the verdict of these thresholds on each move."""
    from bookbuilder.selection.options import SelectionOptions
    from bookbuilder.selection.position_verdict import judge_position
    from bookbuilder.tally.moves_at import played_rows

    fold, newest_year = store.options.fold, store.newest_year
    options = SelectionOptions(min_win_rate=min_win_rate, min_games=min_games)

    def counts_at(positions: Sequence[_core.Position]) -> list[list[int]]:
        return store.counts_at([position.stored(fold) for position in positions])

    def judged(move: str) -> dict[str, Any]:
        after = here.play(here.parse_move(move))
        verdict = judge_position(store.rows_at(*after.stored(fold)), options, newest_year=newest_year)
        # A position without rows lies behind the ply limit of the store.
        found = verdict or {"quality": None, "kept": False, "reason": "beyond-ply"}
        return {name: found[name] for name in ("quality", "kept", "reason")}

    rows = store.rows_at(*here.stored(fold))
    return {
        **_place(here, fold=fold),
        "reached": sum(row.games for row in rows),
        "moves": [
            _move({**row, **judged(row["move"])}) for row in played_rows(here, rows, counts_at, fold=fold)
        ],
    }


def book_answer(book: Book, here: _core.Position) -> dict[str, Any]:
    """Return what a book knows of a position and of the moves that lead to one of its records."""
    record = book.probe(here)
    return {
        **_place(here, fold=book.fold),
        "reached": record.usage if record is not None else None,
        "moves": [_move(row) for row in book.move_rows(here)],
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


def _move(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of the answer; what the source does not know is null."""
    return {name: row.get(name) for name in _FIELDS}


def draw_board(path: Path, answer: dict[str, Any], way: Sequence[str]) -> None:
    """Write the picture of an answer's position: its last move marked, its moves as arrows."""
    from bookbuilder._core import Position
    from bookbuilder.games.board_svg import board_svg

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
