"""Suites: what a line asks for, what counts as solved, and the totals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder.engine.epd import EpdLine, parse_epd, read_epd
from bookbuilder.engine.suite import SuiteLimit, expected_answer, run_suite, suite_totals
from bookbuilder.errors import ArchiveError, FenError, MoveError, OptionError

MATE = "6k1/5ppp/8/8/8/8/8/K3R3 w - - "


@pytest.mark.parametrize(
    ("text", "fen", "operations"),
    [
        (f'{MATE}bm Re8+; id "a; b";', f"{MATE}0 1", {"bm": "Re8+", "id": "a; b"}),
        (f"{MATE}bm Re8", f"{MATE}0 1", {"bm": "Re8"}),
        (f"{MATE}3 40 am Kb1;", f"{MATE}3 40", {"am": "Kb1"}),
        (MATE.strip(), f"{MATE}0 1", {}),
        (f'{MATE}c0 "Re8=10, Kb1=3"; dm 1', f"{MATE}0 1", {"c0": "Re8=10, Kb1=3", "dm": "1"}),
    ],
)
def test_parse_epd_line(text: str, fen: str, operations: dict[str, str]) -> None:
    line = parse_epd(text)
    assert (line.game, line.fen, line.operations) == ("chess", fen, operations)


def test_parse_epd_line_of_xiangqi() -> None:
    line = parse_epd('3k5/9/2P6/9/9/9/9/9/9/4K4 w - - 0 1; id "one"; bm c7c8')
    assert (line.game, line.name, line.operations["bm"]) == ("xiangqi", "one", "c7c8")
    assert expected_answer(line).best


def test_invalid_epd_line_names_its_number(tmp_path: Path) -> None:
    with pytest.raises(FenError, match="line 7"):
        parse_epd("8/8 w - - bm e4", 7)
    path = tmp_path / "a.epd"
    path.write_text(f"# a comment\n\n{MATE}bm Re8;\nrubbish\n", encoding="utf-8")
    first, second = read_epd(path)
    assert isinstance(first, EpdLine)
    assert first.number == 3
    assert isinstance(second, FenError)
    with pytest.raises(ArchiveError, match=r"none\.epd"):
        list(read_epd(tmp_path / "none.epd"))


def test_illegal_or_missing_answers_are_refused() -> None:
    answer = expected_answer(parse_epd(f'{MATE}bm Re8+!; am Kb1 Ka2; dm 1; c0 "Re8=10, Kb1=3"'))
    (best,) = answer.best
    bad = next(iter(answer.avoid))
    assert answer.is_right(best, 1)
    assert not answer.is_right(best, None)
    assert not answer.is_right(best, 3)
    assert not answer.is_right(bad, 1)
    assert answer.most_points == 10
    points = expected_answer(parse_epd(f'{MATE}c0 "Re8=10, Kb1=3"'))
    assert points.is_right(best, None)
    assert not points.is_right(bad, None)
    with pytest.raises(MoveError, match="Re9"):
        expected_answer(parse_epd(f"{MATE}bm Re9"))
    with pytest.raises(OptionError, match="no answer"):
        expected_answer(parse_epd(f'{MATE}id "x"'))


def test_run_suite_reports_solved_positions() -> None:
    lines = [
        parse_epd(f'{MATE}bm Re8; dm 1; id "mate"'),
        parse_epd(f'{MATE}bm Kb1; id "wrong"'),
        parse_epd(f'{MATE}c0 "Re8=7, Kb1=3"; id "points"'),
        parse_epd(f"{MATE}bm Rf9"),
        FenError("line 9: rubbish"),
    ]
    rows = list(run_suite(lines, SuiteLimit(nodes=3000)))
    assert [row.is_solved for row in rows] == [True, False, True, None, None]
    mate = rows[0]
    assert (mate.move, mate.expected) == ("Re8#", "bm Re8; dm 1")
    assert mate.depth is not None
    assert 1 <= mate.depth <= 3
    assert mate.nodes is not None
    assert mate.nodes < 3000
    assert (rows[2].points, rows[2].most_points) == (7, 7)
    totals = suite_totals(rows)
    assert (totals["positions"], totals["solved"], totals["unusable"]) == (3, 2, 2)
    assert (totals["points"], totals["most_points"]) == (7, 7)


def test_suite_command_prints_table_and_json(tmp_path: Path) -> None:
    path = tmp_path / "a.epd"
    path.write_text(f'{MATE}bm Re8; id "good";\n{MATE}bm Kb1; id "bad";\n', encoding="utf-8")
    answer = json.loads(run("engine", "suite", path, "--nodes", 2000, "--json", "--quiet").out)
    assert (answer["schema"], answer["positions"], answer["solved"]) == (1, 2, 1)
    assert [row["name"] for row in answer["rows"]] == ["good", "bad"]
    table = run("engine", "suite", path, "--depth", 3, "--failed", "--quiet").out
    assert "1 of 2 (50.0 %)" in table
    assert "good" not in table
    assert run("engine", "suite", tmp_path / "none.epd").code == 3
    path.write_text("\n", encoding="utf-8")
    assert run("engine", "suite", path).code == 1


@pytest.mark.corpus
def test_suites_of_the_corpus_are_valid(corpus: Path) -> None:
    for name in ("wac300", "bk24", "lct2", "sts1500", "nolot", "sbd134", "ccr25"):
        for line in read_epd(corpus / "oracles" / "epd" / "search" / f"{name}.epd"):
            assert isinstance(line, EpdLine), line
            expected_answer(line)
