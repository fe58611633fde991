"""Own results with a book: a journal of own games, and the games of archives that belong into it.

The journal has one line of JSON for each game. The archive's counts never change.

| line | content |
|---|---|
| head | game and name of the player |
| game | run, identity, place in its archive, date, opponent, ratings, points, moves, plies of the choices |
| undo | number of a run that no longer counts |

Lines are only added. A run that is killed or loses power may leave some of its games; the same run again adds
the others. A choice is a book move of the player where the book had another one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder import _core
from bookbuilder.archives.filters import GameFilter
from bookbuilder.errors import EvalsError, ExperienceError
from bookbuilder.games.position import Game, as_game
from bookbuilder.journal import Journal, read_journal
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from bookbuilder.book.play import MoveSource
    from bookbuilder.tally.options import Progress

_HEAD: Final = "experience"
_UNDO: Final = "undo"
# Points of the first side by the number that GAMES gives a result.
_POINTS: Final = {1: 1.0, 2: 0.5, 3: 0.0}
# Own moves in a row without a book move, after which a game is not followed further.
_MOST_UNKNOWN: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnGame:
    """A game that the player played from the book.

    Attributes:
        run: number of the run that added it, from 1.
        identity: what tells it from other games.
        place: its archive, and its first byte there.
        date: as its archive has it.
        opponent: name of the opponent.
        side: the player's side, 0 first, 1 second.
        points: 1 for a win, 0.5 for a draw, 0 for a loss.
        rating: rating of the player, 0 = unknown.
        opponent_rating: rating of the opponent, 0 = unknown.
        moves: UCI or ICCS, up to the last choice.
        choices: plies of the choices, from 0.
    """

    run: int
    identity: str
    place: str
    date: str
    opponent: str
    side: int
    points: float
    rating: int
    opponent_rating: int
    moves: tuple[str, ...]
    choices: tuple[int, ...]

    def corrected(self) -> float:
        """Return the points after correction for ratings, 0 … 1.

        Equal opponents leave them as they are. A loss against a much stronger opponent is nearly half a
        point, and a win against a much weaker one no more than that.

        Example:
            >>> facts = dict(run=1, identity="a", place="a.pgn 0", date="", opponent="", side=0, moves=(),
            ...     choices=())
            >>> OwnGame(points=1.0, rating=0, opponent_rating=0, **facts).corrected()
            1.0
            >>> round(OwnGame(points=0.0, rating=2400, opponent_rating=2800, **facts).corrected(), 2)
            0.41
        """
        if not self.rating or not self.opponent_rating:
            return self.points
        promised = 1 / (1 + 10 ** ((self.opponent_rating - self.rating) / 400))
        return min(max(self.points - promised + 0.5, 0.0), 1.0)


@dataclass(slots=True, kw_only=True)
class Experience:
    """The journal of a player with a book.

    Attributes:
        path: its file.
        game: the game.
        name: part of the player's name.
        games: the games that count, in the order in which they were added.
        runs: number of runs so far, with those undone.

    Example:
        >>> own = bb.Experience.open("games.book.learned", "chess", "Me")
        >>> own.games, own.runs
        ([], 0)
    """

    path: Path
    game: Game
    name: str
    games: list[OwnGame] = field(default_factory=list)
    runs: int = 0

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], game: Game | None = None, name: str | None = None
    ) -> Experience:
        """Return the journal in a file, or a new one for a missing file.

        Args:
            path: the file; nothing is written.
            game: the expected game; None = that of the file.
            name: the expected name; None = that of the file.

        Raises:
            ExperienceError: the file is not a journal, is damaged, or is of another game or player; or there
                is neither a file nor a name.
            OSError: it cannot be read.

        Example:
            >>> bb.Experience.open("mine.learned", "xiangqi", "Me").game
            'xiangqi'
        """
        place = Path(path)
        known = {"game": game, "name": name}
        try:
            lines = read_journal(place, {_HEAD: known} if None not in known.values() else None)
        except EvalsError as error:
            raise ExperienceError(str(error)) from error
        if lines.head is None:
            if game is None or not name:
                raise ExperienceError(
                    f"{place}: no such file; name the player (--as) whose games to learn from"
                )
            return cls(path=place, game=game, name=name)
        found = cls._of_head(place, lines.head.get(_HEAD))
        for wanted, has, what in ((game, found.game, "of"), (name, found.name, "of the player")):
            if wanted is not None and wanted != has:
                raise ExperienceError(f"{place}: is {what} {has}, expected {what} {wanted}")
        for line in lines.rows:
            found._take(line)
        return found

    @classmethod
    def _of_head(cls, path: Path, head: object) -> Experience:
        if not isinstance(head, dict) or not {"game", "name"} <= head.keys():
            raise ExperienceError(
                f"{path}: is not a journal of own results; `bookbuilder book learn` writes them"
            )
        return cls(path=path, game=as_game(head["game"]), name=str(head["name"]))

    def _take(self, line: dict[str, Any]) -> None:
        """Take a line of the file into account."""
        if _UNDO in line:
            self.games = [each for each in self.games if each.run != line[_UNDO]]
            return
        try:
            pairs = {name: tuple(line[name]) for name in ("moves", "choices")}
            own = OwnGame(**{**line, **pairs})
        except (TypeError, KeyError) as error:
            raise ExperienceError(f"{self.path}: a line is not that of a game: {error}") from error
        self.games.append(own)
        self.runs = max(self.runs, own.run)

    def add(self, games: Iterable[OwnGame]) -> None:
        """Add games to the file, all in one write.

        Example:
            >>> own = bb.Experience.open("new.learned", "chess", "Me")
            >>> own.add([])
            >>> bb.Experience.open("new.learned").name
            'Me'
        """
        games = list(games)
        self._append([asdict(each) for each in games])
        self.games += games
        self.runs = max([self.runs, *(each.run for each in games)])

    def undo(self) -> int:
        """Take the last run back that counts; return the number of its games, 0 = there is none.

        Example:
            >>> bb.Experience.open("newer.learned", "chess", "Me").undo()
            0
        """
        if not self.games:
            return 0
        last = max(each.run for each in self.games)
        count = sum(each.run == last for each in self.games)
        self._append([{_UNDO: last}])
        self.games = [each for each in self.games if each.run != last]
        return count

    def _append(self, lines: list[dict[str, Any]]) -> None:
        head = {_HEAD: {"game": self.game, "name": self.name}}
        with Journal(self.path, head, is_exact=True) as journal:
            journal.append(*lines)


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
