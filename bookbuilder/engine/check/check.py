"""Check a book from Python: the book in use by each side, judged by an engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bookbuilder.book.open import open_book
from bookbuilder.book.play import MoveSource, TallyMoves
from bookbuilder.engine.check.figures import Figures, check_figures, checked_moves, exit_values
from bookbuilder.engine.drivers.spec import BUNDLED, EngineSpec
from bookbuilder.engine.evaluate.graph import Played, plan_of, play_book
from bookbuilder.engine.evaluate.of_tally import evaluate_plan
from bookbuilder.errors import OptionError
from bookbuilder.evals.table import Evals
from bookbuilder.games.line import format_line
from bookbuilder.games.position import SIDES, Game, as_position
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BookCheck", "check_book", "played_games"]

_WORDS: Final = {"chess": ("white", "black"), "xiangqi": ("red", "black")}
_MOVES: Final = ("owner", "line", "move", "best", "loss_cp", "visits")
_EXITS: Final = ("owner", "line", "value_cp", "reach")


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

    @classmethod
    def of(
        cls,
        game: Game,
        games: Sequence[Played],
        evals: Evals,
        *,
        engine: str,
        blunder_cp: int,
        give_away_cp: int,
    ) -> BookCheck:
        """Return the check of a book in use whose positions are evaluated.

        Args:
            game: the game.
            games: the book in use by each side.
            evals: evaluations of its positions.
            engine: name and version of the engine.
            blunder_cp: a move that loses more centipawns is a blunder.
            give_away_cp: centipawns that an opponent gives away at most to leave the book.

        Example:
            >>> nothing = bb.Evals.empty("chess")
            >>> bb.BookCheck.of("chess", [], nothing, engine="E", blunder_cp=100, give_away_cp=50).owners
            ()
        """
        figures = [
            check_figures(each, evals, limit_cp=blunder_cp, give_away_cp=give_away_cp) for each in games
        ]
        return cls(
            game=game,
            engine=engine,
            evals=evals,
            blunder_cp=blunder_cp,
            owners=tuple(figures),
            played=tuple(games),
        )

    def figures(self) -> pd.DataFrame:
        """Return the figures as a frame, with a column for each owner.

        Returns:
            One row per figure; means are weighted by visits, NaN = nothing was evaluated. moves (book moves
            with both positions evaluated), checked (their share of the moves that the owner plays, 0 … 1),
            mean_loss_cp, blunders (in 1,000 moves), exit_cp (value for the owner at the exits), exits_checked
            (their share of the games, 0 … 1), path_loss_cp (lost on the worst line), drop_out_ply (first ply
            at which an opponent can have left the book cheaply).

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
            for each in checked_moves(played, self.evals):
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

        rows = [
            (self._word(played.side), self._line(line), value, reach)
            for played in self.played
            for line, value, reach in exit_values(played, self.evals)
        ]
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


def check_book(
    book: str | os.PathLike[str],
    against: Tally,
    *,
    evals: Evals | None = None,
    positions: int = 500,
    nodes: int = 50_000,
    engine: str | EngineSpec = BUNDLED,
    jobs: int = 1,
    blunder_cp: int = 100,
    give_away_cp: int = 50,
) -> BookCheck:
    """Check whether a book is sound: what its moves lose by an engine, and what its exits are worth.

    The owner plays book moves by weight, the opponent the moves of the tally by frequency. The most reached
    positions are evaluated, as by `evaluate_tally`.

    Args:
        book: the file of a book of any format that can be read.
        against: the games whose moves the opponent plays.
        evals: evaluations of before. Searches that they have are not made again.
        positions: maximum number of positions of each owner.
        nodes: nodes of the search of the least reached position.
        engine: a command line, such as `stockfish` or `ucci:eleeye`, or what `parse_engine` returns.
        jobs: number of engines.
        blunder_cp: a move that loses more centipawns is a blunder.
        give_away_cp: centipawns that an opponent gives away at most to leave the book.

    Raises:
        OptionError: book and tally are of different games, the book is never used, or the engine cannot be
            used.
        BookError: the book is damaged.
        PlayerFault: the engine fails at one position after the other.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> check = bb.check_book("games.book", tally, positions=8, nodes=100)
        >>> check.owners[0].moves > 0
        True
    """
    path = Path(book)
    opened = open_book(path, game=against.game)
    replies = TallyMoves(against.source, against.game, fold=against.options.fold)
    games = played_games(path, opened, replies, most=positions, fold=opened.fold)
    plan = plan_of(games, fold=opened.fold)
    done = evaluate_plan(plan, opened.game, nodes=nodes, engine=engine, jobs=jobs, known=evals)
    return BookCheck.of(
        opened.game,
        games,
        done.evals,
        engine=done.engine,
        blunder_cp=blunder_cp,
        give_away_cp=give_away_cp,
    )


def played_games(
    path: Path, moves: MoveSource, replies: MoveSource, *, most: int, fold: bool
) -> list[Played]:
    """Return the book in use by each owner.

    Args:
        path: the book, which a message names.
        moves: its moves.
        replies: the opponent's moves.
        most: maximum number of positions of each owner.
        fold: whether the book folds left-right mirrors.

    Raises:
        OptionError: the book is never used.
    """
    games = [play_book(moves, replies, side, most=most, fold=fold) for side in range(len(SIDES))]
    if not any(each.own_visits for each in games):
        raise OptionError(f"{path}: has no move at the start position or after a move of the store")
    return games
