"""Changes of one move in the very file: every editable format, with a backup that undoing puts back."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.foreign_books import usual_book

import bookbuilder as bb
from bookbuilder.book.edits import backup_of
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.errors import BookError
from bookbuilder.games.position import Game

SUFFIXES = ["book", "bin", "abk", "dat", "obk", "csv"]


def written(suffix: str, folder: Path) -> Path:
    game: Game = "xiangqi" if suffix in {"dat", "obk"} else "chess"
    path = folder / f"a.{suffix}"
    write_moves(path, usual_book(game))
    return path


def weights(path: Path, position: str = "startpos") -> dict[str, int]:
    book = bb.open_book(path)
    here = bb.as_position(position, book.game)
    return {here.coordinates(code): weight for code, weight in book.weighted_moves(here)}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_edits_change_one_move_and_undo_restores_the_bytes(suffix: str, tmp_path: Path) -> None:
    path = written(suffix, tmp_path)
    content, before = path.read_bytes(), weights(path)
    first, second = list(before)[:2]

    dropped = bb.edit_book(path, "startpos", first)
    assert (dropped.before is None, dropped.after) == (False, None)
    assert weights(path) == {move: weight for move, weight in before.items() if move != first}
    assert backup_of(path).read_bytes() == content
    assert bb.undo_edit(path).read_bytes() == content
    with pytest.raises(BookError, match="no change to undo"):
        bb.undo_edit(path)

    changed = bb.edit_book(path, "startpos", second, weight=7)
    after = weights(path)
    assert {move: after[move] for move in before if move != second} == {
        move: weight for move, weight in before.items() if move != second
    }
    if suffix == "abk":
        assert (changed.after, after[second]) == (7, before[second])
    else:
        assert after[second] == changed.after
        assert suffix == "book" or changed.after == 7
    bb.undo_edit(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("depth", [0, 1])
def test_new_moves_are_found_where_they_were_added(suffix: str, depth: int, tmp_path: Path) -> None:
    path = written(suffix, tmp_path)
    book = bb.open_book(path)
    here = bb.as_position("startpos", book.game)
    for _ in range(depth):
        here = here.play(book.weighted_moves(here)[0][0])
    known = weights(path, here.fen)
    usual = {code: here.unfolded_move(here.stored_move(code, book.fold), book.fold) for code in here.moves()}
    texts = {here.coordinates(code): here.coordinates(twin) for twin, code in usual.items()}
    new = next(text for text in texts if text not in known)
    weight = 5 if suffix != "book" else 4_457 << 15  # more than one record's games
    bb.edit_book(path, here, texts[new], weight=weight, add=True)
    assert weights(path, here.fen) == known | {new: weight}
    with pytest.raises(BookError, match="already has"):
        bb.edit_book(path, here, new, add=True)
    # A position that the book did not have before is reached by the new move.
    there = here.play(here.parse_move(new))
    if suffix == "book" or not weights(path, there.fen):
        reply = there.coordinates(there.moves()[0])
        bb.edit_book(path, there, reply, add=True)
        assert reply in weights(path, there.fen)
