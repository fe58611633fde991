"""Filters by facets, on native routes and on those of lichess."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.archives.filters import GameFilter
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.guard import Guarding
from bookbuilder.explorer.sources import Sources
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.store.grow import grow

GAMES = (
    ("2001", 2450, 2550, "300+3", "1. e4 e5", "1-0"),
    ("2005", 2100, 1900, "60+0", "1. e4 c5", "0-1"),
    ("2011", 1500, 1500, "-", "1. d4 d5", "1/2-1/2"),
    ("2012", 0, 0, "5400", "1. d4 Nf6", "1-0"),
)


@pytest.fixture(scope="module")
def pgn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("facets") / "games.pgn"
    path.write_text(
        "".join(
            f'[Event "?"]\n[White "Ada"]\n[Black "Ben"]\n[Date "{year}.??.??"]\n[WhiteElo "{one or "?"}"]\n'
            f'[BlackElo "{two or "?"}"]\n[TimeControl "{clock}"]\n[Result "{result}"]\n\n{moves} {result}\n\n'
            for year, one, two, clock, moves, result in GAMES
        )
    )
    return path


@pytest.fixture(scope="module")
def client(pgn: Path) -> TestClient:
    folder = pgn.parent
    facets = TallyOptions(game="chess", facets=("year", "rating", "speed"))
    grow(folder / "kept.store", [pgn], facets, RunLimits())
    grow(folder / "plain.store", [pgn], TallyOptions(game="chess"), RunLimits())
    tally = bb.Tally.open(folder / "plain.store")
    bb.Book.write(folder / "one.book", bb.select(tally, LITERATURE, min_win_rate=0))
    sources = Sources([folder / name for name in ("kept.store", "plain.store", "one.book")])
    return TestClient(make_app(sources, guarding=Guarding(), endgames=None), base_url="http://127.0.0.1:8000")


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("", {}),
        ("year_from=2005", {"since": "2005"}),
        ("year_from=2002&year_to=2011", {"since": "2002", "until": "2011"}),
        ("rating=2000", {"min_rating": 2000, "rating_of": "mean"}),
        ("rating_to=2399", {"max_rating": 2399, "rating_of": "mean"}),
        ("speed=blitz,classical", {"time_control": ("blitz", "classical")}),
        ("year_from=2030", {"since": "2030"}),
    ],
)
def test_filters_select_games_on_every_route(
    client: TestClient, pgn: Path, question: str, filters: dict[str, object]
) -> None:
    counted = bb.Tally.from_archives(pgn, filters=GameFilter(**filters))  # type: ignore[arg-type]
    found = client.get(f"/api/v1/position?{question}").json()
    assert found["reached"] == counted.reached("startpos")
    played = counted.moves("startpos").set_index("move")["played"].to_dict()
    assert {each["move"]: each["played"] for each in found["moves"]} == played
    size = client.get(f"/api/v1/size?min_games=1&margin=off&{question}").json()
    kept = bb.select(counted, min_games=1, margin=None, shape="moves").reasons().get("", 0)
    assert size["moves"] + size["never_played"] == kept
    games = client.get(f"/api/v1/games?{question}").json()["games"]
    assert {each["year"] for each in games} <= {int(each[0]) for each in GAMES}


@pytest.mark.parametrize(
    ("question", "status", "words"),
    [
        ("src=plain.store&year_from=2005", 400, "without --facet year"),
        ("player_side=first", 400, "without --facet player-side"),
        ("player_side=left", 400, "expected any, first or second"),
        ("year_from=x", 400, "expected a whole number"),
        ("year_from=0", 400, "year"),
        ("rating=2050", 400, "an edge of the bands"),
        ("speed=fast", 400, "fast"),
        ("src=one.book&year_from=2005", 409, "is a book, which keeps no games apart"),
    ],
)
def test_filter_without_facet_is_refused(client: TestClient, question: str, status: int, words: str) -> None:
    found = client.get(f"/api/v1/position?{question}")
    assert found.status_code == status
    assert words in found.text


@pytest.mark.parametrize(
    ("question", "games", "ignored"),
    [
        ("speeds=blitz", 1, ""),
        ("speeds=ultraBullet,bullet,blitz,rapid,classical,correspondence", 4, ""),
        ("speeds=correspondence", 4, "speeds"),
        ("ratings=1800,2000", 1, ""),
        ("ratings=2500", 1, ""),
        ("ratings=0,1000,1200,1400", 1, ""),
        ("ratings=0,1000,1200,1400,1600,1800,2000,2200,2500", 4, ""),
        ("ratings=1400,2500", 4, "ratings"),
        ("since=2005-7&until=2011-02", 2, ""),
        ("since=1952-01&until=9999-12", 4, "until"),
        ("color=white&modes=rated&since=2012", 1, "color, modes"),
    ],
)
def test_lichess_filters_are_translated(client: TestClient, question: str, games: int, ignored: str) -> None:
    found = client.get(f"/lichess?{question}")
    answer = found.json()
    assert answer["white"] + answer["draws"] + answer["black"] == games
    assert found.headers.get("x-bookbuilder-ignored", "") == ignored
