"""What the page offers to copy: commands and Python give what the page shows; and typed lines."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.cli_runner import run
from support.explorer_server import change

import bookbuilder as bb
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.guard import Guarding
from bookbuilder.explorer.sources import Sources
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.store.grow import grow

V1 = "/api/v1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A store with facets, and a book."""
    folder = tmp_path_factory.mktemp("a folder")
    text = re.sub(
        r"\[(Date|WhiteElo|BlackElo) .*\n", "", (repository / "data/chess_selfplay.pgn").read_text()
    )
    games = re.split(r"(?=\[Event )", text)[1:]
    tags = '[Date "{}.01.01"]\n[WhiteElo "{}"]\n[BlackElo "2100"]\n'
    dated = [
        game.replace("\n", "\n" + tags.format(2015 + n % 10, 1900 + 100 * (n % 4)), 1)
        for n, game in enumerate(games)
    ]
    (folder / "games.pgn").write_text("".join(dated))
    facets = TallyOptions(game="chess", facets=("year", "rating"), max_ply=30)
    grow(folder / "kept.store", [folder / "games.pgn"], facets, RunLimits())
    bb.write_book(bb.select(bb.Tally.open(folder / "kept.store"), min_games=5), folder / "one.bin")
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> TestClient:
    """A client of a server of both."""
    sources = Sources([folder / "kept.store", folder / "one.bin"], is_writable=True)
    return TestClient(make_app(sources, guarding=Guarding(), endgames=None), base_url="http://127.0.0.1:8000")


def texts(client: TestClient, query: str) -> tuple[list[str], str]:
    """The words of the command and the Python for a page."""
    found = client.get(f"{V1}/commands?{query}")
    assert found.status_code == 200, found.text
    return shlex.split(found.json()["command"]), found.json()["python"]


def run_python(text: str, folder: Path) -> None:
    """Run Python in a folder."""
    subprocess.run([sys.executable, "-P", "-c", text], check=True, cwd=folder, stdout=subprocess.DEVNULL)


# What a page asks for, and the filters and options of Python that mean the same.
SELECTIONS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("", {}, {}),
    ("p=0.55&min_games=2", {}, {"min_win_rate": "0.55", "min_games": 2}),
    ("max_ply=all&margin=off", {}, {"max_ply": None, "margin": None}),
    ("p=1/3&min_share=0.02", {}, {"min_win_rate": "1/3", "min_share": "0.02"}),
    ("for=white&connected=1&opponent_min_share=0.01", {},
     {"for_side": "white", "connected": True, "opponent_min_share": "0.01"}),
    ("for=black&min_games=2&sharpen=1", {}, {"for_side": "black", "min_games": 2, "sharpen": 1}),
    ("year_from=2020&rating=2000&max_ply=20",
     {"since": "2020", "min_rating": 2000, "rating_of": "mean"}, {"max_ply": 20}),
]  # fmt: skip

MORE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *(
        (f"p={p}&margin={margin or 'off'}&min_games={games}", {},
         {"min_win_rate": p, "margin": margin, "min_games": games})
        for p in ("0", "0.4")
        for margin in ("0", "0.2", None)
        for games in (1, 4)
    ),
    ("sharpen=0", {}, {"sharpen": 0}),
    ("for=white&year_to=2019", {"until": "2019"}, {"for_side": "white"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "filters", "options"),
    [*SELECTIONS, *(pytest.param(*each, marks=pytest.mark.full) for each in MORE)],
)
def test_book_is_that_of_the_page(
    client: TestClient,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    filters: dict[str, Any],
    options: dict[str, Any],
) -> None:
    command, python = texts(client, f"what=build&{page}")
    tally = bb.Tally.open(folder / "kept.store", filters=bb.GameFilter(**filters))
    bb.write_book(bb.select(tally, **options), tmp_path / "expected.book")
    monkeypatch.chdir(tmp_path)
    ran = run(*command[1:], "-q")
    assert ran.code == 0, ran.err
    book = tmp_path / "chess.book"
    assert len(bb.Book.open(book)) == len(bb.Book.open(tmp_path / "expected.book")) > 0
    book.unlink()
    run_python(python, tmp_path)
    assert book.read_bytes() == (tmp_path / "expected.book").read_bytes()
    # Page, command and Python write the same book for other programs.
    ran = run(*(word.replace("chess.book", "command.bin") for word in command[1:]), "-q")
    assert ran.code == 0, ran.err
    run_python(python.replace("chess.book", "python.bin"), tmp_path)
    build = change(client, f"/builds?{page}").json()["build"]["id"]
    while client.get(f"{V1}/builds").json()["builds"][0]["state"] == "running":
        time.sleep(0.02)
    assert client.get(f"{V1}/builds/{build}/file?format=book").content == book.read_bytes()
    content = client.get(f"{V1}/builds/{build}/file?format=polyglot").content
    assert content == (tmp_path / "command.bin").read_bytes() == (tmp_path / "python.bin").read_bytes()


