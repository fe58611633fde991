"""Check a book: the book in use by each side, judged by an engine.

Moves that lose too much can be dropped. Without a move, the others are played more often, and positions come
into use that were not checked. So the book is checked again, with all evaluations of before, until a check
finds nothing. A record of a clustered book belongs to a position: with a move, all moves that lead to the
same position go.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from bookbuilder._core import Position, Referee
from bookbuilder.book.book import Book
from bookbuilder.book.edits import write_without
from bookbuilder.book.formats.registry import Written, convert, format_of, read_moves, write_moves
from bookbuilder.book.graph import is_clustered
from bookbuilder.book.open import open_book
from bookbuilder.book.play import Choice, MoveSource, TallyMoves
from bookbuilder.engine.drivers.spec import BUNDLED, EngineSpec
from bookbuilder.engine.evaluate.evaluate import Evaluated, best_code, evaluate, plan_losses, plan_values
from bookbuilder.engine.evaluate.plan import Plan, Played, plan_of, play_book
from bookbuilder.errors import OptionError
from bookbuilder.evals.loss import MOST_CENTIPAWNS
from bookbuilder.evals.table import Evals
from bookbuilder.games.line import format_line
from bookbuilder.games.position import SIDE_WORDS, SIDES, Game
from bookbuilder.keywords import require_kind
from bookbuilder.tally.tally import Tally
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    import pandas as pd


USUAL_LOSS: Final = 60
"""Centipawns that a move may lose by default."""


def owner_moves(played: Played, evals: Evals) -> pd.DataFrame:
    """Return the owner's book moves that were compared, the most visited first.

    The index is the number of the move in the plan. The columns are as in `BookCheck.moves`.
    """
    import pandas as pd

    plan = played.plan
    valued = plan_values(plan, evals)
    rows = {}
    for number, (move, loss) in enumerate(zip(plan.moves, plan_losses(plan, valued), strict=True)):
        if move.is_own and not np.isnan(loss):
            target = plan.targets[move.before]
            here, best = target.position, best_code(plan, move.before, valued)
            names = here.san(move.code), "" if best is None else here.san(best)
            rows[number] = (_owner(played), _line(target.line, here.game), *names, round(loss), move.share)
    columns = ["owner", "line", "move", "best", "loss_cp", "visits"]
    moves = pd.DataFrame.from_dict(rows, "index", columns=columns)
    return moves.sort_values("visits", ascending=False, kind="stable")


def owner_exits(played: Played, evals: Evals) -> pd.DataFrame:
    """Return the owner's exits, the most reached first; the columns are as in `BookCheck.exits`."""
    import pandas as pd

    score = np.clip(plan_values(played.plan, evals).score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS).tolist()
    rows = [
        (_owner(played), _line(each.line, each.position.game), value, each.reach)
        for each, value in zip(played.plan.targets, score, strict=True)
        if each.is_exit
    ]
    return pd.DataFrame(rows, columns=["owner", "line", "value_cp", "reach"])


def _owner(played: Played) -> str:
    return [*SIDE_WORDS[played.plan.targets[0].position.game]][played.side]


def _line(moves: str, game: Game) -> str:
    """Return a line of coordinates as people write it."""
    return format_line(Referee(game, None, moves.split()).moves("san" if game == "chess" else None))


@dataclass(frozen=True, slots=True, kw_only=True)
class BookCheck:
    """What an engine says about a book in use: the owner plays its moves, the opponent the moves of a tally.

    Attributes:
        game: the game.
        max_loss_cp: a move that loses more centipawns is a blunder.
        played: the positions and moves of the book in use by each side.
        evaluated: what the engine did for it, and its evaluations, with those that were known before.
        dropped: the moves that were dropped, round by round, with the columns of `moves`.
        rounds: number of checks; the figures are those of the last one.
        written: the file without the dropped moves; None: only a check was asked.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> check = bb.check_book("games.book", tally, positions=8, nodes=100)
        >>> check.figures().columns.tolist(), check.figures().index.tolist()[:3]
        (['white', 'black'], ['moves', 'checked', 'mean_loss_cp'])
    """

    game: Game
    max_loss_cp: int
    played: tuple[Played, ...]
    evaluated: Evaluated
    dropped: pd.DataFrame
    rounds: int
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
        for played in self.played:
            moves = owner_moves(played, self.evaluated.evals)
            exits = owner_exits(played, self.evaluated.evals).dropna()
            visits, loss = (moves[name].to_numpy(float) for name in ("visits", "loss_cp"))
            reach, value = (exits[name].to_numpy(float) for name in ("reach", "value_cp"))
            total, left = visits.sum() or np.nan, reach.sum() or np.nan
            columns[_owner(played)] = {
                "moves": len(moves),
                "checked": visits.sum() / played.own_visits if played.own_visits else 0.0,
                "mean_loss_cp": visits @ loss / total,
                "blunders": 1000 * visits[loss > self.max_loss_cp].sum() / total,
                "exit_cp": reach @ value / left,
                "exits_checked": reach.sum(),
            }
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
        return _joined([owner_moves(each, self.evaluated.evals) for each in self.played])

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
        return _joined([owner_exits(each, self.evaluated.evals) for each in self.played])


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    # An empty frame has no types, and would change the types of the others.
    return pd.concat([each for each in frames if len(each)] or frames[:1], ignore_index=True)


