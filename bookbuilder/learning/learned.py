"""The weights of a book after own results, the moves that lose points, and the book with these weights.

Before any own game, the expected score s of a move is that of the archive, and its distribution is
Beta(k·s, k·(1 − s)): as if k games had been played. Each own game adds its points to the first number and
the rest to the second. The weight of a move in the book is then

    w' = w · c / c₀

c is the chance that the move is the best of its position by these distributions, c₀ the chance before any own
game. So without own games the weights are those of the book, and drawing by weight is Thompson sampling that
begins with them. A move that scored less than expected, and whose chance is below a fifth of what it was,
gets the weight 0: a refuted line ends instead of coming back now and then. The heaviest move remains in any
case. Distributions are summed up on a grid, so the same results give the same weights.
"""

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
from bookbuilder.schema import BOOK_MOVES
from bookbuilder.selection.quality import LARGEST_WEIGHT, largest_of, quality_steps

HALF_LIFE: Final = 1000
"""Own games after which a game counts half."""
PRIOR_GAMES: Final = 6
"""Games that the archive's score counts as by default."""

LEAST_CHANCE: Final = 0.2
"""A move is dropped if its chance to be the best falls below this part of what it was."""

_STEPS: Final = 2000
_GRID: Final = (np.arange(_STEPS) + 0.5) / _STEPS
# No score is certain: a distribution needs both numbers above 0.
_LEAST_SCORE: Final = 0.02
_Numbers = npt.NDArray[np.float64]

# Games at the position's own score that draw the archive's score of a move towards it.
_SHRINKING: Final = 20
_UNKNOWN_SCORE: Final = 0.5


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


def learned_book(path: str | os.PathLike[str], own: Experience) -> Learned:
    """Return a book with the weights that own results give it. Nothing is written.

    Args:
        path: the book, of any format that can be read.
        own: the own results.

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
    for where, results in _by_position(own, fold=book.fold).items():
        moves += _learn(rows, where, results, weight)
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
        # Qualities for which games · (quality + 1) is proportional to the weights of a position.
        value, group = book.column("weight") / np.maximum(book.column("games"), 1), _groups(book)
        steps = quality_steps(value / largest_of(value, group)[group])
        book = replace(book, table=_with(book.table, "quality", steps.astype(np.uint8)))
    return write_moves(path, book, to.name, scale="position")


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
            share = weight / largest_of(weight, group)[group]
            scaled = np.where(weight > 0, np.maximum(np.floor(share * LARGEST_WEIGHT + 0.5), 1), 0)
            is_changed = np.isin(group, group[changed])
            whole[is_changed] = scaled[is_changed].astype(np.uint64)
        table = _with(self.book.table, "weight", whole)
        stays = (weight > 0) | (self.weight == 0)
        return replace(self.book, table=table, statistic="own").select(stays)


def _by_position(own: Experience, *, fold: bool) -> dict[_Place, dict[int, _Results]]:
    """Return the results of each move at each position with a choice, by the code that a table holds."""
    found: dict[tuple[int, int], tuple[_Place, dict[int, _Results]]] = {}
    for age, game in enumerate(reversed(own.games)):
        weight = 2 ** (-age / HALF_LIFE)
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
    after = learned_weights(before, expected, points, games)
    weight[at] = after
    shares = before / before.sum(), after / after.sum()
    return [
        LearnedMove(
            line=format_line(where.line),
            side=len(where.line) % 2,
            move=results[code].text,
            games=len(results[code].places),
            points=results[code].raw_points,
            expected=float(expected[row]),
            gained=results[code].corrected - len(results[code].places) * float(expected[row]),
            share_before=float(shares[0][row]),
            share_after=float(shares[1][row]),
            places=tuple(results[code].places[::-1]),
        )
        for row, code in enumerate(codes)
        if code in results
    ]


def learned_weights(
    weight: _Numbers,
    expected: _Numbers,
    points: _Numbers,
    games: _Numbers,
) -> _Numbers:
    """Return the weights of the moves at a position after own games; the heaviest is as heavy as before.

    Args:
        weight: weights in the book, above 0.
        expected: the archive's score of each move, 0 … 1.
        points: points of own games with each move: 1 for a win, ½ for a draw; games may count less.
        games: own games with each move, counted alike.

    Example:
        >>> weight, half = np.array([3.0, 1.0]), np.array([0.5, 0.5])
        >>> learned_weights(weight, half, np.zeros(2), np.zeros(2)).tolist()
        [3.0, 1.0]
        >>> learned_weights(weight, half, np.zeros(2), np.array([8.0, 0.0])).tolist()
        [0.0, 3.0]
    """
    if not games.any():
        return weight
    none = np.zeros_like(games)
    before = chances(expected, none, none)
    change = chances(expected, points, games) / before
    learned = weight * change
    learned *= float(weight.max()) / float(learned.max())
    is_refuted = (points < games * expected) & (change < LEAST_CHANCE) & (learned < learned.max())
    return np.where(is_refuted, 0.0, learned)


def chances(expected: _Numbers, points: _Numbers, games: _Numbers) -> _Numbers:
    """Return the chance of each move to have the highest score of all; the chances add up to 1.

    Example:
        >>> chances(np.array([0.5, 0.5]), np.zeros(2), np.zeros(2)).round(3).tolist()
        [0.5, 0.5]
    """
    score = np.clip(expected, _LEAST_SCORE, 1 - _LEAST_SCORE)
    first, second = PRIOR_GAMES * score + points, PRIOR_GAMES * (1 - score) + games - points
    log_density = (first - 1)[:, None] * np.log(_GRID) + (second - 1)[:, None] * np.log1p(-_GRID)
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    density /= density.sum(axis=1, keepdims=True)
    # The chance to score less than a point of the grid: half of the point itself is below it.
    below = np.cumsum(density, axis=1) - density / 2
    best = np.empty(len(score))
    for move in range(len(score)):
        others = np.delete(below, move, axis=0).prod(axis=0)
        best[move] = float(density[move] @ others)
    chance: _Numbers = best / best.sum()
    return chance
