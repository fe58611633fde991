"""Check a book: the book in use by each side, judged by an engine.

Figures are losses of moves, and values at the exits.

Moves that lose too much can be dropped. Without a move, the others are played more often, and positions come
into use that were not checked. So the book is checked again, with all evaluations of before, until a check
finds nothing. A record of a clustered book belongs to a position: with a move, all moves that lead to the
same position go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import Position
from bookbuilder.book.book import Book
from bookbuilder.book.edits import write_without
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import Written, convert, format_of, read_moves, write_moves
from bookbuilder.book.graph import is_clustered
from bookbuilder.book.open import open_book
from bookbuilder.book.play import Choice, MoveSource, TallyMoves
from bookbuilder.columns import values
from bookbuilder.engine.drivers.spec import BUNDLED, EngineSpec
from bookbuilder.engine.evaluate.evaluate import Evaluated, evaluate
from bookbuilder.engine.evaluate.plan import Plan, Played, plan_of, play_book
from bookbuilder.errors import OptionError
from bookbuilder.evals.loss import MOST_CENTIPAWNS, losses
from bookbuilder.evals.table import Evals
from bookbuilder.games.line import format_line
from bookbuilder.games.position import SIDES, Game, SideName, as_position
from bookbuilder.tally.tally import Tally
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    import pandas as pd

_WORDS: Final = {"chess": ("white", "black"), "xiangqi": ("red", "black")}
_MOVES: Final = ("owner", "line", "move", "best", "loss_cp", "visits")
_EXITS: Final = ("owner", "line", "value_cp", "reach")


Evaluating: TypeAlias = Callable[[Plan, Game, Evals | None], Evaluated]
"""Evaluates a plan; gets the evaluations of the checks before, if there were any."""

USUAL_LOSS: Final = 60
"""Centipawns that a move may lose by default."""

_Place: TypeAlias = tuple[int, ...]
"""Key and lock of a position; of a move, with its stored code."""


@dataclass(frozen=True, slots=True)
class CheckedMove:
    """A book move, and what it loses.

    Attributes:
        owner: the side that plays it.
        line: moves in coordinates that lead to the position.
        move: the move.
        best: the engine's move; None: unknown.
        loss_cp: centipawns that it loses.
        visits: probability that a game plays it.
    """

    owner: SideName
    line: tuple[str, ...]
    move: str
    best: str | None
    loss_cp: int
    visits: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one owner. Means are weighted by visits; None = nothing was evaluated.

    Attributes:
        owner: the side that plays the book.
        moves: book moves that were compared.
        checked: their share of all book moves that the owner plays.
        mean_loss_cp: loss of a move.
        blunders: moves in a thousand that lose more than the limit.
        exit_cp: value for the owner at the exits that were evaluated, the most reached ones.
        exits_checked: share of the games that leave the book at these.
        losing: moves that lose more than the limit, the most visited first.
    """

    owner: SideName
    moves: int
    checked: float
    mean_loss_cp: float | None
    blunders: float | None
    exit_cp: float | None
    exits_checked: float
    losing: tuple[CheckedMove, ...]


def check_figures(played: Played, evals: Evals, *, limit_cp: int) -> Figures:
    """Return the figures of an owner.

    Args:
        played: the positions and moves of the book in use.
        evals: their evaluations.
        limit_cp: a move that loses more is a blunder.
    """
    graph = _Graph(played, evals)
    own = graph.is_own & ~np.isnan(graph.loss)
    visits, loss = graph.visits[own], graph.loss[own]
    total, exits = float(visits.sum()), graph.exits()
    is_exit_known = ~np.isnan(graph.value[exits])
    exit_reach, exit_value = graph.reach[exits][is_exit_known], graph.value[exits][is_exit_known]
    return Figures(
        owner=SIDES[played.side],
        moves=int(own.sum()),
        checked=total / played.own_visits if played.own_visits else 0.0,
        mean_loss_cp=float(visits @ loss) / total if total else None,
        blunders=1000 * float(visits[loss > limit_cp].sum()) / total if total else None,
        exit_cp=float(exit_reach @ exit_value / exit_reach.sum()) if exit_reach.size else None,
        exits_checked=float(exit_reach.sum()),
        losing=graph.losing(limit_cp),
    )


