"""The archives that come with the program, for trying things out."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from bookbuilder.errors import ArchiveError
from bookbuilder.games.position import Game, as_game

_ARCHIVES: Final[dict[Game, tuple[str, ...]]] = {
    "chess": ("chess_selfplay.pgn", "historic.pgn"),
    "xiangqi": ("xiangqi_selfplay.zip",),
}


def demo(game: Game = "chess") -> list[Path]:
    """Return the archives of a game that come with the program, as `bookbuilder demo` uses them.

    They are package data in `bookbuilder/data/`, which in a checkout is a link to `data/`.

    Args:
        game: `chess` or `xiangqi`.

    Raises:
        ArchiveError: they are not installed.
        OptionError: the game is unknown.

    Example:
        >>> demo("xiangqi")[0].name
        'xiangqi_selfplay.zip'
    """
    folder = Path(str(files("bookbuilder"))) / "data"
    found = [path for name in _ARCHIVES[as_game(game)] if (path := folder / name).is_file()]
    if not found:
        raise ArchiveError(f"{folder}: the demo's archives of {game} are missing; install the package again")
    return found
