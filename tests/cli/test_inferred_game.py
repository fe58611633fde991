"""Commands infer the game from letters, tables, positions, names and books."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder import Book, Tally, select
from bookbuilder.engine.endgames import game_of_names
from bookbuilder.selection.options import preset

XIANGQI_FEN = "4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1"


@pytest.mark.parametrize(
    ("names", "game"),
    [(["KRvK"], "chess"), (["KCAvK"], "xiangqi"), (["KRvK", "kvka"], "xiangqi"), ([], "chess")],
)
def test_letters_of_materials_tell_the_game(names: list[str], game: str) -> None:
    assert game_of_names(names) == game


def test_folder_and_position_tell_the_game_of_tables(tmp_path: Path) -> None:
    """KRvK exists in both games; only the table in the folder shows which one is meant."""
    assert run("endgame", "build", "KRvK", "-o", tmp_path, "--game", "xiangqi", "--quiet").code == 0
    stats = run("endgame", "stats", tmp_path, "KRvK", "--json")
    assert json.loads(stats.out)["game"] == "xiangqi"
    probed = run("endgame", "probe", tmp_path, XIANGQI_FEN, "--json")
    assert (json.loads(probed.out)["game"], json.loads(probed.out)["wdl"]) == ("xiangqi", 1)
    assert run("endgame", "build", "KRvK", "-o", tmp_path, "--quiet").code == 0
    assert json.loads(run("endgame", "stats", tmp_path, "KRvK", "--json").out)["game"] == "chess"


def test_engine_plays_the_game_of_its_book(xiangqi_zip: Path, tmp_path: Path) -> None:
    book = tmp_path / "a.book"
    chosen = select(Tally.from_archives(xiangqi_zip, max_ply=4), preset("own-games"))
    Book.write(book, chosen)
    ran = serve("--book", str(book))
    assert ran.returncode == 0, ran.stderr
    best = next(line for line in ran.stdout.splitlines() if line.startswith("bestmove"))
    assert best.split()[1] in set(Book.open(book).moves("startpos")["move"])
    refused = serve("--game", "chess", "--book", str(book))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "open the book of the game you play" in refused.stderr


def serve(*options: str) -> subprocess.CompletedProcess[str]:
    """Run `engine uci` in another process: the core reads its stdin."""
    words = [sys.executable, "-P", "-m", "bookbuilder", "engine", "uci", *options]
    asked = "position startpos\ngo depth 1\nquit\n"
    return subprocess.run(words, input=asked, capture_output=True, text=True, check=False)
