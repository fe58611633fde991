"""Matches between two engines.

Game number n is played from opening (n - 1) // 2, and the first player has the first side if n is odd, so
games 2k - 1 and 2k are a pair. Games are played at the same time by workers, each with engines of its own.
Finished games are kept in a journal, from which an interrupted match is resumed.
"""

from __future__ import annotations

import queue
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias, get_args

from bookbuilder.book.play import MoveSource
from bookbuilder.engine.match.books import BookHand
from bookbuilder.engine.match.journal import append_game, read_games
from bookbuilder.engine.match.openings import Opening, choose_openings
from bookbuilder.engine.match.player import EngineSpec, Player, PlayerFault, Protocol, ThinkLimit
from bookbuilder.engine.match.protocols import open_player
from bookbuilder.engine.match.referee import Seat, play_game
from bookbuilder.engine.match.standing import MatchGame, MatchOptions, Standing
from bookbuilder.engine.match.threads import Threads
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

__all__ = ["BUNDLED", "parse_engine", "run_match"]

BUNDLED: Final = "bundled"
"""The word for the bundled engine, which plays in its own process."""


def parse_engine(
    text: str, game: Game, *, name: str | None, options: Sequence[str], limit: ThinkLimit
) -> EngineSpec:
    """Return the engine that a text describes: `bundled`, or a protocol and a command line (`ucci:eleeye`).

    Args:
        text: the text; the default protocol is UCI.
        game: the game to play.
        name: its name; None: that of its program.
        options: `Name=Value` each.
        limit: how long it may think.

    Raises:
        OptionError: the text or an option is invalid.

    Example:
        >>> limit = bb.ThinkLimit.parse("movetime=100")
        >>> engine = bb.parse_engine("ucci:eleeye", "xiangqi", name=None, options=["Threads=2"], limit=limit)
        >>> engine.protocol, engine.name, engine.options
        ('ucci', 'eleeye', (('Threads', '2'),))
    """
    protocol: Protocol = "uci"
    for known in get_args(Protocol):
        if text.startswith(f"{known}:"):
            protocol, text = known, text.removeprefix(f"{known}:")
    if text == BUNDLED:
        # -P: a folder named bookbuilder in the current directory must not be imported.
        command = [sys.executable, "-P", "-m", "bookbuilder", "engine", "uci", "--game", game]
    else:
        command = shlex.split(text)
    if not command:
        raise OptionError(f'engine "{text}": expected {BUNDLED} or a command line')
    pairs = []
    for option in options:
        key, is_given, value = option.partition("=")
        if not key.strip():
            raise OptionError(f'engine option "{option}": expected Name=Value')
        pairs.append((key.strip(), value if is_given else ""))
    name = name or (BUNDLED if text == BUNDLED else Path(command[0]).name)
    return EngineSpec(tuple(command), protocol, name, tuple(pairs), limit)


def run_match(
    options: MatchOptions, *, journal: Path | None = None, tell: Callable[[MatchGame, Standing], None]
) -> list[MatchGame]:
    """Play a match, or the rest of an interrupted one, and return all its games by number.

    Args:
        options: the conditions of the match.
        journal: a file for finished games; if it exists, the match is resumed.
        tell: called after each game, in the order in which they end.

    Raises:
        OptionError: an engine cannot be started, does not play the game, or does not have the options; a book
            cannot be played.
        BookError: a clustered book is damaged or of the other game.
        FormatError: another book is damaged.
        StoreError: the journal is not one of this match.

    Example:
        >>> limit = bb.ThinkLimit(depth=1)
        >>> engine = bb.parse_engine("bundled", "chess", name=None, options=[], limit=limit)
        >>> options = bb.MatchOptions(game="chess", engines=(engine, engine), games=2)
        >>> games = bb.run_match(options, tell=lambda game, standing: None)
        >>> standing = bb.Standing.of(games, None)
        >>> standing.wins + standing.draws + standing.losses
        2
    """
    books = options.books.open(options.game)
    games = {} if journal is None else read_games(journal, options)
    openings = choose_openings(
        options.game,
        options.openings,
        plies=options.opening_plies,
        count=(options.games + 1) // 2,
        seed=options.seed,
        shuffle=options.shuffle,
    )
    left = [number for number in range(1, options.games + 1) if number not in games]
    if Standing.of(games.values(), options.sprt).is_decided:
        left = []
    with _Hall(options, books, openings, left) as hall:
        for game in hall.games():
            games[game.number] = game
            if journal is not None:
                append_game(journal, options, game)
            standing = Standing.of(games.values(), options.sprt)
            tell(game, standing)
            if standing.is_decided:
                break
    return [games[number] for number in sorted(games)]


_Books: TypeAlias = tuple[MoveSource | None, MoveSource | None]


class _Hall:
    """The workers of a match: each plays one game after the other, with its own engines."""

    def __init__(
        self, options: MatchOptions, books: _Books, openings: list[Opening], numbers: list[int]
    ) -> None:
        self._options = options
        self._books = books
        self._openings = openings
        self._count = len(numbers)
        self._numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in numbers:
            self._numbers.put(number)
        self._is_closing = threading.Event()
        self._open: list[Player] = []
        self._workers = min(max(1, options.concurrency), len(numbers))
        self._threads: Threads[MatchGame] = Threads(self._work, max(1, self._workers))

    def __enter__(self) -> _Hall:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing.set()
        # Interrupts engines that are still thinking; their games are not counted.
        for player in list(self._open):
            player.close()
        self._threads.join()

    def games(self) -> Iterator[MatchGame]:
        """Yield the games as they end; raise the error that keeps them from being played."""
        self._threads.start(self._workers)
        for _ in range(self._count):
            try:
                game = self._threads.next()
            except PlayerFault as fault:
                raise OptionError(str(fault)) from fault
            yield game

    def _work(self) -> None:
        players: list[Player] = []
        try:
            while not self._is_closing.is_set():
                try:
                    number = self._numbers.get_nowait()
                except queue.Empty:
                    return
                if not players:
                    self._engage(players)
                game = self._play(number, players)
                if self._is_closing.is_set():
                    return
                self._threads.put(game)
                if game.finished.ruling.reason in {"fault", "time"}:
                    # The engines may be in any state: the next game begins with new ones.
                    self._dismiss(players)
        finally:
            self._dismiss(players)

    def _engage(self, players: list[Player]) -> None:
        for spec in self._options.engines:
            player = open_player(spec, self._options.game)
            players.append(player)
            self._open.append(player)

    def _dismiss(self, players: list[Player]) -> None:
        while players:
            player = players.pop()
            player.close()
            self._open.remove(player)

    def _play(self, number: int, players: Sequence[Player]) -> MatchGame:
        options = self._options
        seats = [
            Seat(player, spec.limit, self._hand(place, number))
            for place, (player, spec) in enumerate(zip(players, options.engines, strict=True))
        ]
        if number % 2 == 0:
            seats.reverse()
        opening = self._openings[(number - 1) // 2]
        return MatchGame(number, play_game(options.game, opening, (seats[0], seats[1]), options.rules))

    def _hand(self, place: int, number: int) -> BookHand | None:
        """The hand that plays the book of a player in a game."""
        source = self._books[place]
        if source is None:
            return None
        side = (place + number - 1) % 2
        seed = f"book {self._options.seed} {(number - 1) // 2} {side}"
        return BookHand(source, self._options.books, seed)
