"""Games of JSON, tables and WXF files are read like PGN."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run

LICHESS = {
    "id": "abcdefgh",
    "rated": True,
    "variant": "standard",
    "speed": "blitz",
    "createdAt": 1_514_505_150_384,
    "status": "mate",
    "players": {"white": {"user": {"name": "Ann"}, "rating": 2389}, "black": {"aiLevel": 3}},
    "winner": "white",
    "moves": "e4 e5 Qh5",
    "clock": {"initial": 300, "increment": 3},
}
WXF = """FORMAT  WXF
GAME    a vs b
RESULT  0-1 (resign:Ann)
RED     Ann ; 2721 ;;
BLACK   Bob ; 2594 ;;
DATE    2019-09-18 23:53:50 CDT
EVENT   Club Game ; 25m

START{
1.  C2.5   h8+7   2.  H2+3   r9.8
}END
"""


def listed(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in run("games", "list", path, "--json", "--quiet").out.splitlines()]


def lines(path: Path) -> list[str]:
    return run("games", "convert", path, "--to", "lines", "--quiet").out.splitlines()


@pytest.mark.parametrize("wrap", [lambda games: {"games": games}, list])
def test_month_of_chess_com_holds_its_games(tmp_path: Path, wrap) -> None:
    games = [{"url": "u", "pgn": f'[Event "{name}"]\n\n1. {name} 1-0'} for name in ("e4", "d4")]
    path = tmp_path / "month.json"
    path.write_text(json.dumps(wrap(games)))
    assert lines(path) == ["e2e4 1-0", "d2d4 1-0"]


def test_games_of_lichess_have_tags_and_results(tmp_path: Path) -> None:
    path = tmp_path / "games.ndjson"
    others = [{"variant": "chess960"}, {"winner": "black"}, {"winner": None, "status": "draw"}]
    path.write_text("".join(json.dumps({**LICHESS, **other}) + "\n" for other in [{}, *others]))
    assert lines(path) == [f"e2e4 e7e5 d1h5 {result}" for result in ("1-0", "0-1", "1/2-1/2")]
    row = listed(path)[0]
    named = ("first_player", "second_player", "first_rating", "date", "event")
    assert [row[name] for name in named] == [
        "Ann",
        "lichess AI level 3",
        2389,
        "2017.12.28",
        "rated blitz game",
    ]
    taken = run("games", "filter", path, "--time-control", "300+3", "--quiet").out
    assert taken.count("[Site") == 4


def test_table_of_openings_has_a_game_a_row(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("eco\tname\tpgn\nA00\tAmar Opening\t1. Nh3\nC20\tOpen Game\t1. e4 e5\n")
    assert lines(path) == ["g1h3 *", "e2e4 e7e5 *"]
    assert [row["eco"] for row in listed(path)] == ["A00", "C20"]


def test_wxf_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "club.wxf"
    path.write_text(WXF + WXF)
    assert lines(path) == ["h2e2 h9g7 h0g2 i9h9 0-1"] * 2
    row = listed(path)[0]
    named = ("first_player", "second_player", "first_rating", "second_rating", "date", "event")
    assert [row[name] for name in named] == ["Ann", "Bob", 2721, 2594, "2019.09.18", "Club Game"]


@pytest.mark.parametrize(
    ("text", "message"), [('{"name": "x"}', "JSON without games"), ('{"games": [{"pgn"', "truncated")]
)
def test_other_json_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert message in run("games", "check", path).err
