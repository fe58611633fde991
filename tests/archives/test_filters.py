"""Filters: which games a tally counts, and what is said of those it leaves out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bookbuilder as bb
from bookbuilder.errors import OptionError
from bookbuilder.tally.options import TallyOptions

# Name of a game's first player, its ratings, date, ECO code, time control, result and moves.
GAMES = (
    ("Ada", 2500, 2450, "2010.05.17", "B90", "300+3", "1-0", "1. e4 c5 2. Nf3"),
    ("Ben", 2500, 2100, "2010.??.??", "C42", "60+0", "0-1", "1. e4 e5 2. Nf3 Nf6"),
    ("Cleo", 0, 2600, "2015.01.01", "?", "-", "1/2-1/2", "1. d4"),
    ("ADAM", 1800, 1900, "????.??.??", "E00", "900+10", "*", "1. d4 Nf6 2. c4 e6 3. g3"),
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of `GAMES`."""
    path = tmp_path_factory.mktemp("filters") / "games.pgn"
    path.write_text(
        "".join(
            f'[Event "Open"]\n[White "{name}"]\n[Black "Zoe"]\n[WhiteElo "{first or "?"}"]\n'
            f'[BlackElo "{second}"]\n[Date "{date}"]\n[ECO "{eco}"]\n[TimeControl "{clock}"]\n'
            f'[Result "{result}"]\n\n{moves} {result}\n\n'
            for name, first, second, date, eco, clock, result, moves in GAMES
        )
    )
    return path


@pytest.mark.parametrize(
    ("asked", "stay", "reason"),
    [
        ({"min_rating": 2400}, "Ada", "rating"),
        ({"min_rating": 2400, "rating_of": "either"}, "Ada Ben Cleo", "rating"),
        ({"max_rating": 2000}, "ADAM", "rating"),
        ({"since": "2010-06"}, "Ben Cleo", "date"),
        ({"until": "2010"}, "Ada Ben", "date"),
        ({"result": ["1-0", "*"]}, "Ada ADAM", "result"),
        ({"player": "ada"}, "Ada ADAM", "player"),
        ({"player": ["zoe"], "player_side": "first"}, "", "player"),
        ({"event": "open"}, "Ada Ben Cleo ADAM", ""),
        ({"eco": ["B20-B99", "E"]}, "Ada ADAM", "eco"),
        ({"time_control": ["blitz", "60+0"]}, "Ada Ben", "time-control"),
        ({"min_plies": 4}, "Ben ADAM", "plies"),
        ({"tag": ["White~^A", "BlackElo<=2000"]}, "ADAM", "tag"),
    ],
)
def test_filters_count_skipped_games(archive: Path, asked: dict[str, Any], stay: str, reason: str) -> None:
    tally = bb.Tally.from_archives(archive, max_ply=2, filters=bb.GameFilter(**asked))
    assert tally.games.column("first_player").to_pylist() == stay.split()
    assert tally.report is not None
    left_out = len(GAMES) - len(stay.split())
    assert tally.report.filtered == ({reason: left_out} if left_out else {})
    assert tally.report.sources[0].filtered == left_out


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_rating": -1},
        {"rating_of": "none"},
        {"since": "May"},
        {"until": "2010-13"},
        {"result": "2-0"},
        {"player_side": "green"},
        {"eco": "B99-B20"},
        {"time_control": "fast"},
        {"tag": "Round"},
        {"tag": "Round~("},
    ],
)
def test_invalid_filter_is_named(wrong: dict[str, Any]) -> None:
    name = next(iter(wrong))
    with pytest.raises(OptionError, match=f"{name.replace('_', '[-_]')}.*expected"):
        bb.GameFilter(**wrong)


def test_equal_filters_compare_equal() -> None:
    assert bb.GameFilter(since="2010.5", player="A") == bb.GameFilter(since="2010-05", player=["A"])
    options = TallyOptions(game="chess", filters=bb.GameFilter(min_rating=2400, eco=["E"]))
    assert TallyOptions.from_json(json.loads(json.dumps(options.to_json()))) == options
    assert options.changed({"min_rating": 2500}).filters == bb.GameFilter(min_rating=2500, eco=["E"])
    differences = {"min_rating": (2400, None), "eco": (("E",), ())}
    assert options.differences(TallyOptions(game="chess")) == differences
