"""The clustered book: write, probe, list, walk; damaged files are refused."""

from __future__ import annotations

from pathlib import Path

import chess
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.book.book import Book
from bookbuilder.games.position import Game
from bookbuilder.schema import SELECTION_POSITIONS
from bookbuilder.selection.select import Selection

RECORD = (
    "key", "lock", "usage", "seen_first_win", "seen_draw", "seen_second_win", "quality",
    "wins", "draws", "losses",
)  # fmt: skip


def row(position: _core.Position, *, counts: tuple[int, int, int], kept: bool = True) -> dict[str, object]:
    """A row of a selection: the position was reached by a move of the side that does not move now."""
    key, lock = position.stored(True)
    wins, draws, losses = counts
    return {
        "key": key,
        "lock": lock,
        "side": 1 - position.side,
        "ply": 1,
        "reached": sum(counts) + 1,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "p": None,
        "p_low": None,
        "p_high": None,
        "score": None,
        "quality": 7,
        "kept": kept,
        "reason": "" if kept else "below-p",
    }


def selection_of(game: Game, rows: list[dict[str, object]]) -> Selection:
    rows = sorted(rows, key=lambda each: (each["key"], each["lock"]))
    table = pa.Table.from_pylist(rows, schema=SELECTION_POSITIONS)
    return Selection(rows=table, game=game, fold=True, shape="positions", recipe={"selection": {"p": "0"}})


def after(game: Game, *moves: str) -> _core.Position:
    position = _core.Position(game)
    for text in moves:
        position = position.play(position.parse_move(text))
    return position


def chess_selection() -> Selection:
    return selection_of(
        "chess",
        [
            row(after("chess", "e2e4"), counts=(5, 2, 3)),
            row(after("chess", "d2d4"), counts=(9, 0, 1)),
            row(after("chess", "a2a4"), counts=(1, 1, 1), kept=False),
            row(after("chess", "e2e4", "e7e5"), counts=(4, 1, 2)),
        ],
    )


def test_kept_rows_are_found(tmp_path: Path) -> None:
    book = Book.write(tmp_path / "a.book", chess_selection())
    book.verify()
    assert (len(book), book.game, book.fold, book.has_columns) == (3, "chess", True, True)
    position = after("chess", "e2e4")
    record = book.probe(position)
    assert record is not None
    assert {name: getattr(record, name) for name in RECORD} == {
        "key": position.key, "lock": position.lock, "usage": 11, "quality": 7,
        "wins": 5, "draws": 2, "losses": 3,
        "seen_first_win": True, "seen_draw": True, "seen_second_win": True,
    }  # fmt: skip
    assert (
        repr(record) == f"<Record: key=0x{position.key:016x}, usage=11, quality=7, wins=5, draws=2, losses=3>"
    )
    assert book.probe("startpos") is None
    assert book.probe(after("chess", "a2a4")) is None
    assert repr(book) == f"<Book: chess, 3 records, {tmp_path / 'a.book'}>"


def test_results_are_from_first_sides_view(tmp_path: Path) -> None:
    book = Book.write(tmp_path / "a.book", chess_selection())
    record = book.probe(after("chess", "e2e4", "e7e5"))
    assert record is not None
    # Black moved into the position and won 4 times: the first side's losses.
    assert (record.wins, record.draws, record.losses) == (2, 1, 4)


def test_moves_are_the_legal_moves_that_lead_to_a_record(tmp_path: Path) -> None:
    book = Book.write(tmp_path / "a.book", chess_selection())
    moves = book.moves("startpos")
    assert moves[["move", "san", "reached", "wins", "draws", "losses"]].values.tolist() == [
        ["d2d4", "d4", 11, 9, 0, 1],
        ["e2e4", "e4", 11, 5, 2, 3],
    ]
    assert moves["p"].tolist() == [0.9, 0.625]
    assert moves["score"].tolist() == [0.9, 0.6]
    assert moves["kept"].all()
    reply = book.moves(after("chess", "e2e4")).iloc[0]
    assert (reply["first_wins"], reply["second_wins"], reply["wins"]) == (2, 4, 4)
    assert list(book.moves(chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"))) == list(moves)


def test_the_frame_has_every_record_in_order(tmp_path: Path) -> None:
    book = Book.write(tmp_path / "a.book", chess_selection())
    frame = book.to_pandas()
    assert frame["key"].is_monotonic_increasing
    assert frame["usage"].tolist() == [
        record.usage
        for position in sorted(
            (after("chess", "e2e4"), after("chess", "d2d4"), after("chess", "e2e4", "e7e5")),
            key=lambda each: each.key,
        )
        if (record := book.probe(position)) is not None
    ]
    types = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert types == {
        "key": "uint64", "lock": "uint32", "usage": "int64",
        "seen_first_win": "bool", "seen_draw": "bool", "seen_second_win": "bool",
        "quality": "uint8", "wins": "int64", "draws": "int64", "losses": "int64",
    }  # fmt: skip
