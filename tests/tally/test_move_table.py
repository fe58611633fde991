"""Frames of moves: frames like any other, which notebooks show with bars, and `show --svg`."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

import bookbuilder as bb


@pytest.fixture(scope="module")
def tally(chess_pgn: Path) -> bb.Tally:
    return bb.Tally.from_archives(chess_pgn)


def cells(html: str) -> list[list[str]]:
    """The texts of a table's rows."""
    table = ElementTree.fromstring(html)
    return [["".join(cell.itertext()).strip() for cell in row] for row in table.iter("tr")]


def test_table_shows_the_frame(tally: bb.Tally) -> None:
    moves = tally.moves("startpos")
    assert isinstance(moves, pd.DataFrame)
    shown = cells(moves._repr_html_())
    assert shown[0] == [
        "Move",
        "Played",
        "Results",
        "Score",
        "P",
        "Reached",
        "Rating",
        "Performance",
        "Years",
    ]
    # Of the six games four began with e4: two won, one drawn, one lost. 2500 against 2400 points scores 64 %.
    assert shown[1] == ["e4", "4 66.7%", "50%25%25%", "62.5%", "66.7%", "4", "2,500", "48.5%", "2001–2004"]
    assert [row[0] for row in shown[1:]] == moves["san"].tolist()
    assert "White wins 2, draws 1, Black wins 1" in moves._repr_html_()


def test_shares_are_of_all_moves_whatever_rows_are_shown(tally: bb.Tally) -> None:
    moves = tally.moves("startpos")
    for part in (moves.head(1), moves[moves["san"] == "e4"], moves.sort_values("san").tail(1)):
        assert ["e4", "4 66.7%"] in [row[:2] for row in cells(part._repr_html_())]
    # A frame that does not know its position shows no share, rather than a wrong one.
    alone = moves.head(1)
    alone.attrs = {}
    assert cells(alone._repr_html_())[1][1] == "4"
