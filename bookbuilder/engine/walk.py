"""Walks: lines from the start position in which one side, the owner, plays from a book.

1. The owner plays moves of the book, the opponent moves of a tally of other games, in proportion to games.
   A book move that would repeat a position of the line is not played, as in the bundled engine.
2. The line leaves the book (its *exit*) where the book has no move for the owner, the tally none for the
   opponent, or the game is over.
3. Until a fixed ply, both sides then play moves of the tally. The line ends early where the tally has no move
   or the game is over.
4. An engine values the position at the exit, and the position at the fixed ply (or where the line ended).
   If the line was in the book for longer, the position at the fixed ply was passed on the way.

Line number i of a side uses the same random number at each ply with every book. So differences between books
are taken line by line, and vary less than the values themselves.

The interval of a mean is mean ± 1.96 · s / √n, with s the standard deviation of the n lines (n - 1 in its
denominator). The lines of the two sides are drawn independently, so the mean of both sides has half the
root of the sum of both squared half-widths.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypedDict

from bookbuilder._core import Position
from bookbuilder.book.play import Choice, MoveSource, PickPolicy, draw, fresh
from bookbuilder.engine.drivers.player import PlayerFault
from bookbuilder.engine.drivers.spec import EngineSpec
from bookbuilder.engine.drivers.workers import Progress, Question, Workers
from bookbuilder.errors import OptionError
from bookbuilder.evals.loss import MOST_CENTIPAWNS
from bookbuilder.evals.words import final_score
from bookbuilder.games.position import SIDES, Game, SideName
from bookbuilder.ratios import CONFIDENCE_Z

Cause: TypeAlias = Literal["book", "store", "game", "length"]
"""Why a line left the book: the book or the tally has no move, the game is over, or it is too long."""

Owner: TypeAlias = SideName | Literal["both"]
"""The side that plays from the book; `both` is the mean of the two sides."""

_MOST_PLIES = 120
"""A line of this length leaves the book."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkOptions:
    """How books are walked."""

    walks: int = 400  # lines for each book and owner
    nodes: int = 50_000  # nodes of the search of each position
    seed: int = 1  # seed of all random choices
    pick: PickPolicy = "weighted"  # how the owner chooses a book move
    ply: int = 24  # the fixed ply
    jobs: int = 1  # number of engines that judge at the same time


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A line that was judged."""

    number: int  # its number, from 1; lines of equal side and number are a pair
    owner: SideName  # the side that played from the book
    moves: tuple[str, ...]  # its moves in coordinates, up to the exit or the fixed ply, whichever is later
    cause: Cause  # why it left the book
    exit_ply: int  # the ply at which it left the book
    exit_cp: int = 0  # the value there, in centipawns for the owner
    late_ply: int  # the fixed ply, or the ply at which the line ended
    late_cp: int = 0  # the value there


def walk_books(
    books: Mapping[str, MoveSource | None],
    replies: MoveSource,
    judge: EngineSpec,
    options: WalkOptions,
    progress: Progress,
) -> dict[str, list[Walk]]:
    """Return the judged lines of each book: all of the first side, then all of the second.

    An owner of None has no book. The replies are best from games that the books were not built from.

    Raises:
        OptionError: the tally has no move at the start, or the engine cannot be used.
        StoreError: the tally is damaged.
        PlayerFault: an engine has ended or gives no score.
    """
    game, played = replies.game, _cached(replies.choices)
    if not played(Position(game)):
        raise OptionError("the store has no game from the start position: walks need the opponent's moves")
    sources = {
        name: _cached((lambda _position: ()) if book is None else book.choices)
        for name, book in books.items()
    }
    numbers = range(1, options.walks + 1)
    lines = []
    with Workers(judge, game, jobs=options.jobs) as workers:
        # An engine that cannot be used is reported before the lines are played.
        workers.introduction()
        with progress("lines", len(books) * len(SIDES) * options.walks) as report:
            for name, side, number in itertools.product(sources, range(len(SIDES)), numbers):
                lines.append((name, *_play(game, side, number, sources[name], played, options)))
                report(len(lines))
        values = _judged([end for *_, ends in lines for end in ends], workers, options, progress)
    walks: dict[str, list[Walk]] = {name: [] for name in books}
    for name, walk, ends in lines:
        exit_cp, late_cp = (
            values[_place(end)] if SIDES[end.side] == walk.owner else -values[_place(end)] for end in ends
        )
        walks[name].append(replace(walk, exit_cp=exit_cp, late_cp=late_cp))
    return walks


_Choices: TypeAlias = Callable[[Position], Sequence[Choice]]


def _place(position: Position) -> tuple[int, int]:
    return position.key, position.lock


def _cached(choices: _Choices) -> _Choices:
    known: dict[tuple[int, int], Sequence[Choice]] = {}

    def cached(position: Position) -> Sequence[Choice]:
        place = _place(position)
        if place not in known:
            known[place] = choices(position)
        return known[place]

    return cached


def _judged(
    positions: Sequence[Position], workers: Workers, options: WalkOptions, progress: Progress
) -> dict[tuple[int, int], int]:
    """Return the values of positions, each judged once."""
    different = {_place(each): each for each in positions}
    values = {
        place: final_score(each, MOST_CENTIPAWNS)
        for place, each in different.items()
        if each.verdict is not None
    }
    left = [each for place, each in different.items() if place not in values]
    questions = [Question(number, each, options.nodes) for number, each in enumerate(left)]
    with progress("positions judged", len(questions)) as report:
        for done, answer in enumerate(workers.ask(questions), start=1):
            if answer.reply is None or answer.reply.score_cp is None:
                raise PlayerFault(answer.reason)
            score = max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, answer.reply.score_cp))
            values[_place(answer.question.position)] = score
            report(done)
    return values


def _play(
    game: Game, side: int, number: int, book: _Choices, replies: _Choices, options: WalkOptions
) -> tuple[Walk, tuple[Position, Position]]:
    """Play a line to its end; return it without its values, and the positions to value."""
    chance = random.Random(f"walk {game} {options.seed} {side} {number}")
    chances = [chance.random() for _ in range(max(options.ply, _MOST_PLIES))]
    trail, moves = [Position(game)], list[str]()
    exit_ply: int | None = None
    cause: Cause = "book"
    while exit_ply is None or len(moves) < options.ply:
        here, ply, code = trail[-1], len(moves), None
        why: Cause = "store"
        if here.verdict is not None:
            why = "game"
        elif exit_ply is None and ply >= _MOST_PLIES:
            why = "length"
        elif exit_ply is None and here.side == side:
            why, code = "book", draw(fresh(book(here), here, trail), options.pick, chances[ply])
        else:
            code = draw(replies(here), "weighted", chances[ply])
        if code is not None:
            moves.append(here.coordinates(code))
            trail.append(here.play(code))
        elif exit_ply is None:
            exit_ply, cause = ply, why
        else:
            break
    late_ply = min(options.ply, len(moves))
    plies = {"exit_ply": exit_ply, "late_ply": late_ply}
    walk = Walk(number=number, owner=SIDES[side], moves=tuple(moves), cause=cause, **plies)
    return walk, (trail[exit_ply], trail[late_ply])


class Estimate(TypedDict):
    """A mean, and half the width of its 95 % interval."""

    mean: float
    margin: float


def _estimates(columns: Mapping[str, Sequence[float]]) -> dict[Owner, dict[str, Estimate]]:
    """Return the mean of each column by owner; the first half of a column is that of the first side."""
    found: dict[Owner, dict[str, Estimate]] = {}
    for number, side in enumerate(SIDES):
        found[side] = {}
        for name, every in columns.items():
            values = every[number * len(every) // 2 :][: len(every) // 2]
            error = statistics.stdev(values) / math.sqrt(len(values))
            found[side][name] = Estimate(mean=statistics.fmean(values), margin=CONFIDENCE_Z * error)
    pairs = {name: [found[side][name] for side in SIDES] for name in columns}
    found["both"] = {
        name: Estimate(
            mean=(one["mean"] + other["mean"]) / 2, margin=math.hypot(one["margin"], other["margin"]) / 2
        )
        for name, (one, other) in pairs.items()
    }
    return found


def book_values(walks: Mapping[str, Sequence[Walk]]) -> list[dict[str, Any]]:
    """Return the values of each book as JSON data: first side, second side, and the mean of both.

    Book, owner, number of lines, mean of late_ply and number of lines by cause; estimates of the plies in the
    book (plies), of the value at the exit in centipawns for the owner (exit), and at the fixed ply (late).
    """
    rows = []
    for book, lines in walks.items():
        columns = {
            "plies": [line.exit_ply for line in lines],
            "exit": [line.exit_cp for line in lines],
            "late": [line.late_cp for line in lines],
        }
        for owner, values in _estimates(columns).items():
            own = [line for line in lines if owner in (line.owner, "both")]
            facts = {
                "book": book,
                "owner": owner,
                "walks": len(own),
                "late_ply": statistics.fmean(line.late_ply for line in own),
                "causes": dict(Counter(sorted(line.cause for line in own))),
            }
            rows.append(facts | values)
    return rows


def book_differences(walks: Mapping[str, Sequence[Walk]]) -> list[dict[str, Any]]:
    """Return the differences of each book to the first over pairs of lines, in the form of `book_values`."""
    (base, base_lines), *others = walks.items()
    rows: list[dict[str, Any]] = []
    for book, lines in others:
        pairs = list(zip(lines, base_lines, strict=True))
        columns = {
            "exit": [one.exit_cp - other.exit_cp for one, other in pairs],
            "late": [one.late_cp - other.late_cp for one, other in pairs],
        }
        for owner, values in _estimates(columns).items():
            rows.append({"book": book, "other": base, "owner": owner, **values})
    return rows
