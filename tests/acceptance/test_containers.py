"""The same games give the same table in any container and compression."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import bookbuilder as bb

pytestmark = pytest.mark.corpus

GAMES = 2_500


def zstd(content: bytes) -> bytes:
    """One zstd frame."""
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


def tar(*members: tuple[str, bytes], mode: str = "w:gz") -> bytes:
    """A tar file of these members."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file of these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


# File name → how two halves of a PGN, cut between games, are packed.
PACKED: dict[str, Callable[[bytes, bytes], bytes]] = {
    "a.pgn": lambda a, b: a + b,
    "a.pgn.gz": lambda a, b: gzip.compress(a + b),
    "members.pgn.gz": lambda a, b: gzip.compress(a) + gzip.compress(b),
    "a.pgn.bz2": lambda a, b: bz2.compress(a + b),
    "streams.pgn.bz2": lambda a, b: bz2.compress(a) + bz2.compress(b),
    "a.pgn.xz": lambda a, b: lzma.compress(a + b, preset=0),
    "streams.pgn.xz": lambda a, b: lzma.compress(a, preset=0) + lzma.compress(b, preset=0),
    "a.pgn.zst": lambda a, b: zstd(a + b),
    "frames.pgn.zst": lambda a, b: zstd(a) + zstd(b),
    # Cut anywhere, a frame ends in the middle of a game.
    "uneven.pgn.zst": lambda a, b: zstd((a + b)[:77_777]) + zstd((a + b)[77_777:]),
    "a.zip": lambda a, b: zipped(("deep/er/a.pgn", a), ("b.pgn", b)),
    "stored.zip": lambda a, b: zipped(("a.pgn", a), ("b.pgn", b), method=zipfile.ZIP_STORED),
    "bzip2.zip": lambda a, b: zipped(("a.pgn", a), ("b.pgn", b), method=zipfile.ZIP_BZIP2),
    "a.tar": lambda a, b: tar(("a.pgn", a), ("b.pgn", b), mode="w"),
    "a.tar.gz": lambda a, b: tar(("x/a.pgn", a), ("x/b.pgn", b)),
    "nested.tar.bz2": lambda a, b: tar(
        ("a.pgn.gz", gzip.compress(a)), ("b.zip", zipped(("b.pgn", b))), mode="w:bz2"
    ),
    "nested.zip": lambda a, b: zipped(
        ("a.tar.gz", tar(("a.pgn", a))), ("b.pgn.xz", lzma.compress(b, preset=0))
    ),
    "no suffix": lambda a, b: gzip.compress(a + b),
}


@pytest.fixture(scope="module")
def halves(chess_games: list[bytes]) -> tuple[bytes, bytes]:
    """Two halves of a real PGN, cut between games."""
    return b"".join(chess_games[: GAMES // 3]), b"".join(chess_games[GAMES // 3 : GAMES])


@pytest.fixture(scope="module")
def plain(halves: tuple[bytes, bytes], tmp_path_factory: pytest.TempPathFactory) -> bb.Tally:
    """The tally of the games in one plain file."""
    path = tmp_path_factory.mktemp("plain") / "plain.pgn"
    path.write_bytes(b"".join(halves))
    return bb.Tally.from_archives(path)


@pytest.mark.parametrize("name", PACKED)
def test_result_does_not_depend_on_packing(
    halves: tuple[bytes, bytes], plain: bb.Tally, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(PACKED[name](*halves))
    tally = bb.Tally.from_archives(path)
    assert tally.to_arrow().equals(plain.to_arrow())
    assert tally.report is not None
    assert tally.report.members_skipped == ()
    assert (tally.report.games_read, tally.rejects.num_rows) == (GAMES, 0)
    columns = ["fingerprint", "first_player", "second_player", "date", "event", "result", "plies"]
    assert (
        tally.games.select(columns)
        .sort_by("fingerprint")
        .equals(plain.games.select(columns).sort_by("fingerprint"))
    )


def test_offsets_do_not_depend_on_compression(
    halves: tuple[bytes, bytes], plain: bb.Tally, tmp_path: Path
) -> None:
    for name in ("a.pgn.gz", "streams.pgn.bz2", "uneven.pgn.zst"):
        path = tmp_path / name
        path.write_bytes(PACKED[name](*halves))
        games = bb.Tally.from_archives(path).games
        assert games.drop_columns(["source"]).equals(plain.games.drop_columns(["source"]))
    offsets = plain.games.column("offset").to_pylist()
    content = b"".join(halves)
    assert all(content[offset:].startswith(b"[Event ") for offset in offsets)


def test_directory_of_archives_gives_the_same_rows(
    halves: tuple[bytes, bytes], plain: bb.Tally, tmp_path: Path
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "a.pgn.gz").write_bytes(gzip.compress(halves[0]))
    (tmp_path / "below" / "b.zip").write_bytes(zipped(("b.pgn", halves[1])))
    (tmp_path / "below" / "notes.txt").write_text("not an archive")
    for inputs in ([tmp_path], [tmp_path / "*", tmp_path / "below"], [f"{tmp_path}/**/*.*[zp]*"]):
        assert bb.Tally.from_archives(*inputs).to_arrow().equals(plain.to_arrow())
