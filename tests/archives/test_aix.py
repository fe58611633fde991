"""AIX databases: as DuckDB writes them, with columns of lichess and others, and damaged or hostile ones."""

from __future__ import annotations

import datetime
import random
import shutil
import zipfile
from pathlib import Path

import chess
import chess.pgn
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.aix_files import LICHESS, columns_of, encode_low, write_columns, write_games
from support.annotated_games import converted, read_games
from support.cli_runner import run

import bookbuilder as bb
from bookbuilder import Tally
from bookbuilder.archives.find import find_archives
from bookbuilder.errors import ArchiveError

PLAYED = """[Event "Rated Blitz tournament https://lichess.org/tournament/abcd1234"]
[Site "https://lichess.org/aaaaaaaa"]
[White "Ann"]
[Black "Ben"]
[Result "1-0"]
[UTCDate "2021.03.04"]
[UTCTime "05:06:07"]
[WhiteElo "1850"]
[BlackElo "1790"]
[WhiteRatingDiff "+5"]
[BlackRatingDiff "-6"]
[BlackTitle "FM"]
[ECO "C20"]
[Opening "King's Pawn Game: Wayward Queen Attack"]
[TimeControl "180+2"]
[Termination "Normal"]

1. e4 { [%eval 0.3] [%clk 0:03:00] } 1... e5 { [%eval 0.25] [%clk 0:03:00] }
2. Qh5 { [%eval -0.4] [%clk 0:02:59] } 2... Nc6 { [%eval -0.3] [%clk 0:02:55] }
3. Bc4 { [%eval -0.35] [%clk 0:02:58] } 3... Nf6 { [%eval #1] [%clk 0:02:50] }
4. Qxf7# { [%clk 0:02:57] } 1-0
"""
MATE_IN_LOW = bytes.fromhex("0c1c34240327392a051a3e2da73500")
# A game in the documentation of aix-chess-compression.
DOCUMENTED = "e4 e5 Bc4 Nc6 Nf3 b6 O-O Nf6 c3 Bc5 Bxf7+ Kxf7 Ng5+ Kg8 Qb3+ Nd5 Qxd5+ Kf8 Qf7#"
DOCUMENTED_IN_LOW = (
    b"\x0c\x1c4$\x05\x1a9*\x06\x151)\x04\x07>-\x0a\x12=\x22\x9a5\xbc5\x15&5>\x03\x11-#\x91#>=#5\x00"
)


def random_game(dice: random.Random, number: int) -> chess.pgn.Game:
    """A game of random moves, with clocks if its number is even."""
    game = chess.pgn.Game()
    names = {
        "White": f"Schäfer{number % 7}",
        "Black": f"Solo{number % 3}",
        "UTCDate": f"20{10 + number % 9}.01.02",
    }
    game.headers.update({**names, "UTCTime": "01:02:03", "Site": f"https://lichess.org/{number:08}"})
    game.headers["Result"] = dice.choice(["1-0", "0-1", "1/2-1/2", "*"])
    node: chess.pgn.GameNode = game
    board = game.board()
    for ply in range(dice.randrange(0, 120)):
        moves = [*board.legal_moves]
        if not moves:
            break
        node = node.add_variation(dice.choice(moves))
        board.push(node.move)
        if number % 2 == 0:
            node.set_clock(180 - ply)
            node.set_eval(chess.engine.PovScore(chess.engine.Cp(dice.randrange(-300, 300)), chess.WHITE))
    return game


@pytest.fixture(scope="module")
def games() -> list[chess.pgn.Game]:
    dice = random.Random(3)
    return [*read_games(PLAYED), *(random_game(dice, number) for number in range(40))]


