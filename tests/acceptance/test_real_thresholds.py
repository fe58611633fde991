"""The curve and the verdicts of real tallies equal independent counts with numpy, pandas and fractions."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from support.selections import LITERATURE

import bookbuilder as bb

pytestmark = pytest.mark.corpus

MIN_GAMES = (1, 2, 5, 20)
SAMPLE_ROWS = 20_000


@pytest.fixture(scope="module", params=["chess", "xiangqi"])
def tally(request: pytest.FixtureRequest) -> bb.Tally:
    """A real tally of either game."""
    found: bb.Tally = request.getfixturevalue(f"{request.param}_tally")
    return found


def counted(tally: bb.Tally) -> pd.DataFrame:
    """Return one row per position: games, and wins, draws and losses of the side that moved into it."""
    frame = (
        tally.to_pandas()
        .groupby(["key", "lock"], as_index=False)
        .agg(
            mover=("mover", "first"),
            ply=("ply", "min"),
            games=("games", "sum"),
            first=("first_wins", "sum"),
            draws=("draws", "sum"),
            second=("second_wins", "sum"),
        )
    )
    by_second = frame["mover"] == 0
    wins = frame["first"].where(~by_second, frame["second"]).astype("int64")
    losses = frame["second"].where(~by_second, frame["first"]).astype("int64")
    return frame.assign(wins=wins, losses=losses, side=1 - frame["mover"].astype("int64"))


@pytest.mark.parametrize("max_ply", [None, 20])
def test_threshold_curve_equals_count_in_pandas(tally: bb.Tally, max_ply: int | None) -> None:
    curve = bb.threshold_curve(tally, min_games=MIN_GAMES, max_ply=max_ply)
    frame = counted(tally)
    frame = frame[(frame["ply"] > 0) & (frame["ply"] <= (max_ply or 1_000_000))]
    total, visits = frame["wins"] + frame["losses"], int(frame["games"].sum())
    expected = []
    for least in MIN_GAMES:
        for step in range(21):
            passes = (20 * frame["wins"] >= step * total) | (total == 0)
            kept = frame[passes & (frame["games"] >= least)]
            expected.append((step / 20, least, len(kept), int(kept["games"].sum()) / visits))
    found = list(curve.itertuples(index=False, name=None))
    assert [row[:3] for row in found] == [(pytest.approx(p), least, count) for p, least, count, _ in expected]
    assert np.allclose(curve["usage_share"], [share for *_, share in expected], rtol=1e-12)
    everything = curve[(curve["p"] == 0) & (curve["min_games"] == 1)]["positions"].item()
    assert everything == len(frame)


@pytest.mark.parametrize("threshold", ["0.55", "1/3", "0.5", "1"])
def test_position_verdicts_equal_exact_fractions(tally: bb.Tally, threshold: str) -> None:
    least = 2
    chosen = bb.select(tally, LITERATURE, min_win_rate=threshold, min_games=least).to_pandas()
    frame = counted(tally)
    assert chosen[["key", "lock"]].equals(frame[["key", "lock"]])
    sample = random.Random(3).sample(range(len(frame)), SAMPLE_ROWS)
    facts = frame[["games", "wins", "losses", "ply"]].iloc[sample].itertuples(index=False, name=None)
    verdicts = chosen[["reason", "kept", "reached", "wins"]].iloc[sample].itertuples(index=False, name=None)
    for (games, wins, losses, ply), verdict in zip(facts, verdicts, strict=True):
        reason = ""
        if ply == 0:
            reason = "root"
        elif games < least:
            reason = "below-games"
        elif wins + losses and Fraction(wins, wins + losses) < Fraction(threshold):
            reason = "below-p"
        assert verdict == (reason, not reason, games, wins)


def test_move_verdicts_equal_exact_fractions(tally: bb.Tally) -> None:
    top, least, threshold = 2, 2, Fraction(11, 20)
    table = bb.select(tally, LITERATURE, min_win_rate=0.55, min_games=least, top=top, shape="moves").table
    columns = ("key", "lock", "move", "played", "wins", "draws", "losses", "reason")
    positions = defaultdict(list)
    limit = SAMPLE_ROWS + 1_000
    # Rows are sorted by random keys, so the first rows are a sample.
    for key, lock, *rest in zip(*(table.column(name)[:limit].to_pylist() for name in columns), strict=True):
        positions[key, lock].append(rest)
    positions.popitem()  # it may be cut
    assert sum(map(len, positions.values())) >= SAMPLE_ROWS
    kept = 0
    for rows in positions.values():
        good = []
        for move, played, wins, draws, losses, reason in rows:
            expected = ""
            if move == 0:
                expected = "no-move"
            elif played < least:
                expected = "below-games"
            elif wins + losses and Fraction(wins, wins + losses) < threshold:
                expected = "below-p"
            else:
                known = wins + draws + losses
                score = Fraction(2 * wins + draws, 2 * known) if known else Fraction(-1)
                good.append(((-played, -score, move), reason))
                continue
            assert reason == expected
        good.sort()
        reasons = [reason for _, reason in good]
        assert reasons == ([""] * top + ["not-top"] * len(good))[: len(good)]
        kept += min(len(good), top)
    assert kept > 0
