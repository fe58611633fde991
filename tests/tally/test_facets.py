"""Facets: a store that keeps them apart answers filters as a count of its archives with them does."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run
from support.stores import files

import bookbuilder as bb
from bookbuilder.archives.filters import FACETS, GameFilter
from bookbuilder.errors import OptionError, StoreError
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.store.layout import read_manifest
from bookbuilder.tally.store.reading import OpenStore
from bookbuilder.tally.store.upkeep import merge_stores, remove_sources, verify

LINES = (
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4",
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
    "1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5",  # the start position twice
    "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4",
    "1. Nf3 d5 2. d4 Nf6 3. c4 e6",
)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"since": "2005"},
    {"since": "2001", "until": "2004"},
    {"max_rating": 2399, "rating_of": "mean"},
    {"min_rating": 1800, "max_rating": 2499, "rating_of": "mean"},
    {"time_control": ("bullet", "classical")},
    {"player_side": "second"},
    {"since": "2003", "min_rating": 1600, "rating_of": "mean", "player_side": "second"},
    {"since": "2050"},
)


def archive(path: Path, seed: int, games: int = 300) -> Path:
    """An archive of short games whose tags say much, little or nothing."""
    dice = random.Random(seed)
    texts = []
    for _ in range(games):
        names = dice.choice((("Ada", "Ben"), ("Ben", "Ada"), ("Ada", "Ada Lovelace"), ("Ben", "Cleo")))
        tags = {
            "White": names[0],
            "Black": names[1],
            "Date": dice.choice(
                ("????.??.??", "1750.01.01", "1800.??.??", f"{dice.randint(1999, 2008)}.05.??")
            ),
            "WhiteElo": dice.choice(("?", str(dice.randint(900, 2900)))),
            "BlackElo": dice.choice(("", str(dice.randint(900, 2900)))),
            "TimeControl": dice.choice(("-", "60+0", "300+3", "600+5", "40/7200:3600", "?")),
            "Result": dice.choice(("1-0", "0-1", "1/2-1/2", "*")),
        }
        head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        texts.append(f'[Event "Open"]\n{head}\n{dice.choice(LINES)} {tags["Result"]}\n\n')
    path.write_text("".join(texts))
    return path


PLAYER = GameFilter(player=("Ada",))
OPTIONS = TallyOptions(game="chess", filters=PLAYER, facets=FACETS)


@pytest.fixture(scope="module")
def pgn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive(tmp_path_factory.mktemp("facets") / "games.pgn", 1)


@pytest.fixture(scope="module")
def store(pgn: Path) -> Path:
    directory = pgn.parent / "facets.store"
    grow(directory, [pgn], OPTIONS, RunLimits(jobs=1))
    return directory


@pytest.mark.parametrize("asked", QUESTIONS, ids=str)
def test_facets_equal_a_count_with_filters(pgn: Path, store: Path, asked: dict[str, Any]) -> None:
    counted = bb.Tally.from_archives(pgn, filters=PLAYER.narrowed(GameFilter(**asked)))
    answered = bb.Tally.open(store, filters=GameFilter(**asked))
    assert answered.options == counted.options
    assert answered.to_arrow() == counted.to_arrow()
    assert len(answered) == len(counted)
    assert answered.game_count == counted.game_count == counted.games.num_rows
    fresh = bb.Tally.open(store, filters=GameFilter(**asked))
    for place in ("startpos", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"):
        assert fresh.moves(place).equals(counted.moves(place))
    opened = OpenStore(store, filters=GameFilter(**asked))
    assert opened.newest_year == int(counted.column("year_max").max(initial=0))


@pytest.mark.parametrize(
    ("facets", "asked", "expected"),
    [
        (("rating",), {"since": "2005"}, "--since, --until: the store was counted without --facet year"),
        ((), {"since": "2005"}, "without --facet year"),
        (FACETS, {"since": "2005-06"}, "--since: expected a year"),
        (FACETS, {"min_rating": 2000}, "--rating-of: expected mean"),
        (FACETS, {"min_rating": 2050, "rating_of": "mean"}, "expected an edge of the bands"),
        (FACETS, {"time_control": "300+3"}, "--time-control 300+3: a store keeps classes"),
        (FACETS, {"event": "Open"}, "--event: a store does not keep such games apart"),
        (FACETS, {"player": "Ada"}, "--player: a store does not keep such games apart"),
    ],
)
def test_filter_without_facet_is_refused(
    pgn: Path, tmp_path: Path, facets: Any, asked: dict[str, Any], expected: str
) -> None:
    options = TallyOptions(game="chess", filters=PLAYER, facets=facets)
    grow(tmp_path / "store", [pgn], options, RunLimits())
    with pytest.raises(OptionError, match=re.escape(expected)):
        bb.Tally.open(tmp_path / "store", filters=GameFilter(**asked))


def test_facets_have_names_and_the_side_needs_a_player() -> None:
    assert TallyOptions(game="chess", facets=("rating", "year", "year")).facets == ("year", "rating")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="facet month is unknown: expected year, rating"):
        TallyOptions(game="chess", facets=("month",))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="name one with --player"):
        TallyOptions(game="chess", facets=("player-side",))
    assert "facets" not in TallyOptions(game="chess").to_json()
    assert TallyOptions.from_json(OPTIONS.to_json()) == OPTIONS


def test_facets_do_not_depend_on_splits_memory_or_threads(pgn: Path, store: Path, tmp_path: Path) -> None:
    grow(tmp_path / "two", [pgn], OPTIONS, RunLimits(jobs=2, memory=1))
    assert files(tmp_path / "two") == files(store)
    assert not [each.fault for each in verify(store) if each.fault]


def test_stores_with_facets_are_merged_added_to_and_reduced(pgn: Path, store: Path, tmp_path: Path) -> None:
    other = archive(tmp_path / "other.pgn", 2)
    grow(tmp_path / "both", [other, pgn], OPTIONS, RunLimits())
    grow(tmp_path / "other", [other], OPTIONS, RunLimits())
    merge_stores([store, tmp_path / "other"], tmp_path / "merged", RunLimits())
    grow(tmp_path / "other", [pgn], OPTIONS, RunLimits())
    parts = {
        name: [part["blake3"] for part in read_manifest(tmp_path / name).parts]
        for name in ("both", "merged", "other")
    }
    assert parts["both"] == parts["merged"] == parts["other"]
    gone = [each for each in read_manifest(tmp_path / "both").sources if each.source == str(other)]
    remove_sources(tmp_path / "both", gone, RunLimits())
    assert bb.Tally.open(tmp_path / "both").to_arrow() == bb.Tally.open(store).to_arrow()
    plain = TallyOptions(game="chess", filters=PLAYER)
    with pytest.raises(StoreError, match="facets"):
        grow(store, [other], plain, RunLimits())


def test_facets_on_the_command_line(pgn: Path, tmp_path: Path) -> None:
    directory = tmp_path / "cli.store"
    made = run("tally", str(pgn), "-o", str(directory), "--facet", "year", "--facet", "rating", "-q")
    assert made.code == 0, made.err
    counted = bb.Tally.from_archives(pgn, filters=GameFilter(since="2005"))
    counted.save(tmp_path / "since.store")
    for words in ((), ("e4", "--min-games", "3")):
        shown = run("show", str(directory), "--since", "2005", "--json", *words)
        assert json.loads(shown.out) == json.loads(
            run("show", tmp_path / "since.store", "--json", *words).out
        )
    refused = run("show", str(directory), "--time-control", "blitz")
    assert refused.code == 2
    assert "without --facet speed" in refused.err
