"""One run over archives: which files, of which game, and what the core made of them.

In come files, directories and patterns; out go the TALLY and GAMES tables of one run with a report. Files are
taken in the order of their names and each content once, so a request always reads the same bytes in the same
order.
"""

from __future__ import annotations

import glob
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

import pyarrow as pa

from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.filters import GameFilter
from bookbuilder.games import Game, as_game
from bookbuilder.schema import GAMES, REJECTS, SCHEMA_VERSION, TALLY, check, empty, from_native

__all__ = [
    "ARCHIVE_SUFFIXES",
    "Progress",
    "Run",
    "Source",
    "TallyOptions",
    "TallyReport",
    "detect_game",
    "find_archives",
    "run_archives",
]

Progress: TypeAlias = Callable[[int, int, int], None]
"""Called some times a second with (bytes read, games read, rejects) of the run so far."""

ARCHIVE_SUFFIXES: Final = frozenset(
    ".pgn .xqf .cbr .cbl .cbf .mxq .xqn .ubb .che .chn .ccm .eglib .epd"  # noqa: SIM905
    " .zip .7z .tar .tgz .tbz .tbz2 .txz .tzst .gz .bz2 .xz .zst".split()
)
"""What a file in a directory must end in to be read; files named one by one are read whatever their names."""

STDIN: Final = "-"
"""What standard input is called in reports and recipes; it is read from a file of this name, wherever."""

