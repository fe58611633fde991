"""Inputs of extreme size or shape take linear time and bounded memory.

Time is CPU time, compared between two sizes of one input or two shapes of one size. Memory is the largest
resident set of the process.
"""

from __future__ import annotations

import gzip
import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support.cli_runner import run
from support.measured import Measured, measured
from support.selections import ABSOLUTE, LITERATURE

import bookbuilder as bb
from bookbuilder.errors import BookError
from bookbuilder.tally.store.layout import read_manifest

MIB: Final = 1 << 20
GAME: Final = '[Event "{}"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n'
XQF_TREE: Final = 226_491
"""Nodes of the largest tree of a collection of 35,967 XQF files."""
SLACK: Final = 2.5
"""By how much more than the input the time may grow: small runs are noisy."""


def check(path: Path, tmp_path: Path, *options: object) -> Measured:
    """Run `games check` on a file."""
    return measured("games", "check", path, "--json", "--quiet", *options, report=tmp_path / "report")


def reading_seconds(found: Measured) -> float:
    """Return the CPU seconds of reading in the report, without the start of the program."""
    return float(json.loads(found.out)["cpu_seconds"])


# Squares are file × 10 + rank: Red's pieces, then Black's, in the order of an XQF file; moves out and back.
PLACES: Final = (
    *(0, 10, 20, 30, 40, 50, 60, 70, 80, 12, 72, 3, 23, 43, 63, 83),
    *(89, 79, 69, 59, 49, 39, 29, 19, 9, 77, 17, 86, 66, 46, 26, 6),
)
KNIGHTS: Final = ((10, 22), (79, 67), (22, 10), (67, 79))
GUARDS: Final = ((30, 41), (39, 48), (30, 41), (39, 48))
"""What may be played instead of a knight's move."""


def xqf(nodes: int, *, is_deep: bool) -> bytes:
    """Return an XQF file of version 10 with a tree of `nodes` nodes: one line, or two moves at each node."""
    head = bytearray(1024)
    head[:4] = b"XQ\n\0"
    head[0x10:0x30] = bytes(PLACES)
    head[0x33] = 1
    plies = nodes if is_deep else nodes // 2
    body = [struct.pack("<BBBBI", 24, 32, 0xF0, 0, 0)]
    for ply in range(plies):
        flags = (0xF0 if ply + 1 < plies else 0) | (0 if is_deep else 0x0F)
        origin, target = KNIGHTS[ply % 4]
        body.append(struct.pack("<BBBBI", origin + 24, target + 32, flags, 0, 0))
    for ply in () if is_deep else range(plies - 1, -1, -1):
        origin, target = GUARDS[ply % 4]
        body.append(struct.pack("<BBBBI", origin + 24, target + 32, 0, 0, 0))
    return bytes(head) + b"".join(body)


