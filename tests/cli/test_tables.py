"""Tables fit the terminal: laws for the commands that print one, at several widths and in a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.cli_runner import run
from support.table_desk import set_up

from bookbuilder.cli import console, tables

ENGINE = ("--nodes", "500", "--seed", "1")
MATCH = ("--game", "chess", "--games", "2", "--limit", "nodes=1")
COMMANDS: dict[str, tuple[str, ...]] = {
    "show": ("show", "chess.store"),
    "show-black": ("show", "chess.store", "e2e4"),
    "show-book": ("show", "a.book", "e2e4"),
    "show-xiangqi": ("show", "xiangqi.store"),
    "explain": ("build", "chess.store", "--explain", "e2e4"),
    "build": ("build", "games.pgn", "-o", "new.book", "--force"),
    "build-bin": ("build", "chess.store", "-o", "new.bin", "--force"),
    "threshold": ("threshold", "chess.store"),
    "coverage": ("coverage", "a.book", "games.pgn"),
    "calibrate": ("calibrate", "games.pgn", "--min-games", "1"),
    "openings": ("openings", "--find", "Benko Gambit Accepted"),
    "tally": ("tally", "games.pgn", "bad.pgn", "-o", "new.store", "--force"),
    "tally-info": ("info", "chess.store"),
    "tally-verify": ("tally", "verify", "chess.store"),
    "book-info": ("info", "a.book"),
    "book-verify": ("book", "verify", "a.book"),
    "book-gaps": ("book", "gaps", "b.book", "--against", "chess.store", "--min-games", "1"),
    "book-diff": ("book", "diff", "a.book", "b.book"),
    "book-merge": ("book", "merge", "a.book", "b.book", "-o", "new.book", "--force"),
    "book-convert": ("book", "convert", "a.book", "new.bin", "--force"),
    "games-list": ("games", "list", "games.pgn"),
    "games-count": ("games", "count", "games.pgn", "bad.pgn"),
    "games-check": ("games", "check", "games.pgn", "bad.pgn"),
    "endgame-stats": ("endgame", "stats", "tables", "KRvK"),
    "engine-match": ("engine", "match", "bundled", "bundled", *MATCH),
    "engine-walk": ("engine", "walk", "a.book", "none", "--against", "chess.store", "--walks", "4", *ENGINE),
    "engine-search": ("engine", "search", "--depth", "1"),
    "engine-judge": ("engine", "judge", "f2f3 e7e5 g2g4 d8h4"),
    "doctor": ("doctor",),
}
USUAL = {"show", "show-xiangqi", "explain", "games-list", "threshold"}
FAST = [name if name in USUAL else pytest.param(name, marks=pytest.mark.full) for name in COMMANDS]
FAILING = {"games-check": 1, "tally": 0}
KNOWN: dict[tuple[tuple[str, ...], int | None], str] = {}
"""What was printed already, by command and width."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working directory with games, stores and books."""
    folder = tmp_path_factory.mktemp("desk")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        set_up(folder)
        yield folder


def printed(name: str, width: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a command prints in a terminal of this width, or in a pipe."""
    known = KNOWN.get((COMMANDS[name], width))
    if known is not None:
        return known
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(console, "is_terminal", lambda stream: width is not None and stream is sys.stdout)
    ran = run(*COMMANDS[name])
    assert ran.code == FAILING.get(name, 0), ran.err
    return KNOWN.setdefault((COMMANDS[name], width), ran.out)


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("name", FAST)
def test_sentences_fit_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out = printed(name, 80, monkeypatch)
    assert not re.search(r"[ \t]$", out, re.MULTILINE)
    too_wide = [line for line in out.splitlines() if cell_len(line) > 80]
    # A list of zugzwangs and a path may be longer.
    assert not too_wide or name in ("endgame-stats", "doctor"), "\n".join(too_wide)


def tables_in(out: str) -> Iterator[list[str]]:
    """Yield the lines of each table: the headings above the rule, and everything to the next blank line."""
    lines = out.splitlines()
    for place, line in enumerate(lines):
        if line.startswith("──"):
            end = next((last for last in range(place, len(lines)) if not lines[last]), len(lines))
            yield lines[place - 1 : end]


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("name", FAST)
def test_pipes_get_every_column(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out = printed(name, None, monkeypatch)
    assert "hidden" not in out
    assert "\x1b" not in out
    assert not re.search(r"[ \t]$", out, re.MULTILINE)


@pytest.mark.usefixtures("desk")
def test_wide_shows_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = printed("show", 80, monkeypatch)
    assert narrow.endswith("columns hidden; --wide shows all\n")
    monkeypatch.setitem(COMMANDS, "show", (*COMMANDS["show"], "--wide"))
    assert printed("show", 80, monkeypatch) == printed("show", None, monkeypatch) != narrow
    # The option is of one command line.
    monkeypatch.setitem(COMMANDS, "show", COMMANDS["show"][:-1])
    assert printed("show", 80, monkeypatch) == narrow


@pytest.mark.usefixtures("desk")
def test_show_and_explain_have_the_same_p(monkeypatch: pytest.MonkeyPatch) -> None:
    def figures(name: str) -> dict[str, tuple[str, str]]:
        table = next(tables_in(printed(name, None, monkeypatch)))
        cells = [re.split(r"  +", row.strip()) for row in table]
        places = [cells[0].index(heading) for heading in ("score", "P")]
        return {row[0]: (row[places[0]], row[places[1]]) for row in cells[2:]}

    monkeypatch.setitem(COMMANDS, "show", ("show", "chess.store", "d2d4"))
    monkeypatch.setitem(COMMANDS, "explain", ("build", "chess.store", "--explain", "d2d4"))
    assert figures("show") == figures("explain") != {}


ROWS = [("Sicilian Defence: Najdorf", "1,234,567", "12.5 %", "a reason of some words")]
COLUMNS = (
    tables.text("opening", least=12),
    tables.number("games"),
    tables.number("share", drop=1),
    tables.text("why", drop=2, least=10, wraps=True),
)


def lines_at(
    width: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """Return the lines of a table in this room."""
    monkeypatch.setattr(tables, "room", lambda: width)
    tables.print_table(COLUMNS, ROWS)
    return capsys.readouterr().out.strip().splitlines()


def test_columns_are_hidden_whole_and_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for width, shown, hidden in (
        (80, ["opening", "games", "share", "why"], 0),
        (44, ["opening", "games", "share", "why"], 0),
        (40, ["opening", "games", "share"], 1),
        (24, ["opening", "games"], 2),
    ):
        head, rule, *_, last = lines_at(width, monkeypatch, capsys)
        assert head.split() == shown
        assert len(rule) <= width
        assert ("hidden" in last) == bool(hidden), last
