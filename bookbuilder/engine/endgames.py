"""Endgame tables: names in, `.bbtb` files of a folder out; positions in, exact values and perfect play out.

Materials are named as `KRvK`, xiangqi with the letters K R C N P A B. Distances are plies. Xiangqi tables
follow the plain rules: stalemate loses, and play that nobody can end is a draw.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from bookbuilder.disk import remove_drafts
from bookbuilder.games.position import Game, PositionLike, as_game, as_position

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = [
    "Built",
    "Endgames",
    "Metric",
    "RankedMove",
    "TableFile",
    "Value",
    "build_tables",
    "table_stats",
    "verify_table",
]

Metric = Literal["wld", "dtm", "dtc", "dtz"]
"""Who wins; plies to mate; to a capture or promotion; to a capture or pawn move (chess)."""

_BY_USE: tuple[Metric, ...] = ("dtm", "dtc", "dtz", "wld")
"""Metrics in the order in which best play is asked of them."""


class Value(NamedTuple):
    """What a position is worth to the side to move.

    Attributes:
        wdl: 1 won, 0 drawn, -1 lost.
        dtm: plies to mate, negative if lost, 0 for a draw or a mate on the board; None without such a table.
        dtc: the same to a conversion or mate.
        dtz: the same to a capture, pawn move or mate.
    """

    wdl: int
    dtm: int | None
    dtc: int | None
    dtz: int | None


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A legal move with its worth to who makes it: 1, 0 or -1, and signed plies by the metric asked for."""

    move: str
    wdl: int
    plies: int


@dataclass(frozen=True, slots=True)
class TableFile:
    """An open file of a folder."""

    game: str
    material: str
    metric: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Built:
    """A table that a build has finished.

    Attributes:
        material: its name.
        was_there: whether the file was there before.
        bytes: size of the file.
        seconds: wall time of solving, checking and writing.
        done: tables finished so far.
        total: tables to finish.
    """

    material: str
    was_there: bool
    bytes: int
    seconds: float
    done: int
    total: int


class Endgames:
    """The tables of a folder, of both games, memory-mapped.

    Example:
        >>> build_tables(["KRvK"], "tables")
        >>> Endgames("tables").probe("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
        Value(wdl=1, dtm=31, dtc=None, dtz=None)
    """

    def __init__(self, folder: Path | str) -> None:
        """Open every table of a folder.

        Raises:
            EndgameError: a file is damaged, truncated or newer.
            OSError: the folder cannot be read.
        """
        from bookbuilder import _core

        self._native = _core.Endgames(folder)
        self._Position = _core.Position
        self.files = tuple(TableFile(*facts) for facts in self._native.files())

    def probe(self, position: PositionLike, *, game: Game = "chess") -> Value | None:
        """Return what a position is worth; None where no table holds it.

        Args:
            position: a FEN, a `Position` of either game or a `chess.Board`.
            game: the game of a FEN.

        Raises:
            EndgameError: a table is damaged, or one that the value relies on is missing: of `wld`, those that
                captures and promotions lead to.
        """
        if not isinstance(position, self._Position):
            position = as_position(position, game)
        found = self._native.probe(position)
        return None if found is None else Value(*found)

    def probe_all(self, fens: Sequence[str], *, game: Game = "chess") -> list[Value | None]:
        """Return what each position of a column of FENs is worth, in one native call; None as for `probe`.

        Raises:
            FenError: a FEN breaks a rule.
            EndgameError: as for `probe`.
        """
        found = self._native.probe_all(as_game(game), fens)
        return [None if each is None else Value(*each) for each in found]

    def find(self, position: PositionLike, *, game: Game = "chess") -> Value:
        """Return what a position is worth, as `probe`.

        Raises:
            EndgameError: no table holds it; the message says why.
        """
        return Value(*self._native.find(self._position(position, game)))

    def moves(
        self, position: PositionLike, *, game: Game = "chess", metric: Metric | None = None
    ) -> list[RankedMove]:
        """Return every legal move with its worth, the best first.

        Args:
            position: as for `probe`.
            game: the game of a FEN.
            metric: whose distances; None = the first built of dtm, dtc, dtz, wld.

        Raises:
            EndgameError: a table that a move leads to is missing or damaged.
        """
        here = self._position(position, game)
        return [RankedMove(*move) for move in self._native.moves(here, self._metric(here, metric))]

    def best(
        self, position: PositionLike, *, game: Game = "chess", metric: Metric | None = None
    ) -> list[str]:
        """Return the best moves, all that are equally good, as `moves` ranks them."""
        ranked = self.moves(position, game=game, metric=metric)
        return [each.move for each in ranked if (each.wdl, each.plies) == (ranked[0].wdl, ranked[0].plies)]

    def line(
        self, position: PositionLike, *, game: Game = "chess", metric: Metric | None = None
    ) -> list[str]:
        """Return perfect play from a won or lost position to mate; empty for a draw.

        Raises:
            EndgameError: as for `moves`, or only tables of `wld` are there, by which play may never end.
        """
        from bookbuilder.errors import EndgameError

        here = self._position(position, game)
        chosen = self._metric(here, metric)
        if chosen == "wld":
            raise EndgameError(f"{here.fen}: tables of wld have no distances; build dtm, dtc or dtz")
        return self._native.line(here, chosen)

    def _position(self, position: PositionLike, game: Game) -> Position:
        return position if isinstance(position, self._Position) else as_position(position, game)

    def _metric(self, position: Position, metric: Metric | None) -> Metric:
        if metric is not None:
            return metric
        found = self.find(position)
        known = {"dtm": found.dtm, "dtc": found.dtc, "dtz": found.dtz}
        return next((each for each in _BY_USE if known.get(each) is not None), "wld")


