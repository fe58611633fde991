"""Archive files as sources: their size and digest, which of them are new, and what could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from bookbuilder.errors import ArchiveError

__all__ = ["STDIN", "Source", "new_sources", "skipped_members", "unreadable"]


STDIN: Final = "-"
"""What standard input is called in reports and recipes; it is read from a file of this name, wherever."""


_HARMLESS: Final = frozenset(("foreign", "empty", "special", "other-game"))
"""Codes of members that were left out because there is nothing to be read from them."""


_HARMLESS_ALONE: Final = frozenset(("empty", "other-game"))
"""The same of archives themselves: whoever named one expects games in it."""


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
