"""The margin curve has the counts of `select`, on the command line too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bookbuilder.analysis.threshold import margin_curve
from bookbuilder.errors import SelectionError
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally
from tests.support.cli_runner import run

GRID = ("0", "0.02", "0.05", "0.3", "1")
MINIMA = (2, 5)


@pytest.fixture(scope="module")
def tally(data: Path) -> Tally:
    return Tally.from_archives(data / "chess_selfplay.pgn", max_ply=16)


@pytest.mark.parametrize(
    "options",
    [
        SelectionOptions(),
        SelectionOptions(min_share="2%", max_ply=9),
        SelectionOptions(for_side="first", opponent_min_share="1%", connected=True),
    ],
    ids=["default", "share", "repertoire"],
)
def test_points_are_the_counts_of_select(tally: Tally, options: SelectionOptions) -> None:
    curve = margin_curve(tally, options, grid=GRID, min_games=MINIMA)
    assert curve["min_games"].tolist() == sorted(len(GRID) * list(MINIMA))
    for point in curve.itertuples():
        chosen = select(tally, options, margin=point.margin, min_games=point.min_games)
        kept = chosen.kept()
        assert point.positions == len(kept)
        reasons = chosen.to_pandas()["reason"]
        counted = chosen.to_pandas()[~reasons.isin(["root", "beyond-ply"])]
        assert point.usage_share == pytest.approx(
            sum(kept.column("reached").to_pylist()) / counted["reached"].sum()
        )
    sizes = curve.pivot_table(index="margin", columns="min_games", values="positions")
    assert sizes.iloc[0].le(sizes.iloc[-1]).all()


def test_wrong_options_are_refused(tally: Tally) -> None:
    for wrong in ({"grid": []}, {"min_games": [-1]}):
        with pytest.raises(SelectionError, match="at least one margin, and minimum counts from 0"):
            margin_curve(tally, **wrong)


def test_command_shows_what_build_keeps(tally: Tally, tmp_path: Path) -> None:
    store = tally.save(tmp_path / "games.store")
    points = json.loads(run("threshold", store, "--axis", "margin", "--json").out)["points"]
    assert {point["min_games"] for point in points} == {3, 10, 20}
    kept = {(point["margin"], point["min_games"]): point["positions"] for point in points}
    built = json.loads(run("build", store, "-o", tmp_path / "a.book", "--min-games", 3, "--json").out)
    assert kept[0.05, 3] == built["verdicts"]["kept"]