@pytest.mark.parametrize("is_deep", [False, True])
def test_largest_known_xqf_tree_is_read(is_deep: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.xqf"
    path.write_bytes(xqf(XQF_TREE, is_deep=is_deep))
    report = json.loads(run("games", "check", path, "--json", "--quiet").out)
    assert (report["games_read"], report["games_used"]) == (1, 1)
    listed = json.loads(run("games", "list", path, "--json", "--quiet").out)
    assert listed["plies"] == (XQF_TREE if is_deep else XQF_TREE // 2)


@pytest.mark.slow
@pytest.mark.parametrize("is_deep", [False, True])
def test_deeper_xqf_tree_takes_linear_time(is_deep: bool, tmp_path: Path) -> None:
    found = []
    for nodes in (2, 2 * XQF_TREE, 8 * XQF_TREE):
        path = tmp_path / "a.xqf"
        path.write_bytes(xqf(nodes, is_deep=is_deep))
        found.append(check(path, tmp_path))
    empty, small, large = found
    assert reading_seconds(large) < 4 * SLACK * (reading_seconds(small) + 0.01)
    assert large.peak_mib < empty.peak_mib + 1024


@pytest.mark.parametrize(
    ("mib", "message"),
    [
        (64, "a game at byte 58 is larger than 67108864 bytes"),
        pytest.param(4096, "decompression bomb", marks=pytest.mark.slow),
    ],
)
def test_decompression_bomb_takes_bounded_memory(mib: int, message: str, tmp_path: Path) -> None:
    """A file that inflates to less than 1 GiB is not a bomb yet, but a game of that size is too large."""
    path = tmp_path / "a.pgn.gz"
    with gzip.open(path, "wb", compresslevel=9) as stream:
        stream.write(GAME.format("before").encode() + b'[Event "hostile"]\n\n1. e4 {')
        for _ in range(mib):
            stream.write(b"x" * MIB)
    assert path.stat().st_size < mib * MIB // 500
    found = check(path, tmp_path)
    assert found.code == 3
    assert message in found.err
    assert "Traceback" not in found.err
    assert found.peak_mib < 512


def lies(book: bytes) -> dict[str, bytes]:
    """Books with false values in header and index, with valid checksums where possible."""
    found = {}
    for place in range(8, 64, 4):
        for value in (0, 1, 1_000_000, 0x7FFF_FFFF, 0xFFFF_FFFF):
            found[f"{place}: {value}"] = book[:place] + struct.pack("<I", value) + book[place + 4 :]
    million = struct.pack("<32769I", *[1_000_000] * 32_769)
    found["an index of a million each"] = book[:64] + million + book[64 + len(million) :]
    return found


def test_false_book_headers_take_no_memory(chess_pgn: Path, tmp_path: Path) -> None:
    chosen = bb.select(bb.Tally.from_archives(chess_pgn), LITERATURE, min_win_rate=0)
    book = bb.Book.write(tmp_path / "a.book", chosen).path.read_bytes()
    path = tmp_path / "lies.book"
    for what, lie in lies(book).items():
        path.write_bytes(lie)
        if lie == book:
            continue
        try:
            opened = bb.Book.open(path)
        except BookError as error:
            assert str(path) in str(error), what  # noqa: PT017 (either is right)
            continue
        with pytest.raises(BookError):
            opened.verify()
        opened.moves("startpos")
    honest = measured("info", tmp_path / "a.book", report=tmp_path / "report")
    lied = measured("info", path, report=tmp_path / "report")
    assert lied.peak_mib < honest.peak_mib + 16


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_many_files_are_read_with_few_handles(count: int, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.pgn").write_text(GAME.format(number))
    words = ("tally", str(folder), "-o", str(tmp_path / "a.store"), "--json", "--quiet")
    found = measured(*words, report=tmp_path / "report")
    report = json.loads(found.out)
    assert (report["games_used"], len(report["sources"])) == (count, count)
    assert found.peak_mib < 512
    again = measured(*words, report=tmp_path / "report")
    assert len(json.loads(again.out)["skipped"]) == count
    assert again.cpu_seconds < SLACK * found.cpu_seconds
    shell = ["sh", "-c", 'ulimit -n 48 && exec "$@"', "sh", sys.executable, "-P", "-m", "bookbuilder"]
    few = [*shell, "tally", str(folder), "-o", str(tmp_path / "b.store"), "--quiet"]
    subprocess.run(few, check=True, capture_output=True)
    assert bb.Tally.open(tmp_path / "b.store") == bb.Tally.open(tmp_path / "a.store")


NAMES: Final = ["开局 ♞ é́", "new\nline", "@list", "star*[x]?", "'\"$(x)", "a" * 200]


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name_is_accepted(
    name: str, chess_pgn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(f"{name}.pgn").write_bytes(chess_pgn.read_bytes())
    store, book = f"./{name}.store", f"./{name}.book"
    for words in (
        ("tally", f"./{name}.pgn", "-o", store),
        ("tally", "verify", store),
        ("show", store, "--json"),
        ("build", *ABSOLUTE, f"./{name}.pgn", "-o", book, "--min-win-rate", "0"),
        ("build", "--recipe", book, "-o", "again.book"),
        ("book", "verify", book),
        ("book", "convert", book, f"./{name}.bin"),
        ("games", "convert", f"./{name}.pgn", "-o", f"./{name}2.pgn"),
    ):
        ran = run(*words)
        assert ran.code == 0, (words, ran.err)
    assert Path(book).read_bytes() == Path("again.book").read_bytes()


def test_undecodable_file_name_is_accepted_and_reported(chess_pgn: Path, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9 \xff.pgn")
    path.write_bytes(chess_pgn.read_bytes())
    store = tmp_path / "a.store"
    report = tmp_path / "report"
    assert measured("tally", path, "-o", store, report=report).code == 0
    assert measured("tally", path, "-o", store, "--json", report=report).out.count("\\udce9") == 1
    assert read_manifest(store).sources[0].source == str(path)
    assert run("build", *ABSOLUTE, path, "-o", f"{path}.book", "--min-win-rate", "0").code == 0
    assert run("build", "--recipe", f"{path}.book", "-o", tmp_path / "again.book").code == 0
    refused = measured("tally", path, "-o", f"{path}.store", report=report)
    assert (refused.code, "must be UTF-8" in refused.err) == (3, True)
