"""Reads the text and the moves of a game from its archive, at the place that its row of GAMES names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookbuilder import _core
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.samples import GameRow
from bookbuilder.games.position import Game

__all__ = ["ArchiveGame", "read_game"]

# The core reads games of up to 64 MiB. No real game is that long, and a page could not show it.
_MAX_GAME_BYTES: Final = 2 << 20
# Bytes that are decompressed in order to reach a game.
_MAX_INFLATE: Final = 4 << 30
_TAG: Final = re.compile(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveGame:
    """A game of an archive.

    Attributes:
        pgn: the game as PGN.
        tags: its tags, in the order of the text.
        moves: its moves, UCI or ICCS.
    """

    pgn: str
    tags: dict[str, str]
    moves: tuple[str, ...]


def read_game(row: GameRow, game: Game) -> ArchiveGame:
    """Return a game from its archive.

    Args:
        row: its row of GAMES.
        game: chess or xiangqi.

    Raises:
        RefusedError: the archive is missing, has changed, or cannot be read up to the game.
    """
    path, member, offset = Path(row["source"]), row["member"] or None, row["offset"]
    if not path.is_file():
        message = f"the game is in {path}, which is not there: put the archive back where it was counted"
        raise RefusedError(409, "no-archive", message)
    try:
        found = _core.read_game(str(path), member, offset, game, max_inflate=_MAX_INFLATE)
    except OptionError as error:
        message = (
            f"the game is more than {_MAX_INFLATE >> 30} GiB inside a compressed archive: "
            "decompress it, and tally that"
        )
        raise RefusedError(409, "too-far", message) from error
    except (ArchiveError, OSError) as error:
        raise _changed(str(error)) from error
    names = ("first_player", "second_player", "date")
    if found is None or any(getattr(found, name) != row[name] for name in names):
        raise _changed(f"{path}: another game stands at byte {offset}")
    if found.pgn is None or found.length > _MAX_GAME_BYTES:
        raise _changed(f"{path}: the game at byte {offset} cannot be read to its end")
    tags = {name: value.replace(r"\"", '"').replace(r"\\", "\\") for name, value in _TAG.findall(found.pgn)}
    return ArchiveGame(pgn=found.pgn.strip() + "\n", tags=tags, moves=tuple(found.moves))


def _changed(reason: str) -> RefusedError:
    return RefusedError(409, "other-archive", f"{reason}; tally the archive again")
