"""Scid databases: as Scid wrote them, as python-chess wrote them, and with missing or damaged files."""

from __future__ import annotations

import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from support.annotated_games import converted, random_game, read_games, shape
from support.cli_runner import run
from support.scid_files import HEAD, RECORD, write_database

from bookbuilder import Tally
from bookbuilder.archives.find import find_archives
from bookbuilder.errors import ArchiveError

# Five games and what the import of Scid 4.7 made of them; the last game was marked as deleted there.
WRITTEN_BY_SCID = Path(__file__).parent / "scid"
PARTS = (".si4", ".sn4", ".sg4")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A copy of the database of Scid, alone in its folder."""
    return Path(
        shutil.copytree(WRITTEN_BY_SCID, tmp_path / "folder", ignore=shutil.ignore_patterns("*.pgn"))
    ) / ("games.si4")


def test_database_of_scid_has_the_games_of_its_pgn(database: Path, tmp_path: Path) -> None:
    games = read_games((WRITTEN_BY_SCID / "games.pgn").read_text())
    found = converted(database, tmp_path)
    assert len(found) == len(games) - 1
    for game, again in zip(games, found, strict=False):
        assert dict(again.headers) == {
            tag: value
            for tag, value in game.headers.items()
            # The usual start as a FEN is the usual start.
            if game.board().fen() != chess.STARTING_FEN or tag not in ("SetUp", "FEN")
        }
        assert again.comment == game.comment
        assert shape(again) == shape(game)


def test_tally_equals_tally_of_the_pgn(database: Path, tmp_path: Path) -> None:
    pgn = tmp_path / "four.pgn"
    pgn.write_text((WRITTEN_BY_SCID / "games.pgn").read_text().split('[Event "Deleted"]')[0])
    tallies = [Tally.from_archives(path, custom_starts=True) for path in (database, pgn)]
    assert tallies[0].report.games_used == tallies[1].report.games_used
    assert tallies[0].to_arrow().equals(tallies[1].to_arrow())
    assert tallies[0].report.filtered == {"deleted": 1}


def test_random_games_are_read_as_written(tmp_path: Path) -> None:
    dice = random.Random(5)
    games = [random_game(dice, number, glyphs=139, has_remarks=True) for number in range(20)]
    found = converted(write_database(tmp_path / "games.si4", games), tmp_path)
    assert len(found) == len(games)
    for game, again in zip(games, found, strict=True):
        assert again.comment == game.comment
        assert shape(again) == shape(game)
        for tag in ("White", "Black", "Event", "Site", "Round", "Date", "Result", "FEN", "Annotator"):
            assert again.headers.get(tag) == game.headers.get(tag), tag


def test_folder_counts_a_database_once(database: Path) -> None:
    assert find_archives([database.parent]) == [database]
    ran = run("games", "count", database.parent)
    assert (ran.code, ran.err.strip()) == (0, "")
    assert "5" in ran.out


def test_capital_letters_name_the_files_too(database: Path) -> None:
    for path in sorted(database.parent.iterdir()):
        path.rename(path.with_suffix(path.suffix.upper()))
    report = Tally.from_archives(database.with_suffix(".SI4")).report
    assert (report.games_read, report.filtered["deleted"], report.rejects) == (5, 1, {})


def test_missing_names_are_reported_and_games_read(database: Path) -> None:
    database.with_suffix(".sn4").unlink()
    ran = run("games", "list", database, "--json")
    assert "games.sn4: no such file" in ran.err
    assert ran.out.count('"first_player": ""') == 5


def test_missing_games_are_an_error(database: Path) -> None:
    database.with_suffix(".sg4").unlink()
    ran = run("games", "check", database)
    assert ran.code == 3
    assert "games.sg4: no such file" in ran.err


def test_database_in_a_container_says_what_to_do(database: Path, tmp_path: Path) -> None:
    packed = tmp_path / "a.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(database.parent.iterdir()):
            archive.write(path, path.name)
    ran = run("games", "check", packed)
    assert ran.code == 3
    assert "three files in one folder" in ran.err


@pytest.mark.parametrize("suffix", [".sn4", ".sg4"])
def test_part_of_a_database_says_which_file_to_name(database: Path, suffix: str) -> None:
    ran = run("games", "count", database.with_suffix(suffix))
    assert ran.code == 3
    assert "name the .si4 file" in ran.err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.si5", b"\0\1\2\3" * 14, "si5, which is not read; export its games in Scid as PGN"),
        ("a.sg5", b"\0\1\2\3" * 14, "si5, which is not read"),
        ("a.si3", b"Scid.si\0\1\x2c" + bytes(118), "a Scid database of another version"),
        ("a.si4", b"\0\1\2\3" * 50, 'begins with the bytes "Scid.si"'),
    ],
)
def test_other_databases_say_what_to_do(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    ran = run("games", "check", path)
    assert ran.code == 3
    assert message in ran.err


@pytest.mark.parametrize(
    ("change", "filtered", "rejected"),
    [
        (lambda record: record[:8] + bytes([record[8] | 8]) + record[9:], 2, {}),
        (lambda record: (1 << 30).to_bytes(4, "big") + record[4:], 1, {"truncated": 1}),
        (lambda record: record[:5] + bytes([record[5] - 60]) + record[6:], 1, {"truncated": 1}),
    ],
)
def test_bad_game_costs_no_neighbour(
    database: Path, change: Callable[[bytes], bytes], filtered: int, rejected: dict[str, int]
) -> None:
    content = database.read_bytes()
    end = HEAD + RECORD
    database.write_bytes(content[:HEAD] + change(content[HEAD:end]) + content[end:])
    report = Tally.from_archives(database, custom_starts=True).report
    assert (report.games_read, report.games_used) == (5, 3)
    assert (report.filtered, report.rejects) == ({"deleted": filtered}, rejected)
    ran = run("games", "check", database, "--json")
    assert ('"game": 1' in ran.out) == bool(rejected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda index: index[:-7], "truncated"),
        (lambda index: index[:100], "truncated"),
        (lambda index: index[:-RECORD], "the head of the file says 5 games, the file has 4"),
    ],
)
def test_index_of_the_wrong_size_is_reported(
    database: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    database.write_bytes(change(database.read_bytes()))
    ran = run("games", "check", database)
    assert ran.code == 3
    assert message in ran.err


def test_records_of_the_same_game_are_bounded(database: Path) -> None:
    content = database.read_bytes()
    database.write_bytes(content[:HEAD] + content[HEAD : HEAD + RECORD] * 100_000)
    ran = run("games", "check", database)
    assert ran.code == 3
    assert "more than twice the bytes of the .sg4 file" in ran.err


@pytest.mark.parametrize("suffix", PARTS)
def test_damaged_files_never_crash(database: Path, suffix: str) -> None:
    path = database.with_suffix(suffix)
    whole = path.read_bytes()
    dice = random.Random(suffix)
    changed = [whole[:cut] for cut in dice.sample(range(len(whole)), 30)]
    for at in dice.sample(range(len(whole)), 60):
        changed.append(whole[:at] + bytes([whole[at] ^ 1 << dice.randrange(8)]) + whole[at + 1 :])
    for content in changed:
        path.write_bytes(content)
        try:
            report = Tally.from_archives(database, custom_starts=True).report
        except ArchiveError:
            continue
        assert (
            report.games_used + sum(report.rejects.values()) + sum(report.filtered.values())
            == report.games_read
        )
        if suffix != ".si4":
            assert report.games_read == 5
        # A damaged game costs no other one.
        if suffix == ".sg4" and len(content) == len(whole):
            assert report.games_used >= 3
