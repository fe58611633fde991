"""The tree of a tally: its moves with lines, names and positions, as a frame to explore.

All positions of one ply are looked up, named and played at once, as columns. If several lines reach a
position, the tree goes on after the move that most games played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from bookbuilder import _core
from bookbuilder.columns import values
from bookbuilder.errors import OptionError, StoreError
from bookbuilder.games.columns import ranges, unfolded_moves
from bookbuilder.games.openings import openings_of
from bookbuilder.games.position import SIDE_WORDS, coordinates_of
from bookbuilder.ratios import performance, quotient, result_ratios
from bookbuilder.schema import from_native

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position
    from bookbuilder.tally.memory_rows import RowSource

_Indices: TypeAlias = npt.NDArray[np.int64]
_Columns: TypeAlias = dict[str, Any]
_Texts: TypeAlias = Any  # pa.ChunkedArray of strings; its stubs know no such functions

_COUNTS: Final = ("games", "first_wins", "draws", "second_wins", "paired", "surplus", "rating_sum", "rated")


def tally_tree(
    rows: RowSource, start: Position, *, fold: bool, max_ply: int | None, min_games: int, notation: str | None
) -> pd.DataFrame:
    """Return the moves that games played from a position on; `Tally.tree` lists the columns.

    Raises:
        OptionError: the notation is unknown, or `max_ply` is less than 1.
        StoreError: a move is not legal in its position, so the tally is damaged.
    """
    known = _core.notations(start.game)
    notation = notation or ("san" if start.game == "chess" else "iccs")
    if notation not in known:
        raise OptionError(f"notation {notation}: expected one of {', '.join(known)}")
    if max_ply is not None and max_ply < 1:
        raise OptionError(f"max_ply is {max_ply}: expected at least 1")
    search = _Search(rows, start, fold=fold, min_games=min_games, notation=notation)
    while len(search.level.positions) and (max_ply is None or search.level.ply < max_ply):
        search.step()
    return search.frame()


@dataclass(frozen=True, slots=True)
class _Level:
    """Positions after the same number of plies."""

    positions: _core.Positions  # the positions
    ply: int  # plies from the start
    side: int  # side to move, 0 first, 1 second
    number: int  # number of the next move
    parent: _Indices  # row of the frame that leads to each; -1 = it is the start
    line: _Texts  # the line to each
    opening: npt.NDArray[np.int32]  # place of the last named position of that line; -1 = none


class _Moves(NamedTuple):
    of: _Indices  # number of the position of each
    row: _Indices  # its row in the tally
    share: npt.NDArray[np.float64]  # its share of the games that moved on
    table: pa.Table  # the moves as the core takes them
    after: _core.Positions  # the positions after them


class _Search:
    """The search through a tally, level by level."""

    def __init__(
        self, rows: RowSource, start: Position, *, fold: bool, min_games: int, notation: str
    ) -> None:
        self._rows, self._game, self._fold = rows, start.game, fold
        self._min_games, self._notation = min_games, notation
        self._key, self._lock, self._move = (rows.column(name) for name in ("key", "lock", "move"))
        self._games = rows.column("games")
        self._parts: list[_Columns] = []
        self._size = 0
        positions = _core.Positions(start.game, [start.fen])
        key, lock, _ = self._keys(positions)
        self._is_met = np.zeros(len(rows), np.bool_)
        self._is_met[self._found(key, lock)[1][:1]] = True
        opening = openings_of(start.game).places_for(key, lock)
        number = int(start.fen.rsplit(" ", 1)[1])
        self.level = _Level(positions, 0, start.side, number, np.array([-1]), _texts([""]), opening)

    def step(self) -> None:
        """Add the moves at the level to the frame, and go on to the positions after them."""
        level, moves = self.level, self._moves()
        key, lock, _ = self._keys(moves.after)
        named = openings_of(self._game).places_for(key, lock)
        opening = np.where(named >= 0, named, level.opening[moves.of])
        san = self._written(moves, self._notation)
        number = f"{level.number}. " if level.side == 0 else f"{level.number}… " if not level.ply else ""
        separator = f" {number}" if level.ply else number
        line = pc.binary_join_element_wise(level.line.take(pa.array(moves.of)), san, separator)
        of, row = self._found(key, lock)
        place = np.full(key.size, -1)
        place[of[::-1]] = row[::-1]
        new = self._first_met(place, self._games[moves.row].astype(np.int64))
        is_again = np.ones(key.size, np.bool_)
        is_again[new] = False
        columns = {
            "ply": np.full(key.size, level.ply + 1),
            "parent": level.parent[moves.of],
            "side": np.full(key.size, level.side),
            "line": line,
            "move": self._written(moves, coordinates_of(self._game)),
            "san": san,
            "fen": from_native(moves.after.fens()).column("fen"),
            "opening": opening,
            "share": moves.share,
            "reached": np.bincount(of, self._games[row], key.size).astype(np.int64),
            **self._figures(moves.row),
            "is_again": is_again,
        }
        self._parts.append(columns)
        self.level = _Level(
            positions=moves.after.take(pa.table({"index": pa.array(new.astype(np.uint32))})),
            ply=level.ply + 1,
            side=1 - level.side,
            number=level.number + level.side,
            parent=self._size + new,
            line=line.take(pa.array(new)),
            opening=opening[new],
        )
        self._size += key.size

    def frame(self) -> pd.DataFrame:
        """Return all moves."""
        import pandas as pd

        columns = {name: _joined([part[name] for part in self._parts]) for name in self._parts[0]}
        table, places = openings_of(self._game), columns["opening"]
        names = "chinese" if self._notation.startswith("chinese") else "name"
        codes, opening = (
            # The place -1 is the last one: no name.
            np.array([*(getattr(each, name) or None for each in table), None], dtype=object)[places]
            for name in ("code", names)
        )
        side = pd.Categorical.from_codes(
            columns["side"], pd.Index([str(word) for word in SIDE_WORDS[self._game]])
        )
        years = {
            name: pd.arrays.IntegerArray(columns[name].astype(np.int16), columns[name] == 0)
            for name in ("year_min", "year_max")
        }
        ahead = {name: columns.pop(name) for name in ("ply", "parent", "side", "line", "move", "san", "fen")}
        named = {"eco": _texts(codes).to_pandas(), "opening": _texts(opening).to_pandas()}
        return pd.DataFrame({**ahead, "side": side, **named, **columns, **named, **years})

    def _keys(self, positions: _core.Positions) -> tuple[npt.NDArray[Any], ...]:
        table = from_native(positions.keys(self._fold))
        return tuple(values(table.column(name)) for name in ("key", "lock", "symmetry"))

    def _found(self, key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32]) -> tuple[_Indices, _Indices]:
        """Return number of the position and row in the tally, for each row of some positions."""
        begin, end = (np.searchsorted(self._key, key, side) for side in ("left", "right"))
        of, row = ranges(begin, end)
        is_same = self._lock[row] == lock[of]
        return of[is_same], row[is_same]

    def _moves(self) -> _Moves:
        """Return the moves of enough games at the level, the most played ones of each position first."""
        positions = self.level.positions
        key, lock, symmetry = self._keys(positions)
        of, row = self._found(key, lock)
        of, row = of[self._move[row] != 0], row[self._move[row] != 0]
        games = self._games[row].astype(np.int64)
        share = quotient(games.astype(np.float64), np.bincount(of, games, key.size)[of])
        order = np.lexsort((self._move[row], -games, of))
        order = order[games[order] >= self._min_games]
        of, row = of[order], row[order]
        code = self._move[row]
        if self._fold:
            code = unfolded_moves(positions, symmetry, of, code)
        table = pa.table({"index": pa.array(of.astype(np.uint32)), "move": pa.array(code.astype(np.uint16))})
        after, legal = positions.play(table)
        if not values(from_native(legal).column("legal")).all():
            raise StoreError("tally is damaged: a move is not legal in its position")
        return _Moves(of, row, share[order], table, after)

    def _written(self, moves: _Moves, notation: str) -> _Texts:
        return from_native(self.level.positions.texts(moves.table, notation)).column("text")

    def _first_met(self, place: _Indices, played: _Indices) -> _Indices:
        """Return the numbers of the positions that are met for the first time, each once.

        `place` is the first row of each position in the tally, -1 = none; `played` games played the move to
        it.
        """
        has_row = place >= 0
        new = np.flatnonzero(~has_row | ~self._is_met[place])
        new = new[np.argsort(-played[new], kind="stable")]
        distinct = np.where(has_row, place, -1 - np.arange(place.size))
        new = np.sort(new[np.unique(distinct[new], return_index=True)[1]])
        self._is_met[place[new][has_row[new]]] = True
        return new

    def _figures(self, row: _Indices) -> _Columns:
        """Return the figures of moves as the side that makes them sees them; counts are signed."""
        c = {name: self._rows.column(name)[row].astype(np.int64) for name in _COUNTS}
        wins, losses = c["first_wins"], c["second_wins"]
        if self.level.side:
            wins, losses = losses, wins
        return {
            "played": c["games"],
            **{name: c[name] for name in ("first_wins", "draws", "second_wins")},
            "wins": wins,
            "losses": losses,
            **result_ratios(wins, c["draws"], losses),
            "rating": quotient(c["rating_sum"].astype(np.float64), c["rated"]),
            "performance": performance(-c["surplus"] if self.level.side else c["surplus"], c["paired"]),
            **{name: self._rows.column(name)[row] for name in ("year_min", "year_max")},
        }


def _texts(texts: Any) -> _Texts:  # noqa: ANN401 (a list or an array)
    return pa.chunked_array([pa.array(texts, pa.string())])


def _joined(pieces: list[Any]) -> Any:  # noqa: ANN401 (a column)
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    chunks = [chunk.cast(pa.string()) for piece in pieces for chunk in piece.chunks]
    return pa.chunked_array(chunks, pa.string()).to_pandas()
