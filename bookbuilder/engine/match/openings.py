"""Openings of a match, from an archive or a file of positions, or drawn at random.

Their order depends on a seed. Each opening is played twice, with colours swapped. A file of positions has a
FEN or a line of EPD in each line: `board side castling en-passant [halfmoves number] operations`. Lines of
xiangqi have a board of ten ranks.

Source: PGN standard (Edwards 1994), section 16.2.
"""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from bookbuilder import _core
from bookbuilder._core import Position
from bookbuilder.engine.engine import Engine
from bookbuilder.errors import ArchiveError, FenError, OptionError
from bookbuilder.games.position import Game

_POSITIONS: Final = (".epd", ".fen")
# A random opening is replaced if a search of this number of nodes gives one side more than this; chosen.
_MOST_CENTIPAWNS: Final = 120
_JUDGE_NODES: Final = 3000
# Number of draws without a new opening after which a source counts as exhausted.
_MOST_DRAWS: Final = 200


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game begins."""

    fen: str | None  # position; None: the start of the game
    moves: tuple[str, ...]  # moves from there, in UCI or ICCS


class Openings:
    """Openings by number, drawn when they are first asked for; behind the last one they are repeated."""

    def __init__(self, lines: Iterable[Opening]) -> None:
        """Take the source of the openings."""
        self._lines, self._known, self._lock = iter(lines), list[Opening](), Lock()

    def __getitem__(self, number: int) -> Opening:
        """Return an opening; there must be one."""
        with self._lock:
            self._known += itertools.islice(self._lines, max(0, number + 1 - len(self._known)))
            return self._known[number % len(self._known)]


def choose_openings(
    game: Game, source: Path | None, *, plies: int, seed: int, shuffle: bool = True
) -> Openings:
    """Return the openings of a match. Only the first is drawn now, since a draw takes some milliseconds.

    The source is an archive, or a file of positions, for which `plies` is ignored; None: random moves. With
    `shuffle`, the openings of a file are drawn at random.

    Raises:
        ArchiveError: the file cannot be read.
        OptionError: the file has no opening of the game.
    """
    chance = random.Random(f"openings {game} {seed}")
    lines: Iterable[Opening]
    if source is None:
        lines = _random_openings(game, plies, chance) if plies else [Opening(None, ())]
    else:
        is_list = source.suffix.lower() in _POSITIONS
        lines = _of_positions(source, game) if is_list else _of_archive(source, game, plies)
        if shuffle:
            chance.shuffle(lines)
    lines = iter(lines)
    if (first := next(lines, None)) is None:
        raise OptionError(f"{source or 'random openings'}: no opening of {game} in it")
    return Openings(itertools.chain([first], lines))


def _of_positions(path: Path, game: Game) -> list[Opening]:
    """Return the positions of a file; lines that are not positions of the game are skipped."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from error
    found = []
    for line in lines:
        fields = line.split()
        counters = fields[4:6] if all(each.isdecimal() for each in [*fields[4:6], "0"]) else []
        fen = " ".join([*fields[:4], *(counters if len(counters) == 2 else ("0", "1"))])
        try:
            position = Position(game, fen)
        except FenError:
            continue
        if position.verdict is None:
            found.append(Opening(fen, ()))
    return found


def _of_archive(path: Path, game: Game, plies: int) -> list[Opening]:
    """Return the different beginnings of an archive's games, each `[fen FEN moves] MOVE…` in the core."""
    with tempfile.TemporaryFile() as stream:
        _core.convert_games([str(path)], game, stream.write, layout="stream", to="lines", results=False)
        stream.seek(0)
        lines = stream.read().decode("utf-8").splitlines()
    found: dict[Opening, None] = {}
    for line in lines:
        fen = None
        if line.startswith("fen "):
            fen, _, line = line.removeprefix("fen ").partition(" moves")
        if line or fen:  # a game without moves is no opening
            found[Opening(fen, tuple(line.split()[:plies]))] = None
    return list(found)


def _random_openings(game: Game, plies: int, chance: random.Random) -> Iterator[Opening]:
    """Yield different lines of random legal moves after which no side is much better, until few are left."""
    judge, known, idle = Engine(game, hash_mib=1), set[Opening](), 0
    while idle < _MOST_DRAWS:
        position, moves = Position(game), list[str]()
        while len(moves) < plies and position.verdict is None:
            code = chance.choice(position.moves())
            moves.append(position.coordinates(code))
            position = position.play(code)
        idle += 1
        opening = Opening(None, tuple(moves))
        if position.verdict is not None or opening in known:
            continue
        judge.clear()
        score = judge.search(moves=moves, nodes=_JUDGE_NODES).score_cp
        if score is not None and abs(score) <= _MOST_CENTIPAWNS:
            known.add(opening)
            idle = 0
            yield opening
