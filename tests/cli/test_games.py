"""`games list|convert|filter` on our own archives, against python-chess and filters in plain Python."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import chess.pgn
import pytest
from starlette.testclient import TestClient
from support.cli_runner import run

from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.sources import Sources

DATA = Path(__file__).parents[2] / "data"
PLAYED = DATA / "chess_selfplay.pgn"
EVENT = re.compile(r"(?m)^(?=\[Event )")

Passes: TypeAlias = Callable[[chess.pgn.Game], bool]


@pytest.fixture
def tagged(tmp_path: Path) -> Path:
    """Games with every tag that a filter asks for, some without."""
    games = [
        ("Open A", "Tal, M", "Botvinnik, M", 2600, 2500, "1960.03.15", "1-0", "B20", "300+3", "e4 c5"),
        ("Open B", "Botvinnik, M", "Tal, M", 2500, 2300, "1961.??.??", "0-1", "D30", "60+0", "d4 d5 c4"),
        ("Cup", "Tal, M", "Keres, P", 0, 2550, "????.??.??", "1/2-1/2", "C60", "-", "e4 e5 Nf3 Nc6 Bb5"),
        ("Cup", "Euwe, M", "Keres, P", 2450, 0, "1948.04", "*", "", "", "c4"),
        ("Open A", "Tal, M", "Botvinnik, M", 2600, 2500, "1960.03.15", "1-0", "B20", "300+3", "e4 c5"),
    ]
    names = ("Event", "White", "Black", "WhiteElo", "BlackElo", "Date", "Result", "ECO", "TimeControl")
    text = ""
    for *values, moves in games:
        tags = "".join(
            f'[{name} "{value}"]\n' for name, value in zip(names, values, strict=True) if value not in (0, "")
        )
        text += f"{tags}\n{moves} {values[6]}\n\n"
    path = tmp_path / "tagged.pgn"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def kept(source: Path, passes: Passes) -> str:
    """The text of the games that pass, as python-chess reads them."""
    chunks = EVENT.split(source.read_bytes().decode("utf-8"))[1:]
    games = (chess.pgn.read_game(io.StringIO(chunk)) for chunk in chunks)
    pairs = zip(chunks, games, strict=True)
    return "".join(chunk.strip() + "\n\n" for chunk, game in pairs if game is not None and passes(game))


def ratings(game: chess.pgn.Game) -> list[int]:
    """The known ratings."""
    return [int(game.headers[name]) for name in ("WhiteElo", "BlackElo") if name in game.headers]


FILTERS: dict[str, Passes] = {
    "--min-rating 2400": lambda game: len(ratings(game)) == 2 and min(ratings(game)) >= 2400,
    "--max-rating 2500 --rating-of either": lambda game: min(ratings(game), default=9999) <= 2500,
    "--min-rating 2420 --rating-of mean": lambda game: sum(ratings(game)) / len(ratings(game)) >= 2420,
    "--since 1960 --until 1960-12": lambda game: game.headers["Date"][:4] == "1960",
    "--player tal": lambda game: "Tal" in game.headers["White"] + game.headers["Black"],
    "--player tal --side black": lambda game: "Tal" in game.headers["Black"],
    "--result 1-0 --result *": lambda game: game.headers["Result"] in ("1-0", "*"),
    "--event open": lambda game: "Open" in game.headers["Event"],
    "--eco B20-C99": lambda game: "B20" <= game.headers.get("ECO", "") <= "C99",
    "--time-control bullet": lambda game: game.headers.get("TimeControl") == "60+0",
    "--min-plies 3": lambda game: game.end().ply() >= 3,
    "--tag White!=Tal,&M": lambda game: game.headers["White"] != "Tal, M",
    "--tag WhiteElo>=2500 --result 1-0": lambda game: (
        int(game.headers.get("WhiteElo", 0)) >= 2500 and game.headers["Result"] == "1-0"
    ),
}


@pytest.mark.parametrize("words", FILTERS)
def test_same_games_as_plain_python(tagged: Path, tmp_path: Path, words: str) -> None:
    options = [word.replace("&", " ") for word in words.split()]
    output = tmp_path / "kept.pgn"
    ran = run("games", "filter", tagged, "-o", output, *options)
    assert ran.code == 0, ran.err
    assert output.read_bytes().decode("utf-8") == kept(tagged, FILTERS[words])


def test_same_games_of_an_archive(tmp_path: Path) -> None:
    output = tmp_path / "long.pgn"
    ran = run("games", "filter", PLAYED, "-o", output, "--min-plies", 100, "--result", "1/2-1/2", "--json")
    expected = kept(
        PLAYED, lambda game: game.end().ply() >= 100 and game.headers["Result"] == "1/2-1/2"
    ).encode("utf-8")
    assert expected
    assert output.read_bytes() == expected
    report = json.loads(ran.out)
    assert report["games_written"] == expected.count(b"[Event ")
    assert report["games_read"] == report["games_written"] + sum(report["filtered"].values())


def test_a_duplicate_of_a_game_that_fails_stays(tmp_path: Path) -> None:
    path = tmp_path / "twice.pgn"
    path.write_text('[Event "A"]\n\n1. e4 *\n\n[Event "B"]\n\n1. e4 *\n\n[Event "C"]\n\n1. e4 e5 *\n')
    for dedupe in ("exact", "prefix"):
        ran = run("games", "filter", path, "--event", "B", "--dedupe", dedupe)
        assert ran.out == '[Event "B"]\n\n1. e4 *\n\n'


def test_xiangqi_zip_keeps_its_files_byte_for_byte(tmp_path: Path) -> None:
    source, output = DATA / "xiangqi_selfplay.zip", tmp_path / "red.zip"
    assert run("games", "filter", source, "-o", output, "--result", "1-0").code == 0
    before, after = zipfile.ZipFile(source), zipfile.ZipFile(output)
    contents = {before.read(name) for name in before.namelist()}
    assert 0 < len(after.namelist()) < len(before.namelist())
    assert all(after.read(name) in contents for name in after.namelist())
    folder = tmp_path / "red"
    assert run("games", "filter", source, "-o", folder, "--result", "1-0").code == 0
    assert len(list(folder.iterdir())) == len(after.namelist())


@pytest.mark.parametrize(
    "line", ["1.e4 e5", "1.Nf3 e5 2.e4", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]
)
def test_games_that_reach_a_position_are_those_that_show_counts(line: str) -> None:
    shown = json.loads(run("show", PLAYED, line, "--json", "--quiet").out)
    kept_games = EVENT.split(run("games", "filter", PLAYED, "--reaches", line, "--quiet").out)[1:]
    assert len(kept_games) == shown["reached"] > 0


def test_position_with_a_hidden_en_passant_square_is_found(tmp_path: Path) -> None:
    path, store = tmp_path / "pinned.pgn", tmp_path / "pinned.store"
    path.write_text("1. e4 e5 2. f4 exf4 3. e5 Qe7 4. Nc3 d5 5. Nxd5 1-0\n")
    fen = "rnb1kbnr/ppp1qppp/8/3pP3/5p2/2N5/PPPP2PP/R1BQKBNR w KQkq - 0 5"
    assert run("games", "filter", path, "--reaches", fen, "--quiet").out.count("Nxd5") == 1
    run("tally", path, "-o", store, "--quiet")
    assert json.loads(run("show", store, fen, "--json").out)["moves"][0]["san"] == "Nxd5"
    explained = json.loads(run("build", store, "--explain", fen, "--json", "--quiet").out)["explained"]
    assert (explained["reached"], len(explained["moves"])) == (1, 1)
    client = TestClient(make_app(Sources([store])), base_url="http://localhost")
    for route in ("/masters", "/api/v1/position"):
        assert client.get(route, params={"fen": fen}).json()["moves"][0]["san"] == "Nxd5", route


@pytest.mark.parametrize("suffix", [".book", ".bin", ".csv"])
def test_games_that_follow_a_book_have_its_moves(tmp_path: Path, suffix: str) -> None:
    archive, book = tmp_path / "games.pgn", tmp_path / f"a{suffix}"
    lines = ["1. e4 e5 2. Nf3 Nc6 *", "1. e4 c5 2. Nf3 d6 *", "1. d4 d5 *"]
    archive.write_text("1. e4 e5 2. Nf3 1/2-1/2\n\n1. e4 c5 1/2-1/2\n")
    run("build", archive, "-o", book, "--min-games", 1, "--min-win-rate", 0, "--quiet")
    archive.write_text("\n\n".join([*lines, "1. e4 e6 2. d4 *", "1. e4 e5 2. d4 *"]))

    def follow(*options: str) -> list[str]:
        return run("games", "filter", archive, "--follows", book, *options, "--quiet").out.split("\n\n")[:-1]

    assert follow() == lines[:2]
    # The other side may play what it likes.
    assert follow("--side", "white") == [*lines[:2], "1. e4 e6 2. d4 *"]
    assert run("games", "filter", PLAYED, "--game", "xiangqi", "--follows", book).code == 2


def events(pgn: str) -> list[str]:
    """The values of the Event tags."""
    return re.findall(r'(?m)^\[Event "(.*)"\]$', pgn)


def test_illegal_move_in_variation(tmp_path: Path) -> None:
    path = tmp_path / "null.pgn"
    path.write_text(
        '[Event "A"]\n\n1. e4 e5 (1... c5 {sharp} 2. -- d5 {gone}) (1... -- 2. d4) (1... e6) 2. Nf3 *\n\n'
        '[Event "B"]\n\n1. d4 *\n'
    )
    ran = run("games", "convert", path)
    assert "\n1. e4 e5 (1... c5 {sharp}) (1... e6) 2. Nf3 *\n" in ran.out
    assert (ran.code, events(ran.out)) == (0, ["A", "B"])
    assert "2 games read, 2 written" in ran.err
    assert "2 variations cut at a bad move" in ran.err
    ran = run("games", "convert", path, "--strict")
    assert (ran.code, events(ran.out)) == (1, ["B"])
    ran = run("games", "convert", path, "-o", tmp_path / "out.pgn", "--json")
    assert json.loads(ran.out)["variations_cut"] == 2


def test_xqf_keeps_moves_results_and_players(data: Path, tmp_path: Path) -> None:
    source = data / "xiangqi_selfplay.zip"
    pgn = run("games", "convert", source, "--to", "pgn").out
    for out in (tmp_path / "games.zip", tmp_path / "games"):
        assert run("games", "convert", source, "-o", out).code == 0
        assert run("games", "convert", out, "--to", "pgn").out == pgn
    with zipfile.ZipFile(tmp_path / "games.zip") as archive:
        assert archive.namelist()[-1] == "02000.xqf"
        assert archive.read("00001.xqf") == (tmp_path / "games" / "00001.xqf").read_bytes()
