"""What is proved worse: exact at any size, by rows of small real games, and never what is played often."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookbuilder.ratios import wilson_bounds
from bookbuilder.selection.candidates import count_candidates, positions_before
from bookbuilder.selection.select import select
from bookbuilder.selection.thresholds import Z_SQUARED, proved_worse
from bookbuilder.selection.verdicts import MAIN_SHARE, PRIOR_GAMES, expected_ratio
from bookbuilder.tally.tally import Tally

SIZES = [10, 10**4, 2**50]
# The margin is the only rule.
ALONE = {"min_games": 1, "max_ply": None, "sharpen": 0}


def is_worse(part: int, whole: int, of: tuple[int, int], margin: Fraction, prior: int) -> bool:
    """Whether the larger root of n(p − t)² = z²t(1 − t) in t is below the limit, in fractions."""
    of_part, of_whole = of
    if of_whole == 0 or whole + prior == 0:
        return False
    ratio = Fraction(of_part, of_whole)
    limit, total = ratio - margin, whole + prior
    p = (part + prior * ratio) / Fraction(total)
    return limit > p and total * (limit - p) ** 2 > Z_SQUARED * limit * (1 - limit)


@st.composite
def standings(draw: Any) -> tuple[int, int, int, int]:
    """Wins and games of a move, and of a position, of small and of large numbers."""
    most = draw(st.sampled_from(SIZES))
    whole, of_whole = draw(st.integers(0, most)), draw(st.integers(0, most))
    return draw(st.integers(0, whole)), whole, draw(st.integers(0, of_whole)), of_whole


MARGINS = st.sampled_from(
    [Fraction(0), Fraction(1), Fraction(1, 50), Fraction(1, 10**30 + 7)]
) | st.fractions(0, 1, max_denominator=500)


@given(st.lists(standings(), min_size=1, max_size=20), MARGINS, st.sampled_from([0, 1, 20, 320, 10**6]))
@settings(max_examples=300)
def test_proof_is_exact_at_any_size(rows, margin, prior) -> None:
    expected = [is_worse(part, whole, tuple(of), margin, prior) for part, whole, *of in rows]
    columns = [np.array(column, np.uint64) for column in zip(*rows, strict=True)]
    assert proved_worse(*columns, margin=margin, prior=prior).tolist() == expected


def test_bound_is_that_of_wilson() -> None:
    wins, losses = (each.ravel().astype(np.uint64) for each in np.mgrid[0:40, 0:40])
    z, total = float(Z_SQUARED) ** 0.5, np.maximum(wins + losses, 1)
    p = wins / total
    high = (p + z**2 / (2 * total) + z * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))) / (
        1 + z**2 / total
    )
    limit = np.full(wins.size, 1, np.uint64), np.full(wins.size, 2, np.uint64)
    found = proved_worse(wins, wins + losses, *limit, margin=Fraction(1, 20), prior=0)
    clear = (np.abs(high - 0.45) > 1e-9) & (wins + losses > 0)
    assert ((high < 0.45) == found)[clear].all()
    assert (wilson_bounds(wins, losses)[1][found] < 0.5).all()


@pytest.fixture(scope="module")
def tally(data) -> Tally:
    """Our own games, twelve plies of each."""
    return Tally.from_archives(data / "chess_selfplay.pgn", max_ply=12)


@pytest.mark.parametrize("margin", ["0", "0.02"])
def test_moves_equal_a_computation_with_fractions(tally, margin) -> None:
    chosen = select(tally, shape="moves", margin=margin, **ALONE).table.to_pylist()
    before = positions_before(moves := count_candidates(tally, "moves"))
    part, whole = expected_ratio(moves, before)
    reasons = set()
    for place, row in enumerate(chosen):
        if row["reason"] == "no-move":
            continue
        decisive = row["wins"] + row["losses"]
        of = int(part[place]), int(whole[place])
        worse = is_worse(row["wins"], decisive, of, Fraction(margin), PRIOR_GAMES)
        is_main = before.played[place] * MAIN_SHARE.denominator >= before.moved[place] * MAIN_SHARE.numerator
        assert row["reason"] == ("proved-worse" if worse and not is_main else "")
        reasons.add(row["reason"])
    assert "" in reasons


def test_main_move_stays_however_bad(tmp_path) -> None:
    games = {"1. e4 e5": ("1-0",) * 900, "1. d4 d5": ("0-1",) * 120, "1. f3 e5": ("0-1",) * 80}
    path = tmp_path / "a.pgn"
    text = [f'[Result "{r}"]\n\n{line} {r}\n\n' for line, results in games.items() for r in results]
    path.write_text("".join(text), encoding="utf-8")
    tally = Tally.from_archives(path)
    for shape in ("positions", "moves"):
        found = select(tally, shape=shape).reasons()
        assert found["proved-worse"] == 1, "only the move in 7 % of the games"
        assert "proved-worse" not in select(tally, shape=shape, margin=None).reasons()


def test_player_who_moved_is_no_evidence(tmp_path) -> None:
    # A strong player opens 1. e4, his opponents 1. d4: both score as their ratings promise.
    game = '[WhiteElo "{}"]\n[BlackElo "{}"]\n[Result "{}"]\n\n{} {}\n\n'
    games = [(2800, 2400, "1-0", "1. e4 e5")] * 910 + [(2800, 2400, "0-1", "1. e4 e5")] * 90
    games += [(2400, 2800, "0-1", "1. d4 d5")] * 82 + [(2400, 2800, "1-0", "1. d4 d5")] * 8
    rated, bare = tmp_path / "rated.pgn", tmp_path / "bare.pgn"
    text = "".join(game.format(*each, each[2]) for each in games)
    rated.write_text(text, encoding="utf-8")
    bare.write_text(text.replace("Elo", "Rank"), encoding="utf-8")
    assert "proved-worse" not in select(Tally.from_archives(rated), shape="moves").reasons()
    assert select(Tally.from_archives(bare), shape="moves").reasons()["proved-worse"] == 1


def test_rules_are_asked_in_order(tally) -> None:
    limits = {"min_games": 3, "min_win_rate": "0.45", "min_share": "0.05", "top": 2}
    verdicts = select(tally, shape="moves", max_ply=6, **limits).to_pandas()
    rules = ["no-move", "beyond-ply", "below-games", "below-p", "below-share", "not-top"]
    order = [*rules, "unreachable", ""]
    assert set(verdicts.reason) == set(order)
    for place, name in enumerate(("min_games", "min_win_rate", "min_share"), 2):
        # Without a rule, rows that it dropped get the reason of a later one, all others keep theirs.
        off = {"min_games": 0, "min_win_rate": 0, "min_share": None}[name]
        loose = select(tally, shape="moves", max_ply=6, **{**limits, name: off}).to_pandas()
        dropped = verdicts.reason == order[place]
        assert loose.reason[dropped].isin(order[place + 1 :]).all()
        earlier = verdicts.reason.isin(order[:place])
        assert (loose.reason[earlier] == verdicts.reason[earlier]).all()
