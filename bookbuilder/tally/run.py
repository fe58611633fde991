"""One run over archives: what the core made of them.

In come archive files and options; out go the TALLY and GAMES tables of one run with a report. Each content is
read once.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from bookbuilder.archives.filters import FACETS, Facet, GameFilter
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.games.position import Game, as_game

if TYPE_CHECKING:
    import pyarrow as pa

    from bookbuilder.tally.lazy_rows import Rows

__all__ = [
    "Progress",
    "Run",
    "Source",
    "TallyOptions",
    "TallyReport",
    "new_sources",
    "peak_rss_bytes",
    "report_of",
    "run_archives",
    "skipped_members",
    "unreadable",
]

Progress: TypeAlias = Callable[[int, int, int], None]
"""Called some times a second with (bytes read, games read, rejects) of the run so far."""

STDIN: Final = "-"
"""What standard input is called in reports and recipes; it is read from a file of this name, wherever."""

_HARMLESS: Final = frozenset(("foreign", "empty", "special", "other-game"))
"""Codes of members that were left out because there is nothing to be read from them."""

_HARMLESS_ALONE: Final = frozenset(("empty", "other-game"))
"""The same of archives themselves: whoever named one expects games in it."""


_CHOICES: Final = {
    "check": ("prefix", "full"),
    "on_error": ("drop", "prefix"),
    "dedupe": ("off", "exact", "players", "prefix"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyOptions:
    """The options that change which rows a tally has; tallies add up only if these are equal.

    Attributes:
        game: the game.
        max_ply: positions after 0 … max_ply plies are counted; None = all.
        check: `prefix` = moves beyond max_ply are not resolved; `full` = every game is played to its end;
            `dedupe` implies it.
        on_error: whether of a bad game nothing is counted (`drop`) or its legal beginning (`prefix`).
        custom_starts: whether games that do not begin at the start position are counted.
        variations: whether the variations of a game are counted too. A position that only variations reach
            counts once a game, without a result; a further move from a position that has counted gets a row
            of its own with 0 games. Wins, draws, losses and ratings are those of main lines.
        fold: whether left-right mirrors are one position (xiangqi; chess has no such mirror).
        filters: which games are counted.
        facets: what a store keeps apart, so that it can be filtered by without its archives: `year`, `rating`
            (bands of the mean of the known ratings), `speed` (class of the time control), `player-side` (the
            side of the player that the filters name). A tally in memory keeps nothing apart.
        dedupe: which games are left out as copies of others: none (`off`), those with the same moves and
            result (`exact`), with the same moves, surnames and date (`players`), or whose moves begin those
            of another game (`prefix`).
        limit: number of games counted, duplicates included, after which a run stops; None = none.
    """

    game: Game
    max_ply: int | None = None
    check: Literal["prefix", "full"] = "prefix"
    on_error: Literal["drop", "prefix"] = "drop"
    custom_starts: bool = False
    variations: bool = False
    fold: bool = True
    filters: GameFilter = GameFilter()  # noqa: RUF009 (frozen)
    facets: tuple[Facet, ...] = ()
    dedupe: Literal["off", "exact", "players", "prefix"] = "off"
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning; settle `fold`, which chess does not have, and `check`."""
        as_game(self.game)
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                expected = f"{', '.join(known[:-1])} or {known[-1]}"
                raise OptionError(f'{name} "{getattr(self, name)}" is unknown: expected {expected}')
        for name, value, least in (("max_ply", self.max_ply, 0), ("limit", self.limit, 1)):
            if value is not None and value < least:
                raise OptionError(f"{name} is {value}: expected at least {least}")
        object.__setattr__(self, "fold", self.fold and self.game == "xiangqi")
        if strange := set(self.facets) - set(FACETS):
            raise OptionError(f"facet {', '.join(sorted(strange))} is unknown: expected {', '.join(FACETS)}")
        object.__setattr__(self, "facets", tuple(each for each in FACETS if each in self.facets))
        if "player-side" in self.facets and not self.filters.player:
            raise OptionError("the facet player-side is the side of a player: name one with --player")
        if self.dedupe != "off":
            object.__setattr__(self, "check", "full")

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        filters = asdict(self.filters).items()
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in filters}
        # Without facets they are not named: recipes of books are what they were before there were any.
        facets = {"facets": list(self.facets)} if self.facets else {}
        rest = {name: value for name, value in asdict(self).items() if name not in ("filters", "facets")}
        return {**rest, "filters": plain, **facets}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the options that `to_json` gave.

        Raises:
            TypeError: an option is unknown.
        """
        rest = {name: value for name, value in data.items() if name != "filters"}
        return cls(**rest, filters=GameFilter(**data.get("filters", {})))

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return these options with others in place of some; filters are named like options.

        Example:
            >>> TallyOptions(game="chess").changed({"max_ply": 40, "min_rating": 2400}).filters.min_rating
            2400
        """
        names = {each.name for each in fields(GameFilter)}
        filters = {name: value for name, value in changes.items() if name in names}
        rest = {name: value for name, value in changes.items() if name not in names}
        return replace(self, filters=replace(self.filters, **filters), **rest)

    def differences(self, other: TallyOptions) -> list[str]:
        """Return one line for each option or filter in which the two differ.

        Example:
            >>> TallyOptions(game="chess", max_ply=40).differences(TallyOptions(game="chess"))
            ['max_ply 40 against None']
        """
        mine, theirs = ({**asdict(each), **asdict(each.filters), "filters": None} for each in (self, other))
        return [f"{name} {mine[name]} against {theirs[name]}" for name in mine if mine[name] != theirs[name]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One archive file that a tally holds; two files are the same source if size and BLAKE3 digest agree."""

    source: str
    size: int
    blake3: str
    games: int = 0
    rejects: int = 0
    filtered: int = 0
    duplicates: int = 0

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Return the source with its size and digest.

        Raises:
            ArchiveError: the file cannot be read, or is a pipe or device: archives are read more than once.
        """
        from bookbuilder import _core

        unread = cls.unread(path)
        try:
            size, digest = _core.file_digest(str(path))
        except OSError as error:
            raise ArchiveError(f"{path}: cannot be read: {error.strerror or error}") from error
        return replace(unread, size=size, blake3=digest)

    @classmethod
    def unread(cls, path: Path) -> Self:
        """Return the source as it is known before it is read: with its size, and without a digest.

        Raises:
            ArchiveError: as `of_file`.
        """
        if str(path) == STDIN and not path.exists():
            raise ArchiveError(f"{path}: is standard input, which is read once; expected a file")
        if path.exists() and not path.is_file():
            raise ArchiveError(f"{path}: is a pipe, socket or device, expected a file; - reads from stdin")
        try:
            size = path.stat().st_size
        except OSError as error:
            raise ArchiveError(f"{path}: cannot be read: {error.strerror or error}") from error
        return cls(source=STDIN if path.name == STDIN else str(path), size=size, blake3="")


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyReport:
    """What one run read and made; the JSON contract of `tally --json` and `games check --json`.

    Attributes:
        sources: the archives read, with their own figures; without those of which nothing could be read.
        skipped: archives left out because their content was in the tally already or came twice.
        members_skipped: members of containers, and archives (with an empty member), that were left out, or
            from where they could not be read on: source, member, code, reason. With `foreign`, `empty`,
            `special` and `other-game` no game of this run is lost.
        games_read: games found in the archives.
        games_used: games that were counted.
        filtered: games left out on purpose, by reason.
        variants: those that were left out as variants of the game, by the variant's name as tagged.
        duplicates: games left out as copies of others; each source has its own number.
        superseded: games of the tally that turned out to begin new ones; if there are any, all archives were
            read again, and the figures are those of all.
        repeats: games counted whose moves, players, date and result are those of an earlier game counted.
        rejects: games that could not be used, by reason.
        other_tags: games counted whose result tag names another result than the moves end with (those hold).
        variations: variations that were followed; 0 unless they were asked for.
        variations_cut: variations that hold a move that is not legal, and were followed up to it at most.
        bytes: bytes of the archives read, compressed as they are.
        observations: (position, move, game) triples counted.
        rows: rows of the tally after the run.
        seconds: wall-clock time.
        cpu_seconds: processor time of this process, all threads.
        peak_rss_bytes: largest resident memory of this process so far.
    """

    sources: tuple[Source, ...] = ()
    skipped: tuple[str, ...] = ()
    members_skipped: tuple[dict[str, str], ...] = ()
    games_read: int = 0
    games_used: int = 0
    filtered: dict[str, int] = field(default_factory=dict)
    variants: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    superseded: int = 0
    repeats: int = 0
    rejects: dict[str, int] = field(default_factory=dict)
    other_tags: int = 0
    variations: int = 0
    variations_cut: int = 0
    bytes: int = 0
    observations: int = 0
    rows: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_rss_bytes: int = 0

    def unreadable(self) -> tuple[dict[str, str], ...]:
        """Return the archives and members that could not be read, or not to their end."""
        return unreadable(self.members_skipped)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data, with the schema version."""
        from bookbuilder.schema import SCHEMA_VERSION

        answer = asdict(self)
        answer["sources"] = [asdict(source) for source in self.sources]
        answer["skipped"] = list(self.skipped)
        answer["members_skipped"] = list(self.members_skipped)
        return {"schema": SCHEMA_VERSION, **answer}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Tables and report of one run: TALLY, GAMES and REJECTS.

    `rejected` holds the rejected games of text formats, one after the other and as they stand, if asked for.
    """

    rows: Rows
    games: pa.Table
    rejects: pa.Table
    report: TallyReport
    rejected: bytes = b""


def skipped_members(sources: Iterable[Mapping[str, Any]]) -> tuple[dict[str, str], ...]:
    """Return what the sources of a native report left out, as `TallyReport.members_skipped` has it."""
    return tuple(
        {"source": str(each["path"]), "member": member, "code": code, "reason": reason}
        for each in sources
        for member, code, reason in each["skipped"]
    )


def unreadable(members: Iterable[dict[str, str]]) -> tuple[dict[str, str], ...]:
    """Return those of the archives and members left out that could not be read, or not to their end."""

    def is_harmless(each: Mapping[str, str]) -> bool:
        return each["code"] in (_HARMLESS if each["member"] else _HARMLESS_ALONE)

    return tuple(each for each in members if not is_harmless(each))


def run_archives(
    paths: Sequence[Path],
    options: TallyOptions,
    *,
    known: Iterable[Source] = (),
    known_games: pa.Table | None = None,
    keep_rejected: bool = False,
    max_inflate: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Return what the core makes of the archives.

    Args:
        paths: archive files, as `find_archives` returns them.
        options: what is counted.
        known: sources that are not to be read again.
        known_games: schema GAMES; games that the archives' games may be copies of.
        keep_rejected: whether to keep the rejected games as they stand.
        max_inflate: bytes that each file's compressed data may become; None = 1 GiB or a hundred times
            the file's size, whichever is more.
        jobs: threads; None = one for each processor.
        progress: called some times a second.

    Raises:
        ArchiveError: no file can be read to its end, or one has gone. A file that cannot beside others that
            can is one of the report's `members_skipped`, bad games are rows of REJECTS.
    """
    from bookbuilder import _core
    from bookbuilder.schema import GAMES, REJECTS, TALLY, check, empty, from_native
    from bookbuilder.tally.lazy_rows import Rows

    started, cpu_started = time.perf_counter(), time.process_time()
    files, sources, skipped = new_sources(paths, known, may_wait=True)
    if not sources:
        return Run(
            rows=Rows(0, lambda: empty(TALLY)),
            games=empty(GAMES),
            rejects=empty(REJECTS),
            report=TallyReport(skipped=skipped),
        )
    native = _core.tally_archives(
        [str(path) for path in files],
        options.game,
        max_ply=options.max_ply,
        full_check=options.check == "full",
        on_error=options.on_error,
        variations=options.variations,
        custom_starts=options.custom_starts,
        fold=options.fold,
        filters=asdict(options.filters),
        dedupe=options.dedupe,
        known=known_games if options.dedupe != "off" else None,
        keep_rejected=keep_rejected,
        jobs=jobs or os.cpu_count() or 1,
        limit=options.limit,
        max_inflate=max_inflate,
        progress=progress,
    )
    report = replace(
        report_of(native.report(), sources),
        skipped=skipped,
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu_started,
        peak_rss_bytes=peak_rss_bytes(),
    )
    return Run(
        rows=Rows(report.rows, lambda: from_native(native.rows())),
        games=check(from_native(native.games()), GAMES),
        rejects=check(from_native(native.rejects()), REJECTS),
        report=report,
        rejected=native.rejected_text() if keep_rejected else b"",
    )


def peak_rss_bytes() -> int:
    """Return the largest resident memory that this process has had so far."""
    # On Linux ru_maxrss begins with what the process that started it had; VmHWM does not (getrusage(2)).
    own = re.search(r"^VmHWM:\s*(\d+) kB$", _status(), re.MULTILINE)
    if own is not None:
        return int(own[1]) << 10
    # ru_maxrss counts KiB on Linux and bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status() -> str:
    """What Linux tells of this process; nothing elsewhere, or where no handle is left to read it."""
    try:
        return Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def new_sources(
    paths: Sequence[Path], known: Iterable[Source], *, may_wait: bool = False
) -> tuple[list[Path], list[Source], tuple[str, ...]]:
    """Return the files to be read, as what they are known, and the names of those that need not be.

    Args:
        paths: archive files.
        known: sources that are not to be read again; a content that comes twice is read once.
        may_wait: whether the digest of a file that is the only one of its size may be left to the run that
            reads it.
    """
    seen = {(source.size, source.blake3) for source in known}
    unread = [Source.unread(path) for path in paths]
    sizes = Counter([source.size for source in unread] + [size for size, _ in seen])
    files: list[Path] = []
    fresh: list[Source] = []
    skipped: list[str] = []
    for path, source in zip(paths, unread, strict=True):
        if not may_wait or sizes[source.size] > 1:
            source = Source.of_file(path)
        if (source.size, source.blake3) in seen:
            skipped.append(source.source)
        else:
            seen.add((source.size, source.blake3))
            files.append(path)
            fresh.append(source)
    return files, fresh, tuple(skipped)


def report_of(figures: Mapping[str, Any], sources: Sequence[Source]) -> TallyReport:
    """Return the core's figures as a report.

    Args:
        figures: those of all sources, by the names of the report, and in `sources` those of each.
        sources: the sources, in the same order.

    Raises:
        ArchiveError: a source without a digest got none from the run either, and cannot be read any more.
    """
    counted = [
        replace(
            _digested(source, each.get("digest")),
            games=each["games_used"],
            rejects=sum(each["rejects"].values()),
            filtered=sum(each["filtered"].values()),
            duplicates=each["duplicates"],
        )
        for source, each in zip(sources, figures["sources"], strict=True)
        if each["games_read"] or not unreadable(skipped_members([each]))
    ]
    names = {each.name for each in fields(TallyReport)} & figures.keys()
    members_skipped = skipped_members(figures["sources"])
    totals = {name: figures[name] for name in names - {"sources"}}
    size = sum(source.size for source in sources)
    return TallyReport(sources=tuple(counted), members_skipped=members_skipped, bytes=size, **totals)


def _digested(source: Source, digest: tuple[int, str] | None) -> Source:
    """Return a source with the digest that the run made of it."""
    if source.blake3:
        return source
    if digest is None:
        return Source.of_file(Path(source.source))
    return replace(source, size=digest[0], blake3=digest[1])
