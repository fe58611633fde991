"""Calibration compared with the same sums made position by position."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

from bookbuilder.analysis.calibration import calibrate
from bookbuilder.tally.tally import Tally


@pytest.fixture(scope="module")
def halves(data) -> tuple[Tally, Tally]:
    """Two archives that share positions: the first games of an archive, and a different number of them."""
    archive = data / "chess_selfplay.pgn"
    return Tally.from_archives(archive, max_ply=8, limit=300), Tally.from_archives(
        archive, max_ply=8, limit=700
    )


def results(tally: Tally) -> dict[int, list[int]]:
    """Games, wins and losses of the side that moved into each position, and its smallest ply."""
    found: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 10**6])
    for row in tally.to_arrow().to_pylist():
        own, other = ("second_wins", "first_wins")[:: 1 if row["mover"] == 0 else -1]
        entry = found[row["key"]]
        entry[0] += row["games"]
        entry[1] += row[own]
        entry[2] += row[other]
        entry[3] = min(entry[3], row["ply"])
    return found


def test_bins_and_thresholds_equal_row_by_row_sums(halves) -> None:
    train, later = halves
    found = calibrate(train, later, min_games=4, thresholds=["0.5", "0.6"])
    before, after = results(train), results(later)
    bins: dict[int, list[int]] = defaultdict(lambda: [0] * 6)
    kept = {Fraction(1, 2): [0] * 6, Fraction(3, 5): [0] * 6}
    held = {each: [0, 0] for each in kept}
    for key, (games, wins, losses, ply) in before.items():
        if ply == 0 or games < 4 or wins + losses == 0:
            continue
        _, later_wins, later_losses, _ = after.get(key, [0, 0, 0, 0])
        p = Fraction(wins, wins + losses)
        row = [1, int(key in after), wins, losses, later_wins, later_losses]
        place = min(int(20 * p), 19)
        bins[place] = [a + b for a, b in zip(bins[place], row, strict=True)]
        for threshold in kept:
            if p >= threshold:
                kept[threshold] = [a + b for a, b in zip(kept[threshold], row, strict=True)]
                if later_wins + later_losses:
                    held[threshold][0] += 1
                    held[threshold][1] += Fraction(later_wins, later_wins + later_losses) >= threshold
    names = ["positions", "seen", "train_wins", "train_losses", "wins", "losses"]
    assert found.bins[names].to_numpy().tolist() == [bins[place] for place in sorted(bins)]
    assert found.bins["p_from"].tolist() == [place / 20 for place in sorted(bins)]
    assert found.thresholds[names].to_numpy().tolist() == [kept[each] for each in sorted(kept)]
    assert found.thresholds["held_share"].tolist() == [held[each][1] / held[each][0] for each in sorted(held)]
    rows = found.thresholds
    assert (rows["p"] == rows["wins"] / (rows["wins"] + rows["losses"])).all()
    assert ((rows["p_low"] < rows["p"]) & (rows["p"] < rows["p_high"])).all()


def test_the_same_games_calibrate_perfectly(halves) -> None:
    train, _ = halves
    found = calibrate(train, train, min_games=3)
    assert (found.bins["p_train"] == found.bins["p"]).all()
    assert (found.thresholds["held_share"] == 1).all()
    assert (found.thresholds["seen_share"] == 1).all()
