"""`games list|convert|filter` on our own archives."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from support.cli_runner import run


@pytest.fixture
def annotated(tmp_path: Path) -> Path:
    """Three games: with variations and comments, from a set-up start, with an illegal move."""
    path = tmp_path / "annotated.pgn"
    path.write_text(
        '[Event "A"]\n[White "W"]\n[Black "B"]\n[Result "1-0"]\n[ECO "C20"]\n\n'
        "1. e4! {best} e5 (1... c5 2. Nf3 (2. Nc3 $5)) 2. Nf3 1-0\n\n"
        '[Event "B"]\n[SetUp "1"]\n[FEN "4k3/4p3/8/8/8/8/8/4K3 b - - 0 9"]\n[Result "*"]\n\n'
        "9... e5 10. Kd2 *\n\n"
        '[Event "C"]\n[Result "0-1"]\n\n1. e4 e5 2. Ke3 0-1\n',
        encoding="utf-8",
    )
    return path


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
