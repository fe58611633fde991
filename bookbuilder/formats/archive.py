"""Archives of played games: games in, one whole file out, its form told by the suffix.

`.pgn` is text, one game after the other; `.zip` holds one XQF file per game, named by number. Nothing in
either depends on the clock, so equal games give equal bytes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from bookbuilder.errors import OptionError
from bookbuilder.formats.pgn import format_pgn
from bookbuilder.formats.played import PlayedGame
from bookbuilder.formats.xqf import format_xqf
from bookbuilder.games import Game

__all__ = ["check_archive_form", "write_archive"]

_SUFFIXES: Final[dict[Game, tuple[str, ...]]] = {"chess": (".pgn",), "xiangqi": (".pgn", ".zip")}
# The earliest date that zip can hold: members must not carry the time of writing.
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


def check_archive_form(path: Path, game: Game) -> None:
    """Refuse a file name whose suffix names no form that games of this kind are written in.

    Raises:
        OptionError: there is no such form.
    """
    if path.suffix.lower() not in _SUFFIXES[game]:
        forms = " or ".join(_SUFFIXES[game])
        raise OptionError(f"{path}: {game} games are written to files that end in {forms}")


def write_archive(stream: BinaryIO, suffix: str, games: Iterable[PlayedGame]) -> int:
    """Write games one by one, as they come, and return how many there were.

    Args:
        stream: a binary stream at its beginning.
        suffix: `.pgn` or `.zip`.
        games: the games, in order.
    """
    if suffix.lower() == ".zip":
        return _write_zip(stream, games)
    count = 0
    for played in games:
        stream.write(format_pgn(played).encode("utf-8"))
        count += 1
    return count


def _write_zip(stream: BinaryIO, games: Iterable[PlayedGame]) -> int:
    count = 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for played in games:
            member = zipfile.ZipInfo(f"{played.number:05d}.xqf", _ZIP_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, format_xqf(played))
            count += 1
    return count
