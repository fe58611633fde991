"""Settings of `bookbuilder.toml` and the environment: precedence, errors with place, `config show`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run

from bookbuilder.cli.settings import has_settings

Write = Callable[[str], Path]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chess_pgn: Path) -> Write:
    """Return a function that writes the project's file; the working directory is a folder of the project."""
    (tmp_path / "project/.git").mkdir(parents=True)
    (tmp_path / "project/below").mkdir()
    (tmp_path / "project/below/games.pgn").write_bytes(chess_pgn.read_bytes())
    monkeypatch.chdir(tmp_path / "project/below")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))

    def write(text: str) -> Path:
        file = tmp_path / "project/bookbuilder.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def user_file(text: str, tmp_path: Path) -> Path:
    """Write the user's file."""
    (tmp_path / "home/bookbuilder").mkdir(parents=True)
    file = tmp_path / "home/bookbuilder/bookbuilder.toml"
    file.write_text(text, encoding="utf-8")
    return file


def selection(*words: object) -> dict[str, Any]:
    """Return the options that a build would use."""
    ran = run("build", *words, "--show-options", "--json")
    assert ran.code == 0, ran.err
    answer: dict[str, Any] = json.loads(ran.out)["selection"]
    return answer


def settings(*words: str) -> list[dict[str, Any]]:
    """Return the answer of `config show`."""
    ran = run("config", "show", *words, "--json")
    assert ran.code == 0, ran.err
    answer: list[dict[str, Any]] = json.loads(ran.out)["settings"]
    return answer


def test_each_level_overrides_the_next(
    project: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert selection()["min_games"] is None
    user_file("[build]\nmin-games = 2\ntop = 9\n", tmp_path)
    assert (selection()["min_games"], selection()["top"]) == (2, 9)
    file = project("[build]\nmin-games = 3\n")
    assert (selection()["min_games"], selection()["top"]) == (3, 9)
    monkeypatch.setenv("BOOKBUILDER_BUILD_MIN_GAMES", "4")
    assert selection()["min_games"] == 4
    assert selection("--min-games", 5)["min_games"] == 5
    monkeypatch.delenv("BOOKBUILDER_BUILD_MIN_GAMES")
    other = file.with_name("other.toml")
    other.write_text("[build]\nmargin = '20%'\n")
    assert "--margin       20%" in run("--config", other, "build", "--show-options").out
    assert "--min-games    auto" in run("--no-config", "build", "--show-options").out


def test_file_above_the_repository_is_not_read(project: Write, tmp_path: Path) -> None:
    (tmp_path / "bookbuilder.toml").write_text("[build]\nmin-games = 7\n")
    assert selection()["min_games"] is None
    project("[build]\nmin-games = 8\n")
    assert selection()["min_games"] == 8


def test_file_above_the_home_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "above/me/below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "above/me/below")
    monkeypatch.setenv("HOME", str(tmp_path / "above/me"))
    (tmp_path / "above/bookbuilder.toml").write_text("[build]\nmin-games = 7\n")
    assert selection()["min_games"] is None
    (tmp_path / "above/me/bookbuilder.toml").write_text("[build]\nmin-games = 8\n")
    assert selection()["min_games"] == 8


def test_table_of_the_command_is_stronger_than_defaults(project: Write) -> None:
    project('[defaults]\npreset = "broad"\njobs = 1\n[build]\npreset = "literature"\n')
    found = {each["option"]: each for each in settings("build")}
    assert (found["preset"]["value"], found["jobs"]["value"]) == ("literature", "1")
    assert found["jobs"]["key"] == "defaults.jobs"


def test_recipe_records_settings(project: Write) -> None:
    project('[build]\nmin-games = 1\npreset = "broad"\n')
    assert run("build", "games.pgn", "-o", "a.book", "-q").code == 0
    recipe = json.loads(run("book", "info", "a.book", "--json").out)["recipe"]
    assert (recipe["preset"], recipe["selection"]["min_games"]) == ("broad", 1)
    # A rebuild takes the recipe's options, not the settings.
    project('[build]\nmin-games = 2\npreset = "engine"\n')
    assert run("build", "--recipe", "a.book", "-o", "b.book", "-q").code == 0
    assert Path("a.book").read_bytes() == Path("b.book").read_bytes()


def test_tally_is_counted_with_settings(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    project('[tally]\nmax-ply = 2\nfacet = ["year", "speed"]\n')
    monkeypatch.setenv("BOOKBUILDER_TALLY_ECO", "A00-E99 C42")
    assert run("tally", "games.pgn", "-o", "a.store", "-q", "--eco", "A00-E99", "--min-plies", 1).code == 1
    monkeypatch.delenv("BOOKBUILDER_TALLY_ECO")
    assert run("tally", "games.pgn", "-o", "a.store", "-q").code == 0
    info = json.loads(run("info", "a.store", "--json").out)
    assert (info["max_ply"], info["facets"]) == (2, ["year", "speed"])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "[build]\n\nmin-gaems = 3",
            "line 3, build.min-gaems: build has no option --min-gaems; did you mean",
        ),
        ('[build]\nmin-games = "many"', "line 2, build.min-games: --min-games is many: expected a whole"),
        ("[build]\nmargin = 7", "line 2, build.margin: --margin is 7: expected a number from 0 to 1"),
        ("[build]\ntop = 0", "line 2, build.top: expected at least 1"),
        ("[build]\ntop = [1]", "line 2, build.top: expected one value, not a list"),
        ("[build]\ntop = true", "line 2, build.top: expected a number or a text"),
        ("[build]\nconfident = 1", "line 2, build.confident: expected true or false"),
        ("[build]\npreset = 'engin'", 'line 2, build.preset: "engin" is unknown: expected one of engine'),
        ("[build]\ntop =", "is not valid TOML: Invalid value (at"),
        ("[biuld]\ntop = 1", "line 1, biuld: no command has this name; did you mean build?"),
        ("[build.fast]\ntop = 1", "line 1, build.fast: no command has this name"),
        (
            "[defaults]\ntop = 1",
            "line 2, defaults.top: is not an option that commands share: expected one of",
        ),
        ("[defaults]\njobs = 0", "line 2, defaults.jobs: expected at least 1"),
        ("top = 1", "line 1, top: is outside of a table; write it below [defaults] or a command"),
    ],
)
def test_bad_setting_is_refused_with_its_place(project: Write, text: str, answer: str) -> None:
    file = project(text + "\n")
    for words in (("build", "games.pgn", "-o", "a.bin"), ("config", "show")):
        ran = run(*words)
        assert ran.code == 2
        assert f"bookbuilder: {file}: {answer}" in ran.err
    assert not Path("a.bin").exists()


