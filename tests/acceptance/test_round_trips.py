"""Real games are converted to our formats and back, and keep moves, result, start and players.

Games are compared as PGN, byte by byte: moves with variations and comments, result, start, all tags.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.corpus

Program = Callable[..., "subprocess.CompletedProcess[str]"]

# Games of the XQF archives that can be written. The others have an illegal move in their main line (30 each)
# or an invalid start position (2 and 18).
CONVERTED = {"sample": 2_290, "all": 35_919}
SHARES = ["sample", pytest.param("all", marks=pytest.mark.slow)]
NOTATIONS = ["iccs", "wxf", "chinese", "chinese-traditional"]


@pytest.fixture(params=SHARES)
def xqf_games(request: pytest.FixtureRequest, xqf_archive: Path) -> tuple[Path, int]:
    """An archive of XQF files and the number of its games that can be written."""
    archive = xqf_archive.with_name("sample") if request.param == "sample" else xqf_archive
    return archive, CONVERTED[request.param]


@pytest.fixture(params=SHARES)
def gbk_games(request: pytest.FixtureRequest, corpus: Path) -> tuple[Path, int]:
    """An archive of PGN in GB18030 with moves in Chinese, and the number of its games."""
    folder = corpus / "data" / "xiangqi" / "pgn_gbk"
    if request.param == "sample":
        return folder / "sample", 305
    return folder / "walker8088_cchess_pgn.tar.gz", 7_924


@pytest.fixture
def converted(program: Program, tmp_path: Path) -> Callable[..., Path]:
    """A function that converts an archive to a file of that name and returns its path."""

    def convert(archive: Path, name: str, *options: str) -> Path:
        target = tmp_path / name
        ran = program("games", "convert", archive, "--game", "xiangqi", "-o", target, "--quiet", *options)
        assert ran.returncode == 0, ran.stderr
        return target

    return convert


def lines(program: Program, archive: Path) -> list[str]:
    """Start, moves and result of each game."""
    ran = program("games", "convert", archive, "--game", "xiangqi", "--to", "lines", "--quiet")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def players(program: Program, archive: Path) -> list[tuple[str, str]]:
    """The players of each game."""
    ran = program("games", "list", archive, "--game", "xiangqi", "--csv", "--quiet")
    rows = csv.DictReader(io.StringIO(ran.stdout))
    return [(row["first_player"], row["second_player"]) for row in rows]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_xqf_to_pgn_to_xqf_in_every_notation(
    xqf_games: tuple[Path, int], converted: Callable[..., Path], notation: str
) -> None:
    archive, games = xqf_games
    there = converted(archive, "there.pgn", "--notation", notation)
    back = converted(there, "back.zip")
    again = converted(back, "again.pgn", "--notation", notation).read_bytes()
    assert again == there.read_bytes()
    assert again.count(b"\n[Event ") == games
    assert again.count(b"(1. ") > 0


@pytest.mark.parametrize("notation", NOTATIONS)
def test_pgn_to_xqf_to_pgn_keeps_games_and_players(
    gbk_games: tuple[Path, int], program: Program, converted: Callable[..., Path], notation: str
) -> None:
    archive, games = gbk_games
    there = converted(archive, "there.zip")
    back = converted(there, "back.pgn", "--notation", notation)
    before = lines(program, archive)
    assert len(before) == games
    assert lines(program, there) == before
    assert lines(program, back) == before
    # XQF has 15 bytes for a name.
    for names, cut in zip(players(program, archive), players(program, back), strict=True):
        assert all(name.startswith(part.rstrip("?")) for name, part in zip(names, cut, strict=True))


# Choices of writers: piece names of either side, numerals or digits of either width.
ALIKE = str.maketrans("帅士兵象123456789一二三四五六七八九", "将仕卒相" + 2 * "１２３４５６７８９")


@pytest.mark.slow
def test_chinese_moves_equal_those_of_the_archive(corpus: Path, converted: Callable[..., Path]) -> None:
    archive = corpus / "data" / "xiangqi" / "pgn_gbk" / "walker8088_cchess_pgn.tar.gz"

    def moves(text: str) -> list[str]:
        text = re.sub(r"\{[^}]*\}|(?m:^\[.*$)", "", text)
        return re.findall(r"[^\s.]{2}[进退平][^\s.]", text.translate(ALIKE))

    with tarfile.open(archive) as tar:
        files = [tar.extractfile(member) for member in tar if member.isfile()]
        theirs = [moves(file.read().decode("gb18030")) for file in files if file]
    ours = converted(archive, "chinese.pgn", "--notation", "chinese").read_text(encoding="utf-8")
    written = [moves(game) for game in ours.split("[Game ")[1:]]
    assert [len(game) for game in written] == [len(game) for game in theirs]
    pairs = [pair for two in zip(theirs, written, strict=True) for pair in zip(*two, strict=True)]
    others = [pair for pair in pairs if pair[0] != pair[1]]
    assert len(pairs) == 1_075_251
    # Writers omit 前 and 后 if only one of two pieces can make the move.
    assert len(others) == 1_351
    assert all(us[0] in "前后" and (us[1], us[2:]) == (them[0], them[2:]) for them, us in others)


@pytest.mark.parametrize(
    ("name", "games", "filtered", "rejects"),
    [
        ("pgn_gbk/walker8088_cchess_pgn.tar.gz", 7_924, {}, {}),
        ("pgn_gbk/xqwlight", 51, {}, {}),
        ("pgn_iccs", 1_125, {}, {}),
        # Three games are in SAN; one has overwritten last moves.
        ("pgn_wxf_utf8", 1_228, {}, {"illegal-move": 1}),
        ("mxq", 34, {"no-moves": 2}, {}),
        # Of 1,035 records in new libraries, one starts with an illegal move, another has one in a variation.
        ("cbl_cbr", 1_209, {"no-moves": 26}, {"illegal-move": 1}),
    ],
)
def test_xiangqi_games_are_legal(
    corpus: Path, program: Program, name: str, games: int, filtered: dict[str, int], rejects: dict[str, int]
) -> None:
    archive = corpus / "data" / "xiangqi" / name
    ran = program("games", "check", archive, "--game", "xiangqi", "--json", "--quiet")
    report = json.loads(ran.stdout)
    assert (report["games_used"], report["filtered"], report["rejects"]) == (games, filtered, rejects)
    assert report["games_read"] == games + sum(filtered.values()) + sum(rejects.values())
