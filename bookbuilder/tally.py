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

from bookbuilder.errors import ArchiveError, SchemaError, StoreError
from bookbuilder.filters import GameFilter
from bookbuilder.games import Game, PositionLike, as_game, as_position
from bookbuilder.ratios import result_columns
from bookbuilder.runner import (
    Progress,
    Run,
    Source,
    TallyOptions,
    TallyReport,
    detect_game,
    find_archives,
    run_archives,
)
from bookbuilder.schema import GAMES, REJECTS, TALLY, check, empty, from_native
from bookbuilder.store import StoreContent, read_store, write_store

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position

__all__ = ["Tally"]

_RESULTS = ("first_wins", "draws", "second_wins")


class Tally:
    """Counts per (position, move); a value that does not change.

    Attributes:
        options: what was counted; tallies add up only if these are equal.
        sources: the archives it holds, sorted by name.
        games: schema GAMES, one row per game used.
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
        self._rows = check(rows, TALLY).combine_chunks()
        _check_order(self._rows)
        self.options = options
        self.games = check(empty(GAMES) if games is None else games, GAMES)
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
        return cls.empty(options).add_archives(*files, max_inflate=max_inflate, jobs=jobs, progress=progress)

    @classmethod
    def empty(cls, options: TallyOptions) -> Self:
        """Return the tally of no game."""
        return cls(empty(TALLY), options)

    @classmethod
    def open(cls, store: str | os.PathLike[str]) -> Self:
        """Return the tally that a store holds.

        Raises:
            StoreError: there is no store, it is of a newer version, or a file of it is missing or damaged.
        """
        content = read_store(store)
        try:
            return cls(content.rows, content.options, games=content.games, sources=content.sources)
        except SchemaError as error:
            raise StoreError(f"{store}: {error}") from error

    def save(self, store: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the tally as a store, whole or not at all, and return its path.

        Args:
            store: the directory.
            force: replace a store that is there.

        Raises:
            OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
                holds other files than a store's.
        """
        content = StoreContent(rows=self._rows, games=self.games, options=self.options, sources=self.sources)
        write_store(store, content, force=force)
        return Path(store)

    def add_archives(
        self,
        *paths: str | os.PathLike[str],
        keep_rejected: bool = False,
        max_inflate: int | None = None,
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
            jobs: threads; None = one for each processor.
            progress: called some times a second with (bytes read, games, rejects).

        Raises:
            ArchiveError: a file is missing, cannot be read, or is of no known format.
            StoreError: archives must be read again and one is missing or has changed.
        """

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
            files = [_unchanged(source) for source in self.sources]
            files += [Path(source.source) for source in run.report.sources]
            whole = read(sorted(files, key=str), known=(), known_games=None)
            run = replace(
                whole, report=replace(whole.report, superseded=superseded, skipped=run.report.skipped)
            )
        made = self._of_run(run)
        return (held._merged(made) if held.sources else made)._after(run)

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
            games=_sorted_games(pa.concat_tables([self.games, other.games])),
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
        return self._rows.num_rows

    def __repr__(self) -> str:
        """Return one line for people."""
        limit = "" if self.options.max_ply is None else f", {self.options.max_ply} plies"
        return f"<Tally: {self.game}, {self.games.num_rows:,} games{limit}, {len(self):,} rows>"

    @property
    def game(self) -> Game:
        """The game."""
        return self.options.game

    def to_arrow(self) -> pa.Table:
        """Return the rows, schema TALLY, sorted by (key, lock, move); copies nothing."""
        return self._rows

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a frame with the columns of TALLY and numpy types of the same width."""
        return self._rows.to_pandas(split_blocks=True)

    def games_frame(self) -> pd.DataFrame:
        """Return the games as a frame with the columns of GAMES."""
        return self.games.to_pandas()

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column of TALLY as an array; copies nothing."""
        # One chunk or none: a chunked array would be copied.
        chunks = self._rows.column(name).chunks or [empty(TALLY).column(name).combine_chunks()]
        return chunks[0].to_numpy()

    def reached(self, position: PositionLike) -> int:
        """Return how many games reached the position, by any order of moves; 0 if none did."""
        rows = self._rows_at(as_position(position, self.game))
        return int(self.column("games")[rows].sum())

    def moves(
        self, position: PositionLike, *, basis: Literal["reached", "played"] = "played"
    ) -> pd.DataFrame:
        """Return what was played from a position, most played first.

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
        import pandas as pd

        here = as_position(position, self.game)
        frame = self._rows.slice(*_start_and_length(self._rows_at(here))).to_pandas()
        frame = frame[frame["move"] != 0].reset_index(drop=True)
        played = _legal_moves(here, frame["move"].tolist(), fold=self.options.fold)
        after = [self._counts_at(here.play(move)) for move in played]
        counted = frame[["games", *_RESULTS]].astype("uint64")
        reached = pd.DataFrame(after, columns=["games", *_RESULTS], dtype="uint64")
        answer = pd.DataFrame(
            {
                "move": pd.Series([here.coordinates(move) for move in played], dtype="str"),
                "san": pd.Series([here.san(move) for move in played], dtype="str"),
                "code": frame["move"],
                "played": counted["games"],
                "reached": reached["games"],
                **_results(counted if basis == "played" else reached, first_moves=here.side == 0),
                "rating": frame["rating_sum"] / frame["rated"].where(frame["rated"] > 0),
                **{name: frame[name] for name in ("year_min", "year_max", "marks")},
            }
        )
        return answer.sort_values(["played", "code"], ascending=[False, True], ignore_index=True)

    def _rows_at(self, position: Position) -> slice:
        key, lock = position.stored(self.options.fold)
        keys = self.column("key")
        start, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
        locks = self.column("lock")[start:end]
        return slice(
            start + int(np.searchsorted(locks, np.uint32(lock), "left")),
            start + int(np.searchsorted(locks, np.uint32(lock), "right")),
        )

    def _counts_at(self, position: Position) -> list[int]:
        rows = self._rows_at(position)
        return [int(self.column(name)[rows].sum()) for name in ("games", *_RESULTS)]

    def _of_run(self, run: Run) -> Self:
        """Return what a run counted with this tally's options; the core's tables come in order."""
        made = self.empty(self.options)
        made._rows, made.games = run.rows, run.games
        made.sources = tuple(sorted(run.report.sources, key=_place))
        return made

    def _after(self, run: Run) -> Self:
        """Return this tally with the run's rejects and its report, completed by figures of the whole."""
        fingerprints = self.games.column("fingerprint").to_numpy()
        twice = fingerprints.size - np.unique(fingerprints).size
        after = copy.copy(self)
        after.rejects = run.rejects
        after.rejected = run.rejected
        after.report = replace(run.report, rows=len(self), repeats=int(twice))
        return after


def _place(source: Source) -> tuple[str, str]:
    return source.source, source.blake3


def _check_order(rows: pa.Table) -> None:
    key, lock, move = (rows.column(name).to_numpy() for name in ("key", "lock", "move"))
    same_key, same_lock = key[1:] == key[:-1], lock[1:] == lock[:-1]
    ascends = (key[1:] > key[:-1]) | (
        same_key & ((lock[1:] > lock[:-1]) | (same_lock & (move[1:] > move[:-1])))
    )
    if not ascends.all():
        place = int(np.argmin(ascends)) + 1
        raise SchemaError(f"table is not TALLY: (key, lock, move) does not ascend at row {place}")


def _unchanged(source: Source) -> Path:
    """Return the path of a source that is where and what it was."""
    why = "is needed again, since a game of the tally begins a new one"
    path = Path(source.source)
    try:
        found = Source.of_file(path)
    except ArchiveError as error:
        raise StoreError(f"{path}: {why}, but: {error}") from error
    if (found.size, found.blake3) != (source.size, source.blake3):
        raise StoreError(f"{path}: {why}, but it has changed")
    return path


def _sorted_games(games: pa.Table) -> pa.Table:
    # The fingerprint decides between two contents that a file of one name has had.
    order: list[tuple[str, Literal["ascending", "descending"]]] = [
        (name, "ascending") for name in ("source", "member", "offset", "fingerprint")
    ]
    return games.sort_by(order).combine_chunks()


def _start_and_length(rows: slice) -> tuple[int, int]:
    return rows.start, rows.stop - rows.start


def _legal_moves(position: Position, stored: Sequence[int], *, fold: bool) -> list[int]:
    """Return the legal move behind each stored code; of a mirrored pair the one that has the code itself."""
    legal: dict[int, int] = {}
    for move in position.moves():
        code = position.stored_move(move, fold)
        if code not in legal or move == code:
            legal[code] = move
    strange = [code for code in stored if code not in legal]
    if strange:
        raise StoreError(f"tally is damaged: move code {strange[0]} is not legal in {position.fen}")
    return [legal[code] for code in stored]


def _results(counts: pd.DataFrame, *, first_moves: bool) -> dict[str, Any]:
    first, draws, second = (counts[name].to_numpy() for name in _RESULTS)
    return result_columns(first, draws, second, first_moves=first_moves)
