"""Rules that need the graph, compared with small real games replayed on python-chess boards."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import chess
import chess.polyglot
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.selections import LITERATURE

from bookbuilder._core import NOWHERE
from bookbuilder.ratios import wilson_bounds
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import select
from bookbuilder.selection.thresholds import Z_SQUARED, as_share, as_years, bound_at_least
from bookbuilder.selection.weights import SCALE, weighted_counts
from bookbuilder.tally.tally import Tally


@pytest.fixture(scope="module")
def tally(data) -> Tally:
    """Four hundred games of our own, twelve plies of each."""
    return Tally.from_archives(data / "chess_selfplay.pgn", max_ply=12, limit=400)


class Reading:
    """The same tally as boards: each position with its moves and the positions after them."""

    def __init__(self, tally: Tally) -> None:
        self.rows = defaultdict(dict)
        for row in tally.to_arrow().to_pylist():
            self.rows[row["key"]][row["move"]] = row
        self.counts = {
            key: [sum(row[name] for row in rows.values()) for name in COUNTS]
            for key, rows in self.rows.items()
        }
        self.moves: dict[int, dict[int, int]] = {}
        waiting = [chess.Board()]
        while waiting:
            board = waiting.pop()
            key = chess.polyglot.zobrist_hash(board)
            if key in self.moves:
                continue
            self.moves[key] = {}
            for move in board.legal_moves:
                after = board.copy(stack=False)
                after.push(move)
                child = chess.polyglot.zobrist_hash(after)
                code = self.code(tally, board, move)
                if code in self.rows[key]:
                    self.moves[key][code] = child
                    waiting.append(after)

    @staticmethod
    def code(tally: Tally, board: chess.Board, move: chess.Move) -> int:
        """The code that the tally has for a move."""
        from bookbuilder.games.position import as_position

        return as_position(board, tally.game).parse_move(move.uci())

    def passes(self, key: int, *, p: str, games: int) -> bool:
        """Whether the counts of a position pass, from the view of the side that moved into it."""
        count, first, _, second = self.counts[key]
        mover = next(iter(self.rows[key].values()))["mover"]
        wins, losses = (second, first) if mover == 0 else (first, second)
        return count >= games and (wins + losses == 0 or Fraction(wins, wins + losses) >= Fraction(p))


COUNTS = ("games", "first_wins", "draws", "second_wins")
START = chess.polyglot.zobrist_hash(chess.Board())


@pytest.fixture(scope="module")
def reading(tally) -> Reading:
    return Reading(tally)


def kept(tally: Tally, **options: object) -> set[int]:
    return set(select(tally, LITERATURE, **options).kept().column("key").to_pylist())


def test_graph_equals_moves_on_boards(tally, reading) -> None:
    graph = tally_graph(tally)
    keys, moves = tally.column("key"), tally.column("move")
    position = keys[graph.starts]
    assert position[graph.root] == START
    for row, child in enumerate(graph.child.tolist()):
        want = reading.moves.get(int(keys[row]), {}).get(int(moves[row]))
        assert (None if child == NOWHERE else int(position[child])) == want
    assert (position[graph.parent] == keys).all()


def test_connected_keeps_reachable_positions(tally, reading) -> None:
    rules = {"min_win_rate": "0.4", "min_games": 2}
    reached, waiting = set(), [START]
    while waiting:
        for child in reading.moves[waiting.pop()].values():
            if child not in reached and reading.passes(child, p="0.4", games=2):
                reached.add(child)
                waiting.append(child)
    assert kept(tally, **rules, connected=True) == reached
    assert reached < kept(tally, **rules)


def test_min_share_keeps_positions_by_the_share_of_a_move(tally, reading) -> None:
    found = set()
    for key, moves in reading.moves.items():
        whole = sum(row["games"] for code, row in reading.rows[key].items() if code)
        found |= {
            child
            for code, child in moves.items()
            if Fraction(reading.rows[key][code]["games"], whole) >= Fraction(1, 10)
        }
    found.discard(START)
    assert kept(tally, min_win_rate=0, min_share="10%") == found
    assert len(found) < len(kept(tally, min_win_rate=0))


def test_top_keeps_the_most_reached_positions(tally, reading) -> None:
    found = set()
    for moves in reading.moves.values():
        alive = [(code, child) for code, child in moves.items() if reading.passes(child, p="0.3", games=1)]

        def rank(move: tuple[int, int]) -> tuple[int, Fraction, int]:
            code, child = move
            count, first, draws, second = reading.counts[child]
            wins = second if next(iter(reading.rows[child].values()))["mover"] == 0 else first
            known = first + draws + second
            return -count, -(Fraction(2 * wins + draws, 2 * known) if known else Fraction(-1)), code

        found |= {child for _, child in sorted(alive, key=rank)[:2]}
    found.discard(START)
    assert kept(tally, min_win_rate="0.3", top=2) == found


def test_played_basis_judges_positions_by_one_move(tally, reading) -> None:
    found = set()
    for key, moves in reading.moves.items():
        for code, child in moves.items():
            row = reading.rows[key][code]
            own, other = ("first_wins", "second_wins")[:: 1 if row["mover"] == 0 else -1]
            decisive = row[own] + row[other]
            if row["games"] >= 3 and (decisive == 0 or Fraction(row[own], decisive) >= Fraction(1, 2)):
                found.add(child)
    assert kept(tally, min_win_rate="0.5", min_games=3, basis="played") == found


def test_reached_basis_judges_moves_by_the_position_after(tally, reading) -> None:
    for row in select(
        tally, LITERATURE, shape="moves", basis="reached", min_win_rate="0.5", min_games=3
    ).table.to_pylist():
        if row["move"] == 0:
            assert row["reason"] == "no-move"
            continue
        assert row["played"] == reading.rows[row["key"]][row["move"]]["games"]
        child = reading.moves[row["key"]][row["move"]]
        assert (row["reason"] == "") == reading.passes(child, p="0.5", games=3)
        assert row["wins"] + row["draws"] + row["losses"] == sum(reading.counts[child][1:])


def test_opponent_has_its_own_rules(tally) -> None:
    rules = {"for_side": "second", "min_win_rate": "0.5", "min_games": 4, "opponent_min_share": "5%"}
    both = select(tally, LITERATURE, **rules).to_pandas()
    own = select(tally, LITERATURE, min_win_rate="0.5", min_games=4).to_pandas()
    other = select(tally, LITERATURE, min_win_rate=0, min_share="5%").to_pandas()
    is_own = both.side == 1
    # Both kinds of rules ask the graph, so what no line leads to is dropped for either side.
    lost = both.reason == "unreachable"
    assert (both.reason[is_own & ~lost] == own.reason[is_own & ~lost]).all()
    assert (both.reason[~is_own] == other.reason[~is_own]).all()
    assert both.kept.any()


def test_connected_applies_to_moves(tally) -> None:
    chosen = select(tally, LITERATURE, shape="moves", min_win_rate="0.4", min_games=2, connected=True)
    graph = tally_graph(tally)
    rows = np.asarray(chosen.table.column("kept"))
    reached = graph.reachable(rows, np.ones(graph.positions, dtype=bool))
    assert rows.any()
    assert reached[graph.parent[rows]].all()
    loose = select(tally, LITERATURE, shape="moves", min_win_rate="0.4", min_games=2)
    assert (np.asarray(loose.table.column("kept")) >= rows).all()


def test_minimum_score_is_exact(tally) -> None:
    frame = select(tally, LITERATURE, min_win_rate=0, min_score="1/2").to_pandas()
    known = frame.wins + frame.draws + frame.losses
    below = (2 * (2 * frame.wins + frame.draws) < 2 * known) & (frame.reason != "root")
    assert (frame.reason[below] == "below-score").all()
    assert not (frame.reason[~below] == "below-score").any()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"confident": True},
        {"connected": True, "min_games": 2},
        {"basis": "played"},
        {"for_side": "first", "opponent_min_share": "3%", "connected": True},
        {"half_life": "3y", "rating_half": 100},
    ],
)
def test_higher_threshold_keeps_no_more(tally, options) -> None:
    before = None
    for threshold in ("0", "0.2", "0.45", "0.5", "0.55", "0.9", "1"):
        now = kept(tally, min_win_rate=threshold, **options)
        assert before is None or now <= before
        before = now


def exact_lower_bound_reaches(wins: int, total: int, threshold: Fraction) -> bool:
    """Whether the lower root of N(W/N − t)² = z²t(1 − t) in t is at least the threshold, in fractions."""
    if total == 0:
        return True
    # (N + z²)t² − (2W + z²)t + W²/N = 0 falls from W²/N ≥ 0 at t = 0 down to its lower root.
    value = (
        (total + Z_SQUARED) * threshold**2 - (2 * wins + Z_SQUARED) * threshold + Fraction(wins * wins, total)
    )
    apex = (2 * wins + Z_SQUARED) / (2 * (total + Z_SQUARED))
    return value >= 0 and threshold <= apex


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)) | st.just((0, 0)), min_size=1, max_size=30),
    st.fractions(0, 1, max_denominator=400) | st.just(Fraction(123456789, 10**18 + 9)),
)
@settings(max_examples=200)
def test_lower_bound_is_compared_exactly(results, threshold) -> None:
    wins, losses = (np.array(column, np.uint64) for column in zip(*results, strict=True))
    expected = [exact_lower_bound_reaches(w, w + n, threshold) for w, n in results]
    assert bound_at_least(wins, losses, threshold).tolist() == expected
    weighed = bound_at_least(wins * np.uint64(SCALE), losses * np.uint64(SCALE), threshold, scale=SCALE)
    assert weighed.tolist() == expected


def test_exact_bound_agrees_with_the_shown_bound() -> None:
    wins, losses = (each.ravel().astype(np.uint64) for each in np.mgrid[0:60, 0:60])
    low, _ = wilson_bounds(wins, losses)
    for threshold in (Fraction(1, 10), Fraction(1, 2), Fraction(11, 20), Fraction(9, 10)):
        shown = np.isnan(low) | (low >= float(threshold))
        clear = np.isnan(low) | (np.abs(low - float(threshold)) > 1e-9)
        assert (bound_at_least(wins, losses, threshold) == shown)[clear].all()


def test_shares_may_be_in_per_cent() -> None:
    assert as_share("0.5%") == Fraction(1, 200)
    assert as_share("0.5") == Fraction(1, 2)


def test_weights_halve_with_age_and_rating(make_tally) -> None:
    tally = make_tally(5, 600)
    counts, scale = weighted_counts(tally, SelectionOptions(half_life="4y", rating_half=150))
    assert scale == SCALE
    newest = int(tally.column("year_max").max())
    mean = int(tally.column("rating_sum").sum()) // int(tally.column("rated").sum())
    for row, source in enumerate(tally.to_arrow().to_pylist()):
        age = newest - (source["year_min"] + source["year_max"]) / 2
        below = max(mean - source["rating_sum"] // max(source["rated"], 1), 0)
        expected = (0.5 ** (age / 4) if source["year_max"] else 0.5) * (
            0.5 ** (below / 150) if source["rated"] else 0.5
        )
        assert counts["games"][row] / SCALE == pytest.approx(
            source["games"] * expected, abs=1e-4 * source["games"]
        )


def test_weighted_games_are_compared_in_parts_and_shown_whole(make_tally) -> None:
    tally = make_tally(6, 600)
    plain = count_candidates(tally, "positions")
    weighed = count_candidates(tally, "positions", SelectionOptions(half_life=5))
    assert (weighed.games <= plain.games * np.uint64(SCALE)).all()
    frame = select(tally, LITERATURE, half_life="5y", min_games=2, min_win_rate=0).to_pandas()
    assert (frame.reached >= frame.wins + frame.draws + frame.losses).all()
    judged = frame.reason.isin(["", "below-games"])
    assert ((weighed.games[judged] < 2 * SCALE) == (frame.reason[judged] == "below-games")).all()


@pytest.mark.parametrize("span", ["0", "0y", "-1", "y", "5 weeks", "1/0", None])
def test_invalid_half_life_is_rejected(span) -> None:
    from bookbuilder.errors import SelectionError

    with pytest.raises(SelectionError, match="half life"):
        as_years(span)
