"""The error tree equals its drawing, and the core raises its classes."""

from __future__ import annotations

import builtins
import re
from pathlib import Path

import pytest

from bookbuilder import errors


def test_docstring_shows_the_class_tree() -> None:
    drawn = dict(re.findall(r"[├└]── (\w+) +(\w+)", errors.__doc__ or ""))
    assert {*drawn, "BookBuilderError"} == set(errors.__all__)
    for name, builtin in drawn.items():
        found = getattr(errors, name)
        assert found.__bases__ == (errors.BookBuilderError, getattr(builtins, builtin))


@pytest.mark.parametrize("name", errors.__all__)
def test_message_is_kept(name: str) -> None:
    assert str(getattr(errors, name)("games.pgn: is empty")) == "games.pgn: is empty"


def test_core_raises_our_classes(tmp_path: Path) -> None:
    from bookbuilder import _core
    from bookbuilder.tally.options import RunLimits, TallyOptions

    with pytest.raises(errors.FenError, match="8/8"):
        _core.Position("chess", "8/8/8/8/8/8/8/8 w - - 0 1")
    with pytest.raises(errors.MoveError, match="e2e5"):
        _core.Position("chess").parse_move("e2e5")
    with pytest.raises(errors.MoveError, match="move code 70000"):
        _core.Position("chess").play(70000)
    with pytest.raises(errors.ArchiveError, match=r"none\.pgn"):
        _core.count_archives([str(tmp_path / "none.pgn")], TallyOptions(game="chess"), RunLimits())
    (tmp_path / "foreign.book").write_text("no book " * 64)
    with pytest.raises(errors.BookError, match=r"foreign\.book"):
        _core.Book.open(str(tmp_path / "foreign.book"))
