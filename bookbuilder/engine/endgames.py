"""Endgame tables: build `.bbtb` files, and read exact values and perfect play from them.

Materials have names such as `KRvK`, xiangqi with the letters K R C N P A B. Distances are plies. Tables of
xiangqi follow the basic rules: stalemate loses, and endless play is a draw.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from bookbuilder.archives.kinds import describe_mistake
from bookbuilder.disk import remove_drafts
from bookbuilder.errors import EndgameError
from bookbuilder.games.position import Game, PositionLike, as_game, as_position

if TYPE_CHECKING:
    from bookbuilder._core import Census, Position

Solver = Literal["retrograde", "forward"]
"""How tables are solved: backward from decided positions, or by asking open positions for their moves."""

Index = Literal["gapless", "gapped"]
"""How files number positions: every number is a position, or some are gaps, which is quicker to compute."""

Metric = Literal["wld", "dtm", "dtc", "dtz"]
"""Who wins; plies to mate; to a capture or promotion; to a capture or pawn move (chess)."""

_XIANGQI_LETTERS: Final = frozenset("CA")
"""Cannons and advisors, which chess does not have."""


def game_of_names(materials: Iterable[str]) -> Game:
    """Return the game whose men the names of materials have; chess if both have them."""
    return "xiangqi" if _XIANGQI_LETTERS & set("".join(materials).upper()) else "chess"


def game_of_table(folder: Path | str, material: str, metric: Metric) -> Game:
    """Return the game of the table of this name in a folder; its letters decide if there are two or none."""
    names = {material, "v".join(reversed(material.split("v")))}
    files = Endgames(folder).files
    games = {file.game for file in files if file.material in names and file.metric == metric}
    return games.pop() if len(games) == 1 else game_of_names([material])


class Value(NamedTuple):
    """The value of a position for the side to move.

    Attributes:
        wdl: 1 won, 0 drawn, -1 lost.
        dtm: plies to mate, negative if lost, 0 for a draw or a mate on the board; None without such a table.
        dtc: plies to a conversion or mate, likewise.
        dtz: plies to a capture, pawn move or mate, likewise.
    """

    wdl: int
    dtm: int | None
    dtc: int | None
    dtz: int | None


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A legal move with its value for the side that makes it: 1, 0 or -1, and signed plies by one metric."""

    move: str
    wdl: int
    plies: int


@dataclass(frozen=True, slots=True)
class TableFile:
    """An open file of a folder."""

    game: Game
    material: str
    metric: Metric
    bytes: int


@dataclass(frozen=True, slots=True)
class Built:
    """A finished table of a build."""

    material: str
    was_there: bool  # whether the file existed before
    bytes: int  # size of the file
    seconds: float  # wall time of solving, checking and writing
    done: int  # tables finished so far
    total: int  # number of tables to build


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

        _require_tables(folder)
        self._native = _core.Endgames(folder)
        self._Position = _core.Position
        self.files = tuple(TableFile(*facts) for facts in self._native.files())

    def probe(self, position: PositionLike, *, game: Game = "chess") -> Value | None:
        """Return the value of a position; None if no table covers it.

        Args:
            position: a FEN, a `Position` of either game or a `chess.Board`.
            game: the game of a FEN.

        Raises:
            EndgameError: a table is damaged or missing: values of `wld` need the tables after captures and
                promotions.

        Example:
            >>> endgames = bb.Endgames("tables")
            >>> endgames.probe("8/8/8/8/8/2k5/1R6/K7 w - - 0 1").dtm
            31
            >>> endgames.probe("startpos") is None
            True
        """
        found = self._native.probe(self._position(position, game))
        return None if found is None else Value(*found)

    def probe_all(self, fens: Sequence[str], *, game: Game = "chess") -> list[Value | None]:
        """Return the values of many FENs in one native call, as `probe`.

        Raises:
            FenError: a FEN breaks a rule.
            EndgameError: as for `probe`.

        Example:
            >>> endgames = bb.Endgames("tables")
            >>> [value.wdl for value in endgames.probe_all(["8/8/8/8/8/2k5/1R6/K7 w - - 0 1"])]
            [1]
        """
        found = self._native.probe_all(as_game(game), fens)
        return [None if each is None else Value(*each) for each in found]

    def find(self, position: PositionLike, *, game: Game = "chess") -> Value:
        """Return the value of a position, as `probe`.

        Raises:
            EndgameError: no table covers it; the message says why.

        Example:
            >>> endgames = bb.Endgames("tables")
            >>> endgames.find("8/8/8/8/8/2k5/1R6/K7 w - - 0 1").wdl
            1
        """
        return Value(*self._native.find(self._position(position, game)))

    def moves(
        self, position: PositionLike, *, game: Game = "chess", metric: Metric | None = None
    ) -> list[RankedMove]:
        """Return every legal move with its value, the best first.

        Args:
            position: as for `probe`.
            game: the game of a FEN.
            metric: the metric of the distances; None: the first that exists of dtm, dtc, dtz, wld.

        Raises:
            EndgameError: the table after a move is missing or damaged.

        Example:
            >>> endgames = bb.Endgames("tables")
            >>> endgames.moves("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")[0]
            RankedMove(move='b2b1', wdl=1, plies=31)
        """
        here = self._position(position, game)
        return [RankedMove(*move) for move in self._native.moves(here, self._metric(here, metric))]

    def best(
        self, position: PositionLike, *, game: Game = "chess", metric: Metric | None = None
    ) -> list[str]:
        """Return the best moves by the order of `moves`; several if they are equally good.

        Example:
            >>> endgames = bb.Endgames("tables")
            >>> endgames.best("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
            ['b2b1', 'b2a2', 'b2g2', 'b2h2', 'b2b7', 'b2b8', 'a1b1', 'a1a2']
        """
        ranked = self.moves(position, game=game, metric=metric)
        return [each.move for each in ranked if (each.wdl, each.plies) == (ranked[0].wdl, ranked[0].plies)]

    def line(
        self, position: PositionLike, *, game: Game = "chess", metric: Metric | None = None
    ) -> list[str]:
        """Return perfect play from a won or lost position to mate; empty for a draw.

        Raises:
            EndgameError: as for `moves`, or only tables of `wld` exist, which cannot lead to an end.

        Example:
            >>> endgames = bb.Endgames("tables")
            >>> line = endgames.line("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
            >>> line[0], len(line)
            ('b2b1', 31)
        """
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
        found, distances = self.find(position), get_args(Metric)[1:]
        return next((each for each in distances if getattr(found, each) is not None), "wld")


