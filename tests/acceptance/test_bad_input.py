"""Bad input, given as a user would: one clear line that names it, the exit code, nothing half-written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pty
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import bookbuilder as bb
from bookbuilder.errors import BookError
from bookbuilder.tally.store.layout import WORK

pytestmark = pytest.mark.corpus

Ran = subprocess.CompletedProcess[str]
Program = Callable[..., Ran]

XIANGQI_FEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
CHESS_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
GAMES = 1_500


def assert_refused(ran: Ran, code: int, *told: object) -> None:
    """The program ended with this code and one line on stderr that tells all these."""
    assert ran.returncode == code, ran.stderr
    assert ran.stdout == ""
    assert ran.stderr.startswith("bookbuilder: "), ran.stderr
    assert ran.stderr.endswith("\n")
    assert ran.stderr.count("\n") == 1, ran.stderr
    for each in told:
        assert str(each) in ran.stderr


@pytest.fixture(scope="module")
def pgn(chess_games: list[bytes]) -> bytes:
    """A real PGN."""
    return b"".join(chess_games[:GAMES])


@pytest.fixture
def output(tmp_path: Path) -> Iterator[Path]:
    """A path to write to, in a directory of its own, in which nothing may be left."""
    directory = tmp_path / "output"
    directory.mkdir()
    yield directory / "new"
    assert not list(directory.iterdir())


def cut(content: bytes) -> bytes:
    """The first half."""
    return content[: len(content) // 2]


# What is wrong → the file's name, its content made from a PGN, and what must be said of it.
BAD_FILES: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "empty": ("a.pgn", lambda _: b"", "is empty"),
    "empty inside": ("a.pgn.gz", lambda _: gzip.compress(b""), "is empty"),
    "prose": ("a.txt", lambda _: b"It was a dark and stormy night.\n" * 99, "holds text without PGN tags"),
    "binary": ("a.pgn", lambda _: random.Random(1).randbytes(9_000), "holds binary data of an unknown kind"),
    "a book": ("a.pgn", lambda _: b"BOOKBLDR" + bytes(90), "holds a bookbuilder book"),
    "no games in a zip": (
        "a.zip",
        lambda _: zipped(("read.me", b"prose\n" * 9)),
        "read.me: holds text without",
    ),
    "an empty zip": ("a.zip", lambda _: zipped(), "is empty"),
}


# Compression → suffix, and what compresses.
CODECS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": (".gz", gzip.compress),
    "bzip2": (".bz2", bz2.compress),
    "xz": (".xz", lambda pgn: lzma.compress(pgn, preset=0)),
    "zstd": (".zst", lambda pgn: zstd(pgn)),
}


def zstd(content: bytes) -> bytes:
    """One zstd frame."""
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


def zipped(*members: tuple[str, bytes]) -> bytes:
    """A zip file of these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize("wrong", BAD_FILES)
def test_unreadable_archive_is_named(
    program: Program, tmp_path: Path, output: Path, pgn: bytes, wrong: str
) -> None:
    name, content, told = BAD_FILES[wrong]
    (tmp_path / name).write_bytes(content(pgn))
    assert_refused(program("tally", tmp_path / name, "-o", output, "--quiet"), 3, tmp_path / name, told)


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
    told, _ = ran.stderr.splitlines()
    assert told.startswith(f"bookbuilder: {path}: truncated: the {codec} data end early")
    assert 0 < bb.Tally.open(tmp_path / "store").games.num_rows < GAMES * 20


def test_truncated_archive_does_not_affect_others(
    program: Program, tmp_path: Path, pgn: bytes, chess_games: list[bytes]
) -> None:
    other = b"".join(chess_games[GAMES : 2 * GAMES])
    (tmp_path / "a.pgn").write_bytes(pgn)
    (tmp_path / "b.pgn.gz").write_bytes(cut(gzip.compress(other)))
    ran = program("tally", tmp_path, "-o", tmp_path / "store", "--quiet")
    assert ran.returncode == 3
    said, last = ran.stderr.splitlines()
    assert last.startswith("bookbuilder: 1 files could not be read")
    assert said.startswith(f"bookbuilder: {tmp_path / 'b.pgn.gz'}: truncated: the gzip data end early")
    sources = bb.Tally.open(tmp_path / "store").games.column("source").to_pylist()
    assert sources.count(str(tmp_path / "a.pgn")) == GAMES
    # The whole games before the cut.
    assert GAMES // 4 < sources.count(str(tmp_path / "b.pgn.gz")) < GAMES * 3 // 4


