"""The clustered book: write, probe, list, walk; damaged files are refused."""

from __future__ import annotations

from pathlib import Path

import chess
import pyarrow as pa
import pytest

from bookbuilder import _core
from bookbuilder.book.book import Book
from bookbuilder.errors import BookError, SchemaError
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
    return Selection(table=table, game=game, fold=True, shape="positions", recipe={"selection": {"p": "0"}})


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


def test_xiangqi_book_finds_position_and_mirror(tmp_path: Path) -> None:
    selection = selection_of("xiangqi", [row(after("xiangqi", "h2e2"), counts=(3, 2, 1))])
    book = Book.write(tmp_path / "a.book", selection)
    assert list(book.moves("startpos")["move"]) == ["h2e2"]
    assert book.probe(after("xiangqi", "b2e2")) == book.probe(after("xiangqi", "h2e2"))


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
        "key": "uint64", "lock": "uint32", "usage": "uint32",
        "seen_first_win": "bool", "seen_draw": "bool", "seen_second_win": "bool",
        "quality": "uint8", "wins": "uint32", "draws": "uint32", "losses": "uint32",
    }  # fmt: skip


def test_book_without_columns_has_no_results(tmp_path: Path) -> None:
    with_columns = Book.write(tmp_path / "a.book", chess_selection())
    book = Book.write(tmp_path / "b.book", chess_selection(), columns=False)
    book.verify()
    record = book.probe(after("chess", "e2e4"))
    assert record is not None
    assert (record.usage, record.wins, record.lock) == (11, None, None)
    assert {"wins", "lock"}.isdisjoint(book.to_pandas().columns)
    assert {"wins", "p"}.isdisjoint(book.moves("startpos").columns)
    assert book.moves("startpos")["move"].tolist() == with_columns.moves("startpos")["move"].tolist()
    assert book.info["bytes"] < with_columns.info["bytes"]


def test_a_damaged_book_opens_and_does_not_verify(tmp_path: Path) -> None:
    path = Book.write(tmp_path / "a.book", chess_selection()).path
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    damaged = tmp_path / "b.book"
    damaged.write_bytes(content)
    with pytest.raises(BookError, match="checksum"):
        Book.open(damaged).verify()


def test_a_book_of_another_game_is_refused(tmp_path: Path) -> None:
    path = Book.write(tmp_path / "a.book", chess_selection()).path
    assert Book.open(path, game="chess").game == "chess"
    with pytest.raises(BookError, match="a book of chess, expected xiangqi"):
        Book.open(path, game="xiangqi")


WRITTEN = {
    "key": pa.uint64(), "lock": pa.uint32(), "usage": pa.uint64(), "wins": pa.uint64(), "draws": pa.uint64(),
    "losses": pa.uint64(), "quality": pa.uint8(),
}  # fmt: skip


def test_records_with_other_schema_are_refused(tmp_path: Path) -> None:
    good = {name: pa.array([1, 2], kind) for name, kind in WRITTEN.items()}

    def write(table: pa.Table) -> None:
        _core.write_book(str(tmp_path / "a.book"), table, game="chess", fold=True, columns=True, recipe="{}")

    with pytest.raises(SchemaError, match='lack the column "usage"'):
        write(pa.table({name: column for name, column in good.items() if name != "usage"}))
    with pytest.raises(SchemaError, match='"wins" of the records is Int64, expected UInt64'):
        write(pa.table({**good, "wins": pa.array([1, 2], pa.int64())}))
    with pytest.raises(SchemaError, match='"key" of a records table holds nulls'):
        write(pa.table({**good, "key": pa.array([1, None], pa.uint64())}))
    with pytest.raises(BookError, match="row 0: 1 wins, 1 draws, 1 losses exceed the usage, 1"):
        write(pa.table(good))
    assert list(tmp_path.iterdir()) == []
