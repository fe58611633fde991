"""One run over archives: which files, of which game, and what the core made of them.

In come files, directories and patterns; out go the TALLY and GAMES tables of one run with a report. Files are
taken in the order of their names and each content once, so a request always reads the same bytes in the same
order.
"""

from __future__ import annotations

import glob
import hashlib
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

import pyarrow as pa

from bookbuilder.errors import ArchiveError, OptionError
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
    ".pgn .xqf .zip .7z .tar .tgz .tbz .tbz2 .txz .tzst .gz .bz2 .xz .zst".split()  # noqa: SIM905
)
"""What a file in a directory must end in to be read; files named one by one are read whatever their names."""

STDIN: Final = "-"
"""What standard input is called in reports and recipes; it is read from a file of this name, wherever."""

_HARMLESS: Final = frozenset(("foreign", "empty", "special", "other-game"))
"""Codes of members that were left out because there is nothing to be read from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyOptions:
    """The options that change which rows a tally has; tallies add up only if these are equal.

    Attributes:
        game: the game.
        max_ply: positions after 0 … max_ply plies are counted; None = all.
        check: `prefix` = moves beyond max_ply are not resolved; `full` = every game is played to its end.
        keep_prefix: whether the legal beginning of a bad game is counted.
        custom_starts: whether games that do not begin at the start position are counted.
        fold: whether left-right mirrors are one position (xiangqi; chess has no such mirror).
        limit: number of games counted after which a run stops; None = none.
    """

    game: Game
    max_ply: int | None = None
    check: Literal["prefix", "full"] = "prefix"
    keep_prefix: bool = False
    custom_starts: bool = False
    fold: bool = True
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning; settle `fold`, which chess does not have."""
        as_game(self.game)
        if self.check not in ("prefix", "full"):
            raise OptionError(f'check "{self.check}" is unknown: expected prefix or full')
        for name, value, least in (("max_ply", self.max_ply, 0), ("limit", self.limit, 1)):
            if value is not None and value < least:
                raise OptionError(f"{name} is {value}: expected at least {least}")
        object.__setattr__(self, "fold", self.fold and self.game == "xiangqi")

    def differences(self, other: TallyOptions) -> list[str]:
        """Return one line for each option in which the two differ.

        Example:
            >>> TallyOptions(game="chess", max_ply=40).differences(TallyOptions(game="chess"))
            ['max_ply 40 against None']
        """
        mine, theirs = asdict(self), asdict(other)
        return [f"{name} {mine[name]} against {theirs[name]}" for name in mine if mine[name] != theirs[name]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One archive file that a tally holds; two files are the same source if size and digest agree."""

    source: str
    size: int
    sha256: str
    games: int = 0
    rejects: int = 0

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
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
                name = STDIN if path.name == STDIN else str(path)
                return cls(source=name, size=stream.tell(), sha256=digest)
        except OSError as error:
            raise ArchiveError(f"{path}: cannot be read: {error.strerror or error}") from error


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
        duplicates: games counted whose fingerprint an earlier game of the tally has.
        rejects: games that could not be used, by reason.
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
    duplicates: int = 0
    rejects: dict[str, int] = field(default_factory=dict)
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
    """Tables and report of one run: TALLY, GAMES and REJECTS."""

    rows: pa.Table
    games: pa.Table
    rejects: pa.Table
    report: TallyReport


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
    max_inflate: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Return what the core makes of the archives.

    Args:
        paths: archive files, as `find_archives` returns them.
        options: what is counted.
        known: sources that are not to be read again.
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
        keep_prefix=options.keep_prefix,
        custom_starts=options.custom_starts,
        fold=options.fold,
        jobs=jobs or os.cpu_count() or 1,
        limit=options.limit,
        max_inflate=max_inflate,
        progress=progress,
    )
    games = check(from_native(native.games()), GAMES)
    rejects = check(from_native(native.rejects()), REJECTS)
    figures = native.report()
    report = TallyReport(
        sources=_with_figures(sources, figures["sources"]),
        skipped=skipped,
        members_skipped=tuple(
            {"source": str(each["path"]), "member": member, "code": code, "reason": reason}
            for each in figures["sources"]
            for member, code, reason in each["skipped"]
        ),
        games_read=figures["games_read"],
        games_used=figures["games_used"],
        filtered=dict(figures["filtered"]),
        rejects=dict(figures["rejects"]),
        observations=figures["observations"],
        rows=figures["rows"],
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu_started,
        peak_rss_bytes=peak_rss_bytes(),
    )
    return Run(rows=check(from_native(native.rows()), TALLY), games=games, rejects=rejects, report=report)


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
    seen = {(source.size, source.sha256) for source in known}
    files: list[Path] = []
    fresh: list[Source] = []
    skipped: list[str] = []
    for path in paths:
        source = Source.of_file(path)
        if (source.size, source.sha256) in seen:
            skipped.append(source.source)
        else:
            seen.add((source.size, source.sha256))
            files.append(path)
            fresh.append(source)
    return files, fresh, tuple(skipped)


def _with_figures(sources: Sequence[Source], figures: Sequence[dict[str, Any]]) -> tuple[Source, ...]:
    """Return the sources with what the core counted in each; both are in the order of the paths."""
    return tuple(
        replace(source, games=counted["games_used"], rejects=sum(counted["rejects"].values()))
        for source, counted in zip(sources, figures, strict=True)
    )
