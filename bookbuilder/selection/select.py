"""Selection: which candidates go into a book, and why the others do not.

`select` gives every row of a tally a verdict. It applies the rules in the order of `schema.REASONS`; the
first one that drops a row gives the reason:

| reason | drops |
|---|---|
| root | (positions) a position with which a game began: no move leads to it, and a record is about a move |
| no-move | (moves) a row that counts games which ended there |
| beyond-ply | a row after more than `max_ply` plies |
| below-games | a row with fewer than `min_games` games |
| below-p | W / (W + L) < `min_win_rate` |
| below-score | (W + D / 2) / N < `min_score` |
| below-share | a move in less than `min_share` of the games that moved on from its position |
| proved-worse | a move that is proved to be worse than its position by more than `margin`: see below |
| engine-veto | with `evals`: a move that loses more than `veto` centipawns by two searches; see `engine` |
| below-value | a move whose backed-up value is more than `max_loss` below its position's; see `engine` |
| not-top | all but the `top` moves of a position: most games, then better score, then smaller code |
| by-hand | with `edits`: what they drop; what they keep passes all rules |
| repetition | a move by which its side would lose a perpetual that its kept moves make |
| unreachable | what kept moves do not lead to, if `connected`; with a margin, what the own kept moves of |
| | its side do not lead to, whatever the opponent plays; what no line from the start leads to |

Only moves have a share and a rank among the moves of a position. A position (a record of the clustered book)
is kept if one of the moves that lead to it passes these rules. The reason is else that of the move that
passed the most rules. All games that reached a position judge it; the games that played a move judge a move.
To find which move leads where, all moves are played from the start position. Where a rule needs that,
positions without a line from there are unreachable. With a margin, only lines through positions of enough
games count.

A move is worse than its position by evidence, not by luck. Its P is drawn towards the P of the position by
320 games, since few results say little. The upper Wilson bound of that, one-sided 95 %, has to be below the P
of the position less the margin. Where games have ratings, the P of the position is corrected for who played
the move. A move in 10 % of the games at its position always stays, and so does one that loses nothing by an
engine.

P is compared exactly. The threshold is a fraction a/b, and a row passes where b·W ≥ a·(W + L), in integers.
Draws do not count. If no game was won or lost, P is undefined; such a row is kept, since nothing speaks
against it. So P = 0 keeps every candidate, as the literature counts its nodes. A score is undefined,
and passes, if no result is known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.columns import column_of, texts_of, values
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import Game, as_game
from bookbuilder.keywords import require_kind, require_known, spelled_out
from bookbuilder.ratios import performance, result_ratios
from bookbuilder.schema import (
    REASONS,
    SELECTION_MOVES,
    SELECTION_POSITIONS,
    check,
    check_order,
    signed_counts,
)
from bookbuilder.selection.by_hand import MoveEdits, kept_places, rows_by_hand, with_novelties
from bookbuilder.selection.candidates import (
    Candidates,
    Shape,
    count_candidates,
    games_at,
    group_starts,
    positions_before,
    positions_part,
)
from bookbuilder.selection.criteria import Criteria
from bookbuilder.selection.engine import OF_ENGINE, EngineView
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.graph import Graph, tally_graph
from bookbuilder.selection.options import OPTIONS, SelectArguments, SelectionOptions, preset_of
from bookbuilder.selection.own_rules import (
    Keep,
    OwnRule,
    as_mask,
    by_index,
    checked_reason,
    frame_of,
    name_of,
)
from bookbuilder.selection.quality import blended_quality, checked_quality, pick_quality, worth_of
from bookbuilder.selection.verdicts import (
    Verdicts,
    candidate_columns,
    count_rare,
    fitted_prior,
    judge,
    judge_counts,
)
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

_Columns: TypeAlias = dict[str, npt.NDArray[Any]]
_Mask: TypeAlias = npt.NDArray[np.bool_]

_METADATA: Final = b"bookbuilder.selection.select"
# What the performance is computed from; see `Candidates`.
_SURPLUS: Final = pa.field("surplus", pa.int64(), nullable=False)


class _Origin(NamedTuple):
    """What a selection was made from."""

    tally: Tally
    options: SelectionOptions  # the options
    own: OwnRule | None  # the rule of the user's own
    part: Tally  # the positions that were compared
    graph: Graph | None  # their graph; None where no rule needed it

    def counted(self) -> tuple[Tally, Graph | None]:
        """Return the positions of enough games for a book move, and their graph if it is known."""
        is_enough = _is_enough(self.part, self.options)
        if is_enough.all():
            return self.part, self.graph
        return positions_part(self.part, is_enough), None


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """Candidates with their verdicts.

    Attributes:
        rows: the columns of `table`, without those that are computed from others; or `table` itself.
        game: the game.
        fold: whether left-right mirrors are one position.
        shape: `positions` or `moves`.
        recipe: sources, tally options and selection options, as JSON data.
        rare: number of further rows by reason: those of rare positions, if the tally lacks them.
        origin: what the selection was made from; None if it was read, or changed by `where`.

    Example:
        >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
        >>> chosen.game, chosen.shape, len(chosen)
        ('chess', 'positions', 22)
        >>> int(chosen.to_pandas()["kept"].sum()) == chosen.reasons()[""]
        True
    """

    rows: pa.Table
    game: Game
    fold: bool
    shape: Shape
    recipe: Mapping[str, Any]
    rare: Mapping[str, int] = field(default_factory=dict)
    origin: _Origin | None = field(default=None, repr=False)

    @property
    def table(self) -> pa.Table:
        """The rows: schema SELECTION_POSITIONS or SELECTION_MOVES, by `shape`.

        Example:
            >>> bb.select(bb.Tally.from_archives("games.pgn"), min_games=1).table.column_names[:4]
            ['key', 'lock', 'side', 'ply']
        """
        return self._table

    @cached_property
    def _table(self) -> pa.Table:
        return with_ratios(self.rows, _SCHEMAS[self.shape])

    @classmethod
    def from_arrow(cls, table: pa.Table) -> Self:
        """Return the selection of a table that `to_arrow` returned, for instance read from Parquet.

        Raises:
            SelectionError: the table is not a selection.
            SchemaError: it has other columns, or was sorted.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> from pyarrow import parquet
            >>> parquet.write_table(chosen.to_arrow(), "chosen.parquet")
            >>> again = bb.Selection.from_arrow(parquet.read_table("chosen.parquet"))
            >>> again.reasons() == chosen.reasons()
            True
        """
        require_kind("Selection.from_arrow", table, pa.Table)
        name = _METADATA.decode()
        metadata = (table.schema.metadata or {}).get(_METADATA)
        if metadata is None:
            raise SelectionError(f'table is not a selection: metadata "{name}" is missing')
        try:
            found = json.loads(metadata)
            schema = _SCHEMAS[found["shape"]]
            known: dict[str, Any] = {"game": as_game(found["game"]), "shape": found["shape"]}
            known |= {"fold": bool(found["fold"]), "recipe": dict(found["recipe"])}
            known |= {"rare": dict(found.get("rare", {}))}
        except (KeyError, TypeError, ValueError) as error:
            what = f'metadata "{name}" is damaged ({error!r})'
            raise SelectionError(f"table is not a selection: {what}; write it again with to_arrow") from error
        bare, reason = table.replace_schema_metadata(None), SELECTION_MOVES.field("reason")
        place = bare.schema.get_field_index(reason.name)
        if place >= 0 and pa.types.is_dictionary(bare.schema.field(place).type):
            # Older versions of pyarrow read wider codes from Parquet than were written.
            bare = bare.set_column(place, reason.name, bare.column(place).cast(reason.type))
        rows = check(bare, schema)
        check_order(rows)
        return cls(rows=rows, **known)

    def to_arrow(self) -> pa.Table:
        """Return the table with game, fold, shape and recipe in its metadata, without copying.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> chosen.to_arrow().num_rows == len(chosen)
            True
        """
        known = {"game": self.game, "fold": self.fold, "shape": self.shape, "recipe": self.recipe}
        known |= {"rare": self.rare} if self.rare else {}
        metadata = {**(self.table.schema.metadata or {}), _METADATA: json.dumps(known).encode()}
        return self.table.replace_schema_metadata(metadata)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a frame; undefined ratios are NaN, the reason is categorical.

        Counts are signed, so that a difference of two of them does not wrap around.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> frame = chosen.to_pandas()
            >>> frame[["wins", "draws", "losses"]].dtypes.unique().tolist()
            [dtype('int64')]
        """
        return signed_counts(self.table).to_pandas()

    def kept(self) -> pa.Table:
        """Return the rows that go into the book.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> chosen.kept().num_rows == chosen.reasons()[""]
            True
        """
        return self.table.filter(self.table.column("kept"))

    def reasons(self) -> dict[str, int]:
        """Return the number of rows for each reason, in the order of the rules; "" counts kept rows.

        Rows of rare positions count, although the table may lack them.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> chosen.reasons()
            {'': 21, 'root': 1}
        """
        found = Counter(self.rare)
        pieces: Sequence[Any] = self.rows.column("reason").chunks
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

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> chosen.where(lambda rows: rows["wins"] >= rows["losses"], "lost-often").reasons()
            {'': 15, 'root': 1, 'lost-often': 6}
        """
        stays = as_mask(mask(self.to_pandas()) if callable(mask) else mask, np.arange(len(self)))
        rules = [
            *self.recipe.get("own_rules", ()),
            {"reason": checked_reason(reason), "function": name_of(mask)},
        ]
        table = self.table
        kept = values(table.column("kept"))
        words = np.where(kept & ~stays, reason, table.column("reason").cast(pa.string()).to_numpy())
        columns = {"kept": pa.array(kept & stays), "reason": pa.array(words).dictionary_encode()}
        for name, column in columns.items():
            place = table.schema.get_field_index(name)
            column = column.cast(table.schema.field(name).type)
            table = table.set_column(place, table.schema.field(name), column)
        return replace(self, rows=table, recipe={**self.recipe, "own_rules": rules}, origin=None)

    @property
    def evidence(self) -> Evidence | None:
        """The evaluations that it was made with; None too if it was read from a table or changed by `where`.

        Example:
            >>> bb.select(bb.Tally.from_archives("games.pgn"), min_games=1).evidence
        """
        evals = None if self.origin is None else self.origin.options.evals
        return evals if isinstance(evals, Evidence) else None

    def shaped(self, shape: Shape) -> Selection:
        """Return the same selection of the other kind of rows: positions for books, moves for other formats.

        Raises:
            SelectionError: it was read from a table or changed by `where`, so it does not know its tally.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> chosen.shape, chosen.shaped("moves").shape
            ('positions', 'moves')
        """
        if shape == self.shape:
            return self
        if self.origin is None:
            raise SelectionError(
                f'selection of {self.shape}: expected one of {shape}; select with shape="{shape}" first'
            )
        tally, options, own, _, _ = self.origin
        return _select(tally, replace(options, shape=shape), own)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the table and its metadata, without the tally."""
        return type(self).from_arrow, (self.to_arrow(),)

    def __eq__(self, other: object) -> bool:
        """Return whether tables and recipes are equal."""
        if not isinstance(other, Selection):
            return NotImplemented
        return bool(self.to_arrow().equals(other.to_arrow(), check_metadata=True))

    def __len__(self) -> int:
        """Return the number of rows of the table, kept or not."""
        return self.rows.num_rows

    def __repr__(self) -> str:
        """Return one line for people."""
        kept = self.reasons().get("", 0)
        return f"<Selection: {self.game}, {kept:,} of {len(self):,} {self.shape} kept>"