def build_tables(
    names: Sequence[str],
    folder: Path | str,
    *,
    game: Game = "chess",
    metric: Metric = "dtm",
    memory_mib: int = 4096,
    verify: bool = True,
    jobs: int | None = None,
    report: Callable[[Built], None] | None = None,
) -> None:
    """Build tables and, before them, those that they lead to; what is there is not made again.

    Args:
        names: materials such as `KRvK`.
        folder: where the files go; it is made if it is missing.
        game: `chess` or `xiangqi`.
        metric: what distances are measured to.
        memory_mib: most memory of tables at a time.
        verify: whether every entry is compared with its moves before a file is written.
        jobs: threads; None = one a processor.
        report: told of every table that is finished.

    Raises:
        EndgameError: a material is impossible, too large, or a file that is there is damaged.
        OptionError: the metric has no meaning in the game.
        OSError: the folder or a file cannot be written; nothing is half-written.
    """
    from bookbuilder import _core

    def finished(material: str, was_there: bool, size: int, seconds: float, done: int, total: int) -> None:
        if report is not None:
            report(Built(material, was_there, size, seconds, done, total))

    remove_drafts(Path(folder))
    _core.build_endgames(
        as_game(game),
        list(names),
        folder,
        metric=metric,
        memory_mib=memory_mib,
        verify=verify,
        jobs=jobs or os.cpu_count() or 1,
        report=finished,
    )


def table_stats(
    folder: Path | str, name: str, *, game: Game = "chess", metric: Metric = "dtm"
) -> dict[str, Any]:
    """Return the census of a table: positions won, drawn, lost; histograms, longest lines, mutual zugzwangs.

    Counts are of positions on the board ("full"); `up_to_symmetry` counts mirror images once. Of `wld` all
    plies are 0.

    Raises:
        EndgameError: the table is missing or damaged.
    """
    from bookbuilder import _core

    return _core.endgame_stats(folder, as_game(game), name, metric)


def verify_table(
    folder: Path | str, name: str, *, game: Game = "chess", metric: Metric = "dtm"
) -> tuple[int, list[tuple[str, int | None, int | None]]]:
    """Compare every entry of a table with its moves.

    Returns:
        how many entries were compared, and the first that differ: FEN, found and expected in signed plies.

    Raises:
        EndgameError: the table or one that it leads to is missing or damaged.
    """
    from bookbuilder import _core

    return _core.verify_endgame(folder, as_game(game), name, metric)