_HARMLESS: Final = frozenset(("foreign", "empty", "special", "other-game"))
"""Codes of members that were left out because there is nothing to be read from them."""


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
        if self.dedupe != "off":
            object.__setattr__(self, "check", "full")

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        filters = asdict(self.filters).items()
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in filters}
        return {**asdict(self), "filters": plain}

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
        if str(path) == STDIN and not path.exists():
            raise ArchiveError(f"{path}: is standard input, which is read once; expected a file")
        if path.exists() and not path.is_file():
            raise ArchiveError(f"{path}: is a pipe, socket or device, expected a file; - reads from stdin")
        from bookbuilder import _core

        try:
            size, digest = _core.file_digest(str(path))
        except OSError as error:
            raise ArchiveError(f"{path}: cannot be read: {error.strerror or error}") from error
        return cls(source=STDIN if path.name == STDIN else str(path), size=size, blake3=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyReport:
    """What one run read and made; the JSON contract of `tally --json` and `games check --json`.

    Attributes:
        sources: the archives read, with their own figures.
        skipped: archives left out because their content was in the tally already or came twice.
        members_skipped: members of containers that were left out: source, member, code (`foreign`, `empty`,
            `special`, `other-game`: no game of this run is lost; any other: it could not be read), reason.
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
        """Return the members left out that could not be read, or not to their end."""
        return tuple(each for each in self.members_skipped if each["code"] not in _HARMLESS)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data, with the schema version."""
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

    rows: pa.Table
    games: pa.Table
    rejects: pa.Table
    report: TallyReport
    rejected: bytes = b""


def find_archives(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the archive files that the inputs name, sorted by name, each once.

    Args:
        inputs: files (taken whatever their names), directories (searched recursively for `ARCHIVE_SUFFIXES`),
            patterns with `*`, `?`, `[…]` or `**`, and lists: `@FILE` stands for the inputs that FILE names,
            one a line, from its own directory on; lines that are empty or begin with `#` say nothing. A file
            whose own name begins with `@` is named `./@…`.

    Raises:
        ArchiveError: an input does not exist, cannot be listed, or holds no archive.
    """
    found: dict[str, Path] = {}
    for entry in inputs:
        name = os.fspath(entry)
        for path in _listed(Path(name[1:])) if name.startswith("@") else _expand(name):
            found.setdefault(os.path.realpath(path), path)
    return sorted(found.values(), key=str)


def detect_game(paths: Sequence[Path]) -> Game:
    """Return the game that the archives record, by content.

    One file of each directory and suffix is looked at: archives of a kind lie together. The core refuses a
    file of the other game when it comes to it.

    Raises:
        ArchiveError: a file is of no known format, or the files are of both games.
    """
    from bookbuilder import _core

    kinds = {(path.parent, path.suffix.lower()): path for path in reversed(paths)}
    games = {_core.detect_game(str(path)): path for path in kinds.values()}
    if len(games) != 1:
        lines = ", ".join(f"{path} is {game}" for game, path in sorted(games.items()))
        raise ArchiveError(f"archives of one game expected, found {lines or 'none'}")
    return as_game(next(iter(games)))


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
        ArchiveError: a file cannot be read or is of no known format. Bad games are rows of REJECTS instead.
    """
    from bookbuilder import _core

    started, cpu_started = time.perf_counter(), time.process_time()
    files, sources, skipped = _new_sources(paths, known)
    if not sources:
        return Run(
            rows=empty(TALLY),
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
        _report(native.report(), sources),
        skipped=skipped,
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu_started,
        peak_rss_bytes=peak_rss_bytes(),
    )
    return Run(
        rows=check(from_native(native.rows()), TALLY),
        games=check(from_native(native.games()), GAMES),
        rejects=check(from_native(native.rejects()), REJECTS),
        report=report,
        rejected=native.rejected_text() if keep_rejected else b"",
    )


def peak_rss_bytes() -> int:
    """Return the largest resident memory that this process has had so far."""
    # ru_maxrss counts KiB on Linux and bytes on macOS (getrusage(2) of each).
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _listed(file: Path) -> list[Path]:
    """Return the archive files that a list names; names in it that are not UTF-8 are taken as they are."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise ArchiveError(f"@{file}: cannot be read: {error.strerror or error}") from error
    found: list[Path] = []
    for number, line in enumerate(text.splitlines(), start=1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        try:
            found += _expand(os.fspath(file.parent / entry))
        except ArchiveError as error:
            raise ArchiveError(f"@{file}: line {number}: {error}") from error
    if not found:
        raise ArchiveError(f"@{file}: names no archive, expected one path a line")
    return found


def _expand(entry: str) -> list[Path]:
    path = Path(entry)
    if path.is_dir():
        found = _archives_below(path)
    elif path.exists():
        return [path]
    elif glob.has_magic(entry):
        # Path.glob takes no absolute patterns.
        named = [Path(name) for name in glob.glob(entry, recursive=True)]  # noqa: PTH207
        found = [below for each in named for below in (_archives_below(each) if each.is_dir() else [each])]
    else:
        raise ArchiveError(f"{entry}: no such file or directory")
    if not found:
        known = " ".join(sorted(ARCHIVE_SUFFIXES))
        raise ArchiveError(f"{entry}: no archive found, expected files ending in {known}")
    return found


def _archives_below(directory: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        raise ArchiveError(f"{error.filename}: cannot be listed: {error.strerror}") from error

    return [
        Path(folder, name)
        for folder, _, names in os.walk(directory, onerror=refuse)
        for name in names
        if Path(name).suffix.lower() in ARCHIVE_SUFFIXES
    ]


def _new_sources(
    paths: Sequence[Path], known: Iterable[Source]
) -> tuple[list[Path], list[Source], tuple[str, ...]]:
    """Return the files to be read, as what they are known, and the names of those that need not be."""
    seen = {(source.size, source.blake3) for source in known}
    files: list[Path] = []
    fresh: list[Source] = []
    skipped: list[str] = []
    for path in paths:
        source = Source.of_file(path)
        if (source.size, source.blake3) in seen:
            skipped.append(source.source)
        else:
            seen.add((source.size, source.blake3))
            files.append(path)
            fresh.append(source)
    return files, fresh, tuple(skipped)


def _report(figures: Mapping[str, Any], sources: Sequence[Source]) -> TallyReport:
    """Return the core's figures as a report; its sources are in the order of the paths."""
    counted = [
        replace(
            source,
            games=each["games_used"],
            rejects=sum(each["rejects"].values()),
            filtered=sum(each["filtered"].values()),
            duplicates=each["duplicates"],
        )
        for source, each in zip(sources, figures["sources"], strict=True)
    ]
    names = {each.name for each in fields(TallyReport)} & figures.keys()
    members_skipped = tuple(
        {"source": str(each["path"]), "member": member, "code": code, "reason": reason}
        for each in figures["sources"]
        for member, code, reason in each["skipped"]
    )
    totals = {name: figures[name] for name in names - {"sources"}}
    size = sum(source.size for source in sources)
    return TallyReport(sources=tuple(counted), members_skipped=members_skipped, bytes=size, **totals)
