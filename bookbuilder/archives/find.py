"""Find the archive files that files, directories, patterns and lists name, and detect their game.

Files are sorted by name and each is read once, so a request always reads the same bytes in the same order.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bookbuilder import _core
from bookbuilder.archives.kinds import describe_mistake
from bookbuilder.errors import ArchiveError
from bookbuilder.games.position import Game, as_game
from bookbuilder.keywords import require_kind

_CONTAINERS: Final = (
    ".zip", ".7z", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst", ".gz", ".bz2", ".xz", ".zst",
)  # fmt: skip
ARCHIVE_SUFFIXES: Final = frozenset((*_core.ARCHIVE_SUFFIXES, *_CONTAINERS))
"""Suffixes of files that are read in directories. A file that is named itself may have any name."""


def find_archives(
    inputs: Iterable[str | os.PathLike[str]], downloads: Mapping[str, str] | None = None
) -> list[Path]:
    """Return the archive files that the inputs name, sorted by name, each once.

    Args:
        inputs: files (with any name), directories (searched recursively for `ARCHIVE_SUFFIXES`), patterns
            with `*`, `?`, `[…]` or `**`, and lists: `@FILE` stands for the inputs in FILE, one a line,
            relative to its directory; empty lines and lines that begin with `#` are ignored. A file whose
            own name begins with `@` is named `./@…`, or by a `Path`.
        downloads: the files of the URLs in lists.

    Raises:
        ArchiveError: an input does not exist, cannot be listed, or holds no archive.
    """
    found: dict[str, Path] = {}
    for entry in (entries := list(inputs)):
        require_kind("archives", entry, str | os.PathLike)
        name = os.fspath(entry)
        is_list = isinstance(entry, str) and entry.startswith("@")
        for path in (
            _listed(Path(name[1:]), downloads or {}) if is_list else _expand(name, is_only=len(entries) == 1)
        ):
            found.setdefault(os.path.realpath(path), path)
    return sorted(found.values(), key=str)


def detect_game(paths: Sequence[Path], max_inflate: int | None = None) -> Game:
    """Return the game that the archives record, by content.

    Only the first readable file of each directory and suffix is read, since archives of a kind lie
    together. The core skips a file of the other game later.

    Each may be unpacked to `max_inflate` bytes; None = 1 GiB or a hundred times its size.

    Raises:
        ArchiveError: no file is of a known format, or the files are of both games.
    """
    games: dict[str, Path] = {}
    kinds: set[tuple[Path, str]] = set()
    unread: list[ArchiveError] = []
    for path in paths:
        kind = (path.parent, path.suffix.lower())
        if kind in kinds:
            continue
        try:
            games.setdefault(_core.detect_game(str(path), max_inflate), path)
            kinds.add(kind)
        except ArchiveError as error:
            unread.append(error)
    if unread and not games:
        raise unread[0]
    if len(games) != 1:
        lines = ", ".join(f"{path} is {game}" for game, path in sorted(games.items()))
        raise ArchiveError(
            f"archives of one game expected, found {lines or 'none'}; name the game, or its archives"
        )
    return as_game(next(iter(games)))


def listed_entries(file: Path) -> list[tuple[int, str]]:
    """Return the entries of a list with their lines; names that are not UTF-8 are kept as they are.

    Raises:
        ArchiveError: the list cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise ArchiveError(f"@{file}: cannot be read: {error.strerror or error}") from error
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, entry) for number, entry in lines if entry and not entry.startswith("#")]


def _listed(file: Path, downloads: Mapping[str, str]) -> list[Path]:
    found: list[Path] = []
    for number, entry in listed_entries(file):
        path = entry if "://" in entry else os.fspath(file.parent / entry)
        try:
            found += _expand(downloads.get(entry, path))
        except ArchiveError as error:
            raise ArchiveError(f"@{file}: line {number}: {error}") from error
    if not found:
        raise ArchiveError(f"@{file}: names no archive, expected one path a line")
    return found


def _expand(entry: str, *, is_only: bool = False) -> list[Path]:
    path = Path(entry)
    if path.is_dir():
        found = _archives_below(path)
    elif path.exists():
        # Of several files, such as those of a folder, one that can be no archive does not stop the others.
        is_checked = is_only or path.suffix.lower() not in ARCHIVE_SUFFIXES
        if is_checked and (mistake := describe_mistake(path, "archive")) is not None:
            raise ArchiveError(mistake)
        if is_only:
            _require_packed(path)
        return [path]
    elif glob.has_magic(entry):
        # Path.glob takes no absolute patterns.
        named = [Path(name) for name in glob.glob(entry, recursive=True)]  # noqa: PTH207
        found = [below for each in named for below in (_archives_below(each) if each.is_dir() else [each])]
    else:
        hint = "; download it, then name the file" if "://" in entry else ""
        raise ArchiveError(f"{entry}: no such file or directory{hint}")
    if not found:
        if (mistake := describe_mistake(path, "archive")) is not None:
            raise ArchiveError(mistake)
        known = " ".join(sorted(ARCHIVE_SUFFIXES))
        raise ArchiveError(f"{entry}: no archive found, expected files ending in {known}")
    return found


# The first bytes of compressed files, by suffix.
_PACKED: Final = {
    ".gz": ("gzip", b"\x1f\x8b"),
    ".tgz": ("gzip", b"\x1f\x8b"),
    ".bz2": ("bzip2", b"BZh"),
    ".xz": ("xz", b"\xfd7zXZ"),
    ".zst": ("zstd", b"\x28\xb5\x2f\xfd"),
    ".zip": ("ZIP", b"PK"),
    ".7z": ("7z", b"7z\xbc\xaf"),
}
# Content counts more than names: games under the name of a compressed file are read. PGN, XQF and CCBridge.
_GAMES: Final = re.compile(rb"\[\w+ \"|1\. ?[\w\x80-\xff]|^XQ|^CCBridge")
_HEAD: Final = 4096


def _require_packed(path: Path) -> None:
    """Refuse a file with the name of a compressed one that is not compressed and holds no games."""
    if (suffix := path.suffix.lower()) not in _PACKED or not path.is_file():
        return
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    # zstd also begins with frames to skip.
    is_packed = head.startswith(tuple(first for _, first in _PACKED.values())) or head[1:4] == b"*M\x18"
    if head and not is_packed and not _GAMES.search(head):
        raise ArchiveError(
            f"{path}: is not {_PACKED[suffix][0]} data, as its name says. Copy or download it again, or give "
            "it the suffix of its real format"
        )


def _archives_below(directory: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        raise ArchiveError(f"{error.filename}: cannot be listed: {error.strerror}") from error

    return [
        Path(folder, name)
        for folder, _, names in os.walk(directory, onerror=refuse)
        for name in names
        if Path(name).suffix.lower() in ARCHIVE_SUFFIXES and not _is_part(name, names)
    ]


def _is_part(name: str, names: Sequence[str]) -> bool:
    """Return whether a file is a part of a ChessBase database, which has tags in a `.cbl` file."""
    path = Path(name)
    return path.suffix.lower() == ".cbl" and any(f"{path.stem}.{end}" in names for end in ("cbh", "CBH"))
