"""The five criteria: which act, and by how much."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.errors import SelectionError
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.criteria import Criteria
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.quality import worth_of
from bookbuilder.tally.tally import Tally

_COLUMNS = {"strength": ("rating_sum", "rated"), "date": ("year_min", "year_max"), "annotation": ("marks",)}


@pytest.fixture(scope="module")
def frame(data):
    """The rows of 400 games, with ratings, dates and marks."""
    rows = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=10, limit=400).to_pandas()
    rng = np.random.default_rng(1)
    rows["rated"], rows["rating_sum"] = rows.games, rows.games * rng.integers(1_800, 2_800, len(rows))
    rows["year_min"] = rows["year_max"] = rng.integers(1980, 2020, len(rows))
    return rows.assign(marks=rng.integers(-3, 4, len(rows)))


def books(rows, **options):
    tally = Tally.from_frame(rows, game="chess")
    moves, positions = (bb.select(tally, shape=shape, **options) for shape in ("moves", "positions"))
    return MoveBook.from_selection(moves).table.column("weight"), positions.table.column("quality")


@pytest.mark.parametrize("criterion", _COLUMNS)
def test_a_criterion_acts_where_its_weight_is_not_zero(frame, criterion) -> None:
    bare = frame.assign(**dict.fromkeys(_COLUMNS[criterion], 0))
    for weight in (getattr(Criteria(), criterion), 0.5):
        criteria = {criterion: weight}
        for with_data, without in zip(
            books(frame, criteria=criteria), books(bare, criteria=criteria), strict=True
        ):
            assert with_data.equals(without) == (weight == 0), weight


def test_worth_is_the_product_of_the_criteria(frame) -> None:
    moves = count_candidates(Tally.from_frame(frame, game="chess"), "moves")
    found = worth_of(moves, Criteria(usage=2, strength=0.1, date=1, result=0.5, annotation=0.3))
    starts = [*moves.group_starts().tolist(), len(moves)]
    for first, end in pairwise(starts):
        rows = range(first, end)
        games = [int(moves.games[row]) for row in rows]
        terms = [
            (moves.rating_sum[row] / moves.rated[row] / 100, 20 / (20 + 2019 - int(moves.year_max[row])))
            for row in rows
        ]
        means = np.average(terms, axis=0, weights=games)
        for row, n, term in zip(rows, games, terms, strict=True):
            score = (2 * int(moves.wins[row]) + int(moves.draws[row])) / n / 2
            mark = int(moves.marks[row])
            extra = 0.1 * (term[0] - means[0]) + (term[1] - means[1]) + 0.3 * mark / (abs(mark) + 3)
            assert found[row] == pytest.approx(n**2 * (2 * score) ** 0.5 * np.exp(extra))


def test_games_alone_are_the_weights_of_people(frame) -> None:
    tally = Tally.from_frame(frame, game="chess")
    chosen = bb.select(tally, bb.preset("human", shape="moves"))
    book = MoveBook.from_selection(chosen)
    heaviest = book.table.to_pandas().groupby(["key", "lock"]).first()
    assert (heaviest.weight == 65_535).all()
    assert str(chosen.recipe["selection"]["criteria"]) == "usage=1,strength=0,date=0,result=0,annotation=0"


def test_tally_counts_the_marks_of_glyphs_and_comments(tmp_path) -> None:
    archive = tmp_path / "marked.pgn"
    archive.write_text("1. e4! {best} e5 $4 2. Nf3 {A blunder, better was f4} Nc6 {weakness} *\n")
    tally = Tally.from_archives(archive)
    assert tally.report.marks == 3
    assert sorted(tally.column("marks").tolist()) == [-3, -3, 0, 0, 2]


def test_explain_shows_what_each_criterion_does(frame) -> None:
    tally = Tally.from_frame(frame, game="chess")
    told = bb.explain(tally, bb.select(tally, criteria="annotation=1,strength=0.1"), "startpos")["why"]
    assert "weight" in told[0]
    assert any("usage" in why and "annotation" in why and "strength" in why for why in told)
    assert re.search(r"date|\de[+-]", " ".join(told)) is None, "neither a weight of 0, nor 4.5e-05"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("luck=1", "criteria is luck=1: luck is not one of usage, strength, date, result, annotation"),
        ("usage=many", "usage=many: expected a number from -10 to 10"),
        ({"date": 11}, "date=11: expected a number from -10 to 10"),
    ],
)
def test_unknown_criterion_or_weight_is_refused(given, message) -> None:
    with pytest.raises(SelectionError, match=message):
        SelectionOptions(criteria=given)
    with pytest.raises(SelectionError, match="expected sharpen"):
        SelectionOptions(criteria="usage=2", sharpen=0)
