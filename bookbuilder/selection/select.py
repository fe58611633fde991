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
| engine-veto | with `evals`: a move that loses more than `veto` centipawns by two searches; see `veto` |
| below-value | a move whose backed-up value is more than `max_loss` below its position's; see `backup` |
| not-top | all but the `top` moves of a position: most games, then better score, then smaller code |
| by-hand | with `edits`: what they drop; what they keep passes all rules |
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
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
import pyarrow as pa

from bookbuilder.columns import column_of, texts_of, values
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import Game, as_game
from bookbuilder.schema import REASONS, SELECTION_MOVES, SELECTION_POSITIONS, check, signed_counts
from bookbuilder.selection.by_hand import MoveEdits
from bookbuilder.selection.candidates import Candidates, count_candidates
from bookbuilder.selection.engine_view import OF_ENGINE
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.judging import Columns, judge_rows, judge_trimmed
from bookbuilder.selection.options import SelectionOptions, Shape
from bookbuilder.selection.own_rule import Keep, OwnRule, as_mask, checked_reason
from bookbuilder.selection.presets import preset_of
from bookbuilder.selection.settled import with_novelties
from bookbuilder.selection.verdicts import (
    Verdicts,
    count_rare,
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

    Example:
        >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
        >>> chosen.game, chosen.shape, len(chosen)
        ('chess', 'positions', 22)
        >>> int(chosen.to_pandas()["kept"].sum()) == chosen.reasons()[""]
        True
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

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> from pyarrow import parquet
            >>> parquet.write_table(chosen.to_arrow(), "chosen.parquet")
            >>> again = bb.Selection.from_arrow(parquet.read_table("chosen.parquet"))
            >>> again.reasons() == chosen.reasons()
            True
        """
        metadata = (table.schema.metadata or {}).get(_METADATA)
        if metadata is None:
            raise SelectionError(f'table is not a selection: metadata "{_METADATA.decode()}" is missing')
        known = json.loads(metadata)
        known["game"] = as_game(known["game"])
        bare, reason = table.replace_schema_metadata(None), SELECTION_MOVES.field("reason")
        place = bare.schema.get_field_index(reason.name)
        if place >= 0 and pa.types.is_dictionary(bare.schema.field(place).type):
            # Older versions of pyarrow read wider codes from Parquet than were written.
            bare = bare.set_column(place, reason.name, bare.column(place).cast(reason.type))
        for name in OF_ENGINE:  # older tables lack them
            if name not in bare.schema.names:
                bare = bare.append_column(SELECTION_MOVES.field(name), pa.nulls(bare.num_rows, pa.float64()))
        return cls(table=check(bare, _SCHEMAS[known["shape"]]), **known)

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
        return signed_counts(self.table).to_pandas(split_blocks=True)

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

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> chosen.where(lambda rows: rows["wins"] >= rows["losses"], "lost-often").reasons()
            {'': 15, 'root': 1, 'lost-often': 6}
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

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> chosen.write("mine.bin").format
            'polyglot'
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
    rare = {} if tally.rare is None else count_rare(tally.rare, options, fold=tally.options.fold)
    candidates = count_candidates(tally, options.shape, options)
    _require_ratings(candidates, options)
    if isinstance(options.evals, Evidence):
        options.evals.require(tally.game, fold=tally.options.fold)
    edits = options.edits if isinstance(options.edits, MoveEdits) else None
    if edits is not None:
        edits.require(tally.game)
    if options.trims:
        columns, verdicts = judge_trimmed(tally, candidates, options, own)
    else:
        columns, verdicts = judge_rows(tally, candidates, options, own)
    table = _table(columns, verdicts, _SCHEMAS[options.shape], own)
    return Selection(
        table=with_novelties(table, edits, fold=tally.options.fold),
        game=tally.game,
        fold=tally.options.fold,
        shape=options.shape,
        recipe=_recipe(tally, options, own),
        rare=rare,
        origin=_Origin(tally, options, own),
    )


def _require_ratings(candidates: Candidates, options: SelectionOptions) -> None:
    """Refuse to compare results with ratings where no game has them."""
    is_asked = options.by == "performance" and options.margin is not None
    if is_asked and len(candidates) and not candidates.paired.any():
        raise SelectionError(
            "by is performance: no game of the tally has a result and both ratings; expected p or score"
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


def _table(columns: Columns, verdicts: Verdicts, schema: pa.Schema, own: OwnRule | None) -> pa.Table:
    arrays: dict[str, pa.Array[Any]] = {
        name: column_of(column, nullable=schema.field(name).nullable) for name, column in columns.items()
    }
    arrays |= {
        name: pa.nulls(verdicts.size, schema.field(name).type) for name in OF_ENGINE if name not in columns
    }
    arrays["kept"] = column_of(verdicts == 0)
    reasons = REASONS if own is None else (*REASONS, own.reason)
    arrays["reason"] = pa.DictionaryArray.from_arrays(column_of(verdicts), texts_of(reasons))
    return check(pa.table({name: arrays[name] for name in schema.names}), schema)
