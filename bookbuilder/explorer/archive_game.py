"""One game out of an archive: its row of GAMES in, its text and moves out.

The archive is read from the game's place on, decompressed up to there if it is compressed; what stands there
is cut out and read by the core like any archive, so every format is.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias, cast

import pyarrow as pa

from bookbuilder import _core
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.samples import GameRow
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native

if TYPE_CHECKING:
    from bookbuilder._core import ArrowStream

__all__ = ["ArchiveGame", "read_game"]

# The largest game: the core's own limit is 16 MiB, but a page shows games, not books in the guise of games.
_MOST_GAME: Final = 2 << 20
_MOST_LIBRARY: Final = 64 << 20
# How far a compressed archive is decompressed for one game.
_MOST_SKIPPED: Final = 4 << 30
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveGame:
    """A game as its archive has it.

    Attributes:
        pgn: the game as PGN.
        tags: its tags, in the order of the text.
        moves: its moves, UCI or ICCS.
    """

    pgn: str
    tags: dict[str, str]
    moves: tuple[str, ...]


def read_game(row: GameRow, game: Game) -> ArchiveGame:
    """Return a game from its archive.

    Args:
        row: its row of GAMES.
        game: chess or xiangqi.

    Raises:
        RefusedError: the archive is not there, is another one by now, or cannot be read at a place.
    """
    path = Path(row["source"])
    if not path.is_file():
        message = f"the game is in {path}, which is not there: put the archive back where it was counted"
        raise RefusedError(409, "no-archive", message)
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(path.open("rb"))
            stream = _within(stack, archive, row["member"] or "", path)
            # Text can be cut anywhere; where a game of a library ends, its index says: that is read too.
            is_library = not row["line"] and row["offset"] > 0
            _skip(stream, 0 if is_library else row["offset"])
            text = _read_up_to(stream, _MOST_LIBRARY if is_library else _MOST_GAME)
    except _UNREADABLE as error:
        raise _unlike(path, f"cannot be read there: {error}") from error
    return _parsed(text, row["offset"] if is_library else 0, row, game, path)


def _unlike(path: Path, reason: str) -> RefusedError:
    return RefusedError(409, "other-archive", f"{path}: {reason}; tally the archive anew")


# What the readers of Python raise for damaged archives, and for those that they do not know or may not open.
_UNREADABLE: Final = (
    OSError, EOFError, ValueError, RuntimeError, zlib.error, lzma.LZMAError, tarfile.TarError,
    zipfile.BadZipFile,
)  # fmt: skip


def _within(stack: ExitStack, stream: IO[bytes], member: str, path: Path) -> io.BufferedReader:
    """The decompressed bytes of a stream, or of a member of it, `inner`, or of one of that, `outer/inner`."""
    plain = stack.enter_context(_plain(stream))
    if not member:
        return plain
    first = plain.peek(6)[:6]
    if first.startswith(b"7z"):
        message = f"{path}: games are not shown from .7z archives: unpack it, and tally what it holds"
        raise RefusedError(409, "no-archive", message)
    entries = _zipped if first.startswith(b"PK") else _tarred
    for name, inside in entries(stack, plain):
        if member == name or member.startswith(f"{name}/"):
            return _within(stack, stack.enter_context(inside()), member[len(name) + 1 :], path)
    raise _unlike(path, f"has no member {member}")


_Entries: TypeAlias = Iterator[tuple[str, Callable[[], IO[bytes]]]]


def _zipped(stack: ExitStack, stream: io.BufferedReader) -> _Entries:
    whole = stream if stream.seekable() else io.BytesIO(_read_up_to(stream, _MOST_LIBRARY))
    container = stack.enter_context(zipfile.ZipFile(whole))
    for entry in container.infolist():
        is_utf8 = entry.flag_bits & 0x800
        name = _named(entry.filename.encode("utf-8" if is_utf8 else "cp437"))
        yield name, partial(container.open, entry)


def _tarred(stack: ExitStack, stream: io.BufferedReader) -> _Entries:
    container = stack.enter_context(tarfile.TarFile.open(fileobj=stream, mode="r|"))
    for entry in container:
        if entry.isfile():
            name = _named(entry.name.encode("utf-8", "surrogateescape"))
            yield name, partial(_extracted, container, entry)


def _extracted(container: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    inside = container.extractfile(entry)
    assert inside is not None  # it is a file
    return inside


def _named(name: bytes) -> str:
    """A member's name as the core tells it."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("gb18030", "replace")


