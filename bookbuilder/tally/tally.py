"""The tally: counts per (position, move), with the games and archives they came from.

In come archives or a store; out come the TALLY table and its views. Tallies add up: any order, grouping or
split of the same archives gives the same tables, byte for byte.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.archives.filters import GameFilter
from bookbuilder.archives.find import detect_game, find_archives
from bookbuilder.archives.sources import Source
from bookbuilder.errors import SchemaError, StoreError
from bookbuilder.games.position import Game, PositionLike, as_game, as_position
from bookbuilder.schema import (
    GAMES,
    REJECTS,
    TALLY,
    check,
    check_order,
    empty,
    from_native,
    sorted_games,
    values,
)
from bookbuilder.tally.lazy_rows import Rows
from bookbuilder.tally.moves_at import KINDS, played_rows
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.report import TallyReport
from bookbuilder.tally.run import Progress, Run, run_archives
from bookbuilder.tally.store.grow import Addition, grow
from bookbuilder.tally.store.reading import OpenStore, TallyRow, TemporaryStore, write_store
from bookbuilder.tally.store.spill import rejects_of, require_unchanged, take_runs

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position
    from bookbuilder.tally.move_table import MoveTable

__all__ = ["Tally"]


class Tally:
    """Counts per (position, move); a value that does not change.

    One that is opened reads what it is asked for, and then holds the columns and tables that it has read.

    Attributes:
        options: what was counted; tallies add up only if these are equal.
        sources: the archives it holds, sorted by name.
        rejects: schema REJECTS, of the run that made this tally; empty if it was opened or added up.
        report: what that run read and made; None if it was opened or added up.
        rejected: its rejected games of text formats as they stand, if they were asked for.
    """

    def __init__(
        self,
        rows: pa.Table,
        options: TallyOptions,
        *,
        games: pa.Table | None = None,
        sources: Sequence[Source] = (),
        rejects: pa.Table | None = None,
        report: TallyReport | None = None,
    ) -> None:
        """Take tables that are there already.

        Args:
            rows: schema TALLY, sorted by (key, lock, move), unique.
            options: what was counted.
            games: schema GAMES.
            sources: the archives that the rows came from.
            rejects: schema REJECTS.
            report: what the run read and made.

        Raises:
            SchemaError: a table has other columns, or the rows are not in order.
        """
        self._held = Rows(rows.num_rows, lambda: rows)
        check_order(self._rows)
        self._games: pa.Table | None = check(empty(GAMES) if games is None else games, GAMES)
        self._columns: dict[str, npt.NDArray[Any]] = {}
        self._store: OpenStore | None = None
        self._directory: TemporaryStore | None = None
        self.options = options
        self.sources = tuple(sorted(sources, key=_place))
        self.rejects = empty(REJECTS) if rejects is None else check(rejects, REJECTS)
        self.report = report
        self.rejected = b""

    @classmethod
    def from_archives(
        cls,
        *paths: str | os.PathLike[str],
        game: Game | Literal["auto"] = "auto",
        max_ply: int | None = None,
        check: Literal["prefix", "full"] = "prefix",
        on_error: Literal["drop", "prefix"] = "drop",
        custom_starts: bool = False,
        variations: bool = False,
        fold: bool = True,
        filters: GameFilter | None = None,
        dedupe: Literal["off", "exact", "players", "prefix"] = "off",
        limit: int | None = None,
        max_inflate: int | None = None,
        memory: int | None = None,
        jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Return the tally of archives.

        Args:
            *paths: files, directories (searched recursively), patterns or `@` lists of them.
            game: `chess`, `xiangqi`, or `auto`: by content.
            max_ply: count positions after 0 … max_ply plies; None = all.
            check: `prefix` = do not resolve moves beyond max_ply; `full` = play every game to its end.
            on_error: `drop` = count nothing of a bad game; `prefix` = count its legal beginning.
            custom_starts: count games that do not begin at the start position.
            variations: count variations too, without results.
            fold: take left-right mirrors as one position (xiangqi).
            filters: which games to count; None = all.
            dedupe: which games to leave out as copies of others; see `TallyOptions`.
            limit: stop once that many games are counted.
            max_inflate: bytes that each file's compressed data may become; None = 1 GiB or a hundred times
                the file's size, whichever is more.
            memory: bytes that the process may have while it counts; what does not fit goes to a temporary
                store, which the tally then reads as one that was opened. None = any number.
            jobs: threads; None = one for each processor.
            progress: called some times a second with (bytes read, games, rejects).

        Raises:
            ArchiveError: a file is missing, cannot be read, or is of no known format.
            OptionError: an option has no meaning.
        """
        files = find_archives(paths)
        options = TallyOptions(
            game=detect_game(files) if game == "auto" else as_game(game),
            max_ply=max_ply,
            check=check,
            on_error=on_error,
            custom_starts=custom_starts,
            variations=variations,
            fold=fold,
            filters=GameFilter() if filters is None else filters,
            dedupe=dedupe,
            limit=limit,
        )
        return cls.empty(options).add_archives(
            *files, max_inflate=max_inflate, memory=memory, jobs=jobs, progress=progress
        )

    @classmethod
    def empty(cls, options: TallyOptions) -> Self:
        """Return the tally of no game; facets are a store's affair, and left out."""
        return cls(empty(TALLY), replace(options, facets=()))

    @classmethod
    def open(cls, store: str | os.PathLike[str], *, filters: GameFilter | None = None) -> Self:
        """Return the tally that a store holds; its parts are read when they are asked for.

        Args:
            store: the directory.
            filters: of a store that keeps facets apart, which of its games: the rows are those of a tally
                of its archives with these filters. `games` and `sources` are those of the store.

        Raises:
            OptionError: the store does not keep apart what a filter asks for.
            StoreError: there is no store, it is of another version, or a file of it is missing or of another
                size. What is wrong within a file is found when it is read.
        """
        opened = OpenStore(store, filters=filters)
        tally = cls.empty(opened.options)
        tally._store, tally._games = opened, None
        count = None if opened.has_cells else opened.manifest.rows
        tally._held = Rows(count, lambda: _in_order(opened))
        tally.sources = opened.manifest.sources
        return tally

    def save(self, store: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the tally as a store, whole or not at all, and return its path.

        Args:
            store: the directory.
            force: replace a store that is there.

        Raises:
            OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
                holds other files than a store's.
        """
        write_store(store, self._rows, self.games, self.options, self.sources, force=force)
        return Path(store)

    def add_archives(
        self,
        *paths: str | os.PathLike[str],
        keep_rejected: bool = False,
        max_inflate: int | None = None,
        memory: int | None = None,
        jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Return this tally and the archives' together, counted with this tally's options.

        An archive whose content the tally holds already is left out; `report.skipped` names it. Where copies
        are left out, this tally's games count as earlier than the archives'. With `dedupe="prefix"` a game of
        this tally may turn out to begin a new one: then all archives are read again, and must be where and
        what they were.

        Args:
            *paths: files, directories (searched recursively), patterns or `@` lists of them.
            keep_rejected: keep the rejected games as they stand, in `rejected`.
            max_inflate: as in `from_archives`.
            memory: as in `from_archives`.
            jobs: threads; None = one for each processor.
            progress: called some times a second with (bytes read, games, rejects).

        Raises:
            ArchiveError: a file is missing, cannot be read, or is of no known format.
            StoreError: archives must be read again and one is missing or has changed.
        """
        if memory is not None:
            limits = Addition(memory=memory, jobs=jobs, max_inflate=max_inflate, progress=progress)
            return self._grown(find_archives(paths), replace(limits, keep_rejected=keep_rejected))

        def read(files: Sequence[Path], *, known: Sequence[Source], known_games: pa.Table | None) -> Run:
            return run_archives(
                files,
                self.options,
                known=known,
                known_games=known_games,
                keep_rejected=keep_rejected,
                max_inflate=max_inflate,
                jobs=jobs,
                progress=progress,
            )

        run = read(find_archives(paths), known=self.sources, known_games=self.games)
        if not run.report.sources:
            return self._after(run)
        held = self
        if superseded := run.report.superseded:
            held = self.empty(self.options)
            why = "is needed again, since a game of the tally begins a new one"
            files = [require_unchanged(source, why) for source in self.sources]
            files += [Path(source.source) for source in run.report.sources]
            whole = read(sorted(files, key=str), known=(), known_games=None)
            run = replace(
                whole, report=replace(whole.report, superseded=superseded, skipped=run.report.skipped)
            )
        made = self._of_run(run)
        return (held._merged(made) if held.sources else made)._after(run)

    def _grown(self, files: Sequence[Path], how: Addition) -> Self:
        """Return this tally and the archives' together, in a temporary store that lives as long as it."""
        temporary = TemporaryStore()
        store = temporary.path
        if self.sources:
            self.save(store)
        told: list[tuple[pa.Table, bytes]] = [(empty(REJECTS), b"")]
        tell = lambda runs: told.append((rejects_of(runs), b"".join(take_runs(runs, as_text=True))))  # noqa: E731
        report = grow(store, files, self.options, replace(how, told=tell))
        after = self.open(store) if store.exists() else copy.copy(self)
        after._directory, after.report = temporary, report
        after.rejects, after.rejected = told[-1]
        return after

    def require(self, options: TallyOptions) -> None:
        """Refuse options that differ from those the tally was made with.

        Raises:
            StoreError: they differ; the message says in what.
        """
        differences = self.options.differences(options)
        if differences:
            raise StoreError(f"tallies do not add up, their options differ: {'; '.join(differences)}")

    def __add__(self, other: Self) -> Self:
        """Return both tallies added up.

        Raises:
            StoreError: their options differ, both hold the same archive, or, where copies are left out, one
                holds a copy of a game of the other.
        """
        from bookbuilder import _core

        self.require(other.options)
        held = {(source.size, source.blake3): source.source for source in self.sources}
        twice = [each.source for each in other.sources if (each.size, each.blake3) in held]
        if twice:
            raise StoreError(f"tallies do not add up, both hold the content of {', '.join(twice)}")
        dedupe = self.options.dedupe
        copies = 0 if dedupe == "off" else _core.count_copies(dedupe, self.games, other.games)
        if copies:
            raise StoreError(
                f"tallies do not add up, {copies} games of one are copies (dedupe {dedupe}) of games of "
                "the other; tally the archives of both into one store"
            )
        return self._merged(other)

    def _merged(self, other: Self) -> Self:
        from bookbuilder import _core

        return type(self)(
            from_native(_core.merge_tallies([self._rows, other._rows])),
            self.options,
            games=sorted_games(pa.concat_tables([self.games, other.games])),
            sources=self.sources + other.sources,
        )

    def __eq__(self, other: object) -> bool:
        """Return whether rows, games, options and sources are the same; reports may differ."""
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            self.options == other.options
            and self.sources == other.sources
            and bool(self._rows.equals(other._rows))
            and bool(self.games.equals(other.games))
        )

    __hash__ = None  # type: ignore[assignment]  # compares by content, and holds whole tables

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._held)

    @property
    def games(self) -> pa.Table:
        """The games, schema GAMES, one row per game used."""
        if self._games is None:
            assert self._store is not None
            self._games = self._store.games()
        return self._games

    @property
    def game_count(self) -> int:
        """How many games the rows count; of a store with facets those that were asked for.

        Every game has been at the start position or, with custom starts, ended somewhere (a variation too).
        """
        if self._store is None or not self._store.has_cells:
            return self.games.num_rows
        if not self.options.custom_starts:
            return self.reached("startpos")
        return int(self.column("games")[self.column("move") == 0].sum())

    def __repr__(self) -> str:
        """Return one line for people."""
        limit = "" if self.options.max_ply is None else f", {self.options.max_ply} plies"
        return f"<Tally: {self.game}, {self.game_count:,} games{limit}, {len(self):,} rows>"

    @property
    def _rows(self) -> pa.Table:
        return self._held.table

    @property
    def game(self) -> Game:
        """The game."""
        return self.options.game

    def to_arrow(self) -> pa.Table:
        """Return the rows, schema TALLY, sorted by (key, lock, move); made once, then copies nothing."""
        return self._rows

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a frame with the columns of TALLY and numpy types of the same width."""
        return self._rows.to_pandas(split_blocks=True)

    def games_frame(self) -> pd.DataFrame:
        """Return the games as a frame with the columns of GAMES."""
        return self.games.to_pandas()

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column of TALLY as an array; of a store only this column is read."""
        if name not in self._columns:
            store = self._store
            # Cells are added up from whole rows: those may as well be kept.
            if store is None or store.has_cells or self._held.is_made:
                held = self._rows
            else:
                held = store.rows([name])
            self._columns[name] = values(held.column(name))
        return self._columns[name]

    def reached(self, position: PositionLike) -> int:
        """Return how many games reached the position, by any order of moves; 0 if none did."""
        return self._counts_at([as_position(position, self.game)])[0][0]

    def moves(self, position: PositionLike, *, basis: Literal["reached", "played"] = "played") -> MoveTable:
        """Return what was played from a position, most played first; notebooks show it with bars.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
            basis: where results are counted: `played`, in the games that played this move here; `reached`, in
                all games that reached the position after it.

        Returns:
            One row per move. move (UCI or ICCS), san, code; played, reached; first_wins, draws, second_wins
            (by side); wins, losses (of the side to move); p, p_low, p_high, score (NaN = undefined); rating
            (mean of the movers' known ratings, NaN = unknown), year_min, year_max (0 = unknown), marks.

        Raises:
            FenError: the position is not one of the tally's game.
            StoreError: a row's move is not legal there, so the tally is damaged.
        """
        from bookbuilder.tally.move_table import MoveTable

        here = as_position(position, self.game)
        moves = MoveTable.of_rows(self.move_rows(here, basis=basis), KINDS)
        moves.attrs = {"game": self.game, "fen": here.fen}
        return moves

    def move_rows(
        self, position: PositionLike, *, basis: Literal["reached", "played"] = "played"
    ) -> list[dict[str, Any]]:
        """Return the rows of `moves` in plain numbers, which take less time than a frame."""
        here = as_position(position, self.game)
        rows = self._rows_at(*here.stored(self.options.fold))
        return played_rows(here, rows, self._counts_at, fold=self.options.fold, basis=basis)

    def _rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move."""
        if self._store is not None and not self._held.is_made:
            return self._store.rows_at(key, lock)
        keys, locks = self.column("key"), self.column("lock")
        start, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
        first, behind = (
            start + int(np.searchsorted(locks[start:end], np.uint32(lock), side))
            for side in ("left", "right")
        )
        rows = self._rows.slice(first, behind - first).drop_columns(["key", "lock"])
        return [TallyRow(*row) for row in zip(*rows.to_pydict().values(), strict=True)]

    def _counts_at(self, positions: Sequence[Position]) -> list[list[int]]:
        """Return games, first_wins, draws and second_wins of positions."""
        stored = [position.stored(self.options.fold) for position in positions]
        if self._store is not None and not self._held.is_made:
            return self._store.counts_at(stored)
        return [
            [sum(row[place] for row in rows) for place in range(2, 6)]
            for rows in (self._rows_at(*each) for each in stored)
        ]

    def _of_run(self, run: Run) -> Self:
        """Return what a run counted with this tally's options; the core's tables come in order."""
        made = self.empty(self.options)
        made._held, made._games = run.rows, run.games
        made.sources = tuple(sorted(run.report.sources, key=_place))
        return made

    def _after(self, run: Run) -> Self:
        """Return this tally with the run's rejects and its report, completed by figures of the whole."""
        fingerprints = np.sort(self.games.column("fingerprint").to_numpy())
        twice = np.count_nonzero(fingerprints[1:] == fingerprints[:-1])
        after = copy.copy(self)
        after.rejects = run.rejects
        after.rejected = run.rejected
        after.report = replace(run.report, rows=len(self), repeats=int(twice))
        return after


def _place(source: Source) -> tuple[str, str]:
    return source.source, source.blake3


def _in_order(store: OpenStore) -> pa.Table:
    """Return the rows of a store."""
    rows = store.rows()
    try:
        check_order(rows)
    except SchemaError as error:
        raise StoreError(f"{store.directory}: {error}") from error
    return rows
