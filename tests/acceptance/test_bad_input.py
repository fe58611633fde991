"""Bad archives: one clear line that names the file, the exit code, and no incomplete output."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from support.refusals import Program, assert_refused

import bookbuilder as bb

pytestmark = pytest.mark.corpus

GAMES = 1_500


@pytest.fixture(scope="module")
def pgn(chess_games: list[bytes]) -> bytes:
    """A real PGN archive."""
    return b"".join(chess_games[:GAMES])


def cut(content: bytes) -> bytes:
    """Return the first half."""
    return content[: len(content) // 2]


# Error → file name, content for a PGN, expected message.
BAD_FILES: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "empty": ("a.pgn", lambda _: b"", "is empty"),
    "empty inside": ("a.pgn.gz", lambda _: gzip.compress(b""), "is empty"),
    "prose": ("a.txt", lambda _: b"It was a dark and stormy night.\n" * 99, "holds text without PGN tags"),
    "binary": ("a.pgn", lambda _: random.Random(1).randbytes(9_000), "holds binary data of an unknown kind"),
    "a book": ("a.pgn", lambda _: b"BOOKBLDR" + bytes(90), "is a clustered book; expected archives of games"),
    "no games in a zip": (
        "a.zip",
        lambda _: zipped(("read.me", b"prose\n" * 9)),
        "read.me: holds text without",
    ),
    "an empty zip": ("a.zip", lambda _: zipped(), "is empty"),
}


# Compression → suffix and function.
CODECS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": (".gz", gzip.compress),
    "bzip2": (".bz2", bz2.compress),
    "xz": (".xz", lambda pgn: lzma.compress(pgn, preset=0)),
    "zstd": (".zst", lambda pgn: zstd(pgn)),
}


def zstd(content: bytes) -> bytes:
    """Return one zstd frame."""
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


def zipped(*members: tuple[str, bytes]) -> bytes:
    """Return a zip file with these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize("wrong", BAD_FILES)
def test_unreadable_archive_is_named(
    program: Program, tmp_path: Path, output: Path, pgn: bytes, wrong: str
) -> None:
    name, content, message = BAD_FILES[wrong]
    (tmp_path / name).write_bytes(content(pgn))
    assert_refused(program("tally", tmp_path / name, "-o", output, "--quiet"), 3, tmp_path / name, message)


def test_missing_input_is_refused_by_every_command(program: Program, tmp_path: Path, output: Path) -> None:
    missing = tmp_path / "missing"
    for command in (
        ("tally", missing, "-o", output),
        ("build", missing, "-o", output),
        ("games", "check", missing),
        ("show", missing),
        ("threshold", missing),
        ("book", "verify", missing),
        ("engine", "search", "--book", missing),
    ):
        assert_refused(program(*command), 3, missing)


