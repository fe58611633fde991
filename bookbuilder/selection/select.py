"""Selection: which candidates go into a book, and why the others do not.

`select` gives every row of a tally a verdict. It applies the rules in the order of `schema.REASONS`; the
first one that drops a row gives the reason:

| reason | drops |
|---|---|
| root | (positions) a position with which a game began: no move leads to it, and a record is about a move |
| no-move | (moves) a row that counts games which ended there |
| side | a move of the other side than `side` |
| beyond-ply | a row after more than `max_ply` plies |
| below-games | a row with fewer than `min_games` games |
| undefined-p | a row with W + L = 0, if `undefined_p` is `drop` |
| below-p | W / (W + L), or its lower Wilson bound, < `min_win_rate` |
| below-score | (W + D / 2) / N < `min_score` |
| below-share | a move in less than `min_share` of the games that moved on from its position |
| below-margin | a move whose P, after `prior` games at its position's P, is more than `margin` below that P |
| not-top | all but the `top` moves of a position: most games, then better score, then smaller code |
| repetition | a move by which its side would lose a perpetual that its kept moves make |
| unreachable | what kept moves do not lead to, if `connected`; what the own kept moves of its side do not |
| | lead to, whatever the opponent plays, if `own_lines`; what no line from the start leads to |

Only moves have a share and a rank among the moves of a position. A position (a record of the clustered book)
is kept if one of the moves that lead to it passes these rules. With `basis="played"` the same holds for the
rules about counts. The reason is then that of the move that passed the most rules. To find which move leads
where, all moves are played from the start position. Where a rule needs that, positions without a line from
there are unreachable. With a margin, only lines through positions of enough games count.

P is compared exactly. The threshold is a fraction a/b, and a row passes where b·W ≥ a·(W + L), in integers.
Draws do not count. If no game was won or lost, P is undefined; by default such a row is kept, since nothing
speaks against it. So P = 0 keeps every candidate, as the literature counts its nodes. A score is undefined,
and passes, if no result is known.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
import pyarrow as pa

from bookbuilder.columns import values
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import Game, as_game
from bookbuilder.schema import REASONS, SELECTION_MOVES, SELECTION_POSITIONS, check, signed_counts
from bookbuilder.selection.candidates import Candidates, count_candidates, positions_part
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import SelectionOptions, Shape
from bookbuilder.selection.own_rule import Keep, OwnRule, as_mask, checked_reason
from bookbuilder.selection.presets import preset_of
from bookbuilder.selection.table import Columns, selection_columns, selection_quality, selection_table
from bookbuilder.selection.verdicts import (
    Verdicts,
    count_rare,
    judge_counts,
    judge_moves,
    judge_positions,
    reached_counts,
)
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Selection", "select"]

_METADATA: Final = b"bookbuilder.selection.select"


class _Origin(NamedTuple):
    """What a selection was made from."""

    tally: Tally
    options: SelectionOptions
    own: OwnRule | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Candidates with their verdicts.

    Attributes:
        table: schema SELECTION_POSITIONS or SELECTION_MOVES, by `shape`.
        game: the game.
        fold: whether left-right mirrors are one position.
        shape: `positions` or `moves`.
        recipe: sources, tally options and selection options, as JSON data.
        rare: number of further rows by reason: those of rare positions, if the tally lacks them.
        origin: what the selection was made from; None if it was read, or changed by `where`.
    """

    table: pa.Table
    game: Game
    fold: bool
    shape: Shape
    recipe: Mapping[str, Any]
    rare: Mapping[str, int] = field(default_factory=dict)
    origin: _Origin | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_arrow(cls, table: pa.Table) -> Self:
        """Return the selection of a table that `to_arrow` returned, for instance read from Parquet.

        Raises:
            SelectionError: the table is not a selection.
            SchemaError: it has other columns.
        """
        metadata = (table.schema.metadata or {}).get(_METADATA)
        if metadata is None:
            raise SelectionError(f'table is not a selection: metadata "{_METADATA.decode()}" is missing')
        known = json.loads(metadata)
        known["game"] = as_game(known["game"])
        return cls(table=check(table.replace_schema_metadata(None), _SCHEMAS[known["shape"]]), **known)

    def to_arrow(self) -> pa.Table:
        """Return the table with game, fold, shape and recipe in its metadata, without copying."""
        known = {"game": self.game, "fold": self.fold, "shape": self.shape, "recipe": self.recipe}
        known |= {"rare": self.rare} if self.rare else {}
        metadata = {**(self.table.schema.metadata or {}), _METADATA: json.dumps(known).encode()}
        return self.table.replace_schema_metadata(metadata)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a frame; undefined ratios are NaN, the reason is categorical.

        Counts are signed, so that a difference of two of them does not wrap around.
        """
        return signed_counts(self.table).to_pandas(split_blocks=True)

    def kept(self) -> pa.Table:
        """Return the rows that go into the book."""
        return self.table.filter(self.table.column("kept"))

    def reasons(self) -> dict[str, int]:
        """Return the number of rows for each reason, in the order of the rules; "" counts kept rows.

        Rows of rare positions count, although the table may lack them.
        """
        found = Counter(self.rare)
        pieces: Sequence[Any] = self.table.column("reason").chunks
        for piece in pieces:
            counts = np.bincount(values(piece.indices), minlength=len(piece.dictionary)).tolist()
            names = piece.dictionary.to_pylist()
            found.update({name: count for name, count in zip(names, counts, strict=True) if count})
        return {reason: found[reason] for reason in dict.fromkeys((*REASONS, *found)) if reason in found}

    def where(self, mask: Any, reason: str) -> Self:  # noqa: ANN401 (a Series, an array, a function)
        """Return the selection without the kept rows for which a mask is false.

        Rows that are dropped already keep their reason. No other verdict changes, so a book may keep what
        only a dropped row leads to: `select(tally, keep=…)` applies a rule before the rules about lines.

        Args:
            mask: a bool for each row of the table, true = stays; or a function from the frame of `to_pandas`
                to one.
            reason: the reason of the rows that it drops.

        Raises:
            SelectionError: the mask does not fit, or the reason is that of another rule.
        """
        name = getattr(mask, "__qualname__", type(mask).__qualname__)
        stays = as_mask(mask(self.to_pandas()) if callable(mask) else mask, len(self))
        rules = [*self.recipe.get("own_rules", ()), {"reason": checked_reason(reason), "function": name}]
        table = self.table
        kept = values(table.column("kept"))
        words = np.where(kept & ~stays, reason, table.column("reason").cast(pa.string()).to_numpy())
        columns = {"kept": pa.array(kept & stays), "reason": pa.array(words).dictionary_encode()}
        for name, column in columns.items():
            place = table.schema.get_field_index(name)
            column = column.cast(table.schema.field(name).type)
            table = table.set_column(place, table.schema.field(name), column)
        return replace(self, table=table, recipe={**self.recipe, "own_rules": rules}, origin=None)

    def shaped(self, shape: Shape) -> Selection:
        """Return the same selection of the other kind of rows: positions for books, moves for other formats.

        Raises:
            SelectionError: it was read from a table or changed by `where`, so it does not know its tally.
        """
        if shape == self.shape:
            return self
        if self.origin is None:
            raise SelectionError(
                f'selection of {self.shape}: expected one of {shape}; select with shape="{shape}" first'
            )
        tally, options, own = self.origin
        return _select(tally, replace(options, shape=shape), own)

    def write(self, path: str | os.PathLike[str], **how: Any) -> Any:  # noqa: ANN401 (see there)
        """Write the kept rows as a book of any format, by the suffix of its name; return a `bb.Written`.

        Args:
            path: the file, which is replaced if it exists: `.book`, `.bin`, `.abk`, `.dat`, `.obk`, `.pgn`,
                `.epd`, `.csv`, `.json` or `.parquet`.
            **how: as of `bookbuilder.book.build.write_book`: as_format, weight, scale, columns.

        Raises:
            SelectionError: no row is kept, or the format needs rows of the other kind: see `shaped`.
            OptionError: the format is unknown or of the other game.
        """
        # Writers are in a room above this one. The package knows where.
        return sys.modules["bookbuilder"].write_book(path, self, **how)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the table and its metadata, without the tally."""
        return type(self).from_arrow, (self.to_arrow(),)

    def __len__(self) -> int:
        """Return the number of rows of the table, kept or not."""
        return self.table.num_rows

    def __repr__(self) -> str:
        """Return one line for people."""
        kept = self.reasons().get("", 0)
        return f"<Selection: {self.game}, {kept:,} of {len(self):,} {self.shape} kept>"


