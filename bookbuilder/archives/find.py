"""Which archives a request means, and of which game: files, directories, patterns and lists in, files out.

Files are taken in the order of their names and each once, so a request always reads the same bytes in the
same order.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from bookbuilder.errors import ArchiveError
from bookbuilder.games.position import Game, as_game

__all__ = ["ARCHIVE_SUFFIXES", "detect_game", "find_archives"]

ARCHIVE_SUFFIXES: Final = frozenset(
    ".pgn .xqf .cbr .cbl .cbf .mxq .xqn .ubb .che .chn .ccm .eglib .epd"  # noqa: SIM905
    " .zip .7z .tar .tgz .tbz .tbz2 .txz .tzst .gz .bz2 .xz .zst".split()
)
"""What a file in a directory must end in to be read; files named one by one are read whatever their names."""


def find_archives(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the archive files that the inputs name, sorted by name, each once.

    Args:
        inputs: files (taken whatever their names), directories (searched recursively for `ARCHIVE_SUFFIXES`),
            patterns with `*`, `?`, `[…]` or `**`, and lists: `@FILE` stands for the inputs that FILE names,
            one a line, from its own directory on; lines that are empty or begin with `#` say nothing. A file
            whose own name begins with `@` is named `./@…`, or by a `Path`.

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

    One file of each directory and suffix is looked at, the first that can be read: archives of a kind lie
    together. The core refuses a file of the other game when it comes to it.

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
