"""The package, its help and its commands import no heavy library before they use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.project_files import PACKAGE
from support.selections import LITERATURE

HEAVY = {"pandas", "pyarrow", "matplotlib", "starlette", "uvicorn", "ipywidgets"}
"""Packages that are imported only where they are used."""

RUN = "from typer.testing import CliRunner as Runner\nfrom bookbuilder.cli.app import app\n"


def modules_after(code: str) -> set[str]:
    """Return the names of all modules that a new interpreter has imported after running `code`."""
    script = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    answer = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    return set(answer.stdout.split())


def command(*words: str) -> str:
    """Return code that runs a command, which must succeed."""
    return f"{RUN}assert Runner().invoke(app, {list(words)}).exit_code == 0"


@pytest.mark.parametrize("code", ["import bookbuilder", "import bookbuilder.cli.app", command("--help")])
def test_package_and_help_import_nothing_heavy(code: str) -> None:
    assert not modules_after(code) & HEAVY


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_show_imports_no_table_library(game: str, tmp_path: Path) -> None:
    """`show` imports only the core, the command line and rich."""
    from bookbuilder import Book, Tally, select

    store, book = tmp_path / "a.store", tmp_path / "a.book"
    tally = Tally.from_archives(PACKAGE / "data" / f"{game}_selfplay.pgn", max_ply=6)
    tally.save(store)
    Book.write(book, select(tally, LITERATURE, min_games=5))
    assert not modules_after(command("show", str(book))) & {*HEAVY, "numpy"}
    # The verdicts on the moves of a store are columns.
    assert not modules_after(command("show", str(store))) & (HEAVY - {"pyarrow"})


def test_command_imports_no_other_command() -> None:
    names = modules_after(command("openings", "--find", "Caro-Kann"))
    loaded = {name for name in names if name.startswith("bookbuilder.cli.")}
    used = {"app", "console", "examples", "exits", "help", "openings", "tables"}
    used |= {"notation", "options", "options.arguments", "options.fields", "options.position"}
    assert loaded == {f"bookbuilder.cli.{name}" for name in used}


@pytest.mark.parametrize("words", ["build IN -o OUT.bin", "build IN -o OUT.book", "tally IN -o OUT.store"])
def test_counting_imports_no_pandas(words: str, tmp_path: Path) -> None:
    """It takes longer than a book of a hundred games."""
    archive = str(PACKAGE / "data" / "chess_selfplay.pgn")
    line = words.replace("IN", archive).replace("OUT", str(tmp_path / "a"))
    assert not modules_after(command(*line.split(), "--quiet")) & (HEAVY - {"pyarrow"})
