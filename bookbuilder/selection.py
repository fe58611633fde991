"""Selection: which candidates go into a book, and why the others do not.

In comes a tally; out comes a table of schema SELECTION_POSITIONS or SELECTION_MOVES in which every row has a
verdict. Rules are asked in the order of `schema.REASONS`; the first that drops a row gives its reason:

| reason | drops |
|---|---|
| root | (positions) a position with which a game began: no move leads to it, and a record is about a move |
| no-move | (moves) a row that counts games which ended there |
| side | the move of the side that was not asked for |
| beyond-ply | what stood after more than `max_ply` plies |
| below-games | what fewer than `min_games` games have |
| undefined-p | W + L = 0, if `undefined_p` is `drop` |
| below-p | W / (W + L) < `min_win_rate` |
| not-top | (moves) all but the `top` moves of a position: most played, then better score, then smaller code |

P is compared exactly. The threshold is a fraction a/b, and a row passes where b·W ≥ a·(W + L), in integers.
Draws are left out. Where only draws or unknown results are known, P is undefined: by default such a row is
kept, since nothing speaks against it; so P = 0 keeps every candidate, which is how the literature counts its
nodes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.candidates import Candidates, Shape, count_candidates
from bookbuilder.errors import SelectionError
from bookbuilder.games import Game, as_game
from bookbuilder.quality import FORMULA, QualityFunction, checked_quality, default_quality, mean_rating
from bookbuilder.ratios import Counts, score, wilson_bounds, win_ratio
from bookbuilder.schema import REASONS, SELECTION_MOVES, SELECTION_POSITIONS, check
from bookbuilder.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Selection",
    "Share",
    "SideName",
    "UndefinedP",
    "as_fraction",
    "passes",
    "select",
    "unswept_reasons",
]

Share: TypeAlias = str | Decimal | Fraction | int | float
"""A number from 0 to 1. A float means the decimal that it prints as: 0.55 is 55/100."""

SideName = Literal["first", "second"]
"""Whose moves: those of White or Red, or of Black."""
UndefinedP = Literal["keep", "drop"]
"""What becomes of rows that nobody won or lost."""
Verdicts: TypeAlias = npt.NDArray[np.int8]
"""Index into `schema.REASONS` for each row; 0 = kept."""

_METADATA: Final = b"bookbuilder.selection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Candidates with their verdicts.

    Attributes:
        table: schema SELECTION_POSITIONS or SELECTION_MOVES, by `shape`.
        game: the game.
        fold: whether left-right mirrors are one position.
        shape: `positions` or `moves`.
        recipe: what the selection was made from and how, as JSON data: sources, tally options, selection
            options.
    """

    table: pa.Table
    game: Game
    fold: bool
    shape: Shape
    recipe: Mapping[str, Any]

    @classmethod
    def from_arrow(cls, table: pa.Table) -> Self:
        """Return the selection that `to_arrow` wrote down; Parquet files keep what it needs.

        Raises:
            SelectionError: the table carries no selection.
            SchemaError: it has other columns.
        """
        metadata = (table.schema.metadata or {}).get(_METADATA)
        if metadata is None:
            raise SelectionError(f'table is no selection: metadata "{_METADATA.decode()}" is missing')
        known = json.loads(metadata)
        known["game"] = as_game(known["game"])
        return cls(table=check(table.replace_schema_metadata(None), _SCHEMAS[known["shape"]]), **known)

    def to_arrow(self) -> pa.Table:
        """Return the table, with game, fold, shape and recipe in its metadata; copies nothing."""
        known = {"game": self.game, "fold": self.fold, "shape": self.shape, "recipe": self.recipe}
        metadata = {**(self.table.schema.metadata or {}), _METADATA: json.dumps(known).encode()}
        return self.table.replace_schema_metadata(metadata)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a frame; undefined ratios are NaN, the reason is categorical."""
        return self.table.to_pandas(split_blocks=True)

    def kept(self) -> pa.Table:
        """Return the rows that go into the book."""
        return self.table.filter(self.table.column("kept"))

    def reasons(self) -> dict[str, int]:
        """Return how many rows each verdict has, in the order of the rules; "" counts the kept ones."""
        counts = self.table.group_by("reason").aggregate([([], "count_all")]).to_pydict()
        found = dict(zip(counts["reason"], counts["count_all"], strict=True))
        return {reason: found[reason] for reason in REASONS if reason in found}

    def __len__(self) -> int:
        """Return the number of rows, kept or not."""
        return self.table.num_rows

    def __repr__(self) -> str:
        """Return one line for people."""
        kept = self.reasons().get("", 0)
        return f"<Selection: {self.game}, {kept:,} of {len(self):,} {self.shape} kept>"


_SCHEMAS: Final[Mapping[Shape, pa.Schema]] = {"positions": SELECTION_POSITIONS, "moves": SELECTION_MOVES}


def select(
    tally: Tally,
    *,
    min_win_rate: Share = "0.55",
    min_games: int = 1,
    max_ply: int | None = None,
    top: int | None = None,
    side: SideName | None = None,
    undefined_p: UndefinedP = "keep",
    shape: Shape = "positions",
    quality: QualityFunction | None = None,
) -> Selection:
    """Return a verdict on every position, or every move, of a tally.

    Args:
        tally: any tally.
        min_win_rate: the threshold for P, 0 … 1, taken exactly.
        min_games: fewest games that reached the position (`positions`) or played the move (`moves`).
        max_ply: most plies after which the position stood; None = no limit.
        top: (`moves`) how many moves a position keeps; None = all.
        side: whose moves; None = both sides'.
        undefined_p: what becomes of rows that nobody won: `keep` or `drop`.
        shape: `positions` for the clustered book, judged by all games that reached the position; `moves` for
            formats that list moves, judged by the games in which the move was played.
        quality: a formula of your own, from a frame to 0 … 31 for each row. The frame has the columns of the
            selection up to `score`, then rating (mean, NaN = unknown), year_max (0 = unknown) and marks.

    Raises:
        SelectionError: an option has no meaning, or the formula gives no such numbers.
    """
    threshold = as_fraction(min_win_rate)
    _check_words(side=side, undefined_p=undefined_p, shape=shape)
    _check_numbers(min_games=min_games, max_ply=max_ply, top=top, shape=shape)
    candidates = count_candidates(tally, shape)
    columns = _columns(candidates)
    verdicts = unswept_reasons(candidates, side=side, max_ply=max_ply)
    _drop(verdicts, "below-games", candidates.games < np.uint64(min_games))
    if undefined_p == "drop":
        _drop(verdicts, "undefined-p", (candidates.wins + candidates.losses) == 0)
    _drop(verdicts, "below-p", ~passes(candidates.wins, candidates.losses, threshold))
    if top is not None:
        _drop(verdicts, "not-top", _ranks(candidates, verdicts, columns["score"]) >= top)
    columns["quality"] = (
        default_quality(candidates) if quality is None else _own_quality(quality, candidates, columns)
    )
    options = {
        "min_win_rate": str(threshold),
        "min_games": min_games,
        "max_ply": max_ply,
        "top": top,
        "side": side,
        "undefined_p": undefined_p,
        "shape": shape,
        "quality": FORMULA if quality is None else f"function {getattr(quality, '__qualname__', quality)}",
    }
    return Selection(
        table=_table(columns, verdicts, _SCHEMAS[shape]),
        game=tally.game,
        fold=tally.options.fold,
        shape=shape,
        recipe={
            "sources": [asdict(source) for source in tally.sources],
            "tally": tally.options.to_json(),
            "selection": options,
        },
    )


def as_fraction(share: Share) -> Fraction:
    """Return a threshold exactly.

    Args:
        share: a decimal text, a fraction text such as `11/20`, or a number. A float is taken as the decimal
            that it prints as, not as the binary fraction that it is.

    Raises:
        SelectionError: it is no number from 0 to 1.

    Example:
        >>> as_fraction(0.55) == as_fraction("0.55") == as_fraction("55/100") == Fraction(11, 20)
        True
        >>> as_fraction("1.2")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.SelectionError: threshold 1.2: expected a number from 0 to 1
    """
    wrong = f"threshold {share}: expected a number from 0 to 1"
    try:
        fraction = Fraction(float.__repr__(share) if isinstance(share, float) else share)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
        raise SelectionError(wrong) from error
    if not 0 <= fraction <= 1:
        raise SelectionError(wrong)
    return fraction


def passes(wins: Counts, losses: Counts, threshold: Fraction) -> npt.NDArray[np.bool_]:
    """Return for each row whether W / (W + L) ≥ threshold, exactly; true where W + L = 0.

    Args:
        wins: uint64 array.
        losses: uint64 array, same shape; W + L fits in 64 bits, being a count of games.
        threshold: 0 … 1.

    Example:
        >>> passes(np.array([11, 10], np.uint64), np.array([9, 10], np.uint64), Fraction(11, 20))
        array([ True, False])
    """
    total = wins + losses
    over, under = threshold.numerator, threshold.denominator
    if under * int(total.max(initial=0)) <= 0xFFFF_FFFF_FFFF_FFFF:
        # W ≤ W + L and a ≤ b, so no product is above b · max(W + L): nothing wraps.
        return np.uint64(under) * wins >= np.uint64(over) * total
    # A threshold of many digits: the wins that each distinct total needs, in Python's integers.
    totals, place = np.unique(total, return_inverse=True)
    needed = np.array([math.ceil(Fraction(over * each, under)) for each in totals.tolist()], dtype=np.uint64)
    return wins >= needed[place]


def unswept_reasons(candidates: Candidates, *, side: SideName | None, max_ply: int | None) -> Verdicts:
    """Return the verdicts by the rules that ask for no counts: root, no-move, side, beyond-ply."""
    verdicts: Verdicts = np.zeros(len(candidates), dtype=np.int8)
    if candidates.move is None:
        _drop(verdicts, "root", candidates.ply == 0)
    else:
        _drop(verdicts, "no-move", candidates.move == 0)
    if side is not None:
        _drop(verdicts, "side", candidates.side != ("first", "second").index(side))
    if max_ply is not None:
        _drop(verdicts, "beyond-ply", candidates.ply > max_ply)
    return verdicts


def _drop(verdicts: Verdicts, reason: str, dropped: npt.NDArray[np.bool_]) -> None:
    verdicts[dropped & (verdicts == 0)] = REASONS.index(reason)


def _check_words(*, side: str | None, undefined_p: str, shape: str) -> None:
    for name, value, known in (
        ("side", side, (None, "first", "second")),
        ("undefined_p", undefined_p, ("keep", "drop")),
        ("shape", shape, ("positions", "moves")),
    ):
        if value not in known:
            expected = " or ".join(str(each) for each in known)
            raise SelectionError(f"{name} is {value}: expected {expected}")


def _check_numbers(*, min_games: int, max_ply: int | None, top: int | None, shape: Shape) -> None:
    for name, number, least in (("min_games", min_games, 0), ("max_ply", max_ply, 0), ("top", top, 1)):
        if number is not None and number < least:
            raise SelectionError(f"{name} is {number}: expected at least {least}")
    if top is not None and shape == "positions":
        raise SelectionError(f"top is {top}: positions have no siblings to be compared with, expected None")


def _columns(candidates: Candidates) -> dict[str, npt.NDArray[Any]]:
    c = candidates
    low, high = wilson_bounds(c.wins, c.losses)
    return {
        "key": c.key,
        "lock": c.lock,
        **({} if c.move is None else {"move": c.move}),
        "side": c.side,
        "ply": c.ply,
        "reached" if c.move is None else "played": c.games,
        "wins": c.wins,
        "draws": c.draws,
        "losses": c.losses,
        "p": win_ratio(c.wins, c.losses),
        "p_low": low,
        "p_high": high,
        "score": score(c.wins, c.draws, c.losses),
    }


def _ranks(candidates: Candidates, verdicts: Verdicts, scores: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the rank, from 0, of each row among the rows of its position that no rule has dropped."""
    assert candidates.move is not None
    group = np.zeros(len(candidates), dtype=np.int64)
    group[candidates.group_starts()] = 1
    rows = np.flatnonzero(verdicts == 0)
    group = np.cumsum(group)[rows]
    fewest_first = candidates.games[rows]
    worst_first = np.nan_to_num(scores[rows], nan=-1.0)
    most_first = fewest_first.max(initial=0) - fewest_first
    order = np.lexsort((candidates.move[rows], -worst_first, most_first, group))
    # Groups ascend in `order`, so a row's rank is its place minus the place where its group begins.
    place = np.arange(rows.size)
    begins = np.searchsorted(group[order], group[order])
    ranks = np.zeros(len(candidates), dtype=np.int64)
    ranks[rows[order]] = place - begins
    return ranks


def _own_quality(
    quality: QualityFunction, candidates: Candidates, columns: Mapping[str, npt.NDArray[Any]]
) -> npt.NDArray[np.uint8]:
    import pandas as pd

    known = {"rating": mean_rating(candidates), "year_max": candidates.year_max, "marks": candidates.marks}
    return checked_quality(quality(pd.DataFrame({**columns, **known})), len(candidates))


def _table(columns: Mapping[str, npt.NDArray[Any]], verdicts: Verdicts, schema: pa.Schema) -> pa.Table:
    arrays: dict[str, pa.Array[Any]] = {
        name: pa.array(column, from_pandas=schema.field(name).nullable) for name, column in columns.items()
    }
    arrays["kept"] = pa.array(verdicts == 0)
    codes: pa.Int8Array = pa.array(verdicts, pa.int8())
    arrays["reason"] = pa.DictionaryArray.from_arrays(codes, pa.array(REASONS))
    return check(pa.table(arrays), schema)
