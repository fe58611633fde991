"""`bookbuilder engine search`: the bundled engine on the command line."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bookbuilder.cli.console import format_share, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import shown_moves
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import PositionWords, game_of, joined, line_at, load_book, position_at
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.book.book import Book
    from bookbuilder.book.open import ListedBook


GameArgument = Annotated[
    opt.GameName | None,
    typer.Option("--game", help="The game.", show_default="the book's, or the FEN's, or chess"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """The options of a search."""

    depth: Annotated[int | None, typer.Option(min=1, max=64, help="Plies.", show_default="8")] = None
    nodes: Annotated[int | None, typer.Option(min=1, help="Maximum of nodes.", show_default="none")] = None
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds.", show_default="none")] = None
    book: Annotated[Path | None, typer.Option(metavar="BOOK", help="A book to play from.")] = None
    policy: Annotated[
        Literal["best", "weighted", "uniform", "off"],
        typer.Option("--pick", help="How a book move is chosen."),
    ] = "best"
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same random book move.")] = 0
    lines: Annotated[int, typer.Option(min=1, max=256, help="Lines to find (MultiPV).")] = 1
    pv: Annotated[
        Literal["array", "table"],
        typer.Option(help="Lines from the search's array, or a walk through the table."),
    ] = "array"


def search(
    game: GameArgument = None, position: PositionWords = None, *, options: Searching, json: opt.Json = False
) -> None:
    """Search a position: the book's move where it has one, else the engine's."""
    from bookbuilder.book.book import Book

    book = load_book(options.book, game)
    name = game_of(game, joined(position), book)
    # Report an invalid position or move before the engine starts.
    start, words, here = line_at(name, joined(position))
    answer = None
    if book is not None and not isinstance(book, Book):
        passed = [
            position_at(name, f"{start} moves {' '.join(words[:count])}") for count in range(len(words) + 1)
        ]
        answer = _listed_move(book, passed, options)
        book = None
    answer = answer or _searched(name, options, start, words, book)
    if json:
        print_json({"fen": here.fen, **answer})
    else:
        print_search(answer, here)
    if answer["move"] is None:
        raise finish(Exit.FAILED, f"no move: {here.verdict} in {here.fen}")


def _listed_move(book: ListedBook, passed: Sequence[Position], options: Searching) -> dict[str, Any] | None:
    """Return the answer of a search that plays a move of a book of another format.

    Returns:
        None if the engine must search.
    """
    from bookbuilder.book.play import draw, fresh
    from bookbuilder.engine.engine import Result

    if options.policy == "off":
        return None
    *before, here = passed
    code = draw(fresh(book.choices(here), here, before), options.policy, random.Random(options.seed).random())
    if code is None:
        return None
    move = here.coordinates(code)
    facts: dict[str, Any] = dict.fromkeys(Result.__dataclass_fields__, 0)
    facts |= {"seconds": 0.0, "lines": (), "iterations": ()}
    facts |= {"move": move, "source": "book", "score_cp": None, "mate_in": None, "pv": (move,)}
    return {"game": book.game, **facts, "table_hit_rate": None}


def _searched(
    game: Game, options: Searching, start: str, moves: Sequence[str], book: Book | None
) -> dict[str, Any]:
    """Return the result of a new engine, with its game and the hit rate of the table."""
    from bookbuilder.engine.engine import Engine

    has_limit = (options.depth, options.nodes, options.movetime) != (None, None, None)
    engine = Engine(game, book=book)
    found = engine.search(
        start,
        moves=moves,
        depth=options.depth if has_limit else 8,
        nodes=options.nodes,
        movetime_ms=options.movetime,
        lines=options.lines,
        book_policy=options.policy,
        seed=options.seed,
        pv=options.pv,
    )
    rate = found.table_hits / found.table_probes if found.table_probes else None
    return {"game": game, **asdict(found), "table_hit_rate": rate}


def print_search(answer: dict[str, Any], here: Position) -> None:
    """Print the result of a search at a position, one fact per line."""
    moves = partial(shown_moves, here, usual="uci")
    move = "none" if answer["move"] is None else moves([answer["move"]])[0]
    say(f"{'move':<11}{move} (from {answer['source']})")
    if answer["source"] == "book":
        return
    rows = [
        ("score", _score(answer)),
        ("depth", str(answer["depth"])),
        ("nodes", f"{answer['nodes']:,}"),
        ("nodes/s", f"{answer['nps']:,.0f}"),
        ("book hits", f"{answer['book_hits']:,}"),
        ("table hits", format_share(answer["table_hit_rate"])),
        ("line", " ".join(moves(answer["pv"]))),
    ]
    for name, value in rows:
        say(f"{name:<11}{value}", is_prose=True)
    for place, line in enumerate(answer["lines"][1:], start=2):
        say(f"{f'line {place}':<11}{_score(line)} {' '.join(moves(line['pv']))}", is_prose=True)


def _score(found: dict[str, Any]) -> str:
    if found["mate_in"] is not None:
        return f"mate in {found['mate_in']} plies"
    return "–" if found["score_cp"] is None else f"{found['score_cp'] / 100:+.2f}"
