"""Suites of openings: the positions where lines leave a book, with values in a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bookbuilder._core import Position
from bookbuilder.book.lines import format_line
from bookbuilder.engine.check.graph import Node, Played
from bookbuilder.evals.table import Evals
from bookbuilder.games.position import Game

__all__ = ["Opening", "suite_of"]


@dataclass(frozen=True, slots=True)
class Opening:
    """A position to begin games from.

    Attributes:
        fen: the position.
        line: moves that lead to it, as people write them.
        score_cp: its value for the first side.
        reach: probability that a game of the book's owner leaves the book there.
    """

    fen: str
    line: str
    score_cp: int
    reach: float

    def epd(self) -> str:
        """Return a line of EPD, with the value for the side to move as `ce` and the moves as `id`."""
        fields = self.fen.split()[:4]
        score = self.score_cp if fields[1] == "w" else -self.score_cp
        return f'{" ".join(fields)} ce {score}; id "{self.line}";'


def suite_of(
    games: Sequence[Played], evals: Evals, *, least_cp: int, most_cp: int, plies: tuple[int, int], number: int
) -> list[Opening]:
    """Return the exits of a book with a value in a window, the most reached first, each position once.

    Args:
        games: the book in use by each owner.
        evals: evaluations of the exits; others are skipped.
        least_cp: smallest value for the first side.
        most_cp: largest value.
        plies: smallest and largest number of plies of a line.
        number: maximum number of positions.
    """
    exits: dict[tuple[int, int], Node] = {}
    for played in games:
        for node in played.nodes:
            if node.is_exit and plies[0] <= len(node.line) <= plies[1]:
                known = exits.setdefault((node.key, node.lock), node)
                if node.reach > known.reach:
                    exits[node.key, node.lock] = node
    nodes = sorted(exits.values(), key=lambda node: (-node.reach, node.key))
    key, lock = np.array([(node.key, node.lock) for node in nodes], np.uint64).reshape(-1, 2).T
    scores = evals.values(key, lock.astype(np.uint32)).score
    found = []
    for node, score in zip(nodes, scores.tolist(), strict=True):
        value = score if node.position.side == 0 else -score
        if least_cp <= value <= most_cp:  # false for a value that is unknown
            line = _written(node.position.game, node.line)
            found.append(Opening(node.position.fen, line, round(value), node.reach))
    return found[:number]


def _written(game: Game, moves: Sequence[str]) -> str:
    """Return a line of coordinates as people write it."""
    here, words = Position(game), list[str]()
    for move in moves:
        code = here.parse_move(move)
        words.append(here.san(code))
        here = here.play(code)
    return format_line(words)
