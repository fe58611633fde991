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
| below-p | W / (W + L), or its lower Wilson bound, < `min_win_rate` |
| below-score | (W + D / 2) / N < `min_score` |
| below-share | a move in less than `min_share` of the games that moved on from its position |
| not-top | all but the `top` moves of a position: most games, then better score, then smaller code |
| repetition | a move by which its side would lose a perpetual that its kept moves make |
| unreachable | what kept moves do not lead to, if `connected`; what no line from the start leads to |

Shares and places among the moves of a position belong to moves. A position (a record of the clustered book)
has them through the moves that lead to it, and is kept if one of these moves passes. So it is with the other
rules where positions are judged by the games that played the move (`basis="played"`); the reason is then that
of the move that came furthest. Which move leads where is found by playing them all from the start position:
where a rule needs that, a position which no line leads to from there is unreachable.

P is compared exactly. The threshold is a fraction a/b, and a row passes where b·W ≥ a·(W + L), in integers.
Draws are left out. Where only draws or unknown results are known, P is undefined: by default such a row is
kept, since nothing speaks against it; so P = 0 keeps every candidate, which is how the literature counts its
nodes. So it is with a score, where no result is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.errors import SelectionError
from bookbuilder.games.position import Game, SideName, as_game
from bookbuilder.games.ruling import Rule
from bookbuilder.ratios import score, wilson_bounds, win_ratio
from bookbuilder.schema import REASONS, SELECTION_MOVES, SELECTION_POSITIONS, check
from bookbuilder.selection.candidates import Candidates, Shape, count_candidates
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import Basis, SelectionOptions, UndefinedP
from bookbuilder.selection.perpetuals import RepetitionJudge
from bookbuilder.selection.quality import (
    QualityFunction,
    QualityWeights,
    blended_quality,
    checked_quality,
    mean_rating,
    parse_weights,
)
from bookbuilder.selection.thresholds import Share, as_fraction, passes
from bookbuilder.selection.verdicts import Verdicts, judge_moves, judge_positions, with_reached
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Basis",
    "Selection",
    "SelectionOptions",
    "Share",
    "SideName",
    "UndefinedP",
    "as_fraction",
    "passes",
    "select",
    "selected",
]

_METADATA: Final = b"bookbuilder.selection.select"


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
    confident: bool = False,
    min_games: int = 1,
    min_score: Share | None = None,
    min_share: Share | None = None,
    top: int | None = None,
    max_ply: int | None = None,
    side: SideName | None = None,
    for_side: SideName | None = None,
    opponent_min_win_rate: Share = 0,
    opponent_min_games: int = 1,
    opponent_min_share: Share | None = None,
    opponent_top: int | None = None,
    connected: bool = False,
    undefined_p: UndefinedP = "keep",
    basis: Basis | None = None,
    half_life: str | float | Fraction | None = None,
    rating_half: int | None = None,
    repetition: RepetitionJudge | Rule | None = None,
    shape: Shape = "positions",
    quality: QualityFunction | QualityWeights | str | None = None,
) -> Selection:
    """Return a verdict on every position, or every move, of a tally.

    Args:
        tally: any tally.
        min_win_rate: the threshold for P, 0 … 1, taken exactly.
        confident: ask the lower Wilson bound (95 %) of P to reach the threshold, not P itself.
        min_games: fewest games.
        min_score: least (W + D / 2) / N, 0 … 1 or such as `45%`; None = any.
        min_share: least share of the games that moved on from the position, such as `2%`; None = any.
        top: how many moves a position keeps; None = all.
        max_ply: most plies after which the position stood; None = no limit.
        side: whose moves; None = both sides'.
        for_side: the side that the book is for: the rules above are for its moves, and the opponent's have
            rules of their own; None = all moves have the same rules.
        opponent_min_win_rate: the threshold for P of the opponent's moves.
        opponent_min_games: fewest games of an opponent's move.
        opponent_min_share: least share of an opponent's move; None = any.
        opponent_top: how many of the opponent's moves a position keeps; None = all.
        connected: keep only what kept moves lead to from the start position.
        undefined_p: what becomes of rows that nobody won: `keep` or `drop`.
        basis: whether a move is judged by all games that `reached` the position after it, or by those in
            which it was `played`; None = by those that the shape stores.
        half_life: years, or a text such as `5y`, in which a game comes to count half; None = age does not
            matter. `bookbuilder.selection.weights` tells what a tally can know of ages and ratings.
        rating_half: rating points below the mean for which a game counts half; None = ratings do not matter.
        repetition: the code by which repetitions are judged, such as `axf`: of each cycle, of at most 12
            plies, in which all moves of the side that loses it are kept, the one of them with the fewest
            games is dropped, so that no kept line runs into a perpetual that it loses. Or a judge of your
            own: a function of a `Position` and the moves that lead back to it, which returns `first`,
            `second` or None. None = not asked.
        shape: `positions` for the clustered book, of all games that reached the position; `moves` for formats
            that list moves, of the games in which the move was played.
        quality: weights of the five terms, as a mapping or a text such as `usage=1,p=2`; or a formula of your
            own, from a frame to 0 … 31 for each row. The frame has the columns of the selection up to
            `score`, then rating (mean, NaN = unknown), year_max (0 = unknown) and marks.

    Raises:
        SelectionError: an option has no meaning, or the formula gives no such numbers.
    """
    options = SelectionOptions(
        min_win_rate=min_win_rate,
        confident=confident,
        min_games=min_games,
        min_score=min_score,
        min_share=min_share,
        top=top,
        max_ply=max_ply,
        side=side,
        for_side=for_side,
        opponent_min_win_rate=opponent_min_win_rate,
        opponent_min_games=opponent_min_games,
        opponent_min_share=opponent_min_share,
        opponent_top=opponent_top,
        connected=connected,
        undefined_p=undefined_p,
        basis=basis,
        half_life=half_life,
        rating_half=rating_half,
        repetition=repetition,
        shape=shape,
        quality=quality,
    )
    return selected(tally, options)


