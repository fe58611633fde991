"""The changes by hand of a served store: in a file beside it, which `build --edits` reads too."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from bookbuilder.disk import remove_file
from bookbuilder.games.position import Game
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits

__all__ = ["StoreEdits"]

# One change at a time, whatever store.
_WRITING: Final = threading.Lock()


class StoreEdits:
    """The changes of a store.

    Attributes:
        path: their file: the store's name with the suffix `.edits`.
    """

    def __init__(self, store: Path, game: Game, *, fold: bool) -> None:
        """Begin without reading the file, which may not exist."""
        self.path = store.with_suffix(".edits")
        self._game: Game = game
        self._fold = fold
        self._stamp: tuple[int, ...] = ()
        self._edits: MoveEdits | None = None
        self._moves: dict[tuple[int, int], dict[int, MoveEdit]] = {}

    def current(self) -> MoveEdits | None:
        """Return the changes, None without a file. They are read again when the file has changed.

        Raises:
            SelectionError: the file is damaged, or of the other game.
            OSError: it cannot be read.
        """
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._edits, self._moves, self._stamp = None, {}, ()
            return None
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        if stamp != self._stamp:
            edits = MoveEdits.read(self.path)
            edits.require(self._game)
            moves: dict[tuple[int, int], dict[int, MoveEdit]] = {}
            for place, edit in edits.placed(fold=self._fold).items():
                moves.setdefault((place.key, place.lock), {})[place.move] = edit
            self._edits, self._moves, self._stamp = edits, moves, stamp
        return self._edits

    def at(self, key: int, lock: int) -> dict[int, MoveEdit]:
        """Return the changes of the moves of a position, by the stored code of the move."""
        return {} if self.current() is None else self._moves.get((key, lock), {})

    def add(self, edit: MoveEdit) -> MoveEdits:
        """Add a change and return all.

        Raises:
            FenError, MoveError: the position or the move is not valid.
            OSError: the file cannot be written.
        """
        with _WRITING:
            return self._written((self.current() or MoveEdits(self._game)).added(edit))

    def undo(self) -> MoveEdits:
        """Take the last change back and return the others.

        Raises:
            SelectionError: there is none.
            OSError: the file cannot be written.
        """
        with _WRITING:
            return self._written((self.current() or MoveEdits(self._game)).undone())

    def _written(self, edits: MoveEdits) -> MoveEdits:
        """Write the file; without changes it goes."""
        if len(edits):
            edits.write(self.path)
        else:
            remove_file(self.path)
        return edits
