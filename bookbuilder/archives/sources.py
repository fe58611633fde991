"""Archive files as sources of a tally: their size and digest, and which of them are new or unreadable."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from bookbuilder import _core
from bookbuilder.errors import ArchiveError, StoreError

STDIN: Final = "-"
"""The name of standard input in reports and recipes. Its content is read from a file of this name."""

_HARMLESS: Final = frozenset(("foreign", "empty", "special", "other-game"))
"""Codes of skipped members that hold no game of the run."""

_HARMLESS_ALONE: Final = frozenset(("empty", "other-game"))
"""The same codes for whole archives: the user expects games in an archive that they name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One archive file of a tally; two files are the same source if size and BLAKE3 digest are equal."""

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
        unread = cls.unread(path)
        try:
            size, digest = _core.file_digest(str(path))
        except OSError as error:
            raise ArchiveError(f"{path}: cannot be read: {error.strerror or error}") from error
        return replace(unread, size=size, blake3=digest)

    @classmethod
    def unread(cls, path: Path) -> Self:
        """Return the source with its size and without a digest, before it is read.

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
        return cls(source=source_name(path), size=size, blake3="")


def is_url(text: str) -> bool:
    """Return whether a text is the URL of a file that can be downloaded."""
    return text.startswith(("http://", "https://"))


def source_name(path: str | os.PathLike[str]) -> str:
    """Return the name of an archive in reports: its path, `-` for standard input, or its URL."""
    return _core.archive_name(os.fspath(path))


def new_sources(
    paths: Sequence[Path], known: Iterable[Source], *, may_wait: bool = False
) -> tuple[list[Path], list[Source], tuple[str, ...]]:
    """Return the files to read, their sources, and the names of files to skip.

    Known sources are not read again, and content that comes twice is read once. With `may_wait`, the run
    that reads a file computes its digest, unless another file has its size.
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


def require_unchanged(source: Source, why: str) -> Path:
    """Return the path of a source whose file has not changed.

    The reason why it is read again follows its name in the message.

    Raises:
        StoreError: it is missing or has changed.
    """
    path = Path(source.source)
    if is_url(source.source):
        raise StoreError(f"{source.source}: {why}, but a download is not kept; count all archives again")
    try:
        found = Source.of_file(path)
    except ArchiveError as error:
        raise StoreError(f"{path}: {why}, but: {error}") from error
    if (found.size, found.blake3) != (source.size, source.blake3):
        raise StoreError(f"{path}: {why}, but it has changed")
    return path


def files_again(known: Iterable[Source], fresh: Iterable[Source]) -> list[Path]:
    """Return all files of a tally and of a run, where a game of the tally begins a new one.

    Raises:
        StoreError: a file of the tally is missing or has changed.
    """
    why = "is needed again, since a game of the tally begins a new one"
    paths = {require_unchanged(source, why) for source in known}
    return sorted({*paths, *(Path(source.source) for source in fresh)}, key=str)


def skipped_members(sources: Iterable[Mapping[str, Any]]) -> tuple[dict[str, str], ...]:
    """Return the skipped members of sources in the form of `TallyReport.members_skipped`."""
    return tuple(
        {"source": str(each["path"]), "member": member, "code": code, "reason": reason}
        for each in sources
        for member, code, reason in each["skipped"]
    )


def unreadable(members: Iterable[dict[str, str]]) -> tuple[dict[str, str], ...]:
    """Return the skipped archives and members that could not be read to their end."""
    return tuple(
        each for each in members if each["code"] not in (_HARMLESS if each["member"] else _HARMLESS_ALONE)
    )
