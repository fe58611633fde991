"""Results against ratings: performance as column, threshold and weight."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.ratios import performance, performance_parts
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally


def expected(rows: list[dict[str, Any]]) -> Fraction | None:
    """Return the performance of rows of one mover, row by row."""
    paired = sum(row["paired"] for row in rows)
    gained = sum(row["surplus"] for row in rows) * (1 if rows[0]["mover"] == 0 else -1)
    return (
        max(min(Fraction(1, 2) + Fraction(gained, 100 * paired), Fraction(1)), Fraction(0))
        if paired
        else None
    )


def test_performance_is_one_half_and_the_mean_surplus() -> None:
    surplus, paired = np.array([0, 250, -3_000, 900, 5]), np.array([4, 10, 40, 1, 0], np.uint64)
    assert performance(surplus, paired)[:4].tolist() == [0.5, 0.75, 0.0, 1.0]
    assert np.isnan(performance(surplus, paired)[4])
    part, whole = performance_parts(surplus, paired)
    numbers = [performance_parts(int(s), int(n)) for s, n in zip(surplus, paired, strict=True)]
    assert list(zip(part.tolist(), whole.tolist(), strict=True)) == numbers


def test_moves_have_the_performance_of_who_made_them(make_tally) -> None:
    tally = make_tally(3, 300)
    table = select(tally, shape="moves").table.to_pylist()
    for row, source in zip(table, tally.to_arrow().to_pylist(), strict=True):
        want = expected([source])
        assert row["paired"] == source["paired"]
        assert row["performance"] == (None if want is None else pytest.approx(float(want), abs=1e-15))


@pytest.mark.parametrize("prior", [0, 20])
def test_margin_by_performance_equals_a_row_by_row_computation(make_tally, prior) -> None:
    tally = make_tally(5, 600)
    rules: dict[str, Any] = {
        "by": "performance",
        "margin": "0.03",
        "prior": prior,
        "max_ply": None,
        "own_lines": False,
    }
    chosen = select(tally, shape="moves", min_games=1, min_share=None, **rules).table.to_pylist()
    rows = tally.to_arrow().to_pylist()
    groups: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["key"], row["lock"]), []).append(row)
    reasons = set()
    for row, found in zip(rows, chosen, strict=True):
        own, of = expected([row]), expected(groups[row["key"], row["lock"]])
        if row["move"] == 0:
            continue
        drawn = (
            None if of is None else ((own or 0) * row["paired"] + prior * of) / max(row["paired"] + prior, 1)
        )
        # A move without paired games is as good as its position by the prior; without a prior it passes.
        passes = drawn is None or (row["paired"] + prior == 0) or drawn >= of - Fraction(3, 100)
        assert found["reason"] == ("" if passes else "below-margin"), row
        reasons.add(found["reason"])
    assert reasons == {"", "below-margin"}


def test_weights_by_performance_correct_the_points(make_tally) -> None:
    off: dict[str, Any] = {"sharpen": None, "margin": None, "min_share": None, "own_lines": False}
    chosen = select(make_tally(7, 400), shape="moves", min_games=1, **off)
    book = MoveBook.from_selection(chosen, "performance").table.to_pylist()
    found = {(row["key"], row["lock"], row["move"]): row["weight"] for row in book}
    kept = [row for row in chosen.table.to_pylist() if row["kept"]]
    for row in kept:
        known = row["wins"] + row["draws"] + row["losses"]
        points = 2 * row["wins"] + row["draws"]
        want = points if row["performance"] is None else int(2 * known * row["performance"] + 0.5)
        assert found[row["key"], row["lock"], row["move"]] == want
    assert len(found) == len(kept) > 100


def test_weighted_games_weigh_their_surplus_too(make_tally) -> None:
    tally = make_tally(9, 300)
    plain = count_candidates(tally, "moves")
    weighted = count_candidates(tally, "moves", SelectionOptions(half_life="5"))
    halved = weighted.games.astype(float) / (plain.games * weighted.scale)
    assert weighted.surplus.dtype == np.int64
    assert np.allclose(weighted.surplus, plain.surplus * weighted.scale * halved)
    assert np.allclose(weighted.paired, plain.paired * weighted.scale * halved)


def test_colours_swapped_give_the_same_performance(tmp_path) -> None:
    game = '[WhiteElo "{}"]\n[BlackElo "{}"]\n[Result "{}"]\n\n1. e4 e5 2. Nf3 {}\n\n'
    games = [(2500, 2300, "1/2-1/2"), (2200, 2600, "1-0"), (2400, 0, "1-0"), (2400, 2400, "*")]
    path = tmp_path / "a.pgn"
    path.write_text("".join(game.format(*each, each[2]) for each in games), encoding="utf-8")
    tally = Tally.from_archives(path)
    # A draw of the better player, who is expected to score 76 %, and a win where 9 % are expected.
    first = tally.moves("startpos").iloc[0]
    assert (first["paired"], first["performance"]) == (2, pytest.approx(0.5 + (0.91 - 0.26) / 2))
    after = bb.Position("chess")
    replies = tally.moves(after.play(after.parse_move("e2e4"))).iloc[0]
    assert (replies["paired"], replies["performance"]) == (2, pytest.approx(0.5 - (0.91 - 0.26) / 2))
