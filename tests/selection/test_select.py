"""Selection compared with the same rules applied row by row in Python's integers."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.selections import LITERATURE

from bookbuilder.errors import SchemaError, SelectionError
from bookbuilder.ratios import as_fraction
from bookbuilder.schema import SELECTION_MOVES, SELECTION_POSITIONS
from bookbuilder.selection.select import Selection, select
from bookbuilder.selection.thresholds import passes
from bookbuilder.tally.tally import Tally

RULES = [
    {},
    {"min_win_rate": "0"},
    {"min_win_rate": 1},
    {"min_win_rate": "11/20", "min_games": 5},
    {"min_win_rate": "0.6", "min_games": 3, "max_ply": 20},
]


def verdict(row, *, min_win_rate="0.55", min_games=1, max_ply=None) -> str:
    """The rules, row by row."""
    wins, losses = row["wins"], row["losses"]
    if row.get("move") is None and row["ply"] == 0:
        return "root"
    if row.get("move") == 0:
        return "no-move"
    if max_ply is not None and row["ply"] > max_ply:
        return "beyond-ply"
    if row["games"] < min_games:
        return "below-games"
    if wins + losses == 0:
        return ""
    return "" if Fraction(wins, wins + losses) >= Fraction(str(min_win_rate)) else "below-p"


def read_positions(tally: Tally) -> dict[tuple[int, int], dict[str, int]]:
    """Sums of tally rows by position, one row at a time."""
    found: dict[tuple[int, int], dict[str, int]] = {}
    sums: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in tally.to_arrow().to_pylist():
        at = row["key"], row["lock"]
        for place, name in enumerate(("games", "first_wins", "draws", "second_wins")):
            sums[at][place] += row[name]
        games, first, draws, second = sums[at]
        side = 1 - row["mover"]
        wins, losses = (first, second) if side == 0 else (second, first)
        ply = min(row["ply"], found.get(at, row)["ply"])
        found[at] = {"side": side, "ply": ply, "games": games, "wins": wins, "draws": draws, "losses": losses}
    return found


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", [1, 2])
def test_positions_equal_a_row_by_row_computation(make_tally, rules, seed) -> None:
    tally = make_tally(seed, 400)
    chosen = select(tally, LITERATURE, **rules)
    assert chosen.table.schema.equals(SELECTION_POSITIONS, check_metadata=True)
    expected = read_positions(tally)
    rows = chosen.table.to_pylist()
    assert [(row["key"], row["lock"]) for row in rows] == sorted(expected)
    for row in rows:
        row["games"] = row["reached"]
        want = expected[row["key"], row["lock"]]
        assert {name: row[name] for name in want} == want
        assert row["reason"] == verdict(want, **rules)
        assert row["kept"] == (row["reason"] == "")
        decisive = row["wins"] + row["losses"]
        assert row["p"] == (row["wins"] / decisive if decisive else None)


@pytest.mark.parametrize("rules", RULES)
def test_moves_have_one_row_per_tally_row(make_tally, rules) -> None:
    tally = make_tally(3, 300)
    chosen = select(tally, LITERATURE, shape="moves", **rules)
    assert chosen.table.schema.equals(SELECTION_MOVES, check_metadata=True)
    for row, source in zip(chosen.table.to_pylist(), tally.to_arrow().to_pylist(), strict=True):
        assert [row[name] for name in ("key", "lock", "move")] == [
            source[name] for name in ("key", "lock", "move")
        ]
        assert row["side"] == source["mover"]
        assert row["ply"] == source["ply"] + (source["move"] != 0)
        own, other = ("first_wins", "second_wins") if row["side"] == 0 else ("second_wins", "first_wins")
        assert (row["wins"], row["losses"]) == (source[own], source[other])
        assert row["reason"] == verdict({**row, "games": row["played"]}, **rules)


def test_top_ranks_by_games_then_score_then_code(make_tally) -> None:
    tally = make_tally(4, 300)
    chosen = select(tally, LITERATURE, shape="moves", min_win_rate="0", top=2).to_pandas()
    whole = select(tally, LITERATURE, shape="moves", min_win_rate="0").to_pandas()
    for _, rows in whole[whole.kept].groupby(["key", "lock"]):
        ranked = rows.assign(score=rows.score.fillna(-1)).sort_values(
            ["played", "score", "move"], ascending=[False, False, True]
        )
        assert sorted(ranked.index[:2]) == sorted(rows.index[chosen.kept[rows.index]])
        assert (chosen.reason[ranked.index[2:]] == "not-top").all()


@pytest.mark.parametrize(
    ("given_as", "exact"),
    [
        ("0.55", Fraction(11, 20)),
        (0.55, Fraction(11, 20)),
        (np.float64(0.1), Fraction(1, 10)),
        (Decimal("0.300"), Fraction(3, 10)),
        (1, Fraction(1)),
        ("2/3", Fraction(2, 3)),
        ("1e-3", Fraction(1, 1000)),
    ],
)
def test_thresholds_are_exact(given_as, exact) -> None:
    assert as_fraction(given_as) == exact


@given(
    st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 2**62)), max_size=20),
    st.fractions(0, 1) | st.integers(0, 10**19).map(lambda n: Fraction(n, 10**19)),
)
def test_comparison_is_exact_at_any_size(results, threshold) -> None:
    # A row that meets the threshold exactly joins each example.
    results = [*results, (threshold.numerator % 2**62, (threshold.denominator - threshold.numerator) % 2**62)]
    wins, losses = (np.array(column, np.uint64) for column in zip(*results, strict=True))
    expected = [threshold.denominator * w >= threshold.numerator * (w + n) for w, n in results]
    assert passes(wins, losses, threshold).tolist() == expected


INVALID = f"min_games=-1 min_games={10**18} top=0 opponent_min_share=1% for_side=green shape=rows"


@pytest.mark.parametrize("option", INVALID.split())
def test_invalid_options_are_rejected(make_tally, option: str) -> None:
    name, value = option.split("=")
    with pytest.raises(SelectionError, match=name.replace("_", ".")):
        select(make_tally(), LITERATURE, **{name: value})


def test_custom_quality_gets_the_frame_and_is_stored(make_tally) -> None:
    seen = []

    def formula(frame):
        seen.extend(frame.columns)
        return frame["p"].fillna(0.5) * 31

    chosen = select(make_tally(), LITERATURE, quality=formula)
    names = SELECTION_POSITIONS.names
    more = ["rating", "year_max", "marks", "paired", "performance", "games"]
    assert seen == [*names[: names.index("quality")], *more]
    frame = chosen.to_pandas()
    assert (frame.quality == np.floor(frame.p.fillna(0.5) * 31 + 0.5)).all()
    assert "formula" in chosen.recipe["selection"]["quality"]


def test_selection_round_trips_through_arrow(make_tally) -> None:
    chosen = select(make_tally(), LITERATURE, min_games=np.int64(2))
    again = Selection.from_arrow(chosen.to_arrow())
    assert again == chosen
    assert again.table.schema.equals(chosen.table.schema, check_metadata=True)
    with pytest.raises(SelectionError, match="not a selection"):
        Selection.from_arrow(chosen.table)
    with pytest.raises(SelectionError, match="is damaged"):
        Selection.from_arrow(chosen.table.replace_schema_metadata({"bookbuilder.selection.select": "{}"}))
    with pytest.raises(SchemaError, match='"p"'):
        Selection.from_arrow(chosen.to_arrow().drop_columns(["p"]))
