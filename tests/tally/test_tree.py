"""The tree of a tally as a frame, compared with python-chess and with `Tally.moves`."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pandas as pd
import pytest

import bookbuilder as bb
from bookbuilder.errors import FenError, OptionError

FIGURES = ["played", "reached", "first_wins", "draws", "second_wins", "wins", "losses"]


@pytest.fixture(scope="module")
def tally(data: Path) -> bb.Tally:
    return bb.Tally.from_archives(data / "chess_selfplay.pgn", data / "historic.pgn", max_ply=12)


@pytest.fixture(scope="module")
def tree(tally: bb.Tally) -> pd.DataFrame:
    return tally.tree(max_ply=6, min_games=1)


def line_of(tree: pd.DataFrame, row: int, column: str) -> list[str]:
    """Return a column along the line to a row."""
    words = []
    while row >= 0:
        words.append(tree.loc[row, column])
        row = tree.loc[row, "parent"]
    return words[::-1]


def test_lines_and_positions_agree_with_python_chess(tree: pd.DataFrame) -> None:
    assert len(tree) > 500
    for row in range(0, len(tree), 7):
        board = chess.Board()
        for move in line_of(tree, row, "move"):
            board.push_uci(move)
        assert chess.Board().variation_san(board.move_stack) == tree.loc[row, "line"]
        assert chess.polyglot.zobrist_hash(chess.Board(tree.loc[row, "fen"])) == chess.polyglot.zobrist_hash(
            board
        )
        assert len(board.move_stack) == tree.loc[row, "ply"]
        assert tree.loc[row, "side"] == ("black" if board.turn == chess.WHITE else "white")


def test_figures_are_those_of_moves(tally: bb.Tally, tree: pd.DataFrame) -> None:
    for _, rows in list(tree.groupby("parent"))[:40]:
        parent = rows["parent"].iloc[0]
        here = "startpos" if parent < 0 else tree.loc[parent, "fen"]
        moves = tally.moves(here)
        assert rows["move"].tolist() == moves["move"].tolist()
        for name in (*FIGURES, "p", "score", "rating"):
            np.testing.assert_array_equal(rows[name], moves[name])
        np.testing.assert_allclose(rows["share"], moves["played"] / moves["played"].sum())


def test_openings_are_the_last_named_ones(tree: pd.DataFrame) -> None:
    openings = bb.openings_of("chess")
    for row in range(0, len(tree), 11):
        opening = openings.classify(line_of(tree, row, "san"))
        found = tree.loc[row, ["eco", "opening"]].tolist()
        assert found == ([opening.code, opening.name] if opening else found)
        assert pd.isna(found[0]) == (opening is None)


def test_limits(tally: bb.Tally, tree: pd.DataFrame) -> None:
    few = tally.tree(max_ply=4, min_games=3)
    assert few["ply"].max() == 4
    assert few["played"].min() >= 3
    some = tree[(tree["ply"] <= 4) & (tree["played"] >= 3)]
    assert set(few["fen"]) <= set(some["fen"])
    assert "fen" not in tally.to_pandas()
    with pytest.raises(OptionError, match="expected at least 1"):
        tally.tree(max_ply=0)
    with pytest.raises(OptionError, match="expected one of uci, san"):
        tally.tree(notation="chinese")
    with pytest.raises(FenError):
        tally.tree("e5")


@pytest.mark.parametrize("notation", ["chinese", "wxf", None])
def test_xiangqi_folds_mirrors(xiangqi_zip: Path, notation: str | None, tmp_path: Path) -> None:
    tally = bb.Tally.from_archives(xiangqi_zip)
    store = bb.Tally.open(tally.save(tmp_path / "a.store"))
    for each in (tally, store):
        tree = each.tree(min_games=1, notation=notation)
        assert tree["ply"].max() == 4
        assert list(tree["side"].cat.categories) == ["red", "black"]
        for row in tree.itertuples():
            assert each.reached(row.fen) == row.reached
            words = line_of(tree, row.Index, "san")
            assert bb.as_position(" ".join(words), "xiangqi").fen == row.fen
        # Two of the three games are mirrors of each other.
        assert tree["played"].iloc[0] == 2
        assert (tree["opening"].iloc[0] == "中炮局") == (notation == "chinese")