_SCHEMAS: Final[Mapping[Shape, pa.Schema]] = {"positions": SELECTION_POSITIONS, "moves": SELECTION_MOVES}


@spelled_out(SelectArguments)
def select(
    tally: Tally,
    options: SelectionOptions | None = None,
    /,
    *,
    keep: Keep | None = None,
    reason: str = "own-rule",
    **changes: Unpack[SelectArguments],
) -> Selection:
    """Return a verdict on every position, or every move, of a tally.

    Args:
        tally: any tally.
        options: which rows to keep; None = the defaults.
        keep: a rule of your own: a function that returns a bool for each row of a frame, whether it stays.
            The frame has the columns that `QualityFunction` lists, for the rows that the rules about single
            rows keep (those above `below-share` in the table). The rules below it follow: rows that `keep`
            drops do not count for `top`, and what only they lead to is unreachable. A Series counts by
            its index.
        reason: the reason of the rows that `keep` drops.
        **changes: options that differ from these, by their names in `SelectionOptions`.

    Raises:
        SelectionError: an option is not valid, a function returns wrong numbers or no mask, or the rules
            depend on rows that the tally lacks (see `Tally.frequent`).
        OptionError: the tally or the options are of another class.
        TypeError: an option is unknown.

    Example:
        >>> from bookbuilder.tally.options import TallyOptions
        >>> tally = Tally.empty(TallyOptions(game="chess"))
        >>> select(tally, SelectionOptions(shape="moves"), min_win_rate="0.5", top=3)
        <Selection: chess, 0 of 0 moves kept>
        >>> select(tally, keep=lambda rows: rows.wins - rows.losses > -5, reason="bad").reasons()
        {}
    """
    require_known(changes, OPTIONS)
    require_kind("select", tally, Tally)
    options = SelectionOptions() if options is None else options
    require_kind("select", options, SelectionOptions)
    if keep is not None and not callable(keep):
        raise SelectionError(f"keep is a {type(keep).__name__}: expected a function from a frame to bools")
    own = None if keep is None else OwnRule(keep, checked_reason(reason))
    return _select(tally, replace(options, **changes), own)


