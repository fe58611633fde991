"""Archives of played games: games in, one whole file out, its form told by the suffix.

`.pgn` is text, one game after the other; `.zip` holds one XQF file per game, named by number. Nothing in
either depends on the clock, so equal games give equal bytes. The formats are the core's: games are handed to
it as PGN in its plainest form, and converted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from bookbuilder import _core
from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native

__all__ = ["check_archive_form", "write_archive"]

_SUFFIXES: Final[dict[Game, tuple[str, ...]]] = {"chess": (".pgn",), "xiangqi": (".pgn", ".zip")}


def check_archive_form(path: Path, game: Game) -> None:
    """Refuse a file name whose suffix names no form that games of this kind are written in.

    Raises:
        OptionError: there is no such form.
    """
    if path.suffix.lower() not in _SUFFIXES[game]:
        forms = " or ".join(_SUFFIXES[game])
        raise OptionError(f"{path}: {game} games are written to files that end in {forms}")


def write_archive(stream: BinaryIO, suffix: str, game: Game, games: Iterable[PlayedGame]) -> int:
    """Write games of one kind and return how many there were.

    Args:
        stream: a binary stream at its beginning.
        suffix: `.pgn` or `.zip`.
        game: chess or xiangqi.
        games: the games, in order.

    Raises:
        OptionError: a game holds an illegal move.
    """
    is_zip = suffix.lower() == ".zip"
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "games.pgn"
        count = 0
        with plain.open("w", encoding="utf-8", newline="\n") as text:
            for played in games:
                text.write(_plain_pgn(played))
                count += 1
        run = _core.convert_games(
            [str(plain)],
            game,
            stream.write,
            layout="zip" if is_zip else "stream",
            to="xqf" if is_zip else "pgn",
        )
    for reject in from_native(run.rejects()).to_pylist():
        raise OptionError(f"game {reject['game']}: {reject['message']}")
    return count


def _plain_pgn(played: PlayedGame) -> str:
    first = "White" if played.game == "chess" else "Red"
    tags = {
        "Event": played.event,
        "Date": played.date,
        "Round": str(played.number),
        first: played.first,
        "Black": played.second,
    }
    if played.termination is not None:
        tags["Termination"] = played.termination
    if played.fen is not None:
        tags |= {"SetUp": "1", "FEN": played.fen}
    lines = [f'[{name} "{_escape(value)}"]\n' for name, value in tags.items()]
    return f"{''.join(lines)}\n{' '.join([*played.moves, played.result])}\n\n"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
