"""ChessBase databases: as another reader reads them, as python-chess wrote them, and what they may lack."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cbh2pgn import CBHDatabase
from cbh2pgn.readers import _cbg_utils
from support.annotated_games import converted, random_game, shape
from support.chessbase_files import write_database
from support.cli_runner import run

from bookbuilder import Tally
from bookbuilder.archives.find import find_archives

# Byte → how origin and target are written, by the table of the other reader.
PLAIN = [_cbg_utils.DEOBFUSCATE_2B.index(value) for value in range(256)]


@pytest.mark.parametrize("spare", [0, 4])
def test_random_games_come_back_as_they_were(tmp_path: Path, spare: int) -> None:
    dice = random.Random(5)
    games = [random_game(dice, number) for number in range(12)]
    path = write_database(tmp_path / "games.cbh", games, plain=PLAIN, spare=spare)
    found = converted(path, tmp_path)
    assert len(found) == len(games)
    for game, again in zip(games, found, strict=True):
        assert shape(again) == shape(game)
        for tag in ("White", "Black", "Event", "Date", "Result", "FEN"):
            assert again.headers.get(tag) == game.headers.get(tag), tag
        assert again.headers["Site"] == "Testville"


def test_counts_are_those_of_the_same_games_in_pgn(tmp_path: Path) -> None:
    dice = random.Random(6)
    path = write_database(tmp_path / "a.cbh", [random_game(dice, 1) for _ in range(20)], plain=PLAIN)
    converted(path, tmp_path)
    rows = [Tally.from_archives(each).to_arrow() for each in (path, tmp_path / "converted.pgn")]
    assert rows[0].equals(rows[1])


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database of three games, alone in its folder."""
    folder = tmp_path / "folder"
    folder.mkdir()
    dice = random.Random(7)
    return write_database(
        folder / "Games.cbh", [random_game(dice, number) for number in (1, 2, 3)], plain=PLAIN
    )


def test_folder_counts_a_database_once(database: Path) -> None:
    database.with_suffix(".cbl").write_bytes(b"\0" * 100)
    database.with_suffix(".ini").write_text("[x]")
    assert find_archives([database.parent]) == [database]
    ran = run("games", "count", database.parent)
    assert ran.code == 0
    assert "3" in ran.out
    assert not ran.err.strip()


def test_capital_letters_name_the_files_too(database: Path) -> None:
    for path in sorted(database.parent.iterdir()):
        path.rename(path.with_suffix(path.suffix.upper()))
    assert Tally.from_archives(database.with_suffix(".CBH")).report.games_used == 3


def test_missing_files_are_named(database: Path) -> None:
    database.with_suffix(".cbp").unlink()
    database.with_suffix(".cba").write_bytes(b"")
    ran = run("games", "check", database)
    assert "Games.cbp: no such file" in ran.err
    ran = run("games", "list", database, "--json")
    assert ran.out.count('"first_player": ""') == 3
    database.with_suffix(".cbg").unlink()
    ran = run("games", "check", database)
    assert ran.code != 0
    assert "Games.cbg: no such file" in ran.err


def test_database_in_a_container_says_what_to_do(database: Path, tmp_path: Path) -> None:
    packed = tmp_path / "a.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in database.parent.iterdir():
            archive.write(path, path.name)
    ran = run("games", "count", packed)
    assert ran.code != 0
    assert "all its files in one folder" in ran.err


def test_part_of_a_database_says_which_file_to_name(database: Path) -> None:
    ran = run("games", "count", database.with_suffix(".cbg"))
    assert ran.code != 0
    assert "name the .cbh file" in ran.err


def test_games_of_a_database_cannot_be_copied(database: Path, tmp_path: Path) -> None:
    ran = run("games", "filter", database, "-o", tmp_path / "some.pgn")
    assert ran.code != 0
    assert "convert the database first" in ran.err
    assert not (tmp_path / "some.pgn").exists()


@pytest.mark.parametrize(
    ("change", "filtered", "rejected"),
    [
        (lambda head: bytes([head[0] | 0x80]) + head[1:], {"deleted": 1}, {}),
        (lambda head: bytes([head[0] | 0x02]) + head[1:], {"guiding-text": 1}, {}),
        (lambda head: head[:1] + (1 << 30).to_bytes(4, "big") + head[5:], {}, {"truncated": 1}),
    ],
)
def test_what_is_no_game_costs_no_neighbour(
    database: Path, change: Callable[[bytes], bytes], filtered: dict[str, int], rejected: dict[str, int]
) -> None:
    content = database.read_bytes()
    database.write_bytes(content[:92] + change(content[92:138]) + content[138:])
    checked = json.loads(run("games", "check", database, "--json").out)
    assert (checked["filtered"], checked["rejects"]) == (filtered, rejected)
    report = Tally.from_archives(database).report
    assert (report.games_used, report.filtered, report.rejects) == (2, filtered, rejected)


def test_records_that_are_cut_off_are_told(database: Path) -> None:
    database.write_bytes(database.read_bytes()[:-7])
    ran = run("games", "check", database)
    assert ran.code != 0
    assert "truncated" in ran.err


def test_real_database_reads_like_another_reader(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "linares.cbh"
    for each in (corpus / "data/chess/cbh").iterdir():
        shutil.copy(each, tmp_path)
    games = converted(path, tmp_path)
    others = [*CBHDatabase(path)]
    records = path.read_bytes()
    assert len(games) == len(others) == 503
    for number, (game, other) in enumerate(zip(games, others, strict=True)):
        headers = game.headers
        assert (headers["Date"], headers["Result"]) == (other.date, other.result)
        assert headers["Round"] == other.round
        assert headers.get("ECO", "") == other.eco
        assert int(headers.get("WhiteElo", 0)) == other.white_elo
        assert int(headers.get("BlackElo", 0)) == other.black_elo
        main = [*game.mainline_moves()]
        begun = [word for word in (other.moves or "").split() if not word[0].isdigit()]
        # The other reader stops at the first variation.
        board = game.board()
        for move, san in zip(main, begun, strict=False):
            assert board.parse_san(san) == move
            board.push(move)
        assert len(begun) == len(main) or any(node.parent.variations[1:] for node in game.mainline())
        # The file has the number of moves in the main line.
        assert (len(main) + 1) // 2 == records[46 * (number + 1) + 45]
    assert sum(bool(node.nags) for game in games for node in game.mainline()) > 1000