def _select(tally: Tally, options: SelectionOptions, own: OwnRule | None) -> Selection:
    options = options.resolved(tally.game, tally.game_count)
    if options.prior is None and options.margin is not None:
        moves = count_candidates(tally, "moves")
        options = replace(options, prior=fitted_prior(moves, positions_before(moves)))
    fold = tally.options.fold
    rare = {} if tally.rare is None else count_rare(tally.rare, options, fold=fold)
    if isinstance(options.evals, Evidence):
        options.evals.require(tally.game, fold=fold)
    edits = options.edits if isinstance(options.edits, MoveEdits) else None
    if edits is not None:
        edits.require(tally.game)
    columns, verdicts, part, graph = _judged(tally, options, own)
    return Selection(
        rows=with_novelties(_rows_of(columns, verdicts, _SCHEMAS[options.shape], own), edits, fold=fold),
        game=tally.game,
        fold=fold,
        shape=options.shape,
        recipe=_recipe(tally, options, own),
        rare=rare,
        origin=_Origin(tally, options, own, part, graph),
    )


def _judged(
    tally: Tally, options: SelectionOptions, own: OwnRule | None
) -> tuple[_Columns, Verdicts, Tally, Graph | None]:
    """Return the columns of a selection, the verdict on each row, the part that was compared and its graph.

    With a margin only positions of enough games, and those of changes by hand, are candidates. Most positions
    were reached once, and no line through them counts, so the graph is made without them.
    """
    candidates = count_candidates(tally, options.shape)
    verdicts = judge_counts(candidates, options)
    if own is not None:
        rows = np.flatnonzero(verdicts == 0)
        stays = as_mask(own.keep(frame_of(candidates.part(rows), {}, rows)), rows)
        verdicts[rows[~stays]] = len(REASONS)
    columns = candidate_columns(candidates)
    is_enough = _is_enough(tally, options) if options.trims else np.ones(1, np.bool_)
    part = tally if is_enough.all() else positions_part(tally, is_enough)
    graph = tally_graph(part) if options.needs_graph else None
    if part is tally:
        found = _judged_part(part, candidates, graph, options, verdicts)
        return columns | found, verdicts, part, graph
    if options.shape == "moves":
        is_enough = np.repeat(is_enough, np.diff(candidates.group_starts(), append=len(tally)))
    rows = np.flatnonzero(is_enough)
    some = verdicts[rows]
    for name, column in _judged_part(part, candidates.part(rows), graph, options, some).items():
        columns[name] = np.full(len(candidates), 0 if name == "quality" else np.nan, dtype=column.dtype)
        columns[name][rows] = column
    verdicts[rows] = some
    return columns, verdicts, part, graph


