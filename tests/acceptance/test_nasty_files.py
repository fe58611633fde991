"""Hostile chess files: the games read, used and skipped of each, and no bad game affects others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cli_runner import run
from support.nasty_files import FOLDER, Row, found, table

pytestmark = pytest.mark.corpus

# Files of several games in which one game gets an error: with and without blank lines, CRLF, latin-1,
# comments, variations, custom starts, games that start with other tags than Event, variants.
NEIGHBOURS = (
    "capicue-pgn/spec/pgn_files/annotations.pgn",
    "chesslib/src/test/resources/31_events.pgn",
    "chesslib/src/test/resources/finalmast11.pgn",
    "chesslib/src/test/resources/linares_2002.pgn",
    "notnil-chess/fixtures/pgns/0006.pgn",
    "notnil-chess/fixtures/pgns/0014.pgn",
    "pgn-extract/test/infield/fischer.pgn",
    "pgn-extract/test/infield/test-fixresulttags-in.pgn",
    "pgn-extract/test/infield/test-promotion-in.pgn",
    "pgn-extract/test/infield/test-setup-in.pgn",
    "pgn-read/pgn_read/core/tests/pgn_files/twic9nn_error.pgn",
    "pychess/testing/gamefiles/atomic.pgn",
    "python-chess/data/pgn/kasparov-deep-blue-1997.pgn",
    "shakmaty/pgn-reader/benches/lichess_db_10k.pgn",
    "shakmaty/pgn-reader/benches/twic1599_10k.pgn",
)
# A list of move patterns in one line. We read it as games without tags, which only end at a result.
PATTERNS = "pgn-extract/test/infield/vvars.txt"

FAULTS = {
    "unclosed brace": b" { ",
    "unclosed parenthesis": b" ( ",
    "unclosed both": b" ({ ( ",
    "garbage": bytes(range(128, 256)) + b'\x01\x02 ]]>>""[[ Nf9 ',
    "NUL bytes": bytes(20),
    "a cut tag": b'\n[White "',
}


@pytest.mark.parametrize("row", table(), ids=lambda row: row.file)
def test_nasty_file_gives_expected_report(corpus: Path, row: Row) -> None:
    assert found(corpus / FOLDER, row.file) == row


def test_table_lists_every_file_and_game(corpus: Path) -> None:
    folder = corpus / FOLDER
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    rows = table()
    assert [row.file for row in rows] == sorted(files)
    for row in rows:
        left_out = sum(map(int, re.findall(r" (\d+)(?:,|$)", f"{row.filtered},{row.rejected}")))
        assert row.read == row.used + left_out, row.file


def read(path: Path) -> list[tuple[bytes, dict[str, object]]]:
    """Return each game's bytes, and its listed facts except its place."""
    content = path.read_bytes()
    listed = run("games", "list", path, "--game", "chess", "--json", "--quiet").out.splitlines()
    games = []
    for row in map(json.loads, listed):
        start, length = row.pop("offset"), row.pop("length")
        del row["number"]
        games.append((content[start : start + length], row))
    return games


def spoiled(content: bytes, fault: bytes) -> bytes:
    """Return a game with an error in the middle of its moves."""
    blank = re.search(rb"\n\s*\n", content)
    moves = blank.end() if blank else 0
    space = re.compile(rb"\s").search(content, moves + (len(content) - moves) // 2)
    place = space.start() if space else len(content)
    return content[:place] + fault + content[place:]


def lost_neighbours(path: Path, folder: Path) -> Iterator[str]:
    """Return the errors in one game that change another game of its file."""
    games = read(path)
    middle = len(games) // 2
    before = b"".join(content for content, _ in games[:middle])
    after = b"".join(content for content, _ in games[middle + 1 :])
    others = [row for _, row in games[:middle]], [row for _, row in games[middle + 1 :]]
    bad = folder / "bad.pgn"
    for name, fault in FAULTS.items():
        # Tags without an Event tag continue after a blank line, so a cut game joins the tags of the next.
        if name == "a cut tag" and b"[Event " not in games[-1][0]:
            continue
        bad.write_bytes(before + spoiled(games[middle][0], fault) + after)
        rows = [{**row, "source": str(path)} for _, row in read(bad)]
        if (rows[:middle], rows[len(rows) - len(others[1]) :]) != others:
            yield name


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_bad_game_does_not_affect_others(corpus: Path, tmp_path: Path, name: str) -> None:
    assert list(lost_neighbours(corpus / FOLDER / name, tmp_path)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [row.file for row in table() if row.read > 1 and row.file not in {*NEIGHBOURS, PATTERNS}]
)
def test_bad_game_does_not_affect_others_in_any_file(corpus: Path, tmp_path: Path, name: str) -> None:
    assert list(lost_neighbours(corpus / FOLDER / name, tmp_path)) == []