@pytest.fixture(scope="module")
def written(games: list[chess.pgn.Game], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_games(tmp_path_factory.mktemp("aix") / "games.parquet", games)


@pytest.fixture
def database(written: Path, tmp_path: Path) -> Path:
    """A copy of the database of the games."""
    return Path(shutil.copy(written, tmp_path))


def plain_table(games: list[chess.pgn.Game]) -> pa.Table:
    return pa.table(columns_of(games), pa.schema(LICHESS.items()))


def test_encoder_of_the_tests_agrees_with_the_documentation() -> None:
    for text, encoded in ((DOCUMENTED, DOCUMENTED_IN_LOW), (PLAYED, MATE_IN_LOW)):
        (game,) = read_games(text)
        assert encode_low(game.board(), game.mainline_moves()) == encoded


def test_games_of_lichess_are_read_as_written(
    database: Path, games: list[chess.pgn.Game], tmp_path: Path
) -> None:
    found = converted(database, tmp_path)
    assert len(found) == len(games)
    for game, again in zip(games, found, strict=True):
        assert [*again.mainline_moves()] == [*game.mainline_moves()]
        told = [(node.clock(), node.eval()) for node in game.mainline()]
        assert [(node.clock(), node.eval()) for node in again.mainline()] == told
        for tag in {*game.headers} - {"Event", "Date", "Round"}:
            assert again.headers.get(tag) == game.headers[tag], tag
    assert found[0].headers["Event"] == "https://lichess.org/tournament/abcd1234"


def test_tally_equals_tally_of_the_pgn(database: Path, games: list[chess.pgn.Game], tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    pgn.write_text("\n\n".join(map(str, games)))
    one, other = (Tally.from_archives(path).to_arrow() for path in (database, pgn))
    columns = [name for name in one.column_names if name != "sample"]
    assert one.select(columns).equals(other.select(columns))


@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zstd", "lz4_raw"])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_every_codec_and_version_gives_the_same(
    games: list[chess.pgn.Game], database: Path, tmp_path: Path, codec: str, version: str
) -> None:
    other = tmp_path / "other.parquet"
    write_columns(other, plain_table(games), options=f"compression {codec}, row_group_size 2048")
    if version == "v1":
        pq.write_table(pq.read_table(other), other, data_page_version="1.0", row_group_size=7)
    assert Tally.from_archives(other).to_arrow().equals(Tally.from_archives(database).to_arrow())


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_moments_of_every_unit_are_read(games: list[chess.pgn.Game], tmp_path: Path, unit: str) -> None:
    table = plain_table(games[:1])
    moments = table["utc_timestamp"].cast(pa.timestamp(unit))
    path = tmp_path / "games.parquet"
    pq.write_table(
        table.set_column(table.column_names.index("utc_timestamp"), "utc_timestamp", moments), path
    )
    (game,) = converted(path, tmp_path)
    assert (game.headers["UTCDate"], game.headers["UTCTime"]) == ("2021.03.04", "05:06:07")
    assert table["utc_timestamp"][0].as_py() == datetime.datetime(2021, 3, 4, 5, 6, 7)


def test_other_columns_are_tags(tmp_path: Path) -> None:
    columns = {
        "Event": ["Cup", None],
        "White": ["Zoë", "Ann"],
        "WhiteElo": ["2105", None],
        "Result": ["0-1", "1/2-1/2"],
        "Round": ["3", "4"],
        "movedata": [MATE_IN_LOW, MATE_IN_LOW],
        "a list": [[1], [2]],
    }
    path = write_columns(tmp_path / "games.parquet", pa.table(columns))
    one, other = converted(path, tmp_path)
    assert (one.headers["White"], one.headers["WhiteElo"], one.headers["Round"]) == ("Zoë", "2105", "3")
    assert (one.headers["Event"], other.headers["Event"]) == ("Cup", "?")
    assert "WhiteElo" not in other.headers
    assert [game.headers["Result"] for game in (one, other)] == ["0-1", "1/2-1/2"]


def test_evaluations_are_taken_from_the_games(database: Path, tmp_path: Path) -> None:
    store, evals = tmp_path / "a.store", tmp_path / "a.evals"
    run("tally", database, "-o", store, "-q")
    ran = run("evaluate", store, "-o", evals, "--min-games", 1, "--comments", database, "--json", "-q")
    assert ran.code == 0, ran.err
    after = bb.as_position("1.e4 e5 2.Qh5", "chess").stored(False)
    rows = {(row["key"], row["lock"]): row["score"] for row in bb.Evals.read(evals).table.to_pylist()}
    assert rows[after] == 40


def test_bad_game_costs_no_neighbour_and_has_its_row(games: list[chess.pgn.Game], tmp_path: Path) -> None:
    columns = columns_of(games[:1] * 5)
    columns["movedata"] = [MATE_IN_LOW, None, b"", MATE_IN_LOW[:4] + b"\0\0\0", MATE_IN_LOW]
    columns["ply_count"][4] = 8
    path = write_columns(tmp_path / "games.parquet", pa.table(columns, pa.schema(LICHESS.items())))
    report = Tally.from_archives(path).report
    assert (report.games_read, report.games_used) == (5, 1)
    assert report.rejects == {"truncated": 2, "encoding": 1, "bad-move": 1}
    ran = run("tally", path, "-o", tmp_path / "a.store", "--rejects", tmp_path / "bad.jsonl", "-q")
    assert ran.code in (0, 1), ran.err
    rejects = (tmp_path / "bad.jsonl").read_text()
    assert [f'"offset": {row}' in rejects or f'"offset":{row}' in rejects for row in range(1, 5)] == [
        True
    ] * 4
    assert "expected 8 plies, as ply_count says, found 7" in rejects


def test_folder_takes_databases_but_no_other_parquet(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copy(database, folder / "games.parquet")
    pq.write_table(pa.table({"a": [1]}), folder / "other.parquet")
    (folder / "short.parquet").write_bytes(b"PAR1")
    assert find_archives([folder]) == [folder / "games.parquet"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PAR1", "truncated"),
        (b"PAR1" + bytes(60), "truncated"),
        (b"PAR1" + bytes(60) + b"\xff\xff\xff\x7fPAR1", "its footer has 2147483647 bytes"),
        (b"PAR1" + bytes(60) + b"\x10\0\0\0PAR1", "damaged Parquet data"),
        (b"PAR1" + bytes(60) + b"\x10\0\0\0PARE", "encrypted"),
    ],
)
def test_broken_file_says_what_is_wrong(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "games.parquet"
    path.write_bytes(content)
    ran = run("games", "check", path)
    assert (ran.code, ran.out) == (3, "")
    assert message in ran.err


def test_other_parquet_and_containers_say_what_to_do(database: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"moves": ["e4"]}), other)
    ran = run("games", "check", other)
    assert ran.code == 3
    assert "a Parquet file without the column movedata" in ran.err
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(database, database.name)
    ran = run("games", "check", tmp_path / "a.zip")
    assert ran.code == 3
    assert "unpack it first" in ran.err


