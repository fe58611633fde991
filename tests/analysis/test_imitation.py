"""How well moves are predicted, compared with the same sums made row by row."""

from __future__ import annotations

import json
from collections import defaultdict
from math import log2
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder.analysis.imitation import imitate
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.selection.options import preset
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally


def moves_of(tally: Tally) -> dict[int, dict[int, int]]:
    """Games by position and move."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for row in tally.to_arrow().to_pylist():
        if row["move"]:
            found[row["key"]][row["move"]] = row["games"]
    return found


def test_figures_equal_row_by_row_sums(data: Path) -> None:
    train = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=10, limit=300)
    later = Tally.from_archives(data / "historic.pgn", max_ply=10)
    before, after = moves_of(train), moves_of(later)
    moves = sum(sum(each.values()) for each in after.values())
    covered = bits = right = gap = 0.0
    for key, played in after.items():
        known, visits = before.get(key, {}), sum(played.values())
        if (total := sum(known.values())) < 5:
            continue
        covered += visits
        for move, games in played.items():
            bits -= games * log2((known.get(move, 0) + 1 / 32) / (total + 1))
            firsts = [each for each, count in known.items() if count == max(known.values())]
            right += games * (move in firsts) / len(firsts)
        shares = ((known.get(move, 0) / total, played.get(move, 0) / visits) for move in {*known, *played})
        gap += visits * sum(abs(one - two) for one, two in shares) / 2
    assert covered > 5
    wanted = {
        "moves": moves,
        "coverage": covered / moves,
        "total_variation": gap / covered,
        "cross_entropy": bits / covered,
        "top_right": right / covered,
    }
    found = imitate(train, later, min_games=5)
    assert found.figures == pytest.approx(wanted)
    assert found.by_ply["moves"].sum() == moves


def test_games_predict_themselves(data: Path) -> None:
    tally = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=10, limit=300)
    figures = imitate(tally, tally, min_games=1).figures
    assert (figures["coverage"], figures["total_variation"]) == pytest.approx((1, 0))


def test_book_of_people_plays_moves_as_often_as_they_did(data: Path) -> None:
    tally = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=10, limit=300)
    book = MoveBook.from_selection(select(tally, preset("human", shape="moves"))).table.to_pandas()
    share = book.weight / book.groupby(["key", "lock"]).weight.transform("sum")
    played = book.games / book.groupby(["key", "lock"]).games.transform("sum")
    assert (share - played).abs().max() < 1e-4


def test_command_has_the_figures(data: Path) -> None:
    words = ("calibrate", data / "historic.pgn", "--moves", "--min-games", 1, "--split", "1900")
    answer = json.loads(run(*words, "--json").out)
    assert 0 < answer["coverage"] < 1
    assert f"{answer['cross_entropy']:.3f}" in run(*words).out
