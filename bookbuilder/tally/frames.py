"""Frames as rows of a tally: counts that were changed or made in pandas.

| column | if it is missing |
|---|---|
| fen, or key and lock | refused |
| move: text in any notation, or a code; 0 or empty = none | refused |
| first_wins, draws, second_wins | 0 |
| games | the sum of the results |
| mover, ply | those of the FEN; without a FEN refused |
| the other columns of TALLY, also single values | unknown |
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.errors import FenError, MoveError, OptionError, SchemaError
from bookbuilder.games.position import GAMES_KNOWN, Game, as_position, ply_of
from bookbuilder.schema import TALLY

if TYPE_CHECKING:
    import pandas as pd


_Column: TypeAlias = npt.NDArray[Any]

_IDENTITY: Final = ("key", "lock", "move")
_RESULTS: Final = ("first_wins", "draws", "second_wins")
_NEEDED: Final = (*_IDENTITY, "mover", "ply", "games", *_RESULTS)
_LEAST: Final = ("ply", "year_min")
_MOST: Final = ("mover", "year_max", "sample_rating")


class _Place(NamedTuple):
    """What a FEN and a move say: columns of TALLY."""

    key: int
    lock: int
    move: int
    mover: int
    ply: int


def rows_of_frame(frame: pd.DataFrame, game: Game, *, fold: bool) -> pa.Table:
    """Return a frame as rows, schema TALLY; rows of one position and move are added up.

    The head of this module says what the frame holds. With `fold`, keys are those of the stored form.

    Raises:
        SchemaError: a column is missing, or a value is not valid; the message names its row. Or the keys are
            of the other game, or of rows that have mirrors apart.
    """
    import pandas as pd

    rows = _Rows(frame)
    if "fen" in frame.columns:
        columns = rows.places(game, fold=fold)
    else:
        for name in ("key", "lock", "move", "mover", "ply"):
            if name not in frame.columns:
                remedy = "a column fen" if name in ("key", "lock") else f"the column {name}, or fen"
                raise SchemaError(f'frame: column "{name}" is missing; give {remedy}')
        columns = {name: rows.numbers(name) for name in _IDENTITY}
        _require_keys(columns, game, fold=fold)
    zero = np.zeros(len(frame), np.uint64)
    for name in TALLY.names:
        if name not in columns:
            columns[name] = rows.numbers(name) if name in frame.columns else zero
    if "games" not in frame.columns:
        columns["games"] = sum((columns[name] for name in _RESULTS), zero)
    known = sum((columns[name] for name in _RESULTS), zero)
    rows.require(
        known <= columns["games"],
        "games",
        lambda row: f"{known[row]} results of fewer games; leave games out",
    )
    rows.require(columns["mover"] < 2, "mover", lambda row: "a side is 0 (first) or 1 (second)")
    # 0 means that the year is unknown, so it is not the earliest.
    columns["year_min"] = columns["year_min"].astype(np.int64)
    unknown = np.iinfo(np.uint16).max + 1
    columns["year_min"][columns["year_min"] == 0] = unknown
    counted = pd.DataFrame({name: columns[name] for name in TALLY.names})
    how = dict.fromkeys(TALLY.names[3:], "sum")
    how |= dict.fromkeys(_LEAST, "min") | dict.fromkeys(_MOST, "max") | {"sample": "first"}
    # The sample is the game of the highest rating, of equal ones the smaller.
    best = counted.sort_values(["sample_rating", "sample"], ascending=[False, True], kind="stable")
    whole = best.groupby(list(_IDENTITY), sort=True, as_index=False).agg(how)
    whole.loc[whole["year_min"] == unknown, "year_min"] = 0
    arrays = [pa.array(whole[each.name].to_numpy()).cast(each.type) for each in TALLY]
    return pa.Table.from_arrays(arrays, schema=TALLY)


class _Rows:
    """The rows of a frame, by column; what is wrong is reported with its row."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._labels: Sequence[Hashable] = list(frame.index)

    def numbers(self, name: str) -> _Column:
        """Return a column of whole numbers in the type of TALLY.

        Raises:
            SchemaError: a value is not one, or does not fit.
        """
        kind = TALLY.field(name).type.to_pandas_dtype()
        given = self._frame[name]
        if name not in _NEEDED:
            given = given.fillna(0)  # unknown
        limits = np.iinfo(kind)
        if given.dtype.kind == "f" and name in ("key", "sample"):
            raise SchemaError(
                f'frame: column "{name}" is {given.dtype}: 64 bits need uint64; convert it earlier'
            )
        if given.dtype.kind not in "iufb":
            is_whole = np.array([isinstance(value, int | np.integer) for value in given], np.bool_)
            self.require(is_whole, name, lambda row: f"{given.iloc[row]!r} is not a whole number")
        numbers = given.to_numpy()
        if numbers.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                is_whole = numbers == np.floor(numbers)
            self.require(is_whole, name, lambda row: f"{numbers[row]} is not a whole number; round it")
        fits = np.array((numbers >= limits.min) & (numbers <= limits.max), np.bool_)
        self.require(fits, name, lambda row: f"{numbers[row]} is not within {limits.min} and {limits.max}")
        column: _Column = numbers.astype(kind)
        return column

    def require(self, is_valid: npt.NDArray[np.bool_], name: str, why: Callable[[int], str]) -> None:
        """Refuse a column with an invalid value; `why` says what is wrong with a row.

        Raises:
            SchemaError: there is one.
        """
        if not is_valid.all():
            row = int(np.argmin(is_valid))
            raise self._wrong(row, name, why(row))

    def places(self, game: Game, *, fold: bool) -> dict[str, _Column]:
        """Return key, lock, move, mover and ply of the FENs and moves.

        Raises:
            SchemaError: a FEN is not a position of the game, or a move is not legal there.
        """
        if "move" not in self._frame.columns:
            raise SchemaError('frame: column "move" is missing; give moves in any notation')
        known: dict[str, Position] = {}
        found = []
        for row, (fen, move) in enumerate(zip(self._frame["fen"], self._frame["move"], strict=True)):
            if fen not in known:
                try:
                    known[fen] = as_position(fen, game)
                except (FenError, MoveError, OptionError) as error:
                    raise self._wrong(
                        row, "fen", f"{error}; give positions of {game}, or another game="
                    ) from error
            here = known[fen]
            code = self._code(row, here, move, fold=fold)
            found.append(_Place(*here.stored(fold), code, here.side, ply_of(here)))
        columns = np.array(found, dtype=object).reshape(-1, len(_Place._fields)).T
        kinds = (TALLY.field(name).type.to_pandas_dtype() for name in _Place._fields)
        return {
            name: each.astype(kind) for name, each, kind in zip(_Place._fields, columns, kinds, strict=True)
        }

    def _code(self, row: int, here: Position, move: object, *, fold: bool) -> int:
        """Return the stored code of a move in any notation."""
        if move is None or move == "" or move == 0 or move != move:
            return 0
        try:
            if isinstance(move, str):
                return here.stored_move(here.parse_move(move), fold)
        except MoveError as error:
            raise self._wrong(row, "move", f"{error}, in {here.fen}; correct it or drop the row") from error
        stored = {here.stored_move(code, fold) for code in here.moves()}
        if move not in stored:
            raise self._wrong(
                row, "move", f"{move} is not the code of a legal move in {here.fen}; give texts"
            )
        return int(move)

    def _wrong(self, row: int, name: str, why: str) -> SchemaError:
        return SchemaError(f'frame: row {self._labels[row]}, column "{name}": {why}')


def _require_keys(columns: dict[str, _Column], game: Game, *, fold: bool) -> None:
    """Refuse keys of the other game, and rows with mirrors apart, where the start position shows them.

    Raises:
        SchemaError: they are.
    """
    keys, starts = columns["key"], {each: Position(each) for each in GAMES_KNOWN}
    for other, start in starts.items():
        if other != game and (keys == np.uint64(start.key)).any():
            raise SchemaError(f'frame: its keys are of {other}, not of {game}; give game="{other}"')
    start = starts[game]
    played = set(columns["move"][keys == np.uint64(start.key)].tolist()).intersection(start.moves())
    if any(start.stored_move(code, fold) != code for code in played):
        raise SchemaError("frame: its rows have mirrors apart, as with fold=False; give fold=False here too")
    # Each position after the first move that is not its own mirror, and the form that folded rows have of it.
    pairs = [] if fold else [(child.key, child.stored(True)[0]) for child in map(start.play, played)]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    own, mirror = (sum((keys == np.uint64(pair[each])).any() for pair in pairs) for each in (0, 1))
    if mirror > 1 and not own and len({start.stored_move(code, True) for code in played}) == len(played):
        raise SchemaError("frame: its rows have mirrors folded, as with fold=True; give that here too")
