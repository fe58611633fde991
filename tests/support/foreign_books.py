"""Books of the archives that come with the program, for the tests of the formats of other programs."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.games.position import Game

DATA = Path(__file__).resolve().parents[2] / "data"
ARCHIVES: dict[Game, str] = {"chess": "chess_selfplay.pgn", "xiangqi": "xiangqi_selfplay.zip"}
COUNTS = ("weight", "games", "wins", "draws", "losses", "quality")


@lru_cache
def tally_of(game: Game) -> bb.Tally:
    """The tally of 300 games."""
    return bb.Tally.from_archives(DATA / ARCHIVES[game], max_ply=30, limit=300, jobs=1)


@lru_cache
def move_book(game: Game, min_games: int = 2) -> MoveBook:
    """Return a book without some of its moves."""
    chosen = bb.select(tally_of(game), LITERATURE, shape="moves", min_win_rate="0.4", min_games=min_games)
    return MoveBook.from_selection(chosen)


@lru_cache
def usual_book(game: Game) -> MoveBook:
    """Return a book of the moves of at least two games; nearly all are reached by book moves."""
    return MoveBook.from_selection(
        bb.select(tally_of(game), LITERATURE, shape="moves", min_win_rate=0, min_games=2)
    )


@lru_cache
def whole_book(game: Game) -> MoveBook:
    """Return a book in which book moves reach every move."""
    return MoveBook.from_selection(
        bb.select(tally_of(game), LITERATURE, shape="moves", min_win_rate=0, min_games=1)
    )


def rows_of(book: MoveBook, *columns: str) -> list[tuple[int | None, ...]]:
    """Return the rows of a book as sorted tuples: key, lock, move and columns."""
    lists = [book.table.column(name).to_pylist() for name in ("key", "lock", "move", *columns)]
    return sorted(
        zip(*lists, strict=True), key=lambda row: tuple(-1 if each is None else each for each in row)
    )
