"""The formats of books, and conversion between any two of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.foreign_books import move_book, rows_of, usual_book

import bookbuilder as bb
from bookbuilder import Position, open_book
from bookbuilder.book.formats.moves import MoveBook, move_table
from bookbuilder.book.formats.registry import FORMATS, convert, read_moves, write_moves
from bookbuilder.errors import FormatError, OptionError
from bookbuilder.games.position import Game

OF_GAME = {
    game: [each.name for each in FORMATS.values() if game in each.games] for game in ("chess", "xiangqi")
}


@pytest.mark.parametrize(
    ("game", "of", "to"),
    [
        (game, of, to)
        for game, names in OF_GAME.items()
        for of in names
        for to in names
        if FORMATS[of].read is not None and (of, to) not in [("polyglot", "book"), ("book-dat", "book")]
    ],
)
def test_every_format_converts_to_every_other(tmp_path: Path, game: bb.Game, of: str, to: str) -> None:
    source, target = tmp_path / f"a{FORMATS[of].suffix}", tmp_path / f"b{FORMATS[to].suffix}"
    write_moves(source, usual_book(game))
    before = read_moves(source)
    written = convert(source, target)
    assert (written.format, written.game, written.bytes) == (to, game, target.stat().st_size)
    assert written.moves > 0
    assert all(written.lost.values())
    assert not list(tmp_path.glob(".tmp-*"))
    if FORMATS[to].read is None:
        return
    after = read_moves(target)
    unread = sum(after.lost.values()) + sum(
        count for what, count in written.lost.items() if what.startswith(("moves", "of weight"))
    )
    if "book" not in (of, to):
        assert {row[0:3:2] for row in rows_of(after)} <= {row[0:3:2] for row in rows_of(before)}
        assert len(after) + unread >= len(before)


def test_a_format_converted_to_itself_is_the_same_file(tmp_path: Path) -> None:
    for game, names in OF_GAME.items():
        for name in names:
            suffix = FORMATS[name].suffix
            if FORMATS[name].read is None:
                continue
            source, target = tmp_path / f"{game}{suffix}", tmp_path / f"{game}-again{suffix}"
            write_moves(source, usual_book(game))  # type: ignore[arg-type]
            convert(source, target)
            assert target.read_bytes() == source.read_bytes(), name


def test_refused_conversion_writes_nothing(tmp_path: Path) -> None:
    write_moves(tmp_path / "a.csv", move_book("chess"))
    with pytest.raises(OptionError, match=r"book-dat is a format for xiangqi, the book is of chess"):
        convert(tmp_path / "a.csv", tmp_path / "a.dat")
    write_moves(tmp_path / "a.pgn", move_book("chess"))
    with pytest.raises(FormatError, match=r"a\.pgn: is an archive of chess games; expected a book"):
        read_moves(tmp_path / "a.pgn")
    with pytest.raises(
        OptionError, match=r"pgn is a write-only format; count its moves with tally --variations"
    ):
        read_moves(tmp_path / "a.pgn", "pgn")
    empty = MoveBook(table=move_table(0), game="chess", fold=False, statistic="own")
    for name in ("bin", "abk", "csv"):
        with pytest.raises(FormatError, match="it would have no moves: the book is empty"):
            write_moves(tmp_path / f"empty.{name}", empty)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.pgn"]


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_csv_of_fen_move_and_weight_is_a_book(game: Game, tmp_path: Path) -> None:
    first, second, reply = {"chess": ("e4", "d4", "c5"), "xiangqi": ("炮二平五", "g3g4", "h9g7")}[game]
    start = Position(game)
    rows = [(first, reply, 3), ("startpos", second, 4), ("startpos", first, 5), ("startpos", first, 1)]
    path = tmp_path / "plain.csv"
    lines = [f'"{fen}",{move},{weight}' for fen, move, weight in rows]
    path.write_text("\n".join(["fen,move,weight", *lines]), encoding="utf-8")
    book = open_book(path)
    assert book.game == game
    assert [weight for _, weight in book.weighted_moves(start)] == [6, 4]
    assert convert(path, tmp_path / "a.book").moves == 3
    path.write_text("fen,move\nstartpos,e4\n", encoding="utf-8")
    with pytest.raises(FormatError, match='column "weight" is missing'):
        read_moves(path)
