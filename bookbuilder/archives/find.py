"""Find the archive files that files, directories, patterns and lists name, and detect their game.

Files are sorted by name and each is read once, so a request always reads the same bytes in the same order.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from bookbuilder.archives.kinds import describe_mistake
from bookbuilder.errors import ArchiveError
from bookbuilder.games.position import Game, as_game

__all__ = ["ARCHIVE_SUFFIXES", "detect_game", "find_archives"]

ARCHIVE_SUFFIXES: Final = frozenset(
    ".pgn .xqf .cbr .cbl .cbf .mxq .xqn .ubb .che .chn .ccm .eglib .epd"  # noqa: SIM905
    " .zip .7z .tar .tgz .tbz .tbz2 .txz .tzst .gz .bz2 .xz .zst".split()
)
"""Suffixes of files that are read in directories. A file that is named itself may have any name."""


def find_archives(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the archive files that the inputs name, sorted by name, each once.

    Args:
        inputs: files (with any name), directories (searched recursively for `ARCHIVE_SUFFIXES`), patterns
            with `*`, `?`, `[…]` or `**`, and lists: `@FILE` stands for the inputs in FILE, one a line,
            relative to its directory; empty lines and lines that begin with `#` are ignored. A file whose
            own name begins with `@` is named `./@…`, or by a `Path`.

    Raises:
        ArchiveError: an input does not exist, cannot be listed, or holds no archive.
    """
    found: dict[str, Path] = {}
    for entry in inputs:
        name = os.fspath(entry)
        is_list = isinstance(entry, str) and entry.startswith("@")
        for path in _listed(Path(name[1:])) if is_list else _expand(name):
            found.setdefault(os.path.realpath(path), path)
    return sorted(found.values(), key=str)


def detect_game(paths: Sequence[Path]) -> Game:
    """Return the game that the archives record, by content.

    Only the first readable file of each directory and suffix is read, since archives of a kind lie
    together. The core skips a file of the other game later.

    Raises:
        ArchiveError: no file is of a known format, or the files are of both games.
    """
    from bookbuilder import _core

    games: dict[str, Path] = {}
    kinds: set[tuple[Path, str]] = set()
    unread: list[ArchiveError] = []
    for path in paths:
        kind = (path.parent, path.suffix.lower())
        if kind in kinds:
            continue
        try:
            games.setdefault(_core.detect_game(str(path)), path)
            kinds.add(kind)
        except ArchiveError as error:
            unread.append(error)
    if unread and not games:
        raise unread[0]
    if len(games) != 1:
        lines = ", ".join(f"{path} is {game}" for game, path in sorted(games.items()))
        raise ArchiveError(f"archives of one game expected, found {lines or 'none'}")
    return as_game(next(iter(games)))


def _listed(file: Path) -> list[Path]:
    """Return the archive files in a list; names that are not UTF-8 are kept as they are."""
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
        if (mistake := describe_mistake(path, "archive")) is not None:
            raise ArchiveError(mistake)
        return [path]
    elif glob.has_magic(entry):
        # Path.glob takes no absolute patterns.
        named = [Path(name) for name in glob.glob(entry, recursive=True)]  # noqa: PTH207
        found = [below for each in named for below in (_archives_below(each) if each.is_dir() else [each])]
    else:
        raise ArchiveError(f"{entry}: no such file or directory")
    if not found:
        if (mistake := describe_mistake(path, "archive")) is not None:
            raise ArchiveError(mistake)
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