def _is_enough(tally: Tally, options: SelectionOptions) -> _Mask:
    """Return for each position whether enough games for a book move, or changes by hand, are there."""
    is_enough: _Mask = games_at(tally) >= options.least_games
    if places := kept_places(options.edits, fold=tally.options.fold):
        key, lock = tally.column("key"), tally.column("lock")
        starts = group_starts(key, lock)
        for kept_key, kept_lock in places:
            is_enough |= (key[starts] == np.uint64(kept_key)) & (lock[starts] == np.uint32(kept_lock))
    return is_enough


def _judged_part(
    tally: Tally, candidates: Candidates, graph: Graph | None, options: SelectionOptions, verdicts: Verdicts
) -> _Columns:
    """Return the columns of an engine, the worth and the quality; changes the verdicts."""
    fold = tally.options.fold
    view = None
    if isinstance(options.evals, Evidence) and graph is not None:
        view = EngineView.of(options.evals, tally, graph, is_moves=options.shape == "moves")
    is_moves = options.shape == "moves"
    moves = candidates
    if not is_moves and (graph is not None or options.sharpen):
        moves = count_candidates(tally, "moves")
    backed = None if view is None else view.backed
    judge(candidates, tally, graph, options, verdicts=verdicts, moves=moves, backed=backed)
    worth = worth_of(moves, Criteria.of(options.criteria))
    if not worth.any() and not moves.losses.any():  # no game has a result
        worth = moves.games.astype(np.float64)
    columns: _Columns = {}
    if view is not None:
        columns |= view.columns(verdicts == 0, worth, options.sharpen or 1)
    if is_moves:
        columns |= {"worth": worth}
    if options.quality is not None:
        numbers = np.arange(len(candidates))
        given = options.quality(frame_of(candidates, columns, numbers))
        quality = checked_quality(by_index(given, numbers), len(candidates))
    elif options.sharpen:
        quality = pick_quality(
            moves,
            verdicts == 0,
            options.sharpen,
            worth=worth,
            graph=None if is_moves else graph,
            reached=None if is_moves else candidates.games,
            value=columns.get("expected"),
            loss_scale=options.loss_scale,
        )
    else:
        quality = blended_quality(candidates)
    c = candidates
    for row, edit in rows_by_hand(c.key, c.lock, c.move, options.edits, fold=fold).items():
        if edit.quality is not None:
            quality[row] = edit.quality
    return columns | {"quality": quality}