@pytest.mark.parametrize("page", [page for page, *_ in SELECTIONS])
def test_position_is_that_of_the_page(client: TestClient, page: str) -> None:
    command, _ = texts(client, f"what=show&play=e2e4,e7e5&{page}")
    shown = client.get(f"{V1}/position?play=e2e4,e7e5&{page}").json()["moves"]
    kept = {move["move"]: move["kept"] for move in shown}
    ran = run(*command[1:], "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    rows = told["moves"] if "moves" in told else told["explained"]["moves"]
    assert {row["move"]: row["kept"] for row in rows} == kept


def test_book_and_other_starts_have_commands_too(client: TestClient) -> None:
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    command, _ = texts(client, f"what=show&src=one.bin&fen={fen}&play=g1f3")
    told = json.loads(run(*command[1:], "--json").out)
    assert [move["move"] for move in told["moves"]][:1] == ["b8c6"]
    assert client.get(f"{V1}/commands?what=build&src=one.bin").status_code == 409


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
ENDING = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


@pytest.mark.parametrize(
    ("text", "place", "fen", "play"),
    [
        ("e4 e5 Nf3", {}, "", "e2e4,e7e5,g1f3"),
        ("1.e4 c5", {"play": "d2d4"}, "", "e2e4,c7c5"),
        ("Nf6 c4", {"play": "d2d4"}, "", "d2d4,g8f6,c2c4"),
        ("1... Nf6 2. c4", {"play": "d2d4"}, "", "d2d4,g8f6,c2c4"),
        ('[Event "x"] [Result "*"] 1. e4 {a (comment} e5 (1... c5 (1... e6) 2. Nf3) 2. Nf3! $1 *',
         {}, "", "e2e4,e7e5,g1f3"),
        (START, {"play": "d2d4"}, "", ""),
        (f"{START} moves e4", {}, "", "e2e4"),
        (ENDING, {}, ENDING, ""),
        (f'[FEN "{ENDING}"] 1. O-O *', {"play": "e2e4"}, ENDING, "e1g1"),
        ("Kd2", {"fen": ENDING, "play": "h1h2,e8e7"}, ENDING, "h1h2,e8e7,e1d2"),
    ],
)  # fmt: skip
def test_typed_lines_are_played(
    client: TestClient, text: str, place: dict[str, str], fen: str, play: str
) -> None:
    found = client.get(f"{V1}/line", params={"text": text, **place}).json()
    assert (found["fen"], found["play"]) == (fen, play)


@pytest.mark.parametrize(
    ("text", "words"),
    [("Ke9 Najdorf", "not a"), ("", "expected moves"), ("x" * 8001, "at most 8,000"), ("8/8 w", "FEN")],
)
def test_wrong_lines_are_named(client: TestClient, text: str, words: str) -> None:
    found = client.get(f"{V1}/line", params={"text": text})
    assert found.status_code == 400
    assert words in found.json()["error"]["message"]


def test_line_goes_as_far_as_it_is_legal(client: TestClient) -> None:
    found = client.get(f"{V1}/line", params={"text": "e4 e5 Nf9 Nc6"}).json()
    assert (found["play"], found["moves"], found["stopped"]["word"]) == ("e2e4,e7e5", 2, "Nf9")


def test_openings_are_found_by_name_and_code(client: TestClient) -> None:
    plays = {"sicilian defence": "e2e4,c7c5", "B20": "e2e4,c7c5", "Najdorf": "e2e4,c7c5,g1f3"}
    for text, play in plays.items():
        first = client.get(f"{V1}/line", params={"text": text}).json()["openings"][0]
        assert first["play"].startswith(play)
    refused = client.get(f"{V1}/line", params={"text": "中炮局"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "other-opening")
