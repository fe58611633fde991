"""Drop the moves of a book that lose too much, until an engine finds no more of them in the book in use.

Without a move, the others are played more often, and positions come into use that were not checked. So the
book is checked again, with all evaluations of before, until a check finds nothing. A record of a clustered
book belongs to a position: with a move, all moves that lead to the same position go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from bookbuilder._core import Position
from bookbuilder.book.book import Book
from bookbuilder.book.edits import write_without
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import Written, convert, format_of, read_moves, write_moves
from bookbuilder.book.graph import is_clustered
from bookbuilder.book.open import open_book
from bookbuilder.book.play import Choice, TallyMoves
from bookbuilder.columns import values
from bookbuilder.engine.check.check import BookCheck, CheckedMove, check_figures, played_games
from bookbuilder.engine.drivers.spec import BUNDLED, EngineSpec
from bookbuilder.engine.evaluate.evaluate import Evaluated, evaluate_plan
from bookbuilder.engine.evaluate.plan import Played, plan_of
from bookbuilder.errors import OptionError
from bookbuilder.evals.table import Evals
from bookbuilder.games.position import Game, as_position
from bookbuilder.tally.tally import Tally
from bookbuilder.temporary import TemporaryFolder

__all__ = ["Cleaned", "Evaluate", "Rounds", "SoundMoves", "clean_rounds", "drop_losing"]

Evaluate: TypeAlias = Callable[[Sequence[Played], Evals | None], Evaluated]
"""Evaluates a book in use; gets the evaluations that are known."""

_Place: TypeAlias = tuple[int, ...]
"""Key and lock of a position; of a move, with its stored code."""

_USUAL_LOSS: Final = 60


class SoundMoves:
    """The moves of a book without those that were dropped.

    Attributes:
        dropped: what was dropped: the positions after moves in a clustered book, else the moves.
    """

    def __init__(self, path: Path, game: Game, *, fold: bool) -> None:
        """Begin with all moves of a book; `fold` says whether it folds left-right mirrors."""
        self._path, self._game, self._fold = path, game, fold
        self._is_clustered = is_clustered(path)
        self._moves = open_book(path, game=game)
        self.dropped: set[_Place] = set()

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position, the best first."""
        choices = self._moves.choices(position)
        if not self.dropped:
            return list(choices)
        return [each for each in choices if self._place(position, each.code) not in self.dropped]

    def drop(self, moves: Sequence[CheckedMove]) -> None:
        """Drop moves."""
        for move in moves:
            here = as_position(" ".join(move.line) or "startpos", self._game)
            self.dropped.add(self._place(here, here.parse_move(move.move)))

    def write(self, output: Path) -> Written:
        """Write the moves that are left, in the format of the suffix.

        Raises:
            FormatError: no move is left.
            OptionError: the format is unknown, or for the other game.
            OSError: the file cannot be written.
        """
        if not self.dropped:
            return convert(self._path, output)
        if not self._is_clustered:
            book = read_moves(self._path)
            return write_moves(output, book.select(~self._is_dropped(book)))
        with TemporaryFolder() as folder:
            rest = folder / "rest.book"
            write_without(Book.open(self._path), rest, [(place[0], place[1]) for place in self.dropped])
            return convert(rest, output)

    def _place(self, here: Position, code: int) -> _Place:
        if self._is_clustered:
            return here.play(code).stored(self._fold)
        return (*here.stored(self._fold), here.stored_move(code, self._fold))

    def _is_dropped(self, book: MoveBook) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which moves were dropped; a format without locks knows the keys alone."""
        key, lock, move = (book.column(name) for name in ("key", "lock", "move"))
        has_lock = values(book.table.column("lock").is_valid())
        places, keys = self.dropped, {(place[0], place[2]) for place in self.dropped}
        found = np.isin(key, np.array([place[0] for place in places], np.uint64))
        for row in np.flatnonzero(found).tolist():
            at = int(key[row]), int(move[row])
            found[row] = (at[0], int(lock[row]), at[1]) in places if has_lock[row] else at in keys
        return found


@dataclass(slots=True)
class Rounds:
    """The checks of a book in use.

    Attributes:
        games: the book in use by each side at the last check.
        done: the evaluations of all checks.
        losing: the moves that were dropped, round by round, the most visited first.
        rounds: number of checks.
    """

    games: list[Played]
    done: Evaluated
    losing: list[CheckedMove]
    rounds: int


def clean_rounds(
    moves: SoundMoves, play: Callable[[], list[Played]], evaluate: Evaluate, limit_cp: int
) -> Rounds:
    """Check a book in use, and drop what loses too much, until nothing does.

    Args:
        moves: the moves of the book; those that lose too much are dropped from them.
        play: returns the book in use by each owner.
        evaluate: evaluates a book in use.
        limit_cp: a move that loses more is dropped.

    Raises:
        OptionError: no move is left that is ever played.
        PlayerFault: the engine fails at one position after the other.
    """
    losing: list[CheckedMove] = []
    known: Evals | None = None
    rounds = 0
    while True:
        try:
            games = play()
        except OptionError:
            if not losing:
                raise
            raise OptionError(
                f"no move is left: {len(losing):,} lose more than {limit_cp} centipawns"
            ) from None
        done = evaluate(games, known)
        known, rounds = done.evals, rounds + 1
        found = [move for each in games for move in check_figures(each, known, limit_cp=limit_cp).losing]
        if not found:
            return Rounds(games, done, losing, rounds)
        moves.drop(found)
        losing += found


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A book without the moves that lose too much.

    Attributes:
        check: the last check, which found none of them.
        dropped: the moves that were dropped, round by round, the most visited first.
        rounds: number of checks.
        written: the file.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> done = bb.drop_losing("games.book", "sound.book", tally, positions=8, nodes=100)
        >>> done.written.format, all(move.loss_cp > 60 for move in done.dropped)
        ('book', True)
    """

    check: BookCheck
    dropped: tuple[CheckedMove, ...]
    rounds: int
    written: Written