class _Graph:
    """The columns of a book in use, and what follows from them."""

    def __init__(self, played: Played, evals: Evals) -> None:
        self._played, self._fold = played, evals.fold
        nodes, edges = played.plan.targets, played.plan.moves
        key = np.array([node.key for node in nodes], np.uint64)
        valued = evals.values(key, np.array([node.lock for node in nodes], np.uint32))
        self._best = valued.best
        before, after = (np.array([edge[end] for edge in edges], np.int64) for end in (0, 2))
        stored = [nodes[edge.before].position.stored_move(edge.code, self._fold) for edge in edges]
        self.loss = losses(valued, before, after, np.array(stored, np.uint16))
        self.visits = np.array([edge.share for edge in edges], np.float64)
        self.is_own = np.array([edge.is_own for edge in edges], np.bool_)
        self.reach = np.array([node.reach for node in nodes], np.float64)
        # For the owner; at an exit the owner is to move.
        turn = np.array([1 if node.position.side == played.side else -1 for node in nodes])
        self.value: npt.NDArray[np.float64] = turn * np.clip(valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)

    def exits(self) -> npt.NDArray[np.intp]:
        """Return the numbers of the exits."""
        return np.flatnonzero([node.is_exit for node in self._played.plan.targets])

    def losing(self, limit_cp: int) -> tuple[CheckedMove, ...]:
        """Return the own moves that lose more than the limit, the most visited first."""
        with np.errstate(invalid="ignore"):
            rows = np.flatnonzero(self.is_own & (self.loss > limit_cp))
        rows = rows[np.argsort(-self.visits[rows], kind="stable")]
        return tuple(self._checked(int(row)) for row in rows)

    def _checked(self, row: int) -> CheckedMove:
        edge = self._played.plan.moves[row]
        node = self._played.plan.targets[edge.before]
        here, stored = node.position, int(self._best[edge.before])
        best = [code for code in here.moves() if here.stored_move(code, self._fold) == stored]
        return CheckedMove(
            owner=SIDES[self._played.side],
            line=tuple(node.line.split()),
            move=here.coordinates(edge.code),
            best=here.coordinates(best[0]) if best else None,
            loss_cp=round(float(self.loss[row])),
            visits=edge.share,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BookCheck:
    """What an engine says about a book in use: the owner plays its moves, the opponent those of a tally.

    Attributes:
        game: the game.
        engine: name and version of the engine.
        evals: its evaluations, with those that were known before.
        blunder_cp: a move that loses more centipawns is a blunder.
        owners: the figures of the book for each side.
        played: the positions and moves of the book in use by each side.
        dropped: the moves that were dropped, round by round, the most visited first.
        rounds: number of checks; the figures are those of the last one.
        evaluated: what the engine did for it.
        written: the file without the dropped moves; None: only a check was asked.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> check = bb.check_book("games.book", tally, positions=8, nodes=100)
        >>> [each.owner for each in check.owners]
        ['first', 'second']
    """

    game: Game
    engine: str
    evals: Evals
    blunder_cp: int
    owners: tuple[Figures, ...]
    played: tuple[Played, ...]
    dropped: tuple[CheckedMove, ...]
    rounds: int
    evaluated: Evaluated
    written: Written | None

    def figures(self) -> pd.DataFrame:
        """Return the figures as a frame, with a column for each owner.

        Returns:
            One row per figure; means are weighted by visits, NaN = nothing was evaluated. moves (book moves
            with both positions evaluated), checked (their share of the moves that the owner plays, 0 … 1),
            mean_loss_cp, blunders (in 1,000 moves), exit_cp (value for the owner at the exits), exits_checked
            (their share of the games, 0 … 1).

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> check = bb.check_book("games.book", tally, positions=8, nodes=100)
            >>> check.figures().columns.tolist(), check.figures().index.tolist()[:3]
            (['white', 'black'], ['moves', 'checked', 'mean_loss_cp'])
        """
        import pandas as pd

        columns = {}
        for each in self.owners:
            figures = asdict(each)
            del figures["owner"], figures["losing"]
            columns[self._word(SIDES.index(each.owner))] = figures
        return pd.DataFrame(columns, dtype="float64")

    def moves(self) -> pd.DataFrame:
        """Return the book moves that were compared, by owner and then by visits.

        Returns:
            One row per owner and move. owner (white or red, black), line, move, best (as people write them;
            best is empty if it is unknown), loss_cp (centipawns, 0 for the engine's own move), visits
            (probability that a game of the owner plays it).

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> check = bb.check_book("games.book", tally, positions=8, nodes=100)
            >>> check.moves().columns.tolist()
            ['owner', 'line', 'move', 'best', 'loss_cp', 'visits']
        """
        import pandas as pd

        rows = []
        for played in self.played:
            for each in _Graph(played, self.evals).losing(-1):
                here = as_position(" ".join(each.line) or "startpos", self.game)
                best = "" if each.best is None else here.san(here.parse_move(each.best))
                move = here.san(here.parse_move(each.move))
                line = self._line(each.line)
                rows.append((self._word(played.side), line, move, best, each.loss_cp, each.visits))
        return pd.DataFrame(rows, columns=list(_MOVES))

    def exits(self) -> pd.DataFrame:
        """Return the exits: positions where the owner is to move and has no book move.

        Returns:
            One row per owner and exit. owner (white or red, black), line, value_cp (centipawns for the owner;
            NaN = not evaluated), reach (probability that a game of the owner leaves the book there). By owner
            and then by reach.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> check = bb.check_book("games.book", tally, positions=8, nodes=100)
            >>> check.exits().columns.tolist()
            ['owner', 'line', 'value_cp', 'reach']
        """
        import pandas as pd

        rows = []
        for played in self.played:
            graph = _Graph(played, self.evals)
            for number in graph.exits().tolist():
                node = played.plan.targets[number]
                value = float(graph.value[number])
                rows.append((self._word(played.side), self._line(node.line.split()), value, node.reach))
        return pd.DataFrame(rows, columns=list(_EXITS))

    def _word(self, side: int) -> str:
        return _WORDS[self.game][side]

    def _line(self, moves: Sequence[str]) -> str:
        """Return a line of coordinates as people write it."""
        here, words = as_position("startpos", self.game), list[str]()
        for move in moves:
            code = here.parse_move(move)
            words.append(here.san(code))
            here = here.play(code)
        return format_line(words)


class _SoundMoves:
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


def run_check(
    path: Path,
    replies: MoveSource,
    evaluate: Evaluating,
    *,
    positions: int,
    blunder_cp: int,
    output: Path | None = None,
    max_loss_cp: int = USUAL_LOSS,
) -> BookCheck:
    """Check a book in use; with an output, drop what loses too much and check again, until nothing does.

    Args:
        path: the book.
        replies: the opponent's moves.
        evaluate: evaluates the book in use.
        positions: maximum number of positions of each owner.
        blunder_cp: a move that loses more centipawns is a blunder.
        output: the file to write; None: no move is dropped.
        max_loss_cp: a move that loses more is dropped.

    Raises:
        OptionError: the book is never used, or no move is left that is.
        BookError: the book is damaged, or of another game than the replies.
        PlayerFault: the engine fails at one position after the other.
        OSError: the output cannot be written.
    """
    opened = open_book(path, game=replies.game)
    if output is not None:
        format_of(output).require_game(output, opened.game)
    moves, dropped, rounds = _SoundMoves(path, opened.game, fold=opened.fold), list[CheckedMove](), 0
    known: Evals | None = None
    while True:
        sides = range(len(SIDES))
        games = [play_book(moves, replies, side, most=positions, fold=opened.fold) for side in sides]
        if not any(each.own_visits for each in games):
            why = f"{path}: has no move at the start position or after a move of the store"
            if dropped:
                why = f"no move is left: {len(dropped):,} lose more than {max_loss_cp} centipawns"
            raise OptionError(why)
        done = evaluate(plan_of(games, fold=opened.fold), opened.game, known)
        known, rounds, losing = done.evals, rounds + 1, list[CheckedMove]()
        if output is not None:
            for each in games:
                losing += check_figures(each, known, limit_cp=max_loss_cp).losing
        if not losing:
            break
        moves.drop(losing)
        dropped += losing
    return BookCheck(
        game=opened.game,
        engine=done.engine,
        evals=done.evals,
        blunder_cp=blunder_cp,
        owners=tuple(check_figures(each, done.evals, limit_cp=blunder_cp) for each in games),
        played=tuple(games),
        dropped=tuple(dropped),
        rounds=rounds,
        evaluated=done,
        written=None if output is None else moves.write(output),
    )


def check_book(
    book: str | os.PathLike[str],
    against: Tally,
    output: str | os.PathLike[str] | None = None,
    *,
    max_loss_cp: int = USUAL_LOSS,
    evals: Evals | None = None,
    positions: int = 500,
    nodes: int = 50_000,
    engine: str | EngineSpec = BUNDLED,
    jobs: int = 1,
    blunder_cp: int = 100,
) -> BookCheck:
    """Check whether a book is sound: what its moves lose by an engine, and what its exits are worth.

    The owner plays book moves by weight, the opponent the moves of the tally by frequency. The most reached
    positions are evaluated, as by `evaluate_tally`. With an output, moves that lose too much are dropped, and
    the rest is checked again until a check finds none. Moves that are not compared stay.

    Args:
        book: the file of a book of any format that can be read.
        against: the games whose moves the opponent plays.
        output: the file to write, which is replaced if it exists; its suffix names the format. None: only
            check.
        max_loss_cp: a move that loses more centipawns is dropped.
        evals: evaluations of before. Searches that they have are not made again.
        positions: maximum number of positions of each owner.
        nodes: nodes of the search of the least reached position.
        engine: a command line, such as `stockfish` or `ucci:eleeye`, or what `parse_engine` returns.
        jobs: number of engines.
        blunder_cp: a move that loses more centipawns is a blunder.

    Raises:
        OptionError: book and tally are of different games, the book is never used, no move is left, or the
            engine cannot be used.
        BookError: the book is damaged.
        FormatError: likewise.
        PlayerFault: the engine fails at one position after the other.
        OSError: the output cannot be written.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> check = bb.check_book("games.book", tally, "sound.book", positions=8, nodes=100)
        >>> check.owners[0].moves > 0, all(move.loss_cp > 60 for move in check.dropped)
        (True, True)
    """

    def evaluated(plan: Plan, game: Game, known: Evals | None) -> Evaluated:
        return evaluate(plan, game, engine, nodes=nodes, jobs=jobs, known=known or evals)

    return run_check(
        Path(book),
        TallyMoves(against.source, against.game, fold=against.options.fold),
        evaluated,
        positions=positions,
        blunder_cp=blunder_cp,
        output=None if output is None else Path(output),
        max_loss_cp=max_loss_cp,
    )
