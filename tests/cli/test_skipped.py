"""`build` ends with the games that it skipped, and why."""

from __future__ import annotations

import json
from pathlib import Path

from support.cli_runner import run

SET_UP = (
    '[Game "Chinese Chess"]\n[Result "1-0"]\n[Format "ICCS"]\n[SetUp "1"]\n'
    '[FEN "4k4/9/9/9/9/9/9/9/9/R3K4 w - - 0 1"]\n\n1. A0-A5 1-0\n\n'
)
USUAL = '[Game "Chinese Chess"]\n[Result "1-0"]\n[Format "ICCS"]\n\n1. H2-E2 H9-G7 2. H0-G2 1-0\n\n'


def test_build_reports_skipped_set_up_starts_of_xiangqi(tmp_path: Path) -> None:
    archive = tmp_path / "games.pgn"
    archive.write_text(SET_UP * 3 + USUAL * 5, encoding="utf-8")
    words = ("build", archive, "--game", "xiangqi", "--preset", "broad", "--min-games", 1, "--force")
    ran = run(*words, "-o", tmp_path / "a.book")
    assert ran.code == 0, ran.err
    last = [line for line in ran.out.splitlines() if line][-1]
    assert last.startswith("skipped games: 3 ")
    assert "set-up" in last or "custom" in last
    answer = json.loads(run(*words, "-o", tmp_path / "a.book", "--json").out)
    assert answer["skipped"]["filtered_by_reason"] == {"custom-start": 3}
