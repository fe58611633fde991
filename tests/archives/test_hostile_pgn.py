"""Chess PGN that we broke on purpose: what is read, skipped and reported."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from support.cli_runner import run
from support.measured import measured

# Eight games, one fault each but for the first and the last two, which are the same draw.
GAMES = {
    "legal": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0",
    "illegal": "1. e4 e5 2. Ke3 Nc6 3. Bb5 1-0",
    "unfinished": "1. d4 d5 2. c4 *",
    "set up": "1. Kd2 Kd7 2. e4 1/2-1/2",
    "unclosed": "1. e4 {the brace is never closed e5 2. Nf3 1-0",
    "annotated": "1. e4! $10 (1. d4 d5 (1... Nf6 $1 2. c4) 2. c4) 1... c5 {Sicilian} 2. Nf3 ?! 0-1",
    "draw": "1. c4 c5 2. Nf3 Nf6 1/2-1/2",
    "draw again": "1. c4 c5 2. Nf3 Nf6 1/2-1/2",
}
FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def game(name: str, moves: str) -> str:
    """A game of that event."""
    start = f'[SetUp "1"]\n[FEN "{FEN}"]\n' if name == "set up" else ""
    result = moves.rsplit(" ", 1)[1]
    return f'[Event "{name}"]\n[White "A"]\n[Black "B"]\n[Result "{result}"]\n{start}\n{moves}\n\n'


@pytest.fixture
def eight(tmp_path: Path) -> Path:
    """The file of eight games."""
    path = tmp_path / "eight.pgn"
    path.write_text("".join(game(name, moves) for name, moves in GAMES.items()))
    return path


def test_two_broken_games_of_eight_are_lost(eight: Path, tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.jsonl"
    ran = run("games", "check", eight, "--json", "--rejects", rejects, "--quiet")
    report = json.loads(ran.out)
    assert (ran.code, report["games_read"], report["games_used"]) == (1, 8, 6)
    assert report["rejects"] == {"illegal-move": 1, "unterminated-comment": 1}
    left_out = [json.loads(line) for line in rejects.read_text().splitlines()]
    text = eight.read_text()
    assert [(row["game"], row["reason"], row["token"], row["ply"]) for row in left_out] == [
        (2, "illegal-move", "Ke3", 2),
        (5, "unterminated-comment", "", 1),
    ]
    for row, name in zip(left_out, ("illegal", "unclosed"), strict=True):
        assert row["offset"] == text.index(f'[Event "{name}"]')
        assert row["line"] == text[: row["offset"]].count("\n") + 1
    assert f"at byte {text.index('{the')}" in left_out[1]["message"]


def test_rejected_games_are_written_unchanged(eight: Path, tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.pgn"
    run("games", "check", eight, "--rejects", rejects, "--quiet")
    assert rejects.read_text() == "".join(game(name, GAMES[name]) for name in ("illegal", "unclosed"))


def test_prefixes_copies_and_set_up_starts_are_counted(eight: Path, tmp_path: Path) -> None:
    def report(*options: str) -> dict[str, object]:
        store = tmp_path / f"store{len(options)}{options[-1:]}"
        answer: dict[str, object] = json.loads(run("tally", eight, "-o", store, "--json", *options).out)
        return answer

    assert report()["filtered"] == {"custom-start": 1}
    assert report("--on-error", "prefix")["games_used"] == 7
    assert report("--dedupe", "exact")["duplicates"] == 1
    assert run("tally", eight, "-o", tmp_path / "strict", "--strict", "--quiet").code == 1


def test_six_games_of_eight_survive_conversion(eight: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    run("games", "convert", eight, "-o", out, "--quiet")
    rows = [json.loads(line) for line in run("games", "list", out, "--json").out.splitlines()]
    assert [row["event"] for row in rows] == [name for name in GAMES if name not in {"illegal", "unclosed"}]
    assert "(1. d4 d5 (1... Nf6 $1 2. c4) 2. c4)" in " ".join(out.read_text().split())


SOUND = "".join(game(name, GAMES["legal"]) for name in ("one", "two", "three"))


def zstd_frames(content: bytes) -> bytes:
    """Several zstd frames that together hold the content."""
    codec = pa.Codec("zstd")
    return b"".join(
        bytes(codec.compress(content[place : place + 100], asbytes=True))
        for place in range(0, len(content), 100)
    )


# Files that are odd and whole: the three games are read.
ODD = {
    "mixed line ends": SOUND.replace("]\n", "]\r\n").encode(),
    "NUL between games": SOUND.replace("\n\n[", "\n\0\0\0\n[").encode(),
    "NUL within games": SOUND.replace(" ", "\0").replace('\0"', ' "').encode(),
    "zstd of many frames": zstd_frames(SOUND.encode()),
    "gzip of many members": b"".join(
        gzip.compress(part.encode()) for part in SOUND.splitlines(keepends=True)
    ),
    "no line end at the end": SOUND.rstrip().encode(),
    "no blank lines": SOUND.replace("\n\n", "\n").encode(),
    "no tags": f"{GAMES['legal']}\n{GAMES['legal']}\n\n{GAMES['legal']}\n".encode(),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_files_are_read_whole(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "odd.pgn"
    path.write_bytes(ODD[kind])
    ran = run("games", "check", path, "--json", "--quiet")
    report = json.loads(ran.out)
    assert (ran.code, report["games_read"], report["games_used"]) == (0, 3, 3)


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_whole_games_of_a_cut_file_are_listed(tmp_path: Path, codec: str) -> None:
    text = "".join(game(f"{number:05}", GAMES["legal"]) for number in range(30_000)).encode()
    packed = gzip.compress(text) if codec == "gzip" else zstd_frames(text)
    path = tmp_path / "cut.pgn"
    path.write_bytes(packed[: len(packed) // 2])
    for command in ("check", "list", "count"):
        ran = run("games", command, path, "--json", "--quiet")
        assert (ran.code, "truncated" in ran.err) == (3, True)
        if command == "list":
            read = len(ran.out.splitlines())
        else:
            read = json.loads(ran.out)["games_read" if command == "check" else "games"]
        assert 10_000 < read < 20_000


class Shape(NamedTuple):
    """A game that is one text over and over."""

    head: str
    unit: str
    tail: str
    is_used: bool
    """Whether the game is sound all the same; else it is rejected, or has no moves."""


SHAPES = {
    "a long line of moves": Shape("\n1. e4 ", "Nf6 Ng1 ", "", False),
    "a long line of digits": Shape("\n", "1", "", False),
    "a long comment": Shape("\n1. e4 {", "x ", "} e5 *", True),
    "an open comment": Shape("\n1. e4 {", "x ", "", False),
    "a comment of NUL bytes among others": Shape("\n1. e4 {", "x\0", "} e5 *", True),
    "comments": Shape("\n1. e4 ", "{}", " e5 *", True),
    "open parentheses": Shape("\n1. e4 ", "(", "", False),
    "nested variations": Shape("\n1. e4 ", "(1. d4 ", "", False),
    "variations": Shape("\n1. e4 ", "(1. d4)", " e5 *", True),
    "closing parentheses": Shape("\n1. e4 ", ")", " e5 *", True),
    "brackets": Shape("\n1. e4 ", "[", " e5 *", True),
    "marks": Shape("\n1. e4 ", "!", " e5 *", True),
    "glyphs": Shape("\n1. e4 ", "$1", " e5 *", True),
    "tags": Shape("", '[Tag "x"]\n', "\n1. e4 *", True),
    "tags in one line": Shape("", '[Tag "x"]', "\n1. e4 *", True),
    "tags in a comment": Shape("\n1. e4 {\n", ' [Tag "x"]\n', "} e5 *", True),
    "quotes": Shape('[Site "', '"', '"]\n\n1. e4 *', True),
    "escapes": Shape('[Site "', "\\", '"]\n\n1. e4 *', True),
    "blank lines": Shape("\n1. e4 ", "\n", "e5 *", True),
    "prose": Shape("\n1. e4 * ", "word\n\n", "", True),
    "open lines": Shape("\n1. e4 ", ";\n", "e5 *", True),
    "NUL bytes": Shape("\n1. e4 ", "\0", "e5 *", True),
    "high bytes": Shape("\n1. e4 ", "é", " e5 *", False),
}
# Below the most that a game may have.
LARGE_BYTES = 60 << 20


def with_shape(shape: Shape, size: int, path: Path) -> Path:
    """A file of a game of that shape and about that size between sound ones."""
    with path.open("w", encoding="utf-8") as stream:
        stream.write(game("before", GAMES["legal"]))
        stream.write(f'[Event "hostile"]\n{shape.head}')
        stream.writelines(shape.unit * (1 << 16) for _ in range(size // (len(shape.unit.encode()) << 16)))
        stream.write(f"{shape.tail}\n\n" + game("after", GAMES["legal"]))
    return path


def events_listed(path: Path) -> Iterator[str]:
    """The events of the games of a file."""
    for line in run("games", "list", path, "--json", "--quiet").out.splitlines():
        yield json.loads(line)["event"]


@pytest.mark.parametrize("name", SHAPES)
def test_hostile_game_affects_no_other_game(tmp_path: Path, name: str) -> None:
    shape = SHAPES[name]
    path = with_shape(shape, 1 << 20, tmp_path / "hostile.pgn")
    assert list(events_listed(path)) == ["before", "hostile", "after"]
    report = json.loads(run("games", "check", path, "--json", "--quiet").out)
    left_out = sum({**report["filtered"], **report["rejects"]}.values())
    assert (report["games_used"], left_out) == ((3, 0) if shape.is_used else (2, 1))
    out = tmp_path / "out.pgn"
    run("games", "convert", path, "-o", out, "--quiet")
    assert {"before", "after"} <= set(events_listed(out))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_a_large_hostile_game_takes_bounded_memory(tmp_path: Path, name: str) -> None:
    shape = SHAPES[name]
    path = with_shape(shape, LARGE_BYTES, tmp_path / "hostile.pgn")
    used = tmp_path / "used.json"
    checked = measured("games", "check", path, "--json", "--quiet", report=used)
    assert json.loads(checked.out)["games_used"] == (3 if shape.is_used else 2)
    assert checked.peak_mib < 1 << 10
    converted = measured("games", "convert", path, "--quiet", "-o", tmp_path / "out.pgn", report=used)
    assert converted.peak_mib < 2 << 10
    assert converted.code == 0, converted.err