class _Forward(io.RawIOBase):
    """A stream that is read in one direction only."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 (a writable buffer)
        found = self._stream.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


def _plain(stream: IO[bytes]) -> io.BufferedReader:
    """The decompressed bytes of a stream, by its first bytes."""
    buffered = _buffered(stream)
    first = buffered.peek(6)[:6]
    if first.startswith(b"\x1f\x8b"):
        return _buffered(cast("IO[bytes]", gzip.GzipFile(fileobj=buffered)))
    if first.startswith(b"BZh"):
        return _buffered(cast("IO[bytes]", bz2.BZ2File(buffered)))
    if first == b"\xfd7zXZ\x00":
        return _buffered(cast("IO[bytes]", lzma.LZMAFile(buffered)))
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        inflated = pa.CompressedInputStream(pa.PythonFile(buffered, mode="r"), "zstd")
        return _buffered(cast("IO[bytes]", inflated))
    return buffered


def _buffered(stream: IO[bytes]) -> io.BufferedReader:
    """A stream that can be looked into; files stay what they are, others are read in one direction."""
    is_file = isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO)
    return cast("io.BufferedReader", stream) if is_file else io.BufferedReader(_Forward(stream), _PIECE)


def _skip(stream: io.BufferedReader, count: int) -> None:
    if stream.seekable():
        stream.seek(count)
        return
    if count > _MOST_SKIPPED:
        message = (
            f"the game stands {count >> 30} GiB inside a compressed archive: decompress it, and tally that"
        )
        raise RefusedError(409, "too-far", message)
    while count:
        found = len(stream.read(min(count, _PIECE)))
        if not found:
            raise EOFError("the archive ends before the game")
        count -= found


def _read_up_to(stream: IO[bytes], most: int) -> bytes:
    pieces = []
    while most and (piece := stream.read(min(most, _PIECE))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _parsed(text: bytes, offset: int, row: GameRow, game: Game, path: Path) -> ArchiveGame:
    """Cut a game out of what was read of an archive, and read it."""
    place = f"at byte {row['offset']}"
    with tempfile.TemporaryDirectory(prefix="bookbuilder-") as directory:
        cut = Path(directory, "game" + (Path(row["member"] or path).suffix or ".pgn"))
        cut.write_bytes(text)
        try:
            found = _game_at(cut, game, offset)
            if found is None or not _is_same(found, row):
                raise _unlike(path, f"another game stands {place}")
            cut.write_bytes(text[offset:][: found["length"]])
            pgn, line = _converted(cut, game, "pgn"), _converted(cut, game, "lines")
        except (BookBuilderError, OSError) as error:
            if isinstance(error, RefusedError):
                raise
            raise _unlike(path, f"no game stands {place}: {error}") from error
    if not pgn.strip():
        raise _unlike(path, f"the game {place} cannot be read to its end")
    tags = {name: value.replace(r"\"", '"').replace(r"\\", "\\") for name, value in _TAG.findall(pgn)}
    return ArchiveGame(pgn=pgn.strip() + "\n", tags=tags, moves=_moves(line))


_TAG: Final = re.compile(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]', re.MULTILINE)
_MOVE: Final = re.compile(r"[a-i]\d[a-i]\d[a-z]?")


def _moves(line: str) -> tuple[str, ...]:
    return tuple(word for word in line.split() if _MOVE.fullmatch(word))


def _is_same(found: dict[str, Any], row: GameRow) -> bool:
    return all(found[name] == row[name] for name in ("first_player", "second_player", "date"))


def _game_at(path: Path, game: Game, offset: int) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = []

    def take(batch: ArrowStream) -> None:
        rows.extend(row for row in from_native(batch).to_pylist() if row["offset"] == offset)

    _core.list_games([str(path)], game, take)
    return rows[0] if rows else None


def _converted(path: Path, game: Game, to: str) -> str:
    pieces: list[bytes] = []
    _core.convert_games([str(path)], game, pieces.append, layout="stream", to=to)
    return b"".join(pieces).decode()