def build_tables(
    names: Sequence[str],
    folder: Path | str,
    *,
    game: Game | None = None,
    metric: Metric = "dtm",
    memory_mib: int = 4096,
    verify: bool = True,
    jobs: int | None = None,
    solver: Solver = "retrograde",
    index: Index = "gapless",
    report: Callable[[Built], None] | None = None,
) -> None:
    """Build tables, and first the tables that they depend on. Existing tables are kept.

    Args:
        names: materials such as `KRvK`.
        folder: folder of the files; created if missing.
        game: `chess` or `xiangqi`; None: by the letters of the names, else chess.
        metric: the metric of the distances.
        memory_mib: maximum memory for tables.
        verify: compare every entry with its moves before a file is written.
        jobs: number of threads; None: one per processor.
        solver: how tables are solved; both give the same files.
        index: how the files number positions.
        report: called with every finished table.

    Raises:
        EndgameError: a material is impossible or too large, or an existing file is damaged.
        OptionError: the game does not have this metric.
        OSError: the folder or a file cannot be written; no partial file is left.

    Example:
        >>> bb.build_tables(["KRvK"], "tables")
        >>> [(file.material, file.metric) for file in bb.Endgames("tables").files]
        [('KRvK', 'dtm'), ('KvK', 'dtm')]
    """
    from bookbuilder import _core

    remove_drafts(Path(folder))
    _core.build_endgames(
        as_game(game or game_of_names(names)),
        list(names),
        folder,
        metric=metric,
        memory_mib=memory_mib,
        verify=verify,
        jobs=jobs or os.cpu_count() or 1,
        solver=solver,
        index=index,
        report=lambda *facts: report and report(Built(*facts)),
    )


def table_stats(folder: Path | str, name: str, *, game: Game | None = None, metric: Metric = "dtm") -> Census:
    """Return the census of a table: positions won, drawn, lost; histograms, longest lines, mutual zugzwangs.

    The first side is the left one of the name that the table has. Counts include
    mirror images; `up_to_symmetry` counts these once. With metric `wld` all plies are 0.

    Args:
        folder: the folder of the tables.
        name: the material.
        game: the game; None: that of the table of this name, or by its letters.
        metric: the metric of the table.

    Raises:
        EndgameError: the table is missing or damaged.

    Example:
        >>> stats = bb.table_stats("tables", "KRvK")
        >>> stats["sides"]["first"]["max_win"]
        31
    """
    from bookbuilder import _core

    _require_tables(folder)
    known = as_game(game or game_of_table(folder, name, metric))
    return _core.endgame_stats(folder, known, name, metric)


def verify_table(
    folder: Path | str, name: str, *, game: Game | None = None, metric: Metric = "dtm"
) -> tuple[int, list[tuple[str, int | None, int | None]]]:
    """Compare every entry of a table with its moves; see `table_stats` for the arguments.

    Returns:
        the number of entries compared, and the first that differ: FEN, found and expected value in plies.

    Raises:
        EndgameError: the table or one that it depends on is missing or damaged.
    """
    from bookbuilder import _core

    known = as_game(game or game_of_table(folder, name, metric))
    return _core.verify_endgame(folder, known, name, metric)


def _require_tables(folder: Path | str) -> None:
    """Refuse an archive, a store or a book in place of a folder of tables."""
    if (mistake := describe_mistake(Path(folder), "endgames")) is not None:
        raise EndgameError(mistake)
