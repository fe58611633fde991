"""The log of a book that grows: a line of JSON with its CRC-32, then 24 bytes for each fact, only added.

| bytes | field |
|---|---|
| 1 | kind: 1 position, 2 further move to a known position, 3 position expanded |
| 1 | owner that expanded it (kind 3) |
| 4 | number of the position before (1, 2), or of the position (3) |
| 2 | code of the move (1, 2); number of expansions that follow and were chosen together with this one (3) |
| 4 | number of the position after it (2) |
| 2 | engine's value for the side to move, signed (1) |
| 2 | code of the engine's move there, 0 = none (1) |
| 4 | share of the archive's games that played the move, as a float (1, 2); of the next one to look at (3) |
| 4 | CRC-32 of the 20 bytes before, continued from that of the fact before, the first from that of the line |

So a fact is sound only where it was written: a copy of it elsewhere is damage.

Numbers count facts of kind 1 from 0; the first is the start position. A killed run may leave a part of a fact
at the end, and a power loss zeros among the last facts, which were not synced. These facts are removed.
Answers of an expansion that was not finished are written again with it, so a run that was killed and resumed
leaves the same bytes as one that was not.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, NamedTuple, Self

from bookbuilder.disk import PacedSync, naming, sync_file, write_whole
from bookbuilder.engine.evaluate.journal import lock_journal
from bookbuilder.errors import EvalsError
from bookbuilder.journal_lines import begin

__all__ = ["EXPANDED", "MOVE", "POSITION", "Fact", "GrowthLog", "read_log", "stored_share"]

POSITION: Final = 1
"""Kind of a fact: a searched position."""
MOVE: Final = 2
"""Kind of a fact: a further move to a known position."""
EXPANDED: Final = 3
"""Kind of a fact: a position was expanded for an owner."""

_HEAD: Final = "growth"
_SUM: Final = "crc32"
_VERSION: Final = "version"
_CURRENT: Final = 2
_BODY: Final = struct.Struct("<BBIHIhHf")
_CHECK: Final = struct.Struct("<I")
_SIZE: Final = _BODY.size + _CHECK.size
_SHARE: Final = struct.Struct("<f")
_UNSYNCED: Final = 64
"""Maximum number of facts at the end that are not synced."""


class Fact(NamedTuple):
    """A fact of the log; see the head of this module."""

    kind: int
    owner: int = 0
    before: int = 0
    code: int = 0
    after: int = 0
    score: int = 0
    best: int = 0
    share: float = 0.0


def stored_share(share: float) -> float:
    """Return a share as the log gives it back, so that a resumed run computes with the same number.

    Example:
        >>> stored_share(0.5), stored_share(0.1) == 0.1
        (0.5, False)
    """
    return float(_SHARE.unpack(_SHARE.pack(share))[0])


def read_log(path: Path) -> tuple[dict[str, Any], list[Fact]]:
    """Return what a log was made with, and its facts; the file stays as it is.

    Raises:
        EvalsError: it is not a log, or is damaged.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        identity = _identity_of(stream.readline(), path)
        return identity, [fact for fact, _ in _facts(stream, path, _sum_of(identity))]


def _identity_of(head: bytes, path: Path) -> dict[str, Any]:
    """Return what the first line of a log says."""
    try:
        line = json.loads(head)
        known, check = dict(line.pop(_HEAD)), line.pop(_SUM)
        version = line.pop(_VERSION, 1)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise EvalsError(f"{path}: is not the log of a book that grows") from None
    if version != _CURRENT:
        raise EvalsError(f"{path}: was written by another version of the program; name another log")
    if line or check != _sum_of(known):
        raise EvalsError(f"{path}: its first line is damaged; the log cannot be resumed")
    return known


def _sum_of(identity: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(identity, sort_keys=True).encode())


def _facts(stream: BinaryIO, path: Path, check: int) -> Iterator[tuple[Fact, int]]:
    """Yield the facts from here on and their sums, up to one that was torn or lost among the last ones."""
    while len(data := stream.read(_SIZE)) == _SIZE:
        body, stated = data[: _BODY.size], data[_BODY.size :]
        check = zlib.crc32(body, check)
        if _CHECK.unpack(stated)[0] != check:
            place = stream.tell() - _SIZE
            following = len(stream.read(_UNSYNCED * _SIZE + 1))
            # What a power loss takes is zeros: all of a fact, or the part of it in a block of the disk.
            is_lost = 0 in (data[0], data[-1]) and following <= _UNSYNCED * _SIZE
            if following and not is_lost:
                raise EvalsError(f"{path}: damaged at byte {place}; the log cannot be resumed")
            return
        yield Fact(*_BODY.unpack(body)), check


def _create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


class GrowthLog:
    """A log to read and to append to."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Name the file, and what must be the same when it is resumed."""
        self.path = path
        self._identity = dict(identity)
        self._stream: FileIO
        self._sync: PacedSync
        self._unsynced = 0
        self._begin = 0
        self._check = 0

    def __enter__(self) -> Self:
        """Open the file; a new one begins with what must be the same.

        Raises:
            EvalsError: it is the log of another engine, game or archive, or another run writes it.
        """
        # Not `touch`, which would change the date of a file that is refused below.
        self._stream = open(self.path, "rb+", buffering=0, opener=_create)
        lock_journal(self._stream, self.path)
        begin(self._stream, self.path, self._head())
        self._sync, self._unsynced = PacedSync(self._stream), 0
        try:
            known = _identity_of(self._stream.readline(), self.path)
        except EvalsError:
            self._stream.close()
            raise
        self._begin, self._check = self._stream.tell(), _sum_of(known)
        if known != self._identity:
            self._stream.close()
            differing = sorted(name for name in self._identity if known.get(name) != self._identity[name])
            raise EvalsError(
                f"{self.path}: grew with another {' and '.join(differing)}; name another log, or use the same"
            )
        return self

    def _head(self) -> dict[str, Any]:
        return {_HEAD: self._identity, _SUM: _sum_of(self._identity), _VERSION: _CURRENT}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def facts(self) -> Iterator[Fact]:
        """Yield the facts, and go to the place behind the last sound one.

        Raises:
            EvalsError: a fact that is not the last one is damaged.
        """
        sound = self._stream.tell()
        with self.path.open("rb") as stream:
            stream.seek(sound)
            for fact, check in _facts(stream, self.path, self._check):
                sound += _SIZE
                self._check = check
                yield fact
        self._cut(sound)

    def take_back(self, facts: int) -> None:
        """Remove the last facts."""
        size = self._stream.seek(-facts * _SIZE, os.SEEK_END)
        self._check = _sum_of(self._identity)
        if size > self._begin:
            self._stream.seek(size - _CHECK.size)
            [self._check] = _CHECK.unpack(self._stream.read(_CHECK.size))
        self._cut(size)

    def _cut(self, size: int) -> None:
        """Remove what follows, on the disk too: it must not come back among new facts."""
        self._stream.seek(size)
        if size < self.path.stat().st_size:
            with naming(self.path):
                self._stream.truncate()
            sync_file(self._stream)

    def append(self, *facts: Fact) -> None:
        """Write facts. A killed run does not lose them any more; a power loss takes the last second's."""
        if self._unsynced + len(facts) > _UNSYNCED:
            sync_file(self._stream)
            self._unsynced = 0
        data = bytearray()
        for body in (_BODY.pack(*fact) for fact in facts):
            self._check = zlib.crc32(body, self._check)
            data += body + _CHECK.pack(self._check)
        write_whole(self._stream, data)
        self._unsynced = 0 if self._sync.wrote() else self._unsynced + len(facts)
