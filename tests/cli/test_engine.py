"""`engine`, `doctor`, `demo` and the installed program: answers and exit codes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE

import bookbuilder as bb


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_search_json(game: str) -> None:
    answer = json.loads(run("engine", "search", "--game", game, "--depth", 3, "--json").out)
    assert set(answer) >= {"schema", "move", "source", "depth", "nodes", "pv", "book_hits", "table_hits"}
    assert {"score_cp", "mate_in"} & set(answer)
    assert answer["source"] == "search"
    assert answer["pv"][0] == answer["move"]


def test_engine_plays_from_book(tmp_path: Path, chess_pgn: Path) -> None:
    book = tmp_path / "a.book"
    assert run("build", *ABSOLUTE, chess_pgn, "-o", book, "--min-win-rate", "0").code == 0
    answer = json.loads(run("engine", "search", "--book", book, "--depth", 3, "--json").out)
    assert answer["source"] == "book"
    off = json.loads(run("engine", "search", "--book", book, "--pick", "off", "--depth", 3, "--json").out)
    assert off["source"] == "search"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt_leaves_no_output(number: int, code: int, tmp_path: Path) -> None:
    journal = tmp_path / "a.jsonl"
    match = "engine match bundled bundled --games 400 --limit nodes=20 --journal a.jsonl -o a.pgn"
    command = [sys.executable, "-P", "-m", "bookbuilder", *match.split()]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    while not journal.exists():  # until it shows that the work has begun
        assert process.poll() is None
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == code
    assert "each output is as before" in err
    assert list(tmp_path.iterdir()) == [journal]


def test_doctor_reports_working_core() -> None:
    ran = run("doctor", "--json")
    assert ran.code == 0
    facts = json.loads(ran.out)
    assert facts["core"]["fault"] is None
    assert set(facts["extras"]) == {"web", "notebook", "test"}


def test_doctor_reports_missing_core() -> None:
    code = (
        "import sys; sys.modules['bookbuilder._core'] = None\n"
        "from bookbuilder.cli.app import app; app(['doctor'])"
    )
    ran = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "bookbuilder: the native core does not work: " in ran.stderr
    assert "install the package again" in ran.stderr


def test_demo_leaves_two_books_and_ends_with_the_next_command(tmp_path: Path) -> None:
    ran = run("demo", "-o", tmp_path / "books")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80 + len(str(tmp_path))
    assert lines[-1] == "  bookbuilder build games.pgn -o book.bin"
    books = {path.name: bb.open_book(path) for path in (tmp_path / "books").iterdir()}
    games = {"chess.bin": "chess", "xiangqi.obk": "xiangqi"}
    assert {name: book.game for name, book in books.items()} == games
    assert run("demo", "-o", tmp_path / "books").code == 4


def test_installed_program_has_version_and_commands() -> None:
    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "bookbuilder", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    assert program("--version").stdout.startswith("bookbuilder ")
    assert "threshold" in program("--help").stdout
    unknown = program("no-such-command")
    assert unknown.returncode == 2
    assert unknown.stdout == ""
