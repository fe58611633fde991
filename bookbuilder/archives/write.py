"""Write played games as an archive, in the format of the suffix.

`.pgn` is text, one game after the other; `.zip` has one XQF file per game, named by number. Neither depends
on the clock, so equal games give equal bytes. The core converts the games, which it gets as plain PGN.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from bookbuilder import _core
from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game
from bookbuilder.temporary import TemporaryFolder

_SUFFIXES: Final[dict[Game, tuple[str, ...]]] = {"chess": (".pgn",), "xiangqi": (".pgn", ".zip")}


def check_archive_form(path: Path, game: Game) -> None:
    """Refuse a file name whose suffix is not a format for games of this kind.

    Raises:
        OptionError: the suffix is unknown.
    """
    if path.suffix.lower() not in _SUFFIXES[game]:
        forms = " or ".join(_SUFFIXES[game])
        raise OptionError(f"{path}: {game} games are written to files that end in {forms}")


def write_archive(stream: BinaryIO, suffix: str, game: Game, games: Iterable[PlayedGame]) -> int:
    """Write games of one kind and return their number.

    Raises:
        OptionError: a game has an illegal move.
    """
    is_zip = suffix.lower() == ".zip"
    with TemporaryFolder() as folder:
        plain = folder / "games.pgn"
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
    for reject in map(json.loads, b"".join(run.rejects()).splitlines()):
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
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"'})
    lines = [f'[{name} "{value.translate(escapes)}"]\n' for name, value in tags.items()]
    book = set(played.book)
    moves = [f"{move} {{book}}" if ply in book else move for ply, move in enumerate(played.moves, start=1)]
    return f"{''.join(lines)}\n{' '.join([*moves, played.result])}\n\n"
