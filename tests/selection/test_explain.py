"""Why moves at a position are in a book or not."""

from __future__ import annotations

import pytest
from support.selections import LITERATURE

from bookbuilder.selection.explain import explain
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally


def test_every_dropped_move_is_explained(data) -> None:
    tally = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=6, limit=300)
    rules = {
        "min_win_rate": "0.5", "min_games": 3, "min_share": "10%", "top": 2,
        "min_score": "0.5", "connected": True,
    }  # fmt: skip
    chosen = select(tally, LITERATURE, **rules)
    found = explain(tally, chosen, "startpos")
    assert found["played"].is_monotonic_decreasing
    assert found["share"].sum() == pytest.approx(1)
    whys = dict(zip(found["reason"], found["why"], strict=True))
    assert (found["kept"] == (found["reason"] == "")).all()
    assert "share " in whys[""]
    assert "% ≥ 10.0 %" in whys[""]
    assert whys["below-games"].endswith("< 3 games")
    p = found[found["reason"] == "below-p"].iloc[0]
    assert p["why"].startswith(f"P = {p['wins']}/{p['wins'] + p['losses']} = ")
    assert p["why"].endswith("< 50.0 %")
    assert (
        explain(tally, select(tally, LITERATURE, max_ply=0), "startpos")["why"]
        .str.endswith("expected at most 0")
        .all()
    )
    moves = explain(tally, select(tally, LITERATURE, shape="moves", min_win_rate=0, top=1), "startpos")
    assert moves["kept"].sum() == 1
