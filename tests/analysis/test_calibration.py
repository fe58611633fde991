"""Calibration compared with sums made game by game."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import run

import bookbuilder as bb
from bookbuilder.analysis.calibration import GRIDS, _counted, _numbered, _of_observations, calibrate, compare
from bookbuilder.errors import SelectionError
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.tally.observations import Observations, observations
from bookbuilder.tally.tally import Tally

SPLIT = 2006


@pytest.fixture(scope="module")
def archive(data, tmp_path_factory) -> Path:
    """Six hundred games of our own, with dates from 2001 to 2010, and ratings."""
    games = (data / "chess_selfplay.pgn").read_text().split("[Event ")[1:601]
    path = tmp_path_factory.mktemp("dated") / "games.pgn"
    tags = '[Date "{}.01.01"]\n[WhiteElo "{}"]\n[BlackElo "{}"]\n'
    path.write_text(
        "".join(
            "[Event "
            + "\n".join(
                line for line in game.split("\n") if "Date " not in line and "Elo " not in line
            ).replace("\n", "\n" + tags.format(2001 + number % 10, 2000 + 7 * number % 300, 2100), 1)
            for number, game in enumerate(games)
        )
    )
    return path


@pytest.fixture(scope="module")
def seen(archive) -> Observations:
    return observations(archive, max_ply=10)


def recounted(
    seen: Observations, minimum: int, threshold: float, weight: Counter[int] | None = None
) -> float:
    """Return the gain of a minimum of games and of P by dictionaries; games count by their weights."""
    rows = [row for row in seen.to_arrow().to_pylist() if row["move"]]
    train, later = defaultdict(lambda: [0, 0, 0]), defaultdict(lambda: [0, 0])
    for row in rows:
        won = row["result"] == (3 if row["mover"] else 1)
        decided = row["result"] in (1, 3)
        place = row["key"], row["move"]
        if row["year"] < SPLIT:
            for index, count in enumerate((1, won, decided)):
                train[place][index] += count
        elif decided:
            times = 1 if weight is None else weight[row["game"]]
            later[place][0] += won * times
            later[place][1] += times
    known = {key for key, _ in train}
    kept = {
        place
        for place, (games, won, decided) in train.items()
        if games >= minimum and (not decided or won / decided >= threshold)
    }
    gain, visits = 0.0, 0
    for key in known:
        moves = {place: counts for place, counts in later.items() if place[0] == key}
        won, total = (sum(counts[i] for counts in moves.values()) for i in (0, 1))
        good, chosen = (sum(counts[i] for place, counts in moves.items() if place in kept) for i in (0, 1))
        visits += total
        gain += total * good / chosen - won if chosen else 0
    return gain / visits


def test_gains_equal_sums_made_game_by_game(seen) -> None:
    found = calibrate(seen, "min_games", split=SPLIT, grid=[1, 4]).points
    assert found["gain"].tolist() == pytest.approx([recounted(seen, least, 0) for least in (1, 4)])
    found = calibrate(seen, "min_win_rate", split=SPLIT, grid=["0.5"]).points
    assert found["gain"].tolist() == pytest.approx([recounted(seen, 3, 0.5)])


def test_interval_is_as_wide_as_that_of_games_drawn_again(seen) -> None:
    point = calibrate(seen, "min_games", split=SPLIT, grid=[4]).points.iloc[0]
    table = seen.to_pandas()
    games = table[table.year >= SPLIT].game.unique()
    rng = np.random.default_rng(1)
    drawn = [recounted(seen, 4, 0, Counter(rng.choice(games, games.size).tolist())) for _ in range(120)]
    wide = (point.gain_high - point.gain_low) / 2
    assert wide == pytest.approx(1.96 * np.std(drawn), rel=0.35)


def test_observations_are_counted_as_a_tally_counts_them(seen, archive) -> None:
    table = seen.to_arrow()
    column = {name: table.column(name).to_numpy() for name in table.column_names}
    game = column["game"].astype(np.int64)
    rows = _numbered(_of_observations(column), (game, game), np.ones(game.max() + 1))
    counted, _ = _counted(rows, np.ones(game.size, np.bool_))
    tally = count_candidates(Tally.from_archives(archive, max_ply=10), "moves")
    for name in (
        "key",
        "lock",
        "move",
        "side",
        "ply",
        "games",
        "wins",
        "draws",
        "losses",
        "paired",
        "surplus",
    ):
        assert (getattr(counted, name) == getattr(tally, name)).all(), name


@pytest.mark.parametrize("split", [SPLIT, "games"])
def test_every_axis_has_a_best_value(seen, split) -> None:
    for axis, grid in GRIDS.items():
        found = calibrate(seen, axis, split=split)
        measure, sign = ("behind", -1) if axis == "prior" else ("gain", 1)
        points = found.points
        assert len(points) == len(grid)
        best = (sign * points[measure]).argmax()
        assert found.best == getattr(SelectionOptions(**{axis: grid[best]}), axis)
        assert points["coverage"].between(0, 1).all()
        assert (points["gain_low"] <= points["gain"]).all()
    assert found.games_before == (300 if split == SPLIT else 600)


def test_two_tallies_give_the_same_points_but_intervals(seen, archive) -> None:
    halves = (
        Tally.from_archives(archive, max_ply=10, **{end: str(year)})
        for end, year in (("until", SPLIT - 1), ("since", SPLIT))
    )
    found = compare(*halves, "margin", SelectionOptions(min_games=3))
    same = ["value", "moves", "coverage", "p_train", "p", "gain"]
    expected = calibrate(seen, "margin", split=SPLIT).points
    assert np.allclose(found[same].astype(float), expected[same].astype(float), equal_nan=True)


def test_auto_takes_the_prior_that_calibrate_names(seen, archive) -> None:
    tally = Tally.from_archives(archive, max_ply=10)
    chosen = bb.select(tally, prior="auto")
    found = calibrate(seen, "prior")
    assert chosen.recipe["selection"]["prior"] == found.auto == found.best


@pytest.mark.parametrize(
    ("axis", "split", "message"),
    [
        ("luck", None, "axis is luck: expected margin, prior, min_games, min_win_rate"),
        ("margin", 1999, "split at 1999: all dated games are on one side; expected a year from 2002 to 2010"),
    ],
)
def test_invalid_axis_or_split_is_refused(seen, axis, split, message) -> None:
    with pytest.raises(SelectionError, match=message):
        calibrate(seen, axis, split=split)


def test_archive_without_dates_is_split_by_games(data) -> None:
    undated = observations(data / "chess_selfplay.pgn", max_ply=4, limit=50)
    with pytest.raises(SelectionError, match="have no dates: expected other filters"):
        calibrate(undated)


@pytest.mark.parametrize("result", ["1/2-1/2", "*"])
def test_games_that_decide_nothing_say_so(tmp_path: Path, result: str) -> None:
    (tmp_path / "a.pgn").write_text(f'[Event "x"]\n[Result "{result}"]\n\n1. e4 e5 {result}\n\n' * 40)
    answer = run("calibrate", tmp_path / "a.pgn", "--split", "games", "--min-games", 1)
    assert answer.code == int(result != "1-0")
    assert (
        "no kept move of the earlier games was played in a decided later one" in answer.err
    ) == answer.code
