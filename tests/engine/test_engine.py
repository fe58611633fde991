"""The bundled engine in Python: from the book while it lasts, then by search."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest
from support.selections import LITERATURE

from bookbuilder.book.book import Book
from bookbuilder.engine.engine import Engine, RepetitionDetector
from bookbuilder.errors import MoveError, OptionError
from bookbuilder.games.position import Game
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1"


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Book:
    folder: Path = tmp_path_factory.mktemp("book")
    (folder / "games.pgn").write_text('[Result "1-0"]\n\n1. d4 d5 2. c4 1-0\n\n', encoding="utf-8")
    return Book.write(
        folder / "d4.book", select(Tally.from_archives(folder / "games.pgn"), LITERATURE, min_win_rate=0)
    )


def test_search_finds_mate_and_line() -> None:
    result = Engine("chess").search(MATE_IN_ONE, depth=3)
    assert (result.move, result.source, result.mate_in, result.score_cp) == ("e1e8", "search", 1, None)
    assert result.pv[0] == "e1e8"
    assert result.nodes > 0


def test_book_move_comes_before_search(book) -> None:
    engine = Engine("chess", hash_mib=2, book=book)
    assert (engine.search(depth=2).move, engine.search(depth=2).source) == ("d2d4", "book")
    board = chess.Board()
    board.push_uci("d2d4")
    board.push_uci("d7d5")
    assert engine.search(board, depth=2).move == "c2c4"
    assert engine.search("startpos", moves=["d2d4", "d7d5"], depth=2).move == "c2c4"
    assert engine.search("startpos", moves=["a2a4"], depth=2).source == "search"
    assert engine.search(depth=2, book_policy="off").source == "search"
    engine.clear()
    assert engine.search(depth=2).source == "book"
    engine.load_book(None)
    assert engine.search(depth=2).source == "search"


def test_engine_and_book_pick_the_heaviest_move(tmp_path) -> None:
    games = ("1. e4 1-0", "1. e4 0-1", "1. e4 0-1", "1. d4 1-0", "1. c4 1/2-1/2")
    text = "".join(f'[Result "{game.split()[-1]}"]\n\n{game}\n\n' for game in games)
    (tmp_path / "games.pgn").write_text(text, encoding="utf-8")
    tally = Tally.from_archives(tmp_path / "games.pgn", dedupe="off")
    picks = Book.write(tmp_path / "picks.book", select(tally, LITERATURE, min_win_rate=0))
    engine = Engine("chess", hash_mib=1, book=picks)
    rows = {row["move"]: row["reached"] * (row["quality"] + 1) for row in picks.move_rows("startpos")}
    assert len(rows) == 3
    assert engine.search(depth=1).move == picks.pick("startpos", "best") == max(rows, key=rows.__getitem__)
    drawn = {engine.search(depth=1, book_policy="uniform", seed=seed).move for seed in range(30)}
    assert drawn == set(rows)
    with pytest.raises(OptionError, match="best, weighted, uniform, off"):
        engine.search(depth=1, book_policy="heaviest")  # type: ignore[arg-type]


def test_pv_of_table_begins_like_pv_of_array() -> None:
    array, table = (Engine("xiangqi").search(depth=6, pv=source) for source in ("array", "table"))
    assert (array.move, array.score_cp, array.nodes) == (table.move, table.score_cp, table.nodes)
    assert array.pv[0] == table.pv[0] == table.lines[0]["pv"][0]


def test_invalid_search_options_are_refused(book) -> None:
    with pytest.raises(OptionError, match="limit"):
        Engine("chess").search()
    with pytest.raises(OptionError, match="xiangqi"):
        Engine("xiangqi", book=book)
    with pytest.raises(OptionError, match="both"):
        Engine("chess", book=book, book_mode="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="triangle"):
        Engine("chess").search(depth=1, pv="triangle")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="go"):
        Engine("go")
    with pytest.raises(MoveError, match="e2e5"):
        Engine("chess").search(moves=["e2e5"], depth=1)


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_detector_of_repetitions_changes_no_search(game: Game) -> None:
    def search(detector: RepetitionDetector) -> tuple[object, ...]:
        found = Engine(game, repetition_detector=detector).search("startpos", depth=6)
        return found.move, found.nodes, found.score_cp

    assert search("scan") == search("small-table")
    assert search("open-flag")[0] is not None


def test_learning_can_be_turned_off() -> None:
    nodes = {
        (history, killers): Engine("chess", history=history, killers=killers).search(depth=7).nodes
        for history in (True, False)
        for killers in (True, False)
    }
    assert len(set(nodes.values())) == 4
    assert nodes[True, True] < nodes[False, False]


def test_repetition_counts_at_the_occurrence_asked_for() -> None:
    """White can only check for ever: with the third occurrence the draw is seen later."""
    perpetual = "4Q3/6pk/8/8/8/8/rr4PK/q7 w - - 0 1"

    def first_draw(in_tree: int) -> int:
        found = Engine("chess", repetition_in_tree=in_tree).search(perpetual, depth=8)
        return next(each["depth"] for each in found.iterations if each["score_cp"] == 0)

    assert first_draw(2) < first_draw(3)
    with pytest.raises(OptionError, match="occurrence 4"):
        Engine("chess", repetition_in_game=4)
    with pytest.raises(OptionError, match="small-table, scan, open-flag"):
        Engine("chess", repetition_detector="cuckoo")  # type: ignore[arg-type]
