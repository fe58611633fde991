"""Weights and qualities of picks: both are proportional to (2·W + D)^K."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bookbuilder.book.build import write_book
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.open import open_book
from bookbuilder.games.position import as_position
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import SelectionOptions, preset
from bookbuilder.selection.quality import LARGEST_WEIGHT, pick_shares, scaled_picks
from bookbuilder.selection.select import select
from bookbuilder.selection.verdicts import judge_moves_at
from bookbuilder.tally.tally import Tally


@pytest.fixture(scope="module")
def tally(data) -> Tally:
    """Four hundred games of our own, twelve plies of each."""
    return Tally.from_archives(data / "chess_selfplay.pgn", max_ply=12, limit=400)


def points(frame):
    return 2 * frame.wins.astype(float) + frame.draws.astype(float)


@pytest.mark.parametrize("power", [1, 2, 3, 8])
def test_weights_are_powers_scaled_at_each_position(power) -> None:
    rng = np.random.default_rng(power)
    weight = rng.integers(0, 10**9, 500)
    group = np.sort(rng.integers(0, 60, 500))
    found = scaled_picks(pick_shares(weight.astype(float), group, power))
    for number in np.unique(group):
        rows = group == number
        exact = [int(each) ** power for each in weight[rows]]
        for value, of in zip(found[rows].tolist(), exact, strict=True):
            expected = LARGEST_WEIGHT * of / max(exact)
            assert (value > 0) == (of > 0)
            assert value == pytest.approx(max(expected, 1 if of else 0), abs=0.5 + 1e-6)


def test_weights_of_nothing_are_nothing() -> None:
    none, zeros = np.zeros(0), np.zeros(3)
    assert scaled_picks(pick_shares(none, none.astype(int), 2)).tolist() == []
    assert scaled_picks(pick_shares(zeros, np.array([0, 0, 1]), 2)).tolist() == [0, 0, 0]


def test_values_weigh_moves_where_the_main_move_has_one() -> None:
    points, value = np.array([10.0, 5, 5, 10, 5]), np.array([10.0, 30, np.nan, np.nan, 30])
    group = np.array([0, 0, 0, 1, 1])
    # The power of results falls from 3 at 40 points of a position to 1/2 at 2,560.
    for times, power in ((1, 3), (2, 3), (16, 3 - 2.5 * 3 / 6), (128, 0.5), (1000, 0.5)):
        found = pick_shares(times * points, group, 3, value=value, scale=10)
        main, other = np.exp(-2), 0.5**power
        most = max(main, other)
        assert found == pytest.approx([main / most, other / most, 0.125 / most, 1, 0.125])
    assert pick_shares(points, group, 3, value=value, scale=0)[1] == 0.125


def distance_of_draws(tally: Tally, folder: Path, power: int, min_games: int) -> tuple[float, int]:
    """Return how much the draws of a .book and a .bin differ on average, and at how many games."""
    books = []
    for shape, name in (("moves", "a.bin"), ("positions", "a.book")):
        write_book(select(tally, sharpen=power, shape=shape), folder / name)
        books.append(open_book(folder / name))
    wrong, games = 0.0, 0
    for row in tally.tree(min_games=min_games).itertuples():
        here = as_position(row.fen, "chess")
        drawn = [dict(book.choices(here)) for book in books]
        if drawn[0]:
            first, second = ({code: w / sum(each.values()) for code, w in each.items()} for each in drawn)
            wrong += row.reached * sum(abs(first.get(c, 0) - second.get(c, 0)) for c in {*first, *second}) / 2
            games += row.reached
    return wrong / games, games


@pytest.mark.parametrize("power", [1, 2, 3])
def test_clustered_books_draw_as_lists_of_moves_do(tally, tmp_path, power) -> None:
    without_results = tally.to_pandas().assign(first_wins=0, draws=0, second_wins=0)
    for each in (tally, Tally.from_frame(without_results, game="chess")):
        distance, games = distance_of_draws(each, tmp_path, power, min_games=3)
        assert games > 1000
        assert distance < 0.02


def test_positions_of_several_moves_are_drawn_by_each(tmp_path) -> None:
    # One position follows 10 % of the games after 1.d4 Nf6, and 90 % of those after 1.c4 Nf6.
    lines = {"d4 Nf6 c4": 10, "d4 Nf6 Nf3": 90, "c4 Nf6 d4": 90, "c4 Nf6 Nc3": 10}
    game = '[Event "?"]\n[Result "1/2-1/2"]\n\n{} 1/2-1/2\n\n'
    (tmp_path / "a.pgn").write_text("".join(game.format(line) * count for line, count in lines.items()))
    tally = Tally.from_archives(tmp_path / "a.pgn")
    distance, _ = distance_of_draws(tally, tmp_path, power=1, min_games=1)
    assert distance < 0.01


@pytest.mark.parametrize("power", [1, 2, 3])
def test_books_of_moves_have_sharpened_weights(tally, power) -> None:
    chosen = select(tally, shape="moves", sharpen=power)
    kept = chosen.to_pandas().query("kept")
    book = MoveBook.from_selection(chosen).table.to_pandas()
    weight = {(row.key, row.move): row.weight for row in book.itertuples()}
    assert set(weight) == set(zip(kept.key, kept.move, strict=True))
    for _, rows in kept.groupby(["key", "lock"]):
        exact = points(rows) ** power
        for row, value in zip(rows.itertuples(), exact, strict=True):
            found = weight[row.key, row.move]
            assert (found >= 1) == (value > 0)
            if value:
                assert found == pytest.approx(max(1, LARGEST_WEIGHT * value / exact.max()), abs=0.5 + 1e-6)
    assert book.groupby("key").weight.max().isin([0, LARGEST_WEIGHT]).all()


def test_every_kept_move_is_in_the_file_without_a_margin(tally) -> None:
    for name in ("own-games", "broad"):
        weights = MoveBook.from_selection(select(tally, preset(name, shape="moves"))).column("weight")
        assert weights.min() == 1
    assert MoveBook.from_selection(select(tally, shape="moves")).column("weight").min() == 0


def test_given_quality_is_not_sharpened(tally) -> None:
    plain = select(tally, sharpen=0, quality=lambda rows: rows.games % 32).to_pandas()
    sharp = select(tally, sharpen=3, quality=lambda rows: rows.games % 32).to_pandas()
    assert (plain.quality == sharp.quality).all()


@pytest.mark.parametrize("options", [{}, {"margin": "0.01", "min_share": "3%"}, {"margin": None}, {"top": 9}])
def test_verdicts_at_one_position_are_those_of_the_selection(tally, options) -> None:
    if not (has := "top" not in options):
        tally = Tally.from_frame(tally.to_pandas().assign(first_wins=0, draws=0, second_wins=0), game="chess")
    rows = select(tally, **options).table.to_pylist()
    given = SelectionOptions(**options).resolved("chess", tally.game_count)
    graph = tally_graph(tally)
    edges = graph.edges()
    parents = Counter(graph.child[edges].tolist())
    moves, newest = tally.column("move"), int(tally.column("year_max").max())
    stored = list(zip(tally.column("key")[graph.starts], tally.column("lock")[graph.starts], strict=True))

    def rows_of(position: int) -> list:
        return tally._source.rows_at(*(int(each) for each in stored[position]))

    checked = 0
    for number in range(graph.positions):
        children = {int(moves[edge]): int(graph.child[edge]) for edge in edges[graph.parent[edges] == number]}
        after = {code: rows_of(child) for code, child in children.items()}
        if any(rows[child]["reason"] == "unreachable" for child in children.values()):
            continue  # whether lines lead there, one position cannot tell
        verdicts = judge_moves_at(rows_of(number), after, given, newest_year=newest, has_results=has)
        # A position that other moves lead to may be kept by one of them, and so change the qualities here.
        is_shared = any(parents[child] > 1 for child in children.values())
        for code, child in children.items():
            names = ["kept", "reason", "reached", "p", "score"]
            if rows[child]["kept"] and not is_shared:
                assert abs(verdicts[code]["quality"] - rows[child]["quality"]) <= 3
            if parents[child] == 1 and child != graph.root:
                assert {name: verdicts[code][name] for name in names} == {
                    name: rows[child][name] for name in names
                }
                checked += 1
    assert checked > 500