def _recipe(tally: Tally, options: SelectionOptions, own: OwnRule | None) -> dict[str, Any]:
    name = preset_of(options, tally.game)
    return {
        "sources": [asdict(source) for source in tally.sources],
        "tally": tally.options.to_json(),
        "selection": options.to_json(),
        **({} if name is None else {"preset": name}),
        **({} if own is None else {"own_rules": [{"reason": own.reason, "function": name_of(own.keep)}]}),
    }


def _rows_of(columns: _Columns, verdicts: Verdicts, schema: pa.Schema, own: OwnRule | None) -> pa.Table:
    reasons = REASONS if own is None else (*REASONS, own.reason)
    arrays: dict[str, pa.Array[Any]] = {
        "kept": column_of(verdicts == 0),
        "reason": pa.DictionaryArray.from_arrays(column_of(verdicts), texts_of(reasons)),
    }
    arrays |= {name: column_of(each, nullable=each.dtype.kind == "f") for name, each in columns.items()}
    fields = [_SURPLUS if name == _SURPLUS.name else schema.field(name) for name in arrays]
    return pa.Table.from_arrays(list(arrays.values()), schema=pa.schema(fields))


def with_ratios(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table of a selection from its rows. A book needs no ratios, and they are many numbers.

    Args:
        rows: as `Selection` has them.
        schema: of the table.
    """
    if rows.column_names == schema.names:
        return check(rows, schema)
    names = ("wins", "draws", "losses", "paired", "surplus")
    wins, draws, losses, paired, surplus = (values(rows.column(name), null=0) for name in names)
    columns = result_ratios(wins, draws, losses)
    columns |= {"performance": performance(surplus, paired)}
    arrays: dict[str, Any] = {name: column_of(each, nullable=True) for name, each in columns.items()}
    arrays |= {name: pa.nulls(rows.num_rows, schema.field(name).type) for name in OF_ENGINE}
    arrays |= {name: rows.column(name) for name in rows.column_names}
    return check(pa.table({name: arrays[name] for name in schema.names}), schema)