_SCHEMAS: Final[Mapping[Shape, pa.Schema]] = {"positions": SELECTION_POSITIONS, "moves": SELECTION_MOVES}


def select(
    tally: Tally,
    options: SelectionOptions | None = None,
    /,
    *,
    keep: Keep | None = None,
    reason: str = "own-rule",
    **changes: Any,  # noqa: ANN401 (any option's value)
) -> Selection:
    """Return a verdict on every position, or every move, of a tally.

    Args:
        tally: any tally.
        options: which rows to keep; None = the defaults.
        keep: a rule of your own: a function that returns a bool for each row of a frame, whether it stays.
            The frame is that of `own_rule.candidate_frame`, with the rows that the rules about single rows
            keep (those above `below-share` in the table). The rules below it follow: rows that `keep` drops
            do not count for `top`, and what only they lead to is unreachable.
        reason: the reason of the rows that `keep` drops.
        **changes: options that differ from these, by their names in `SelectionOptions`.

    Raises:
        SelectionError: an option is not valid, a function returns wrong numbers or no mask, or the rules
            depend on rows that the tally lacks (see `Tally.frequent`).

    Example:
        >>> from bookbuilder.tally.options import TallyOptions
        >>> tally = Tally.empty(TallyOptions(game="chess"))
        >>> select(tally, SelectionOptions(shape="moves"), min_win_rate="0.5", top=3)
        <Selection: chess, 0 of 0 moves kept>
        >>> select(tally, keep=lambda rows: rows.wins - rows.losses > -5, reason="bad").reasons()
        {}
    """
    own = None if keep is None else OwnRule(keep, reason)
    return _select(tally, replace(options or SelectionOptions(), **changes), own)


