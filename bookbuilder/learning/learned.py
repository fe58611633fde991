"""The weights of a book after own results, the moves that lose points, and the book with these weights."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import (
    FORMATS,
    Written,
    format_of,
    read_moves,
    source_format,
    write_moves,
)
from bookbuilder.columns import column_of
from bookbuilder.errors import ExperienceError
from bookbuilder.games.line import format_line
from bookbuilder.learning.experience import Experience, OwnGame
from bookbuilder.learning.posterior import PRIOR_GAMES, learned_weights
from bookbuilder.schema import BOOK_MOVES
from bookbuilder.selection.quality import LARGEST_WEIGHT, quality_steps

__all__ = ["HALF_LIFE", "Learned", "LearnedMove", "learned_book", "write_learned"]

HALF_LIFE: Final = 1000
"""Own games after which a game counts half, by default."""

# Games at the position's own score that draw the archive's score of a move towards it.
_SHRINKING: Final = 20
_UNKNOWN_SCORE: Final = 0.5
_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedMove:
    """A book move with own results.

    Attributes:
        line: the moves that lead to the position, as people write them; empty at the start.
        side: the side that plays the move, 0 first, 1 second.
        move: the move as people write it.
        games: own games.
        points: points in them.
        expected: score that the archive promises, 0 … 1.
        gained: the points, corrected for ratings, less what the archive promises; below 0 = lost.
        share_before: share of the games at the position in which the book plays the move.
        share_after: that share with the learned weights; 0 = dropped.
        places: archive and byte of each game.
    """

    line: str
    side: int
    move: str
    games: int
    points: float
    expected: float
    gained: float
    share_before: float
    share_after: float
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A book with learned weights.

    Attributes:
        book: the book; moves of weight 0 are gone.
        moves: its moves with own results, those that lose most points first.
        games: own games with a choice.
        points: points in them.
    """

    book: MoveBook
    moves: tuple[LearnedMove, ...]
    games: int
    points: float

    @property
    def dropped(self) -> int:
        """The number of moves that the book no longer plays."""
        return sum(each.share_after == 0 for each in self.moves)


class _Place(NamedTuple):
    """A position with a choice: key and lock, and the moves that led to it first."""

    key: int
    lock: int
    line: tuple[str, ...]


@dataclass(slots=True)
class _Results:
    """Own results of one move. Weighted ones count less with age."""

    text: str
    games: float = 0.0
    points: float = 0.0
    corrected: float = 0.0
    places: list[str] = field(default_factory=list)
    raw_points: float = 0.0

    def add(self, own: OwnGame, weight: float) -> None:
        """Add a game."""
        points = own.corrected()
        self.games += weight
        self.points += weight * points
        self.corrected += points
        self.raw_points += own.points
        self.places.append(own.place)


def learned_book(
    path: str | os.PathLike[str],
    own: Experience,
    *,
    prior_games: float = PRIOR_GAMES,
    half_life: float | None = HALF_LIFE,
) -> Learned:
    """Return a book with the weights that own results give it. Nothing is written.

    Args:
        path: the book, of any format that can be read.
        own: the own results.
        prior_games: games that the archive's score counts as.
        half_life: own games after which a game counts half; None = it always counts.

    Raises:
        ExperienceError: the results are of the other game.
        BookError: the book is damaged.
        FormatError: likewise.

    Example:
        >>> own = bb.Experience.open("games.bin.learned", "chess", "Me")
        >>> learned_book("games.bin", own).moves
        ()
    """
    place = Path(path)
    book = read_moves(place)
    if book.game != own.game:
        raise ExperienceError(f"{own.path}: is of {own.game}, {place} is a book of {book.game}")
    rows = _BookRows(book, is_clustered=source_format(place) is FORMATS["book"])
    weight, moves = rows.weight.copy(), list[LearnedMove]()
    for where, results in _by_position(own, half_life, fold=book.fold).items():
        moves += _learn(rows, where, results, weight, prior_games)
    moves.sort(key=lambda each: (each.gained, each.line, each.move))
    return Learned(
        book=rows.weighed(weight),
        moves=tuple(moves),
        games=len(own.games),
        points=sum(each.points for each in own.games),
    )


def write_learned(path: str | os.PathLike[str], learned: Learned) -> Written:
    """Write a book with learned weights in any format, by the suffix of its name.

    A clustered book draws moves by games · (quality + 1). It gets the qualities that lead to the weights.

    Raises:
        OptionError: the format is unknown or of the other game.
        FormatError: the file would be empty.
        OSError: it cannot be written.

    Example:
        >>> own = bb.Experience.open("games.bin.learned", "chess", "Me")
        >>> write_learned("mine.bin", learned_book("games.bin", own)).format
        'polyglot'
    """
    to, book = format_of(Path(path)), learned.book
    if to.name == "book" and book.has("games"):
        book = replace(book, table=_with(book.table, "quality", _qualities(book)))
    return write_moves(path, book, to.name, scale="position")


def _qualities(book: MoveBook) -> npt.NDArray[np.uint8]:
    """Return qualities for which games · (quality + 1) is proportional to the weights of a position."""
    value = book.column("weight") / np.maximum(book.column("games"), 1)
    group = _groups(book)
    most = np.zeros(int(group.max(initial=0)) + 1)
    np.maximum.at(most, group, value)
    steps: npt.NDArray[np.float64] = np.asarray(quality_steps(value / np.maximum(most[group], _TINY)))
    return steps.astype(np.uint8)


