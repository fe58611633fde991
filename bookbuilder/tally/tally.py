"""The tally: counts per (position, move), with the games and archives they came from.

Tallies add up: any order, grouping or split of the same archives gives the same tables, byte for byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, Unpack

import numpy as np
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.archives.filters import GameFilter
from bookbuilder.archives.find import detect_game, find_archives
from bookbuilder.archives.sources import Source, files_again, new_sources
from bookbuilder.columns import values
from bookbuilder.errors import StoreError
from bookbuilder.games.position import Game, as_game
from bookbuilder.keywords import as_integer, require_kind, require_known, spelled_out
from bookbuilder.schema import GAMES, REJECTS, TALLY, check, check_order, empty, from_native, sorted_games
from bookbuilder.tally.memory_rows import MemoryRows, RowSource, frequent_rows, too_rare
from bookbuilder.tally.options import CountArguments, LimitArguments, RunLimits, TallyOptions, parted
from bookbuilder.tally.position_table import PositionTable
from bookbuilder.tally.report import (
    Stopwatch,
    TallyReport,
    add_figures,
    first_rejects,
    reject_pieces,
    report_of,
)
from bookbuilder.tally.rows import Rare

if TYPE_CHECKING:
    import pandas as pd


class Run(NamedTuple):
    """The result of a run in memory."""

    rows: RowSource  # rows and games
    rejects: pa.Table  # schema REJECTS
    rejected: bytes  # text of the rejected games, if it was kept
    report: TallyReport  # figures of the run


def run_archives(
    paths: Sequence[Path],
    options: TallyOptions,
    limits: RunLimits | None = None,
    *,
    known: Iterable[Source] = (),
    known_games: pa.Table | None = None,
) -> Run:
    """Count archives in memory.

    Memory is not limited. Known sources are skipped. The archives' games may be copies of `known_games`,
    schema GAMES.

    Raises:
        ArchiveError: no file can be read.
    """
    watch = Stopwatch()
    files, sources, skipped = new_sources(paths, known, may_wait=True)
    if not sources:
        nothing = MemoryRows(0, lambda: empty(TALLY), lambda: empty(GAMES))
        return Run(rows=nothing, rejects=empty(REJECTS), rejected=b"", report=TallyReport(skipped=skipped))
    others = known_games if options.dedupe != "off" else None
    [run] = _core.count_archives(
        list(map(str, files)), options, limits or RunLimits(), known=others, digests=True
    )
    report = report_of(add_figures([run]), sources)
    report = replace(
        report,
        skipped=skipped,
        rows=len(run),
        repeats=run.games.repeats(),
        first_rejects=first_rejects([run]),
    )
    games = run.games
    return Run(
        rows=MemoryRows(
            len(run),
            lambda: from_native(run.rows()),
            lambda: from_native(games.table()),
            frequent=run.frequent,
            game_count=len(games),
        ),
        rejects=_rejects_table(run.rejects()),
        rejected=b"".join(run.rejected_text()),
        report=watch.stamp(report),
    )


def _rejects_table(pieces: Iterable[bytes]) -> pa.Table:
    """Return lines of JSON, in pieces of whole lines, as a table of schema REJECTS."""
    rows = [json.loads(line) for piece in pieces for line in piece.splitlines()]
    # `from_pylist` would import pandas.
    return pa.Table.from_pylist(rows, schema=REJECTS) if rows else empty(REJECTS)


class Tally(PositionTable):
    """Counts per (position, move); an immutable value.

    A tally that was opened reads what it is asked for, and keeps the columns and tables that it has read.

    Attributes:
        options: what was counted; tallies add up only if these are equal.
        sources: the archives it counts, sorted by name.
        rejects: schema REJECTS, of the run that counted this tally; empty if it was opened or added up.
        report: figures of that run; None if the tally was opened or added up.
        rejected: text of its rejected games, if it was kept.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> tally
        <Tally: chess, 6 games, 28 rows>
        >>> tally.moves("1.e4")["san"].tolist()
        ['e5', 'c5', 'e6']
    """

    def __init__(
        self,
        rows: pa.Table | RowSource,
        options: TallyOptions,
        *,
        games: pa.Table | None = None,
        sources: Sequence[Source] = (),
        rejects: pa.Table | None = None,
        report: TallyReport | None = None,
        rejected: bytes = b"",
    ) -> None:
        """Take existing tables.

        Args:
            rows: schema TALLY, sorted by (key, lock, move), unique; or a source of rows and games.
            options: what was counted.
            games: schema GAMES; only with a table of rows.
            sources: the archives that the rows came from.
            rejects: schema REJECTS.
            report: figures of the run.
            rejected: text of rejected games.

        Raises:
            SchemaError: a table has other columns, or the rows are not in order.
        """
        if isinstance(rows, pa.Table):
            table = check(rows, TALLY)
            check_order(table)
            played = check(empty(GAMES) if games is None else games, GAMES)
            rows = MemoryRows(table.num_rows, lambda: table, lambda: played)
        self._source = rows
        self.options = options
        self.sources = tuple(sorted(sources, key=lambda source: (source.source, source.blake3)))
        self.rejects = empty(REJECTS) if rejects is None else check(rejects, REJECTS)
        self.report = report
        self.rejected = rejected

    @classmethod
    @spelled_out(CountArguments)
    def from_archives(
        cls,
        *paths: str | os.PathLike[str],
        game: Game | Literal["auto"] = "auto",
        **options: Unpack[CountArguments],
    ) -> Self:
        """Return the tally of archives.

        Args:
            *paths: files, directories (searched recursively), patterns or `@` lists of them.
            game: `chess`, `xiangqi`, or `auto`: by content.
            **options: fields of `TallyOptions` (such as `max_ply`, `check`, `on_error`, `custom_starts`,
                `variations`, `fold`, `filters`, `dedupe` and `limit`), of `GameFilter`, and of `RunLimits`
                (`memory`, `jobs`, `max_inflate`, `progress`). With `memory`, what does not fit goes to a
                temporary store, and the tally reads that store.

        Raises:
            ArchiveError: a file is missing, cannot be read, or is of no known format.
            OptionError: an option is invalid.
            TypeError: an option is unknown.

        Example:
            >>> bb.Tally.from_archives("games.pgn", max_ply=4, since="2003").game_count
            4
        """
        changes, limits = parted(options)
        files = find_archives(paths)
        found = detect_game(files, limits.max_inflate) if game == "auto" else as_game(game)
        counted = TallyOptions(game=found)
        return cls.empty(counted.changed(changes))._with_files(files, limits)

    @classmethod
    def empty(cls, options: TallyOptions) -> Self:
        """Return the tally of no game; facets, which only stores have, are ignored.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> len(bb.Tally.empty(tally.options))
            0
        """
        return cls(empty(TALLY), replace(options, facets=()))

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, game: Game, fold: bool = True) -> Self:
        """Return the tally of a frame of counts, such as one that was changed in pandas.

        Args:
            frame: a row for each position and move. `fen`, or `key`, `lock`, `mover` and `ply`; `move` in any
                notation, or a code; `first_wins`, `draws`, `second_wins` and `games`. Any column of TALLY is
                read, others are ignored. What is missing is unknown, and `games` is the sum of the results.
            game: the game.
            fold: whether left-right mirrors are one position (xiangqi). Keys must be made the same way.

        Returns:
            A tally without games and archives. Rows of one position and move are added up.

        Raises:
            SchemaError: a column is missing, or a value is not valid; the message names its row.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> frame = tally.to_pandas().query("ply > 0 or games > 1")
            >>> bb.Tally.from_frame(frame, game="chess").moves("startpos")["san"].tolist()
            ['e4']
        """
        from bookbuilder.tally.frames import rows_of_frame

        options = TallyOptions(game=as_game(game), fold=fold)
        rows = rows_of_frame(frame, game, fold=options.fold)
        return cls(MemoryRows(rows.num_rows, lambda: rows, lambda: empty(GAMES), is_of_frame=True), options)

    @classmethod
    def open(cls, store: str | os.PathLike[str], *, filters: GameFilter | None = None) -> Self:
        """Return the tally of a store; its parts are read when they are needed.

        Args:
            store: the directory.
            filters: which games of a store with facets. The rows are those of a tally of its archives with
                these filters; `games` and `sources` are those of the store.

        Raises:
            OptionError: the store has no facet that a filter needs.
            StoreError: the store does not exist or has another version, or a file is missing or has another
                size. Other damage is found when a file is read.

        Example:
            >>> store = bb.Tally.from_archives("games.pgn").save("games.store", force=True)
            >>> bb.Tally.open(store).moves("startpos")["san"].tolist()
            ['e4', 'Nf3', 'd4']
        """
        from bookbuilder.tally.store.reading import OpenStore

        require_kind("Tally.open", store, str | os.PathLike)
        opened = OpenStore(store, filters=filters)
        return cls(opened, opened.options, sources=opened.manifest.sources)

    def save(self, store: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the tally as a store, whole or not at all, and return its path.

        Args:
            store: the directory.
            force: replace an existing store.

        Raises:
            OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
                has other files than a store's.

        Example:
            >>> bb.Tally.from_archives("games.pgn").save("games.store", force=True).name
            'games.store'
        """
        from bookbuilder.tally.store.upkeep import write_store

        self._require_whole()
        write_store(store, self.to_arrow(), self.games, self.options, self.sources, force=force)
        return Path(store)

    @spelled_out(LimitArguments)
    def add_archives(self, *paths: str | os.PathLike[str], **limits: Unpack[LimitArguments]) -> Self:
        """Return this tally and the archives' together, counted with this tally's options.

        An archive whose content the tally already has is skipped; `report.skipped` names it. With `dedupe`,
        this tally's games count as earlier than the archives'. With `dedupe="prefix"` a game of this tally
        may begin a new one: then all archives are read again, and must not have moved or changed.

        Args:
            *paths: files, directories (searched recursively), patterns or `@` lists of them.
            **limits: fields of `RunLimits`: `memory`, `jobs`, `max_inflate`, `keep_rejected`, `progress`.

        Raises:
            ArchiveError: a file is missing, cannot be read, or is of no known format.
            StoreError: archives must be read again and one is missing or has changed.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> tally.add_archives("games.pgn").report.skipped
            ('games.pgn',)
        """
        require_known(limits, LimitArguments.__annotations__)
        return self._with_files(find_archives(paths), RunLimits(**limits))

    def _with_files(self, files: Sequence[Path], limits: RunLimits) -> Self:
        self._require_whole()
        if limits.memory is not None:
            return self._with_files_on_disk(files, limits)
        known_games = None if self.options.dedupe == "off" else self.games
        run = run_archives(files, self.options, limits, known=self.sources, known_games=known_games)
        if not run.report.sources:
            return self._after(run)
        before = self
        if superseded := run.report.superseded:
            before = self.empty(self.options)
            again = files_again(self.sources, run.report.sources)
            whole = run_archives(again, self.options, limits)
            report = replace(whole.report, superseded=superseded, skipped=run.report.skipped)
            run = whole._replace(report=report)
        counted = type(self)(run.rows, self.options, sources=run.report.sources)
        return before._merged(counted)._after(run) if before.sources else counted._with_report(run)

    def _with_files_on_disk(self, files: Sequence[Path], limits: RunLimits) -> Self:
        """Return this tally and the archives' together, in a temporary store of the new tally."""
        from bookbuilder.tally.store.grow import grow
        from bookbuilder.tally.store.reading import OpenStore
        from bookbuilder.temporary import TemporaryFolder

        temporary = TemporaryFolder()
        store = temporary.path / "store"
        if self.sources:
            self.save(store)
        rejects: list[tuple[pa.Table, bytes]] = []

        def keep(runs: Sequence[_core.Run]) -> None:
            lines = _rejects_table(reject_pieces(runs, as_text=False))
            rejects.append((lines, b"".join(reject_pieces(runs, as_text=True))))

        report = grow(store, files, self.options, limits, on_runs=keep)
        rows = self._source
        sources = self.sources
        if store.exists():
            rows = opened = OpenStore(store, owner=temporary)
            sources = opened.manifest.sources
        table, text = rejects[-1] if rejects else (None, b"")
        return type(self)(rows, self.options, sources=sources, rejects=table, report=report, rejected=text)

    @property
    def rare(self) -> Rare | None:
        """The numbers of the rows that `frequent` skipped; None if the tally has all rows.

        Example:
            >>> tally = Tally.from_archives("games.pgn")
            >>> tally.rare is None, tally.frequent(2).rare.min_games
            (True, 2)
        """
        return self._source.rare

    def frequent(self, min_games: int, *, also: Collection[tuple[int, int]] = ()) -> Self:
        """Return the tally of the positions that at least this number of games reached.

        Games, sources and report are of the whole tally. The other rows are not made: `rare` has their
        numbers. Such a tally can be selected from and looked at, but not be saved or added to others. It
        does not hold this tally's rows in memory.

        Args:
            min_games: minimum number of games of a position.
            also: key and lock of further positions.

        Raises:
            OptionError: the minimum is not a whole number from 0.
            StoreError: the tally lacks rows itself, or a part of a store is damaged.

        Example:
            >>> tally = Tally.from_archives("games.pgn")
            >>> often = tally.frequent(2)
            >>> len(tally) == len(often) + often.rare.rows.total()
            True
        """
        as_integer("min_games", min_games, 0)
        if self.rare is None or self.rare.min_games != min_games:
            self._require_whole()
        rows = frequent_rows(self._source, min_games, also)
        known = {name: getattr(self, name) for name in ("sources", "rejects", "report", "rejected")}
        return type(self)(rows, self.options, **known)

    def _require_whole(self) -> None:
        if self.rare is not None:
            raise too_rare(self.rare)

    def __add__(self, other: Self) -> Self:
        """Return both tallies added up.

        Raises:
            TypeError: the other is not a tally.
            StoreError: their options differ, both have the same archive, or, with `dedupe`, one has a copy of
                a game of the other.
        """
        if not isinstance(other, Tally):
            return NotImplemented
        self._require_whole()
        other._require_whole()
        if words := self.options.differences_in_words(other.options):
            raise StoreError(f"tallies do not add up, their options differ: {words}")
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
        return type(self)(
            from_native(_core.merge_tallies([self.to_arrow(), other.to_arrow()])),
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
            and bool(self.to_arrow().equals(other.to_arrow()))
            and bool(self.games.equals(other.games))
        )

    __hash__ = None  # type: ignore[assignment]  # compares by content, and holds whole tables

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._source)

    @property
    def game_count(self) -> int:
        """The number of games that the rows count; of a store with facets, only the games asked for.

        Example:
            >>> bb.Tally.from_archives("games.pgn").game_count
            6
        """
        return self._source.game_count

    def __repr__(self) -> str:
        """Return one line for people."""
        limit = "" if self.options.max_ply is None else f", {self.options.max_ply} plies"
        return f"<Tally: {self.game}, {self.game_count:,} games{limit}, {len(self):,} rows>"

    def _after(self, run: Run) -> Self:
        """Return this tally with the run's rejects and its report, with rows and repeats of the whole."""
        fingerprints = np.sort(values(self.games.column("fingerprint")))
        repeats = np.count_nonzero(fingerprints[1:] == fingerprints[:-1])
        report = replace(run.report, rows=len(self), repeats=int(repeats))
        return self._with_report(run._replace(report=report))

    def _with_report(self, run: Run) -> Self:
        return type(self)(
            self._source,
            self.options,
            sources=self.sources,
            rejects=run.rejects,
            report=run.report,
            rejected=run.rejected,
        )
