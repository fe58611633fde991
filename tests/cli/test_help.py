"""The help of every command fits two screens, names every option once, and shows examples that run."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer
from support.cli_runner import run

from bookbuilder.cli.app import app
from bookbuilder.cli.demo import demo_archives
from bookbuilder.cli.examples import EXAMPLES
from bookbuilder.cli.help import Group, commands_below

_WIDTH, _LINES = 80, 50
# They wait for a browser or an engine's dialogue, or take minutes. Their words are parsed.
_LONG = ("serve", "engine uci", "engine ucci", "engine match", "engine walk", "demo")


_FRONT: Any = typer.main.get_command(app)
_COMMANDS: dict[tuple[str, ...], Any] = {(): _FRONT} | {
    tuple(path.split()): each for path, each in commands_below(_FRONT)
}


@pytest.mark.full
@pytest.mark.parametrize("path", _COMMANDS, ids=" ".join)
def test_help_fits_two_screens(path: tuple[str, ...]) -> None:
    lines = run(*path, "--help").out.splitlines()
    assert len(lines) <= _LINES
    assert max(map(len, lines)) <= _WIDTH


@pytest.mark.full
@pytest.mark.parametrize("path", [each for each in _COMMANDS if each], ids=" ".join)
def test_help_all_names_every_option_once(path: tuple[str, ...]) -> None:
    command = _COMMANDS[path]
    if hasattr(command, "commands"):
        return
    text = run(*path, "--help-all").out
    listed = Counter(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE))
    options = [
        each for each in command.get_params(typer.Context(command)) if each.param_type_name == "option"
    ]
    longest = {max(each.opts, key=len) for each in options} | {"--help"}
    assert set(listed) == longest
    assert set(listed.values()) == {1}
    usual = run(*path, "--help").out
    assert usual.count("--help-all") == any(each.hidden for each in options)


def test_front_page_has_the_summaries_of_the_commands() -> None:
    shown = [(name, summary) for _, name, summary in _FRONT.summaries(None)]
    assert shown == [(name, summary) for _, name, summary in Group.summaries(_FRONT, None)]


def test_every_command_has_two_examples() -> None:
    leaves = {" ".join(path) for path, each in _COMMANDS.items() if not hasattr(each, "commands")}
    assert set(EXAMPLES) == leaves | {""}
    assert all(len(lines) >= 2 for lines in EXAMPLES.values())


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples name."""
    made = tmp_path_factory.mktemp("examples")
    (made / "folder").mkdir()
    games = demo_archives("chess")[0].read_text()
    years = itertools.cycle(range(2001, 2011))
    # `calibrate` splits games by their dates.
    dated = re.sub(r'\[Date "[^"]*"\]', lambda _: f'[Date "{next(years)}.01.01"]', games)
    assert dated != games
    (made / "games.pgn").write_text(dated)
    each = re.split(r"(?m)^(?=\[Event )", dated)[1:]
    (made / "more.pgn").write_text("".join(each[::100]))
    (made / "folder" / "other.pgn").write_text("".join(each[1::100]))
    shutil.copy(demo_archives("xiangqi")[0], made / "xiangqi.zip")
    (made / "tests.epd").write_text("6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#;\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        for words in (
            "tally games.pgn more.pgn -o chess.store --max-ply 20",
            "tally more.pgn -o more.store --max-ply 20",
            "build chess.store -o book.book --quiet",
            "build more.pgn -o other.book --preset broad --min-games 1 --quiet",
            "build games.pgn -o book.bin --quiet",
            "build games.pgn -o white.bin --side white --quiet",
            "endgame build KRvK KPvK -o tables --quiet",
        ):
            ran = run(*words.split())
            assert ran.code == 0, (words, ran.err)
    return made


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of these files, which is the working directory."""
    copy = tmp_path / "examples"
    shutil.copytree(prepared, copy)
    monkeypatch.chdir(copy)
    return copy


_RUN = [line for lines in EXAMPLES.values() for line in lines if not line.startswith(_LONG)]
_PARSED = [line for lines in EXAMPLES.values() for line in lines if line.startswith(_LONG)]


def _words_in(folder: Path, line: str) -> list[str]:
    """The words of an example, which may replace what the folder needs for others."""
    words = shlex.split(line)
    for name in [words[place + 1] for place, word in enumerate(words) if word == "-o"]:
        target = folder / name
        (shutil.rmtree if target.is_dir() else Path.unlink)(target) if target.exists() else None
    return words


@pytest.mark.full
@pytest.mark.parametrize("line", _RUN)
def test_examples_run(folder: Path, line: str) -> None:
    ran = run(*_words_in(folder, line))
    assert ran.code == 0, ran.err


def _has_json(command: Any) -> bool:
    return any("--json" in each.opts for each in command.params)


def test_every_command_that_answers_has_json() -> None:
    """Servers do not, nor do `demo` and `tally export`, which write files."""
    without = {" ".join(path) for path, each in _COMMANDS.items() if not _has_json(each)}
    groups = {" ".join(path) for path, each in _COMMANDS.items() if hasattr(each, "commands")}
    assert without - groups == {"serve", "engine uci", "engine ucci", "demo", "tally export"}


_ONE = {
    name: next(line for line in lines if not line.startswith(_LONG))
    for name, lines in EXAMPLES.items()
    if not name.startswith(_LONG) and _has_json(_COMMANDS[tuple(name.split())])
}


@pytest.mark.full
@pytest.mark.parametrize("name", _ONE)
def test_every_answer_carries_its_schema(folder: Path, name: str) -> None:
    words = _words_in(folder, _ONE[name])
    ran = run(*words, *(["--json"] if "--json" not in words else []))
    assert ran.code == 0, ran.err
    # `games list` and some others write a line of JSON for each row.
    answers = [ran.out] if ran.out.startswith("{\n") else ran.out.splitlines()
    assert answers
    assert {json.loads(answer)["schema"] for answer in answers} == {1}


@pytest.mark.full
@pytest.mark.parametrize("line", _PARSED)
def test_long_examples_are_understood(folder: Path, line: str) -> None:
    words = shlex.split(line)
    path = next(tuple(words[:count]) for count in (2, 1) if tuple(words[:count]) in _COMMANDS)
    command = _COMMANDS[path]
    with command.make_context("program", words[len(path) :]) as context:
        assert context.params