def selected(tally: Tally, options: SelectionOptions) -> Selection:
    """Return what `select` returns for these options.

    Raises:
        SelectionError: a formula for the quality gives no numbers from 0 to 31.
    """
    candidates = count_candidates(tally, options.shape, options.count_weights)
    counted = {"played": candidates.whole_games()["games"]} if options.shape == "moves" else {}
    graph = tally_graph(tally) if options.needs_graph else None
    if options.shape == "moves":
        if graph is not None and options.judged_by == "reached":
            candidates = with_reached(candidates, tally, graph, options)
        verdicts = judge_moves(candidates, tally, graph, options)
    else:
        verdicts = judge_positions(candidates, tally, graph, options)
    columns = {**_columns(candidates), **counted}
    columns["quality"] = _quality(candidates, columns, options)
    return Selection(
        table=_table(columns, verdicts, _SCHEMAS[options.shape]),
        game=tally.game,
        fold=tally.options.fold,
        shape=options.shape,
        recipe={
            "sources": [asdict(source) for source in tally.sources],
            "tally": tally.options.to_json(),
            "selection": options.to_json(),
        },
    )


def _columns(candidates: Candidates) -> dict[str, npt.NDArray[Any]]:
    c = candidates
    whole = c.whole_games()
    decisive = (c.wins, c.losses) if c.scale == 1 else (c.wins / c.scale, c.losses / c.scale)
    low, high = wilson_bounds(*decisive)
    return {
        "key": c.key,
        "lock": c.lock,
        **({} if c.move is None else {"move": c.move}),
        "side": c.side,
        "ply": c.ply,
        "reached" if c.move is None else "played": whole.pop("games"),
        **whole,
        "p": win_ratio(c.wins, c.losses),
        "p_low": low,
        "p_high": high,
        "score": score(c.wins, c.draws, c.losses),
    }


def _quality(
    candidates: Candidates, columns: Mapping[str, npt.NDArray[Any]], options: SelectionOptions
) -> npt.NDArray[np.uint8]:
    import pandas as pd

    given = options.quality
    if given is None:
        return blended_quality(candidates)
    if not callable(given):
        return blended_quality(candidates, parse_weights(given))
    known = {"rating": mean_rating(candidates), "year_max": candidates.year_max, "marks": candidates.marks}
    return checked_quality(given(pd.DataFrame({**columns, **known})), len(candidates))


def _table(columns: Mapping[str, npt.NDArray[Any]], verdicts: Verdicts, schema: pa.Schema) -> pa.Table:
    arrays: dict[str, pa.Array[Any]] = {
        name: pa.array(column, from_pandas=schema.field(name).nullable) for name, column in columns.items()
    }
    arrays["kept"] = pa.array(verdicts == 0)
    codes: pa.Int8Array = pa.array(verdicts, pa.int8())
    arrays["reason"] = pa.DictionaryArray.from_arrays(codes, pa.array(REASONS))
    return check(pa.table(arrays), schema)
