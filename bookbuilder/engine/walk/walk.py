"""Walks: lines from the start position in which one side, the owner, plays from a book.

1. The owner plays moves of the book, the opponent moves of a tally of other games, in proportion to games.
   A book move that would repeat a position of the line is not played, as in the bundled engine.
2. The line leaves the book (its *exit*) where the book has no move for the owner, the tally none for the
   opponent, or the game is over.
3. Until a fixed ply, both sides then play moves of the tally; or the owner plays the judge's moves. The line
   ends early where the tally has no move or the game is over.
4. The judge values the position at the exit, and the position at the fixed ply (or where the line ended).
   If the line was in the book for longer, the position at the fixed ply was passed on the way.

Line number i of a side uses the same random number at each ply with every book. So differences between books
are taken line by line, and vary less than the values themselves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from bookbuilder._core import Position
from bookbuilder.book.book_moves import PickPolicy
from bookbuilder.book.play import Choice, MoveSource, draw, fresh
from bookbuilder.engine.match.player import EngineSpec
from bookbuilder.engine.walk.judges import Judgement, Judges, Progress
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDES, Game, SideName

__all__ = ["After", "Cause", "Walk", "WalkOptions", "walk_books"]

After: TypeAlias = Literal["store", "engine"]
"""Moves of the owner after the exit: from the tally, or from the judge."""
Cause: TypeAlias = Literal["book", "store", "game", "length"]
"""Why a line left the book: the book or the tally has no move, the game is over, or it is too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkOptions:
    """How books are walked.

    Attributes:
        walks: lines for each book and owner.
        seed: seed of all random choices.
        pick: how the owner chooses a book move.
        ply: the fixed ply.
        after: whose moves the owner plays after the exit.
        most_plies: a line of this length leaves the book.
        jobs: number of engines that judge at the same time.
    """

    walks: int = 400
    seed: int = 1
    pick: PickPolicy = "weighted"
    ply: int = 24
    after: After = "store"
    most_plies: int = 120
    jobs: int = 1

    def __post_init__(self) -> None:
        """Check the values."""
        if self.walks < 2:
            raise OptionError("a walk needs at least 2 lines for each side, or there is no error to report")
        if min(self.ply, self.most_plies, self.jobs) < 1:
            raise OptionError("ply, most_plies and jobs must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A line that was judged.

    Attributes:
        number: its number, from 1; lines of equal side and number are a pair.
        owner: the side that played from the book.
        moves: its moves in coordinates, up to the exit or the fixed ply, whichever is later.
        cause: why it left the book.
        exit_ply: the ply at which it left the book.
        exit_cp: the value there, in centipawns for the owner.
        late_ply: the fixed ply, or the ply at which the line ended.
        late_cp: the value there.
    """

    number: int
    owner: SideName
    moves: tuple[str, ...]
    cause: Cause
    exit_ply: int
    exit_cp: int
    late_ply: int
    late_cp: int


def walk_books(
    books: Mapping[str, MoveSource | None],
    replies: MoveSource,
    judge: EngineSpec,
    options: WalkOptions,
    progress: Progress,
) -> dict[str, list[Walk]]:
    """Return the judged lines of each book: all of the first side, then all of the second.

    Args:
        books: the books by name; None: the owner has no book.
        replies: the opponent's moves, from games that the books were not built from.
        judge: the engine, with its limit.
        options: how books are walked.
        progress: shows progress.

    Raises:
        OptionError: the tally has no move at the start, or the engine cannot be used.
        StoreError: the tally is damaged.
        PlayerFault: an engine has ended or gives no score.
    """
    game = replies.game
    if not replies.choices(Position(game)):
        raise OptionError("the store has no game from the start position: walks need the opponent's moves")
    played = _cached(replies.choices)
    with Judges(judge, game, options.jobs) as judges:
        # An engine that cannot be used is reported before the lines are played.
        judges.judge([Position(game)], progress)
        lines = [
            _Line(number, side, sources, options)
            for sources in (_Sources(_cached(_choices_of(book)), played) for book in books.values())
            for side in range(len(SIDES))
            for number in range(1, options.walks + 1)
        ]
        _play(lines, game, judges, progress)
        judges.judge((position for line in lines for position in line.to_judge()), progress)
        walks = [line.walk(judges) for line in lines]
    size = 2 * options.walks
    return {name: walks[size * place :][:size] for place, name in enumerate(books)}


_Choices: TypeAlias = Callable[[Position], Sequence[Choice]]
_Playing: TypeAlias = Generator[Position, Judgement, None]


def _choices_of(book: MoveSource | None) -> _Choices:
    return (lambda _position: ()) if book is None else book.choices


def _cached(choices: _Choices) -> _Choices:
    known: dict[tuple[int, int], Sequence[Choice]] = {}

    def cached(position: Position) -> Sequence[Choice]:
        place = position.key, position.lock
        if place not in known:
            known[place] = choices(position)
        return known[place]

    return cached


@dataclass(frozen=True, slots=True)
class _Sources:
    """The moves of the owner's book and of the tally."""

    book: _Choices
    replies: _Choices


@dataclass(slots=True)
class _Line:
    """A line that is being played."""

    number: int
    side: int
    sources: _Sources
    options: WalkOptions
    moves: list[str] = field(default_factory=list)
    cause: Cause = "book"
    exit_ply: int = 0
    exit: Position | None = None
    late: Position | None = None
    _trail: list[Position] = field(default_factory=list)

    def play(self, game: Game) -> _Playing:
        """Play to the end. Positions whose best move is needed are yielded, and their judgement is sent."""
        options = self.options
        self._trail = [Position(game)]
        random_numbers = random.Random(f"walk {game} {options.seed} {self.side} {self.number}")
        chances = [random_numbers.random() for _ in range(max(options.ply, options.most_plies))]
        while (code := self._next_in_book(chances)) is not None:
            self._push(code)
        self.exit_ply, self.exit = len(self.moves), self._trail[-1]
        while len(self.moves) < options.ply and (here := self._trail[-1]).verdict is None:
            if options.after == "engine" and here.side == self.side:
                code = (yield here).code
            else:
                code = draw(self.sources.replies(here), "weighted", chances[len(self.moves)])
            if code is None:
                break
            self._push(code)
        self.late = self._trail[self.late_ply]
        self._trail = []

    def _push(self, code: int) -> None:
        here = self._trail[-1]
        self.moves.append(here.coordinates(code))
        self._trail.append(here.play(code))

    def _next_in_book(self, chances: Sequence[float]) -> int | None:
        """Return the next move; None, with the cause, where the line leaves the book."""
        here, ply = self._trail[-1], len(self.moves)
        if here.verdict is not None:
            self.cause = "game"
        elif ply >= self.options.most_plies:
            self.cause = "length"
        elif here.side == self.side:
            self.cause = "book"
            return draw(self._book_choices(here), self.options.pick, chances[ply])
        else:
            self.cause = "store"
            return draw(self.sources.replies(here), "weighted", chances[ply])
        return None

    def _book_choices(self, here: Position) -> list[Choice]:
        return fresh(self.sources.book(here), here, self._trail)

    @property
    def late_ply(self) -> int:
        """The fixed ply, or the ply at which the line ended."""
        return min(self.options.ply, len(self.moves))

    def to_judge(self) -> list[Position]:
        """Return the positions that an engine must value."""
        return [each for each in (self.exit, self.late) if each is not None]

    def walk(self, judges: Judges) -> Walk:
        """Return the line with its values."""
        return Walk(
            number=self.number,
            owner=SIDES[self.side],
            moves=tuple(self.moves),
            cause=self.cause,
            exit_ply=self.exit_ply,
            exit_cp=self._value(self.exit, judges),
            late_ply=self.late_ply,
            late_cp=self._value(self.late, judges),
        )

    def _value(self, position: Position | None, judges: Judges) -> int:
        if position is None:
            raise AssertionError("the line was played to its end")
        score = judges.value(position)
        return score if position.side == self.side else -score


def _play(lines: Sequence[_Line], game: Game, judges: Judges, progress: Progress) -> None:
    """Play all lines; positions whose best move is needed are judged together, round by round."""
    waiting: list[tuple[_Playing, Position]] = []
    with progress("lines", len(lines)) as report:
        for done, line in enumerate(lines, start=1):
            _resume(line.play(game), None, waiting)
            report(done)
    while waiting:
        judges.judge((position for _, position in waiting), progress)
        before, waiting = waiting, []
        for playing, position in before:
            _resume(playing, judges.said(position), waiting)


def _resume(playing: _Playing, judgement: Judgement | None, waiting: list[tuple[_Playing, Position]]) -> None:
    """Play a line on; if it needs a judgement, add it to the queue."""
    try:
        # To start a generator, None is sent.
        position = playing.send(cast("Judgement", judgement))
    except StopIteration:
        return
    waiting.append((playing, position))
