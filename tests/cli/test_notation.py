"""--notation: moves as people of a game and a language write them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.cli_runner import run

FIRST = {
    "iccs": "h2e2",
    "uci": "h3e3",
    "wxf": "C2=5",
    "chinese": "炮二平五",
    "chinese-traditional": "炮二平五",
}


@pytest.fixture(scope="module")
def store(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of xiangqi games."""
    path = tmp_path_factory.mktemp("stores") / "x.store"
    archive = data / "xiangqi_selfplay.pgn"
    assert run("tally", archive, "-o", path, "--max-ply", 12, "--max-games", 300, "-q").code == 0
    return path


def first_move(out: str) -> str:
    """Return the first cell below the rule of the first table."""
    lines = out.splitlines()
    return lines[next(number for number, line in enumerate(lines) if line.startswith("──")) + 1].split()[0]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No language is asked for."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("notation", FIRST)
def test_moves_are_written_as_asked(notation: str, store: Path) -> None:
    shown = run("show", store, "--notation", notation).out
    move = first_move(shown)
    assert move == FIRST[notation]
    if notation != "uci":  # ranks from 1 are read in `FEN moves ...` of other programs only
        told = [json.loads(run("show", store, text, "--json").out)["fen"] for text in (move, "h2e2")]
        assert told[0] == told[1]


def test_language_is_the_default(store: Path, plain: pytest.MonkeyPatch) -> None:
    usual = run("show", store).out
    assert first_move(usual) == FIRST["iccs"]
    answer = run("show", store, "--json").out
    for language, horse, opening in (("zh_CN.UTF-8", "马", "中炮局"), ("zh_TW.UTF-8", "馬", "中炮局")):
        plain.setenv("LANG", language)
        shown = run("show", store, "h2e2").out
        assert horse in first_move(shown) or "炮" in first_move(shown)
        assert opening in shown
        assert run("show", store, "--json").out == answer
        assert first_move(run("show", store, "--notation", "iccs").out) == FIRST["iccs"]
    plain.setenv("LC_ALL", "C")
    assert run("show", store).out == usual


def test_names_of_openings_have_no_simplified_sign(plain: pytest.MonkeyPatch) -> None:
    """Big5 has traditional signs only."""
    plain.setenv("LANG", "zh_TW.UTF-8")
    told = run("openings", "--game", "xiangqi").out
    assert "飛相局" in told
    assert "".join(re.findall("[\u4e00-\u9fff]", told)).encode("big5")


@pytest.mark.usefixtures("plain")
def test_lines_of_books_are_written_as_asked(store: Path, tmp_path: Path) -> None:
    book = tmp_path / "x.book"
    assert run("build", store, "-o", book, "--notation", "chinese").code == 0
    cycle = "3k5/9/9/9/9/7R1/9/9/9/4K3c w - - 0 1 moves" + 2 * " h4i4 i0h0 i4h4 h0i0"
    for words in (
        ("info", book),
        ("book", "gaps", book, "--against", store),
        ("book", "check", book, "--positions", 40, "--nodes", 500, "--max-loss", 0),
        ("engine", "search", "--game", "xiangqi", "--depth", 2, "h2e2"),
        ("engine", "judge", cycle),
        ("openings", "--game", "xiangqi"),
    ):
        told = run(*words, "--notation", "chinese")
        assert told.code == (words[1] == "check"), told.err
        assert any(sign in told.out for sign in "炮马兵卒车相") or words[1] == "gaps"
        assert not re.search("[a-i][0-9][a-i][0-9]", told.out + told.err)


def test_lines_of_chinese_moves_fit_the_terminal(plain: pytest.MonkeyPatch) -> None:
    plain.setattr("bookbuilder.cli.console.room", lambda: 80)
    told = run("engine", "search", "炮二平五 马8进7", "--depth", 7, "--lines", 3, "--notation", "chinese").out
    lines = told.splitlines()
    assert max(map(cell_len, lines)) <= 80
    # Broken between moves, of four signs each.
    moves = [word for line in lines for word in line.split() if any(sign in word for sign in "进退平")]
    assert len(moves) > 20
    assert {len(word) for word in moves} == {4}
