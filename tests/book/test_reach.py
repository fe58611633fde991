"""What a book is, compared with a walk on python-chess boards over a small archive."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import chess
import chess.polyglot
import pytest
from support.selections import graph_of_selection

from bookbuilder.book.reach import book_reach
from bookbuilder.games.position import SIDES, as_position
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.select import Selection, select
from bookbuilder.tally.tally import Tally

MAX_PLY = 8
MIN_GAMES = 4
RULES = {"margin": None, "sharpen": 0, "max_ply": None}


@pytest.fixture(scope="module")
def tally(data: Path) -> Tally:
    """Four hundred games of our own, eight plies of each."""
    return Tally.from_archives(data / "chess_selfplay.pgn", max_ply=MAX_PLY, limit=400)


@dataclass
class Walk:
    """The same book walked on boards, move by move, for one owner."""

    tally: Tally
    chosen: Selection
    owner: chess.Color
    book: dict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    reached: set[int] = field(default_factory=set)
    records: set[tuple[int, int]] = field(default_factory=set)
    gaps: dict[int, int] = field(default_factory=dict)
    frequent: int = 0
    answered: int = 0

    def __post_init__(self) -> None:
        self.rows: dict[int, dict[int, int]] = defaultdict(dict)
        for row in self.tally.to_arrow().to_pylist():
            self.rows[row["key"]][row["move"]] = row["games"]
        kept = self.chosen.kept().to_pylist()
        for row in kept:
            self.book[row["key"]][row["move"]] = 2 * row["wins"] + row["draws"]

    def moves(self, board: chess.Board) -> dict[int, chess.Move]:
        """The legal moves that the archive has, by code."""
        here = as_position(board, "chess")
        legal = {here.parse_move(move.uci()): move for move in board.legal_moves}
        return {code: move for code, move in legal.items() if code in self.rows[key_of(board)]}

    def own(self, board: chess.Board) -> dict[int, float]:
        """The weights of the book moves at a position."""
        return self.book[key_of(board)]

    def explore(self) -> None:
        """Visit every position that the owner can reach; count records, frequent replies and gaps."""
        waiting, self.reached = [(chess.Board(), 0)], {key_of(chess.Board())}
        while waiting:
            board, ply = waiting.pop(0)
            key, own = key_of(board), self.own(board)
            total = sum(self.rows[key].values())
            for code, move in self.moves(board).items():
                after = pushed(board, move)
                if board.turn == self.owner:
                    if code not in own:
                        continue
                    self.records.add((key, code))
                else:
                    self.reply(after, self.rows[key][code], total)
                if key_of(after) not in self.reached:
                    self.reached.add(key_of(after))
                    waiting.append((after, ply + 1))

    def reply(self, after: chess.Board, games: int, total: int) -> None:
        """Count one reply of the opponent."""
        goes_on = any(self.rows[key_of(after)].keys() - {0})
        if games < MIN_GAMES or Fraction(games, total) <= Fraction(2, 100) or not goes_on:
            return
        self.frequent += games
        if self.own(after):
            self.answered += games
        else:
            self.gaps[key_of(after)] = sum(self.rows[key_of(after)].values())

    def plies(self, board: chess.Board, ply: int = 0) -> float:
        """The expected plies of a walk from a position on."""
        rows = self.rows[key_of(board)]
        weights = self.own(board) if board.turn == self.owner else {c: n for c, n in rows.items() if c}
        if weights and not any(weights.values()):
            weights = dict.fromkeys(weights, 1)
        total = sum(weights.values())
        if not total or ply == MAX_PLY:
            return 0.0
        moves = self.moves(board)
        onward = ((weight, pushed(board, moves[code])) for code, weight in weights.items() if weight)
        return 1 + sum(weight / total * self.plies(after, ply + 1) for weight, after in onward)


def key_of(board: chess.Board) -> int:
    return chess.polyglot.zobrist_hash(board)


def pushed(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


@pytest.mark.parametrize("side", SIDES)
def test_reach_equals_walk_on_boards(tally: Tally, side: str) -> None:
    chosen = select(tally, shape="moves", min_win_rate="0.45", min_games=2, **RULES)
    walk = Walk(tally, chosen, side == "first")
    walk.explore()
    found = book_reach(graph_of_selection(chosen), sides=[side], min_games=MIN_GAMES, most=1000)
    (only,) = found.sides
    assert walk.records
    assert only.plies == pytest.approx(walk.plies(chess.Board()))
    assert only.answered_share == pytest.approx(walk.answered / walk.frequent)
    assert {key_of(chess.Board(gap.fen)): gap.games for gap in found.gaps if gap.ply} == walk.gaps
    assert only.gaps == len(found.gaps) > 0


def test_lines_of_gaps_lead_to_them(tally: Tally) -> None:
    chosen = select(tally, shape="moves", min_win_rate="0.5", min_games=2, **RULES)
    found = book_reach(graph_of_selection(chosen), min_games=MIN_GAMES)
    for gap in found.gaps:
        board = chess.Board()
        for move in gap.moves:
            board.push_uci(move)
        assert chess.Board(gap.fen).board_fen() == board.board_fen()
        assert board.turn == (gap.side == "first")
        assert gap.line.split()[-1] == board_san(gap.moves)
    games = [gap.games for gap in found.gaps if gap.side == "first"]
    assert games == sorted(games, reverse=True)


def board_san(moves: tuple[str, ...]) -> str:
    """The last of some moves in SAN."""
    board = chess.Board()
    for move in moves[:-1]:
        board.push_uci(move)
    return board.san(chess.Move.from_uci(moves[-1]))


def test_graph_of_tally_is_built_once(tally: Tally) -> None:
    graph = tally_graph(tally)
    assert tally_graph(tally) is graph


def test_folded_xiangqi_lines_are_legal(data: Path) -> None:
    tally = Tally.from_archives(data / "xiangqi_selfplay.zip", max_ply=10, limit=300, fold=True)
    chosen = select(tally, shape="moves", min_win_rate="0.5", min_games=2, **RULES)
    found = book_reach(graph_of_selection(chosen), min_games=2)
    assert found.gaps
    for gap in found.gaps:
        here = as_position("startpos", "xiangqi")
        for move in gap.moves:
            here = here.play(here.parse_move(move))
        assert here.fen == gap.fen
        assert here.side == SIDES.index(gap.side)