@pytest.fixture(scope="module")
def half_readable(pgn: bytes, chess_games: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A zip of a sound member, a damaged one and one that holds no games."""
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
    assert lines[1].startswith("skipped 1 files without games of this kind")
    tally = bb.Tally.open(tmp_path / "store")
    assert tally.games.column("member").to_pylist().count("a.pgn") == GAMES
    assert GAMES <= tally.games.num_rows < 2 * GAMES


def test_unreadable_member_fails_check_and_strict(
    program: Program, output: Path, half_readable: Path
) -> None:
    for command in (("games", "check"), ("build", "-o", output, "--strict", "--quiet")):
        ran = program(*command, half_readable)
        assert ran.returncode == 3
        assert "1 files could not be read" in ran.stderr.splitlines()[-1]
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
    assert_refused(ran, 1, output, "no game was counted")


def test_truncated_xqf_is_a_reject_with_offset(program: Program, tmp_path: Path, xqf_archive: Path) -> None:
    with tarfile.open(xqf_archive) as archive:
        found = (archive.extractfile(entry) for entry in archive)
        whole = next(content for stream in found if stream and len(content := stream.read()) > 1_600)
    path = tmp_path / "cut.xqf"
    path.write_bytes(whole[:1_250])
    ran = program("games", "check", path)
    assert ran.returncode == 1
    assert "1 of 1 games were rejected" in ran.stderr
    assert re.search(rf"{re.escape(str(path))}, byte \d+: \S*truncated", ran.stdout), ran.stdout


@pytest.fixture(scope="module")
def book(chess_tally: bb.Tally, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound book of a real tally."""
    path = tmp_path_factory.mktemp("book") / "sound.book"
    bb.Book.write(path, bb.select(chess_tally, min_games=20))
    return path


@pytest.fixture(scope="module")
def store(chess_tally: bb.Tally, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of a real tally."""
    return chess_tally.save(tmp_path_factory.mktemp("store") / "sound")


def refused(path: Path, content: bytes) -> str:
    """Why a book of this content is refused when it is opened or verified."""
    path.write_bytes(content)
    with pytest.raises(BookError) as error:
        bb.Book.open(path).verify()
    assert str(error.value).startswith(f"{path}: ")
    return str(error.value)


def newer(book: bytes, path: Path) -> bytes:
    """The book as a later format would have it; the refusal itself tells the checksum that fits."""
    later = bytearray(book)
    struct.pack_into("<H", later, 8, 2)
    told = re.search(
        r"checksum of the header at offset 56 .* expected 0x([0-9a-f]{16})", refused(path, bytes(later))
    )
    assert told is not None
    struct.pack_into("<Q", later, 56, int(told[1], 16))
    return bytes(later)


def test_invalid_book_is_refused_by_every_command(program: Program, tmp_path: Path, book: Path) -> None:
    sound = book.read_bytes()
    contents = {
        "newer.book": (newer(sound, tmp_path / "newer.book"), "book format 2 at offset 8"),
        "cut.book": (cut(sound), f"truncated: {len(sound) // 2} bytes, expected {len(sound)}"),
        "foreign.book": (b"PK\3\4" + sound[4:], "not a clustered book"),
    }
    for name, (content, told) in contents.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert_refused(program("book", "verify", path), 3, path, told)
        assert_refused(program("show", path), 3, path, told)
        assert_refused(program("engine", "search", "--book", path, "--depth", 1), 3, path, told)


def test_every_damaged_byte_of_a_book_is_found(program: Program, tmp_path: Path, book: Path) -> None:
    sound = book.read_bytes()
    chance, path = random.Random(4), tmp_path / "damaged.book"
    for place in [*range(64), *chance.sample(range(64, len(sound)), 150), *range(len(sound) - 8, len(sound))]:
        damaged = bytearray(sound)
        damaged[place] ^= 1 << chance.randrange(8)
        refused(path, bytes(damaged))
    ran = program("book", "verify", path)
    assert_refused(ran, 1, path, "checksum")


def test_truncated_book_is_refused(tmp_path: Path, book: Path) -> None:
    sound = book.read_bytes()
    for length in [0, 1, 7, 8, 63, 64, 100, *random.Random(5).sample(range(len(sound)), 40), len(sound) - 1]:
        refused(tmp_path / "cut.book", sound[:length])
    assert "appended" in refused(tmp_path / "long.book", sound + b"\0")


def test_book_of_other_game_is_refused(program: Program, book: Path) -> None:
    ran = program("engine", "search", "--game", "xiangqi", "--book", book, "--depth", 1)
    assert_refused(ran, 3, book, "a book of chess, expected xiangqi")


def test_fen_of_other_game_is_refused(program: Program, book: Path, store: Path) -> None:
    for command in (("show", book), ("show", store), ("engine", "search", "--book", book, "--depth", 1)):
        assert_refused(program(*command, "--fen", XIANGQI_FEN), 2, "bad chess FEN", "8 ranks")
    perft = ("engine", "perft", "--game", "xiangqi", "--depth", 1)
    assert_refused(program(*perft, "--fen", CHESS_FEN), 2, "bad xiangqi FEN", "10")
    assert_refused(program("show", book, "--moves", "e2e4 e7e5 e1e3"), 2, "move 3", "e1e3")


def test_existing_output_is_not_replaced(program: Program, tmp_path: Path, store: Path) -> None:
    mine, folder = tmp_path / "mine", tmp_path / "folder"
    mine.write_text("mine")
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    assert_refused(program("build", store, "-o", mine), 4, mine, "--force")
    assert_refused(program("tally", store.parent, "-o", mine), 4, mine)
    assert_refused(program("tally", store.parent, "-o", tmp_path / "new"), 3, store.parent)
    assert_refused(program("threshold", store, "--plot", tmp_path / "folder"), 2, ".svg")
    assert_refused(program("engine", "selfplay", "--game", "chess", "-o", mine, "--games", 1), 2, ".pgn")
    for force in ((), ("--force",)):
        assert_refused(program("build", store, "-o", folder, *force), 4, folder)
    assert mine.read_text() == (folder / "thesis.txt").read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == [folder, mine]


def test_store_is_not_written_among_other_files(
    program: Program, tmp_path: Path, players_archive: Path
) -> None:
    mine, folder = tmp_path / "mine", tmp_path / "folder"
    mine.write_text("mine")
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    for force in ((), ("--force",)):
        assert_refused(program("tally", players_archive, "-o", mine, *force), 4, mine)
        assert_refused(program("tally", players_archive, "-o", folder, *force), 4, folder, "thesis.txt")
    assert mine.read_text() == (folder / "thesis.txt").read_text() == "mine"
    assert [each.name for each in folder.iterdir()] == ["thesis.txt"]


def interrupted_while_reading(*arguments: object) -> tuple[int, str]:
    """Run the program on a terminal, interrupt it once it shows games, return its code and last words."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-P", "-m", "bookbuilder", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown, is_sent = b"", False
    while chunk := read_terminal(ours):
        shown += chunk
        if not is_sent and re.search(rb"[1-9][\d,]* games", shown):
            process.send_signal(signal.SIGINT)
            is_sent = True
    os.close(ours)
    assert is_sent, shown
    return process.wait(), shown.decode().splitlines()[-1]


def read_terminal(terminal: int) -> bytes:
    """What a terminal shows next; nothing once its program has gone, which Linux tells as an error."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


@pytest.mark.parametrize("command", ["tally", "build"])
def test_interrupt_exits_with_130_and_leaves_nothing(
    players_archive: Path, output: Path, command: str
) -> None:
    code, said = interrupted_while_reading(command, players_archive, "-o", output)
    assert code == 130
    # What comes before on the line are the terminal's codes that clear the bar.
    assert said.endswith("bookbuilder: interrupted; outputs are as they were before")
    if command == "tally":
        # What was counted is for the next run to take up; it is no store.
        assert [left.name for left in output.iterdir()] == [WORK]
        shutil.rmtree(output)


def test_interrupt_leaves_existing_store_unchanged(
    players_archive: Path, chess_tally: bb.Tally, tmp_path: Path
) -> None:
    store = chess_tally.save(tmp_path / "store")
    before = {path.name: path.read_bytes() for path in store.iterdir()}
    code, _ = interrupted_while_reading("tally", players_archive, "-o", store)
    assert code == 130
    shutil.rmtree(store / WORK)
    assert {path.name: path.read_bytes() for path in store.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
