"""Coverage compared with a replay on python-chess boards."""

from __future__ import annotations

import chess.pgn
import pytest
from support.selections import LITERATURE

from bookbuilder.analysis.coverage import coverage
from bookbuilder.archives.filters import GameFilter
from bookbuilder.book.book import Book
from bookbuilder.book.formats.registry import convert
from bookbuilder.book.open import open_book
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

GAMES = 120


@pytest.fixture(scope="module")
def archive(data, tmp_path_factory):
    """The first games of an archive of our own."""
    path = tmp_path_factory.mktemp("archive") / "games.pgn"
    with (data / "chess_selfplay.pgn").open() as stream, path.open("w") as out:
        for _ in range(GAMES):
            print(chess.pgn.read_game(stream), end="\n\n", file=out)
    return path


@pytest.fixture(scope="module")
def book(archive, tmp_path_factory) -> Book:
    tally = Tally.from_archives(archive, max_ply=12, limit=GAMES // 2)
    chosen = select(tally, LITERATURE, min_win_rate="0.45")
    return Book.write(tmp_path_factory.mktemp("book") / "a.book", chosen)


def asked_of_boards(archive, book: Book, side: bool | None, limit: int) -> list[tuple[int, ...]]:
    """(plies, exit_ply, asked, followed, known) of each game."""
    rows = []
    with archive.open() as stream:
        while (game := chess.pgn.read_game(stream)) is not None:
            board, known = game.board(), []
            for move in list(game.mainline_moves())[:limit]:
                mover = board.turn
                board.push(move)
                known.append(None if side not in (None, mover) else book.probe(board) is not None)
            asked = [each for each in known if each is not None]
            exit_ply = known.index(False) if False in known else len(known)
            followed = asked.index(False) if False in asked else len(asked)
            rows.append((len(known), exit_ply, len(asked), followed, sum(asked)))
    return rows


@pytest.mark.parametrize(("side", "colour"), [(None, None), ("first", True), ("second", False)])
def test_coverage_equals_replay_on_boards(archive, book, side, colour) -> None:
    found = coverage(book, archive, side=side, max_ply=20)
    names = ["plies", "exit_ply", "asked", "followed", "known"]
    rows = [tuple(row) for row in found.games[names].to_numpy().tolist()]
    assert rows == asked_of_boards(archive, book, colour, 20)
    assert found.games_read == GAMES
    figures = found.figures()
    assert figures["followed"] == sum(row[3] for row in rows)
    assert figures["plies_share"] == figures["followed"] / sum(row[2] for row in rows)
    assert 0 < figures["games_followed"] < GAMES


def test_coverage_filters_games_and_rejects_an_unknown_side(archive, book, data) -> None:
    found = coverage(book, archive, filters=GameFilter(result=("1-0",)))
    assert set(found.games["result"]) == {1}
    assert sum(found.filtered.values()) + len(found.games) == GAMES
    with pytest.raises(OptionError, match="side"):
        coverage(book, archive, side="white")
    with pytest.raises(ArchiveError, match="hold no games of chess"):
        coverage(book, data / "xiangqi_selfplay.pgn")


def test_coverage_rejects_a_game_with_an_illegal_move(tmp_path, book) -> None:
    path = tmp_path / "bad.pgn"
    path.write_text('[Event "a"]\n\n1. e4 e5 2. Ke3 *\n\n[Event "b"]\n\n1. e4 e5 *\n')
    found = coverage(book, path)
    assert (len(found.games), found.rejected, found.games_read) == (1, 1, 2)


def test_games_follow_the_moves_of_a_polyglot_book(archive, book, tmp_path) -> None:
    convert(book.path, tmp_path / "a.bin")
    found = coverage(open_book(tmp_path / "a.bin"), archive, max_ply=20)
    whole = coverage(book, archive, max_ply=20)
    assert 0 < found.figures()["games_followed"] == whole.figures()["games_followed"]
    assert (found.games["known"] <= whole.games["known"]).all()