def _select(tally: Tally, options: SelectionOptions, own: OwnRule | None) -> Selection:
    options = options.for_games(tally.game_count)
    rare = {} if tally.rare is None else count_rare(tally.rare, options)
    candidates = count_candidates(tally, options.shape, options)
    _require_ratings(candidates, options)
    if options.trims:
        columns, verdicts = _judge_trimmed(tally, candidates, options, own)
    else:
        columns, verdicts = _judge(tally, candidates, options, own)
    return Selection(
        table=selection_table(columns, verdicts, _SCHEMAS[options.shape], own),
        game=tally.game,
        fold=tally.options.fold,
        shape=options.shape,
        recipe=_recipe(tally, options, own),
        rare=rare,
        origin=_Origin(tally, options, own),
    )


_Judged: TypeAlias = tuple[Columns, Verdicts]
"""The columns of a selection, and the verdict on each row."""

_OWN: Final = len(REASONS)
"""The verdict of the user's own rule."""


def _judge(
    tally: Tally,
    candidates: Candidates,
    options: SelectionOptions,
    own: OwnRule | None = None,
    verdicts: Verdicts | None = None,
    columns: Columns | None = None,
) -> _Judged:
    """Return columns and verdicts.

    Args:
        tally: the tally.
        candidates: its candidates.
        options: which rows to keep.
        own: the user's own rule, unless `verdicts` has it.
        verdicts: those by the rules about single rows, if they are known.
        columns: the columns of the candidates, if they are known.
    """
    columns = selection_columns(candidates) if columns is None else columns
    graph = tally_graph(tally) if options.needs_graph else None
    if options.shape == "moves" and graph is not None and options.judged_by == "reached":
        candidates = reached_counts(candidates, count_candidates(tally, "positions", options), graph)
        columns = {**selection_columns(candidates), "played": columns["played"]}
    if verdicts is None:
        verdicts = judge_counts(candidates, options)
        _drop_own(verdicts, own, candidates, columns)
    judge = judge_moves if options.shape == "moves" else judge_positions
    verdicts = judge(candidates, tally, graph, options, verdicts=verdicts)
    columns["quality"] = selection_quality(candidates, columns, verdicts, graph, options)
    return columns, verdicts


def _drop_own(verdicts: Verdicts, own: OwnRule | None, candidates: Candidates, columns: Columns) -> None:
    """Apply the user's own rule; changes the verdicts."""
    if own is not None:
        verdicts[own.drops(candidates, columns, verdicts == 0)] = _OWN


def _judge_trimmed(
    tally: Tally, candidates: Candidates, options: SelectionOptions, own: OwnRule | None
) -> _Judged:
    """Judge positions with enough games and their moves only.

    Most positions were reached once. They are no candidates, and no move from them counts, so the graph is
    made without them.
    """
    verdicts = judge_counts(candidates, options)
    columns = selection_columns(candidates)
    _drop_own(verdicts, own, candidates, columns)
    positions = candidates
    sizes = np.ones(len(candidates), dtype=np.intp)
    if options.shape == "moves":
        positions = count_candidates(tally, "positions", options)
        sizes = np.diff(candidates.group_starts(), append=len(tally))
    is_enough = positions.games >= options.least_games
    if is_enough.all():
        return _judge(tally, candidates, options, verdicts=verdicts, columns=columns)
    rows = np.flatnonzero(np.repeat(is_enough, sizes))
    part = positions_part(tally, is_enough)
    judged, verdicts[rows] = _judge(part, candidates.taken(rows), options, verdicts=verdicts[rows])
    quality = np.zeros(len(candidates), dtype=np.uint8)
    quality[rows] = judged["quality"]
    return {**columns, "quality": quality}, verdicts


def _require_ratings(candidates: Candidates, options: SelectionOptions) -> None:
    """Refuse to compare results with ratings where no game has them."""
    is_asked = options.by == "performance" and options.margin is not None
    if is_asked and len(candidates) and not candidates.paired.any():
        raise SelectionError(
            "by is performance: no game of the tally has a result and both ratings, as far as it says (a "
            "store of schema version 3 does not); expected p or score"
        )


def _recipe(tally: Tally, options: SelectionOptions, own: OwnRule | None) -> dict[str, Any]:
    """Return the recipe. That of absolute thresholds is as it was before there were presets."""
    name = preset_of(options)
    return {
        "sources": [asdict(source) for source in tally.sources],
        "tally": tally.options.to_json(),
        "selection": options.to_json(),
        **({} if name in (None, "literature") else {"preset": name}),
        **({} if own is None else {"own_rules": [own.to_json()]}),
    }