def _with(table: pa.Table, name: str, numbers: npt.NDArray[Any]) -> pa.Table:
    """Return a table of schema BOOK_MOVES with other numbers in a column."""
    field = BOOK_MOVES.field(name)
    return table.set_column(table.schema.get_field_index(name), field, column_of(numbers, field.type))


def _groups(book: MoveBook) -> npt.NDArray[np.intp]:
    """Return the number of the position of each row."""
    places = np.stack([book.column("key"), book.column("lock").astype(np.uint64)], axis=1)
    return np.unique(places, axis=0, return_inverse=True)[1].reshape(-1)


class _BookRows:
    """The rows of a book by position."""

    def __init__(self, book: MoveBook, *, is_clustered: bool) -> None:
        self.book = book
        weight = book.column("weight").astype(np.float64)
        if is_clustered:
            weight = book.column("games") * (book.column("quality") + 1.0)
        self.weight: npt.NDArray[np.float64] = weight
        self._key, self._lock = book.column("key"), book.column("lock")
        self._has_lock = book.has("lock")
        self._order = np.argsort(self._key, kind="stable")
        self._sorted = self._key[self._order]

    def at(self, where: _Place) -> npt.NDArray[np.intp]:
        """Return the rows of a position with a weight."""
        begin, end = (
            int(np.searchsorted(self._sorted, np.uint64(where.key), side)) for side in ("left", "right")
        )
        rows = self._order[begin:end]
        if self._has_lock:
            rows = rows[self._lock[rows] == where.lock]
        return rows[self.weight[rows] > 0]

    def expected(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the archive's score of moves, drawn towards that of their position; ½ if it is unknown."""
        if not self.book.has("wins"):
            return np.full(rows.size, _UNKNOWN_SCORE)
        wins, draws, losses = (self.book.column(name)[rows] for name in ("wins", "draws", "losses"))
        results, points = wins + draws + losses, wins + draws / 2
        of_position = points.sum() / results.sum() if results.any() else _UNKNOWN_SCORE
        return np.asarray((points + _SHRINKING * of_position) / (results + _SHRINKING))

    def weighed(self, weight: npt.NDArray[np.float64]) -> MoveBook:
        """Return the book with other weights; rows whose weight fell to 0 are dropped.

        Weights of changed positions are scaled to 0 … 65,535, so that small ones stay apart.
        """
        whole = self.weight.astype(np.uint64)
        if (changed := np.flatnonzero(weight != self.weight)).size:
            group = _groups(self.book)
            most = np.zeros(int(group.max()) + 1)
            np.maximum.at(most, group, weight)
            share = weight / np.maximum(most[group], _TINY)
            scaled = np.where(weight > 0, np.maximum(np.floor(share * LARGEST_WEIGHT + 0.5), 1), 0)
            is_changed = np.isin(group, group[changed])
            whole[is_changed] = scaled[is_changed].astype(np.uint64)
        table = _with(self.book.table, "weight", whole)
        stays = (weight > 0) | (self.weight == 0)
        return replace(self.book, table=table, statistic="own").select(stays)


def _by_position(
    own: Experience, half_life: float | None, *, fold: bool
) -> dict[_Place, dict[int, _Results]]:
    """Return the results of each move at each position with a choice, by the code that a table holds."""
    found: dict[tuple[int, int], tuple[_Place, dict[int, _Results]]] = {}
    for age, game in enumerate(reversed(own.games)):
        weight = 1.0 if half_life is None else 2 ** (-age / half_life)
        for here, line, code in _choices(own, game):
            key, lock = here.stored(fold)
            _, results = found.setdefault((key, lock), (_Place(key, lock, line), {}))
            results.setdefault(here.stored_move(code, fold), _Results(here.san(code))).add(game, weight)
    return dict(found.values())


def _choices(own: Experience, game: OwnGame) -> Iterator[tuple[Position, tuple[str, ...], int]]:
    """Yield the position, the line and the move of each choice of a game."""
    here, line, choices = Position(own.game), list[str](), set(game.choices)
    for ply, text in enumerate(game.moves):
        code = here.parse_move(text)
        if ply in choices:
            yield here, tuple(line), code
        line.append(here.san(code))
        here = here.play(code)


def _learn(
    rows: _BookRows,
    where: _Place,
    results: dict[int, _Results],
    weight: npt.NDArray[np.float64],
    prior_games: float,
) -> list[LearnedMove]:
    """Change the weights of the moves at a position, and return those with results."""
    at = rows.at(where)
    if at.size < 2:  # the book has changed: there is no choice any more
        return []
    codes = rows.book.column("move")[at].tolist()
    expected, before = rows.expected(at), rows.weight[at]
    none = _Results("")
    points, games = (
        np.array([getattr(results.get(code, none), name) for code in codes]) for name in ("points", "games")
    )
    after = learned_weights(before, expected, points, games, prior_games=prior_games)
    weight[at] = after
    shares = before / before.sum(), after / after.sum()
    return [
        _learned_move(
            where, results[code], float(expected[row]), (float(shares[0][row]), float(shares[1][row]))
        )
        for row, code in enumerate(codes)
        if code in results
    ]


def _learned_move(
    where: _Place, result: _Results, expected: float, shares: tuple[float, float]
) -> LearnedMove:
    number = len(result.places)
    return LearnedMove(
        line=format_line(where.line),
        side=len(where.line) % 2,
        move=result.text,
        games=number,
        points=result.raw_points,
        expected=expected,
        gained=result.corrected - number * expected,
        share_before=shares[0],
        share_after=shares[1],
        places=tuple(result.places[::-1]),
    )