class _SoundMoves:
    """The moves of a book without the dropped ones."""

    def __init__(self, path: Path, game: Game | None) -> None:
        """Begin with all moves of a book."""
        self._path, self._book, self._is_clustered = path, open_book(path, game=game), is_clustered(path)
        self.game, self.fold = self._book.game, self._book.fold
        self.dropped: set[tuple[int, int]] = set()

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position, the best first."""
        choices = self._book.choices(position)
        if not self.dropped:
            return choices
        return [each for each in choices if self.place(position, each.code) not in self.dropped]

    def write(self, output: Path) -> Written:
        """Write the moves that are left, in the format of the suffix."""
        if not self.dropped:
            return convert(self._path, output)
        if not self._is_clustered:
            book = read_moves(self._path)
            rows = zip(book.column("key").tolist(), book.column("move").tolist(), strict=True)
            return write_moves(output, book.select(np.array([row not in self.dropped for row in rows])))
        with TemporaryFolder() as folder:
            rest = folder / "rest.book"
            write_without(Book.open(self._path), rest, [key for key, _ in self.dropped])
            return convert(rest, output)

    def place(self, here: Position, code: int) -> tuple[int, int]:
        """Return what goes with a move: its key and stored code; of a clustered book the next key and 0."""
        if self._is_clustered:
            return here.play(code).stored(self.fold)[0], 0
        return here.stored(self.fold)[0], here.stored_move(code, self.fold)


def run_check(
    path: Path,
    replies: MoveSource | None,
    evaluate: Callable[[Plan, Game, Evals | None], Evaluated],
    *,
    positions: int,
    max_loss_cp: int,
    output: Path | None = None,
) -> BookCheck:
    """Check a book as `check_book` does, with any source of replies and any way to evaluate a plan.

    Without replies the opponent plays the moves of the book that are not dropped. `evaluate` also gets the
    evaluations of the checks before, if there were any.
    """
    import pandas as pd

    moves = _SoundMoves(path, None if replies is None else replies.game)
    dropped, known, rounds = list[pd.DataFrame](), None, 0
    replies = replies or moves
    game, fold = moves.game, moves.fold
    if output is not None:
        format_of(output).require_game(output, game)
    while True:
        games = [play_book(moves, replies, side, most=positions, fold=fold) for side in range(len(SIDES))]
        if not any(each.own_visits for each in games):
            why = f"{path}: has no move at the start position or after a move of the store"
            if dropped:
                why = f"no move is left: {sum(map(len, dropped)):,} lose more than {max_loss_cp} centipawns"
            raise OptionError(why)
        done = evaluate(plan_of(games, fold=fold), game, known)
        known, rounds, losing = done.evals, rounds + 1, list[pd.DataFrame]()
        if output is not None:
            for played in games:
                found = owner_moves(played, known)
                losing.append(found[found["loss_cp"] > max_loss_cp])
                for number in losing[-1].index:
                    move = played.plan.moves[number]
                    moves.dropped.add(moves.place(played.plan.targets[move.before].position, move.code))
        dropped += losing
        if not sum(map(len, losing)):
            break
    return BookCheck(
        game=game,
        max_loss_cp=max_loss_cp,
        played=tuple(games),
        evaluated=done,
        dropped=_joined(dropped or [pd.DataFrame()]),
        rounds=rounds,
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
        max_loss_cp: a move that loses more centipawns is a blunder, and is dropped.
        evals: evaluations of before. Searches that they have are not made again.
        positions: maximum number of positions of each owner.
        nodes: nodes of the search of the least reached position.
        engine: a command line, such as `stockfish` or `ucci:eleeye`, or what `parse_engine` returns.
        jobs: number of engines.

    Raises:
        OptionError: book and tally are of different games, `against` is not a tally, the book is never used,
            no move is left, or the engine cannot be used.
        BookError: the book is damaged.
        FormatError: likewise.
        PlayerFault: the engine fails at one position after the other.
        OSError: the output cannot be written.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> check = bb.check_book("games.book", tally, "sound.book", positions=8, nodes=100)
        >>> len(check.moves()) > 0, bool((check.dropped["loss_cp"] > 60).all())
        (True, True)
    """

    def evaluated(plan: Plan, game: Game, known: Evals | None) -> Evaluated:
        return evaluate(plan, game, engine, nodes=nodes, jobs=jobs, known=known or evals)

    require_kind("check_book", against, Tally)
    return run_check(
        Path(book),
        TallyMoves(against.source, against.game, fold=against.options.fold),
        evaluated,
        positions=positions,
        max_loss_cp=max_loss_cp,
        output=None if output is None else Path(output),
    )