@pytest.mark.parametrize("codec", ["gzip", "brotli"])
def test_codecs_without_a_known_size_are_refused(database: Path, codec: str) -> None:
    pq.write_table(pq.read_table(database), database, compression=codec)
    ran = run("games", "check", database)
    assert ran.code == 3
    assert f"compressed by {codec.upper()}" in ran.err
    assert "expected zstd" in ran.err


def test_games_of_a_database_cannot_be_copied(database: Path, tmp_path: Path) -> None:
    ran = run("games", "sample", database, "-o", tmp_path / "some.pgn", "--number", 1)
    assert ran.code != 0
    assert "convert the database first" in ran.err


@pytest.mark.parametrize("kind", ["page", "values", "rows", "content"])
def test_promises_without_bound_are_refused(tmp_path: Path, kind: str) -> None:
    columns = {
        "page": {"movedata": [MATE_IN_LOW], "White": ["a" * (130 << 20)]},
        "values": {
            "movedata": [MATE_IN_LOW],
            "evals": pa.ListArray.from_arrays([0, 17 << 20], pa.repeat(0, 17 << 20)),
        },
        "rows": {"movedata": pa.nulls(17 << 20, pa.binary())},
        "content": {"movedata": [MATE_IN_LOW] * 4000, "White": ["a" * 4000] * 4000},
    }[kind]
    path = tmp_path / "games.parquet"
    table = pa.table(columns)
    pq.write_table(table, path, row_group_size=table.num_rows, compression="zstd")
    assert path.stat().st_size < 1 << 20
    ran = run("games", "check", path)
    assert ran.code == 3
    assert {
        "page": "expected at most 134217728",
        "values": "expected at most 134217728 and 16777216",
        "rows": "17825792 rows, expected at most 16777216",
        "content": "inflates to more than 8388608 bytes",
    }[kind] in ran.err


def test_damaged_files_never_crash(database: Path) -> None:
    whole = database.read_bytes()
    dice = random.Random(8)
    changed = [whole[:cut] for cut in dice.sample(range(len(whole)), 20)]
    # Half of the changes are in the footer.
    for at in dice.sample(range(len(whole)), 60) + dice.sample(range(len(whole) - 3000, len(whole)), 60):
        changed.append(whole[:at] + bytes([whole[at] ^ 1 << dice.randrange(8)]) + whole[at + 1 :])
    for content in changed:
        database.write_bytes(content)
        try:
            report = Tally.from_archives(database).report
        except ArchiveError as error:
            assert str(database) in str(error)  # noqa: PT017
            continue
        left_out = sum(report.rejects.values()) + sum(report.filtered.values())
        assert report.games_used + left_out == report.games_read