def test_directory_without_archives_is_named(program: Program, tmp_path: Path, output: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("notes")
    for directory in (tmp_path / "empty", tmp_path / "other"):
        assert_refused(program("build", directory, "-o", output), 3, f"{directory}: no archive found")


def test_unreadable_entry_of_directory_is_named(
    program: Program, tmp_path: Path, output: Path, pgn: bytes
) -> None:
    archives = tmp_path / "archives"
    archives.mkdir()
    (archives / "a.pgn").write_bytes(pgn)
    dangling, pipe, damaged = archives / "b.pgn", archives / "c.pgn", archives / "d.pgn.gz"
    dangling.symlink_to(tmp_path / "nowhere")
    assert_refused(program("tally", archives, "-o", output), 3, dangling, "no such file")
    dangling.unlink()
    os.mkfifo(pipe)
    assert_refused(program("tally", archives, "-o", output), 3, pipe, "is a pipe, socket or device")
    pipe.unlink()
    damaged.write_bytes(gzip.compress(pgn)[:20])
    (archives / "a.pgn").unlink()
    assert_refused(program("tally", archives, "-o", output), 3, damaged, "truncated")


@pytest.mark.parametrize("codec", CODECS)
def test_truncated_archive_is_used_up_to_the_cut(
    program: Program, tmp_path: Path, pgn: bytes, codec: str
) -> None:
    suffix, compress = CODECS[codec]
    path = tmp_path / f"a.pgn{suffix}"
    path.write_bytes(cut(compress(pgn * 20)))
    ran = program("tally", path, "-o", tmp_path / "store", "--quiet")
    assert ran.returncode == 3
    line, _ = ran.stderr.splitlines()
    assert line.startswith(f"bookbuilder: {path}: truncated: the {codec} data end early")
    assert 0 < bb.Tally.open(tmp_path / "store").games.num_rows < GAMES * 20


def test_truncated_archive_does_not_affect_others(
    program: Program, tmp_path: Path, pgn: bytes, chess_games: list[bytes]
) -> None:
    other = b"".join(chess_games[GAMES : 2 * GAMES])
    (tmp_path / "a.pgn").write_bytes(pgn)
    (tmp_path / "b.pgn.gz").write_bytes(cut(gzip.compress(other)))
    ran = program("tally", tmp_path, "-o", tmp_path / "store", "--quiet")
    assert ran.returncode == 3
    first, last = ran.stderr.splitlines()
    assert last.startswith("bookbuilder: 1 file could not be read")
    assert first.startswith(f"bookbuilder: {tmp_path / 'b.pgn.gz'}: truncated: the gzip data end early")
    sources = bb.Tally.open(tmp_path / "store").games.column("source").to_pylist()
    assert sources.count(str(tmp_path / "a.pgn")) == GAMES
    # The complete games before the cut.
    assert GAMES // 4 < sources.count(str(tmp_path / "b.pgn.gz")) < GAMES * 3 // 4


@pytest.fixture(scope="module")
def half_readable(pgn: bytes, chess_games: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A zip with a valid member, a damaged member and a member without games."""
    other = b"".join(chess_games[GAMES : 2 * GAMES])
    content = bytearray(zipped(("a.pgn", pgn), ("b.pgn", other), ("read.me", b"prose\n" * 9)))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        middle = archive.getinfo("b.pgn").header_offset + 9_000
    content[middle : middle + 500] = bytes(500)
    path = tmp_path_factory.mktemp("half") / "half.zip"
    path.write_bytes(content)
    return path


def test_truncated_zip_is_used_up_to_the_cut(program: Program, tmp_path: Path, pgn: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(cut(zipped(("a.pgn", pgn))))
    ran = program("tally", path, "-o", tmp_path / "store", "--quiet")
    assert ran.returncode == 3
    member, whole, _ = ran.stderr.splitlines()
    assert member.startswith(f"bookbuilder: {path}: a.pgn: ")
    assert whole.startswith(f"bookbuilder: {path}: damaged zip data")
    assert GAMES // 4 < bb.Tally.open(tmp_path / "store").games.num_rows < GAMES * 3 // 4


def test_unreadable_member_is_named_and_skipped(
    program: Program, tmp_path: Path, half_readable: Path
) -> None:
    ran = program("tally", half_readable, "-o", tmp_path / "store")
    assert ran.returncode == 3
    lines = ran.stderr.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"bookbuilder: {half_readable}: b.pgn: damaged zip data")
    assert lines[1].startswith("skipped 1 file without games of this kind")
    tally = bb.Tally.open(tmp_path / "store")
    assert tally.games.column("member").to_pylist().count("a.pgn") == GAMES
    assert GAMES <= tally.games.num_rows < 2 * GAMES


def test_unreadable_member_fails_check_and_strict(
    program: Program, tmp_path: Path, half_readable: Path
) -> None:
    for command in (("games", "check"), ("tally", "-o", tmp_path / "store", "--strict", "--quiet")):
        ran = program(*command, half_readable)
        assert ran.returncode == 3
        assert "1 file could not be read" in ran.stderr.splitlines()[-1]
        assert f"{half_readable}: b.pgn" in ran.stderr


def test_archives_of_both_games_are_refused(
    program: Program, tmp_path: Path, output: Path, pgn: bytes, xqf_archive: Path
) -> None:
    (tmp_path / "a.pgn").write_bytes(pgn)
    assert_refused(
        program("tally", tmp_path / "a.pgn", xqf_archive, "-o", output), 3, "one game", xqf_archive
    )


def test_archive_of_other_game_writes_no_store(
    program: Program, tmp_path: Path, output: Path, pgn: bytes
) -> None:
    (tmp_path / "a.pgn").write_bytes(pgn)
    ran = program("tally", tmp_path / "a.pgn", "--game", "xiangqi", "-o", output, "--quiet")
    assert_refused(ran, 1, output, "the archives hold games of the other game")


def test_truncated_xqf_is_a_reject_with_offset(program: Program, tmp_path: Path, xqf_archive: Path) -> None:
    with tarfile.open(xqf_archive) as archive:
        found = (archive.extractfile(entry) for entry in archive)
        whole = next(content for stream in found if stream and len(content := stream.read()) > 1_600)
    path = tmp_path / "cut.xqf"
    path.write_bytes(whole[:1_250])
    ran = program("games", "check", path)
    assert ran.returncode == 1
    assert "1 game was rejected of 1" in ran.stderr
    assert re.search(rf"{re.escape(str(path))}, byte \d+: \S*truncated", ran.stdout), ran.stdout
