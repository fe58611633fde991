"""Evaluations from lines of chessdb: centipawns, mates, other positions, and mistakes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bookbuilder import Tally, as_position
from bookbuilder.engine.evaluate.imports import read_chessdb
from bookbuilder.engine.evaluate.plan import Plan, plan_tally
from bookbuilder.errors import ArchiveError

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
AFTER_E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"
AFTER_QH5 = "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq -"
AFTER_KE7 = "rnbq1bnr/ppppkppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQ -"
LINES = f"""# a comment
{START} ; cdb eval: 19, ply: 0; PV: e2e4 e7e5;
{AFTER_E4} 0 1 ; bm #-12; cdb eval: -21;
{AFTER_E5.replace("KQkq", "KQk")} ; cdb eval: 999;
{AFTER_E5} ; ;
{AFTER_QH5} ; cdb eval: 45; PV: b8c6
{AFTER_KE7} ; cdb eval: M1;
8/8/8/8/8/8/8/K1k5 w - - ; cdb eval: nonsense elsewhere;
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "a.pgn").write_text("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n")
    return tmp_path / "a.pgn"


@pytest.fixture
def plan(archive: Path) -> Plan:
    """The positions of the game."""
    return plan_tally(Tally.from_archives(archive), most=50, min_games=1, max_ply=20)


def written(folder: Path, text: str) -> Path:
    (folder / "lines.epd").write_text(text)
    return folder / "lines.epd"


@pytest.mark.parametrize("is_packed", [False, True])
def test_values_are_those_of_the_same_positions(plan: Plan, tmp_path: Path, *, is_packed: bool) -> None:
    path = written(tmp_path, LINES)
    if is_packed:
        (tmp_path / "lines.epd.gz").write_bytes(gzip.compress(path.read_bytes()))
        path = tmp_path / "lines.epd.gz"
    rows = {(row["key"], row["lock"]): row for row in read_chessdb(path, plan).table.to_pylist()}
    found = {}
    for line in ("startpos", "1.e4", "1.e4 e5", "1.e4 e5 2.Qh5", "1.e4 e5 2.Qh5 Ke7"):
        here = as_position(line, "chess")
        if (row := rows.get(here.stored(False))) is not None:
            found[line] = (row["score"], row["best"] and here.san(row["best"]))
    assert found == {
        "startpos": (19, "e4"),
        "1.e4": (-21, None),
        "1.e4 e5 2.Qh5": (45, "Nc6"),
        "1.e4 e5 2.Qh5 Ke7": (29_999, None),
    }
    assert {row["engine"] for row in rows.values()} == {"chessdb"}


@pytest.mark.parametrize("value", ["mate", "M", "--M3", "1.5", "12 34", "99999999"])
def test_value_that_is_none_is_named(plan: Plan, tmp_path: Path, value: str) -> None:
    path = written(tmp_path, f"# one\n{START} ; cdb eval: {value};\n")
    with pytest.raises(ArchiveError, match=r"lines\.epd: line 2: .*expected centipawns"):
        read_chessdb(path, plan)