def drop_losing(
    book: str | os.PathLike[str],
    output: str | os.PathLike[str],
    against: Tally,
    *,
    max_loss_cp: int = _USUAL_LOSS,
    evals: Evals | None = None,
    positions: int = 500,
    nodes: int = 50_000,
    engine: str | EngineSpec = BUNDLED,
    jobs: int = 1,
) -> Cleaned:
    """Write a book without the moves that lose too much by an engine; see `check_book`.

    The book in use is checked again without these moves, until a check finds none. Moves at positions that
    are not among the most reached ones are not checked, and stay.

    Args:
        book: the file of a book of any format that can be read.
        output: the file to write, which is replaced if it exists; its suffix names the format.
        against: the games whose moves the opponent plays.
        max_loss_cp: a move that loses more centipawns is dropped.
        evals: evaluations of before. Searches that they have are not made again.
        positions: maximum number of positions of each owner.
        nodes: nodes of the search of the least reached position.
        engine: a command line, such as `stockfish` or `ucci:eleeye`, or what `parse_engine` returns.
        jobs: number of engines.

    Raises:
        OptionError: book and tally are of different games, no move is left, or the engine cannot be used.
        BookError: the book is damaged.
        FormatError: likewise.
        PlayerFault: the engine fails at one position after the other.
        OSError: the output cannot be written.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> bb.drop_losing("games.book", "sound.book", tally, positions=8, nodes=100).rounds >= 1
        True
    """
    path, target = Path(book), Path(output)
    opened = open_book(path, game=against.game)
    format_of(target).require_game(target, opened.game)
    moves = SoundMoves(path, opened.game, fold=opened.fold)

    def evaluate(games: Sequence[Played], known: Evals | None) -> Evaluated:
        plan = plan_of(games, fold=opened.fold)
        known = evals if known is None else known
        return evaluate_plan(plan, opened.game, nodes=nodes, engine=engine, jobs=jobs, known=known)

    replies = TallyMoves(against.source, against.game, fold=against.options.fold)
    play = partial(played_games, path, moves, replies, most=positions, fold=opened.fold)
    play = partial(played_games, path, moves, replies, most=positions, fold=opened.fold)
    found = clean_rounds(moves, play, evaluate, max_loss_cp)
    done = found.done
    check = BookCheck.of(opened.game, found.games, done.evals, engine=done.engine, blunder_cp=max_loss_cp)
    written = moves.write(target)
    return Cleaned(check=check, dropped=tuple(found.losing), rounds=found.rounds, written=written)