def test_bytes_that_are_not_utf8_are_refused(project: Write) -> None:
    file = project("")
    file.write_bytes(b"[build]\n# \xff\n")
    ran = run("build", "games.pgn", "-o", "a.bin")
    assert (ran.code, "byte 10 is not UTF-8" in ran.err) == (2, True)


def test_missing_file_of_an_option_is_refused() -> None:
    ran = run("--config", "nosuch.toml", "build", "games.pgn", "-o", "a.bin")
    assert (ran.code, ran.err) == (3, "bookbuilder: nosuch.toml: no such file or directory\n")


@pytest.mark.usefixtures("project")
def test_variables_are_read_and_unknown_ones_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKBUILDER_JOBS", "1")
    monkeypatch.setenv("BOOKBUILDER_TALLY_JOB", "3")
    monkeypatch.setenv("BOOKBUILDER_TALY_JOBS", "3")
    monkeypatch.setenv("BOOKBUILDER_RENEW", "")
    ran = run("tally", "games.pgn", "-o", "a.store", "-q")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        f"bookbuilder: warning: variable {name} is unknown; did you mean BOOKBUILDER_TALLY_JOBS?"
        for name in ("BOOKBUILDER_TALLY_JOB", "BOOKBUILDER_TALY_JOBS")
    ]
    assert all(each["variable"] == "BOOKBUILDER_JOBS" for each in settings())
    monkeypatch.setenv("BOOKBUILDER_TALLY_JOBS", "many")
    ran = run("tally", "games.pgn", "-o", "b.store")
    assert "variable BOOKBUILDER_TALLY_JOBS: expected a whole number" in ran.err.splitlines()[-1]


def test_show_merges_shared_settings_and_hides_the_token(
    project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKBUILDER_TOKEN", "hunter2")
    project('[defaults]\njobs = 2\n[engine.match]\ngames = 20\n[tally]\nfacet = ["year"]\n')
    out = run("config", "show").out
    assert out.count("defaults.jobs") == 1
    assert "engine match games" in out
    assert "line 4, engine.match.games" in out
    assert "hunter2" not in out
    assert "***" in out


def test_show_of_a_command_lists_all_options(project: Write) -> None:
    assert run("config", "show").err.startswith("no file and no variable changes a default")
    project("[engine.match]\ngames = 20\n")
    rows = settings("engine", "match")
    assert {each["from"] for each in rows} == {"default", "file"}
    assert [each["option"] for each in rows if each["from"] == "file"] == ["games"]
    assert "default" in run("config", "show", "engine", "match").out
    assert run("config", "show", "engin").code == 2
    assert "is a group of commands" in run("config", "show", "engine").err


def test_engine_of_a_gui_is_served_plainly_without_settings(
    project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not has_settings(("engine", "uci"))
    monkeypatch.setenv("BOOKBUILDER_ENGINE_UCI_HASH", "64")
    assert has_settings(("engine", "uci"))
    monkeypatch.delenv("BOOKBUILDER_ENGINE_UCI_HASH")
    project("[engine.uci]\nhash = 64\n")
    assert has_settings(("engine", "uci"))


def test_memory_of_defaults_counts_for_endgame_tables_too(project: Write) -> None:
    project('[defaults]\nmemory = "512MiB"\n')
    for command in (("endgame", "build"), ("tally",)):
        assert {each["option"]: each["value"] for each in settings(*command)}["memory"] == "512MiB"
