"""Rules that need the graph, compared with small real games replayed on python-chess boards."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import chess
import chess.polyglot
import pytest
from support.selections import LITERATURE

from bookbuilder._core import NOWHERE
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.select import select
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


def test_opponent_has_its_own_rules(tally) -> None:
    rules = {"for_side": "second", "min_win_rate": "0.5", "min_games": 4, "opponent_min_share": "5%"}
    both = select(tally, LITERATURE, **rules).to_pandas()
    own = select(tally, LITERATURE, min_win_rate="0.5", min_games=4).to_pandas()
    other = select(tally, LITERATURE, min_win_rate=0, min_games=4, min_share="5%").to_pandas()
    is_own = both.side == 1
    # Both kinds of rules ask the graph, so what no line leads to is dropped for either side.
    lost = both.reason == "unreachable"
    assert (both.reason[is_own & ~lost] == own.reason[is_own & ~lost]).all()
    assert (both.reason[~is_own] == other.reason[~is_own]).all()
    assert both.kept.any()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"connected": True, "min_games": 2},
        {"for_side": "first", "opponent_min_share": "3%", "connected": True},
    ],
)
def test_higher_threshold_keeps_no_more(tally, options) -> None:
    before = None
    for threshold in ("0", "0.2", "0.45", "0.5", "0.55", "0.9", "1"):
        now = kept(tally, min_win_rate=threshold, **options)
        assert before is None or now <= before
        before = now
