"""Find in archives the games of a player, and the choices that a book gave there."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bookbuilder import _core
from bookbuilder.archives.filters import GameFilter
from bookbuilder.learning.experience import Experience, OwnGame
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from bookbuilder.book.play import MoveSource
    from bookbuilder.tally.options import Progress

__all__ = ["Lessons", "find_lessons"]

# Points of the first side by the number that GAMES gives a result.
_POINTS: Final = {1: 1.0, 2: 0.5, 3: 0.0}
# Own moves in a row without a book move, after which a game is not followed further.
_MOST_UNKNOWN: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """What archives say about a book in the hands of a player.

    Attributes:
        games: games to add to the journal.
        found: games of the player in the archives.
        known: of those, games that the journal has.
        without_result: of those, games without a result.
        without_choice: of those, games in which the book gave no choice.
        rejected: games that could not be read.
    """

    games: list[OwnGame]
    found: int
    known: int
    without_result: int
    without_choice: int
    rejected: int


def find_lessons(
    own: Experience,
    book: MoveSource,
    paths: Sequence[str | os.PathLike[str]],
    *,
    progress: Progress | None = None,
) -> Lessons:
    """Return the games of archives that teach something new.

    A game against oneself counts for both sides.

    Args:
        own: the journal.
        book: the book.
        paths: archives.
        progress: called a few times per second with (bytes read, games, rejects).

    Raises:
        ArchiveError: a file is missing, unreadable, or of an unknown format.
    """
    tally = Tally.from_archives(
        *paths,
        game=own.game,
        max_ply=0,
        check="full",
        filters=GameFilter(player=(own.name,)),
        progress=progress,
    )
    known = {each.identity for each in own.games}
    found: list[OwnGame] = []
    skipped = Counter[str]()
    for row, side, identity in _games_of(tally, own.name):
        if identity in known:
            skipped["known"] += 1
        elif row["result"] not in _POINTS:
            skipped["without_result"] += 1
        elif (game := _own_game(own, book, row, side, identity)) is None:
            skipped["without_choice"] += 1
        else:
            found.append(game)
    rejected = 0 if tally.report is None else sum(tally.report.rejects.values())
    counts = {name: skipped[name] for name in ("known", "without_result", "without_choice")}
    return Lessons(games=found, found=len(found) + skipped.total(), rejected=rejected, **counts)


def _games_of(tally: Tally, name: str) -> Iterator[tuple[dict[str, Any], int, str]]:
    """Yield the games of a player by their place: row of GAMES, side of the player, identity."""
    copies = Counter[int]()
    for row in tally.games.to_pylist():
        fingerprint = row["fingerprint"]
        copies[fingerprint] += 1
        for side, player in enumerate(("first_player", "second_player")):
            if name.casefold() in row[player].casefold():
                yield row, side, f"{fingerprint:016x}-{copies[fingerprint]}-{side}"


def _own_game(
    own: Experience, book: MoveSource, row: dict[str, Any], side: int, identity: str
) -> OwnGame | None:
    """Return a game with its choices; None if there were none."""
    read = _core.read_game(row["source"], row["member"] or None, row["offset"], own.game)
    moves = [] if read is None else read.moves
    choices = _choices(book, own, moves, side)
    if not choices:
        return None
    players, ratings = (("first_player", "second_player"), ("first_rating", "second_rating"))
    points = _POINTS[row["result"]]
    place = " ".join(filter(None, (row["source"], row["member"], str(row["offset"]))))
    return OwnGame(
        run=own.runs + 1,
        identity=identity,
        place=place,
        date=row["date"],
        opponent=row[players[1 - side]],
        side=side,
        points=points if side == 0 else 1 - points,
        rating=row[ratings[side]],
        opponent_rating=row[ratings[1 - side]],
        moves=tuple(moves[: choices[-1] + 1]),
        choices=tuple(choices),
    )


def _choices(book: MoveSource, own: Experience, moves: Sequence[str], side: int) -> list[int]:
    """Return the plies at which the player played one of several book moves."""
    here, found, unknown = _core.Position(own.game), list[int](), 0
    for ply, text in enumerate(moves):
        code = here.parse_move(text)
        if here.side == side:
            offered = [choice.code for choice in book.choices(here)]
            unknown = 0 if offered else unknown + 1
            if code in offered and len(offered) > 1:
                found.append(ply)
            if unknown > _MOST_UNKNOWN:
                break
        here = here.play(code)
    return found
