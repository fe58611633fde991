"""Text of foreign origin cannot move the cursor, change colours, forge lines or turn the writing."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cli_runner import run

from bookbuilder.cli import console, tables

EVIL = "\x1b]0;title\x07\x1b[31m\u202eevil\u2066\x9b2J\u2028\x7f"
"""A title, a colour, a change of direction, an erased screen, a separator of lines."""
FORGED = "\nbookbuilder: all fine\r"
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

GAME = (
    '[Event "{0}"]\n[Site "{0}"]\n[White "{0}"]\n[Black "{0}"]\n[Date "{0}"]\n[ECO "{0}"]\n[Opening "{0}"]\n'
)
GAME += '[Variant "{1}"]\n[Result "1-0"]\n\n1. e4 {{{0}}} {2} 1-0\n\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with hostile archives, a store and books of hostile names."""
    monkeypatch.chdir(tmp_path)
    good, bad, variant = (GAME.format(EVIL, *rest) for rest in (("", "e5"), ("", f"e5 {EVIL}"), (EVIL, "e5")))
    # Control characters at the beginning would make it binary data.
    text = GAME.format("clean", "", "e5") * 40 + good * 3 + bad + variant
    Path(f"a{EVIL}.pgn").write_text(text)
    Path(f"b{FORGED}.pgn").write_text(text)
    with open(b"c\xff.pgn", "w") as stream:  # noqa: PTH123 (the name is not UTF-8)
        stream.write(text)
    with zipfile.ZipFile("members.zip", "w") as packed:
        packed.writestr(f"m{EVIL}.pgn", text)
        packed.writestr(f"n{FORGED}.pgn", bad)
        packed.writestr(f"x{EVIL}.pgn.gz", b"not gzip")
    assert run("tally", "members.zip", "-o", f"s{EVIL}.store", "--quiet").code in (0, 3)
    assert run("build", f"s{EVIL}.store", "-o", f"b{EVIL}.book", "--min-games", 1, "-q").code == 0
    assert run("build", f"s{EVIL}.store", "-o", f"b{EVIL}.bin", "--min-games", 1, "-q").code == 0
    return tmp_path


COMMANDS = """
games count ARCHIVE
games check ARCHIVE
games list ARCHIVE
games list ARCHIVE --csv
games list ARCHIVE --json
games filter ARCHIVE
games convert ARCHIVE
games convert ARCHIVE --to lines
tally ARCHIVE -o new.store --force
tally ARCHIVE -o new.store --force --player EVIL --json
build ARCHIVE -o new.bin --force --min-games 1
build ARCHIVE --explain startpos
show ARCHIVE
show STORE
show BOOK
show BOOK EVIL
show STORE --side EVIL
info ARCHIVE
info STORE
info BOOK
info BOOK --json
tally verify STORE
book verify BOOK
book convert BOOK new.csv --force
book diff BOOK BOOK
book gaps BOOK --against STORE
threshold STORE
coverage BOOK ARCHIVE
openings --find EVIL
engine search EVIL
engine judge EVIL
endgame probe EVIL EVIL
info EVIL
EVIL
build --EVIL
""".strip().splitlines()


@pytest.mark.parametrize("line", COMMANDS)
def test_no_command_prints_control_characters(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "is_terminal", lambda stream: stream is sys.stdout)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    names = {"STORE": [f"s{EVIL}.store"], "BOOK": [f"b{EVIL}.book", f"b{EVIL}.bin"], "EVIL": [EVIL, FORGED]}
    names["ARCHIVE"] = [each for each in os.listdir(folder) if each.endswith((".pgn", ".zip"))]  # noqa: PTH208
    word = next((word for word in names if word in line), None)
    for name in names.get(word or "", [""]):
        given = {**{key: values[0] for key, values in names.items()}, word or "": name}
        words = [given.get(each, each.replace("EVIL", EVIL)) for each in line.split()]
        ran = run(*words)
        for printed in (ran.out, ran.err):
            assert not UNSAFE.search(printed), (words, UNSAFE.search(printed))
            assert "\nbookbuilder: all fine" not in printed
        if "--json" in words and ran.out:
            lines = [ran.out] if ran.out.startswith("{\n") else ran.out.splitlines()
            assert all(json.loads(each) for each in lines)


@given(st.text())
def test_visible_text_is_printable_and_unchanged_if_it_was(text: str) -> None:
    shown = console.visible(text)
    assert not UNSAFE.search(shown)
    assert "\n" not in shown
    assert shown == text or UNSAFE.search(text) or "\n" in text


def test_answers_keep_json_readable(capsys: pytest.CaptureFixture[str]) -> None:
    console.print_json({EVIL: [FORGED, {"a": EVIL}]})
    out = capsys.readouterr().out
    assert not UNSAFE.search(out)
    assert json.loads(out) == {"schema": 1, EVIL: [FORGED, {"a": EVIL}]}


def test_cells_and_headings_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    tables.print_table((tables.text(EVIL), tables.text(FORGED)), [(EVIL, FORGED)], title=FORGED)
    out = capsys.readouterr().out
    assert not UNSAFE.search(out)
    assert len(out.strip().splitlines()) == 4


def test_csv_has_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    cells = ["=HYPERLINK(1)", "+1", "-2+3", "@SUM(1)", "plain", "'x"]
    path.write_text("".join(f'[White "{cell}"]\n\n1. e4 *\n\n' for cell in cells))
    rows = csv.DictReader(io.StringIO(run("games", "list", path, "--csv").out))
    assert [row["first_player"] for row in rows] == [*(f"'{cell}" for cell in cells[:4]), *cells[4:]]
