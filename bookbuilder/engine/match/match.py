"""Matches between two engines.

Game number n is played from opening (n - 1) // 2, and the first player has the first side if n is odd, so
games 2k - 1 and 2k are a pair. Games are played at the same time by workers, each with engines of its own.
Finished games are kept in a journal, from which an interrupted match is resumed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bookbuilder.book.open import open_book
from bookbuilder.engine.drivers.player import PlayerFault
from bookbuilder.engine.drivers.workers import Players, in_parallel
from bookbuilder.engine.match.openings import choose_openings
from bookbuilder.engine.match.referee import MatchGame, Seat, play_game
from bookbuilder.engine.match.standing import MatchOptions, Standing
from bookbuilder.errors import EvalsError, OptionError
from bookbuilder.journal import Journal


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
        EvalsError: the journal is damaged, or not one of this match.

    Example:
        >>> limit = bb.ThinkLimit(depth=1)
        >>> engine = bb.parse_engine("bundled", "chess", name=None, options=[], limit=limit)
        >>> options = bb.MatchOptions(game="chess", engines=(engine, engine), games=2)
        >>> games = bb.run_match(options, tell=lambda game, standing: None)
        >>> standing = bb.Standing.of(games, None)
        >>> standing.wins + standing.draws + standing.losses
        2
    """
    books = [None if path is None else open_book(path, game=options.game) for path in options.books]
    plies, seed, shuffle = options.opening_plies, options.seed, options.shuffle
    openings = choose_openings(options.game, options.openings, plies=plies, seed=seed, shuffle=shuffle)

    def play(number: int) -> MatchGame:
        """Play a game; engines that are ended by an interruption lose it, so it is not counted."""
        players, pair = hall.take(), (number - 1) // 2
        # Equal books lead both games of a pair into the same line.
        first, second = (
            Seat(player, source, f"book {seed} {pair} {(place + number - 1) % 2}")
            for place, (player, source) in enumerate(zip(players, books, strict=True))
        )
        seats = (first, second) if number % 2 else (second, first)
        game = play_game(options.game, number, openings[pair], seats, options.rules)
        # After a fault the engines may be in any state: the next game begins with new ones.
        hall.give_back(players, are_sound=game.reason not in {"fault", "time"})
        return game

    head = {"match": options.identity()}
    games: dict[int, MatchGame] = {}
    with nullcontext() if journal is None else Journal(journal, head, is_exact=True) as written:
        try:
            for row in [] if written is None else written.rows:
                facts: dict[str, Any] = {
                    name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
                }
                games[facts["number"]] = MatchGame(**facts)
        except (KeyError, TypeError) as error:
            raise EvalsError(f"{journal}: damaged, a line is not that of a game: {error}") from error
        left = [number for number in range(1, options.games + 1) if number not in games]
        if Standing.of(games.values(), options.sprt).is_decided:
            left = []
        try:
            with (
                Players(options.engines, options.game) as hall,
                closing(in_parallel(play, left, options.concurrency, hall.interrupt)) as finished,
            ):
                for game in finished:
                    games[game.number] = game
                    if written is not None:
                        written.append(asdict(game))
                    standing = Standing.of(games.values(), options.sprt)
                    tell(game, standing)
                    if standing.is_decided:
                        break
        except PlayerFault as fault:
            raise OptionError(str(fault)) from fault
    return [games[number] for number in sorted(games)]
