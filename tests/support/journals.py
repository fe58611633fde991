"""Journals for the tests of power loss: what they hold, and a run that adds what is missing.

`write` is such a run: the first one, or one that resumes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import bookbuilder as bb
from bookbuilder.explorer.sources import StoreEdits
from bookbuilder.journal import Journal, read_journal

_MOVES: Final = ("g1f3", "g8f6", "f3g1", "f6g8") * 12
_IDENTITY: Final = {"game": "chess", "options": [[str(number), ""] for number in range(400)]}
"""Its line takes more than a block of a disk."""
_ROWS: Final = [
    {
        "key": number, "lock": number, "engine": "Engine 1", "network": None, "limit": "nodes=1",
        "depth": 1, "nodes": 1, "score": number, "best": None,
    }
    for number in range(60)
]  # fmt: skip
_GAMES: Final = [{"number": number, "moves": _MOVES[: 4 * number]} for number in range(1, 13)]
_READ: Final = [{**game, "moves": list(game["moves"])} for game in _GAMES]  # type: ignore[call-overload]
_HEAD: Final = {"lines": _IDENTITY}


_EDITS: Final = [
    bb.MoveEdit(position="startpos", move=move, keep=False, comment="x" * 400)
    for move in ("e4", "d4", "c4", "g4")
]


class Kind(NamedTuple):
    """A journal.

    Attributes:
        name: its file.
        write: reads it and adds what is missing; in a new file all is missing.
        read: returns its records, those that count; it may repair the file.
        whole: all records.
        is_exact: whether each record is on the disk when it was written, not only within a second.
        is_ordered: whether no record is there without those before it.
        before: creates the state before; None = no file.
        old: the records of the state before.
    """

    name: str
    write: Callable[[Path], object]
    read: Callable[[Path], Sequence[Any]]
    whole: Sequence[Any]
    is_exact: bool = True
    is_ordered: bool = False
    before: Callable[[Path], object] | None = None
    old: Sequence[Any] = ()


def writing(kind: str, path: Path) -> list[str]:
    """Return the words for `Program.run` that add what is missing to a journal."""
    tests = Path(__file__).parents[1]
    code = f"import sys; sys.path.insert(0, {str(tests)!r}); from support.journals import write"
    return ["-c", f"{code}; write({kind!r}, {str(path)!r})"]


def write(kind: str, path: str) -> None:
    """Add what is missing to a journal."""
    JOURNALS[kind].write(Path(path))


def _write(path: Path, rows: Sequence[Any], *, is_exact: bool) -> None:
    with Journal(path, _HEAD, is_exact=is_exact) as journal:
        for row in rows[len(journal.rows) :]:
            journal.append(row)


def _rows(path: Path) -> Sequence[dict[str, Any]]:
    return read_journal(path, _HEAD).rows


def _edits(path: Path) -> StoreEdits:
    return StoreEdits(path.with_suffix(".store"), "chess", fold=False)


def _edit(path: Path) -> None:
    edits = _edits(path)
    have = len(edits.current() or ())
    for edit in _EDITS[have:]:
        edits.add(edit)


def _undo(path: Path) -> None:
    edits = _edits(path)
    while now := edits.current():
        edits.undo(len(now) - 1, now.edits[-1].to_json())


def _edited(path: Path) -> Sequence[str]:
    found = _edits(path).current()
    return [] if found is None else [edit.move for edit in found.edits]


_EDITED: Final = ["e2e4", "d2d4", "c2c4", "g2g4"]
_BY_HAND: Final = Kind("a.edits", _edit, _edited, _EDITED, is_ordered=True)
JOURNALS: Final = {
    "paced": Kind("a.journal", partial(_write, rows=_ROWS, is_exact=False), _rows, _ROWS, is_exact=False),
    "exact": Kind("a.jsonl", partial(_write, rows=_GAMES, is_exact=True), _rows, _READ, is_ordered=True),
    "edits": _BY_HAND,
    "edits taken back": _BY_HAND._replace(write=_undo, whole=[], before=_edit, old=_EDITED),
}
