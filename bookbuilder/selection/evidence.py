"""Evaluations as an option of a selection: from a file, from memory, or as a recipe names them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from bookbuilder.errors import SelectionError

if TYPE_CHECKING:
    from bookbuilder.evals.table import Evals

DEFAULT_LIMIT: Final = 60
"""Centipawns that a move may lose by default."""

XIANGQI_LIMIT: Final = 100
"""The same in xiangqi, where searches of engines without a network differ more."""


class Evidence(NamedTuple):
    """Evaluations that a selection uses."""

    evals: Evals  # the evaluations
    path: str | None  # their file or folder; None: they were never in one
    digest: str  # SHA-256 of their content

    def __str__(self) -> str:
        """Return the path, or what the evaluations are."""
        return self.path or repr(self.evals)

    def to_json(self) -> dict[str, Any]:
        """Return what a recipe says of the evaluations."""
        return {"path": self.path, "sha256": self.digest, "rows": len(self.evals)}

    def usual_limit(self) -> int:
        """Return the centipawns that a move may lose by default."""
        return XIANGQI_LIMIT if self.evals.game == "xiangqi" else DEFAULT_LIMIT

    def require(self, game: str, *, fold: bool) -> None:
        """Refuse a tally of another game.

        Raises:
            SelectionError: the tally is of another game, or folds mirrors differently.
        """
        if self.evals.game != game:
            raise SelectionError(f"evals {self}: evaluations of {self.evals.game}, the games are of {game}")
        if self.evals.fold != fold:
            raise SelectionError(f"evals {self}: mirrors are counted differently than in the tally")


EvidenceLike: TypeAlias = "Evidence | Evals | str | os.PathLike[str] | Mapping[str, Any]"
"""Evaluations, their file or folder, or what a recipe says of them."""


def as_evidence(given: EvidenceLike) -> Evidence:
    """Return evaluations as evidence.

    Raises:
        SelectionError: a recipe names evaluations that were never in a file, or that have changed.
        EvalsError: the file is not one of evaluations.
        OSError: it cannot be read.

    Example:
        >>> bb.Evals.empty("chess").write("games.evals")
        >>> str(as_evidence("games.evals"))
        'games.evals'
    """
    from bookbuilder.evals.table import Evals

    if isinstance(given, Evidence):
        return given
    if isinstance(given, Evals):
        return Evidence(given, None, _digest(given))
    if not isinstance(given, Mapping):
        path = Path(given)
        if not path.exists():
            raise SelectionError(f"evals {path}: no such file; `bookbuilder evaluate` writes it")
        found = Evals.read(path)
        return Evidence(found, str(given), _digest(found))
    if given["path"] is None:
        raise SelectionError("evals: the recipe's evaluations were in no file; run the program that had them")
    found_again = as_evidence(given["path"])
    if found_again.digest != given["sha256"]:
        raise SelectionError(f"evals {given['path']}: has changed since the book was built")
    return found_again


def _digest(evals: Evals) -> str:
    """Return SHA-256 of what a selection reads of evaluations."""
    import hashlib  # it loads OpenSSL

    from bookbuilder.columns import values

    content = hashlib.sha256(f"{evals.game} {evals.fold}".encode())
    for name in ("key", "lock", "nodes", "depth", "score", "best"):
        column: Any = evals.table.column(name)
        content.update(values(column.fill_null(0).combine_chunks()).tobytes())
    return content.hexdigest()
