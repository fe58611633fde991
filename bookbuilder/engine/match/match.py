"""Matches between two engines: who plays, how long and from which openings in; games and their meaning out.

Game number n is played from opening (n - 1) // 2, the first player having the first side where n is odd, so
games 2k - 1 and 2k are a pair. Games run side by side, each worker with engines of its own. What is finished
stands in a journal, one line of JSON a game: a match that was broken off goes on where it was.
"""

from __future__ import annotations

import json
import queue
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from bookbuilder.archives.played_game import PlayedGame
from bookbuilder.engine.match.elo import EloEstimate, Sprt, SprtState, estimate_elo, sprt_state
from bookbuilder.engine.match.game import Adjudication, Finished, Ruling, Seat, play_game
from bookbuilder.engine.match.openings import Opening, choose_openings
from bookbuilder.engine.match.player import EngineSpec, Player, PlayerFault, Protocol, ThinkLimit
from bookbuilder.engine.match.protocols import open_player
from bookbuilder.errors import BookBuilderError, OptionError, StoreError
from bookbuilder.games.position import Game

__all__ = ["BUNDLED", "MatchGame", "MatchOptions", "Standing", "parse_engine", "played_games", "run_match"]

BUNDLED: Final = "bundled"
"""The word for the bundled engine, which plays in a process of its own."""

_POINTS: Final = {"1-0": (2, 0), "1/2-1/2": (1, 1), "0-1": (0, 2), "*": (1, 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """What is played.

    Attributes:
        game: chess or xiangqi.
        engines: the first player and the second.
        games: how many, at most.
        openings: book, archive or file of positions; None: random moves.
        opening_plies: moves of an opening.
        shuffle: draw openings from a file, instead of taking them in order.
        seed: what all drawing starts from.
        rules: when games are ended early.
        sprt: a test that ends the match.
        concurrency: games at a time.
    """

    game: Game
    engines: tuple[EngineSpec, EngineSpec]
    games: int
    openings: Path | None = None
    opening_plies: int = 8
    shuffle: bool = True
    seed: int = 1
    rules: Adjudication = field(default_factory=Adjudication)
    sprt: Sprt | None = None
    concurrency: int = 1

    def identity(self) -> dict[str, Any]:
        """What must be equal for a journal to be gone on with: all but how many and how fast."""
        facts = asdict(self)
        for name in ("games", "concurrency", "sprt"):
            del facts[name]
        plain: dict[str, Any] = json.loads(json.dumps(facts, default=str))
        return plain


@dataclass(frozen=True, slots=True)
class MatchGame:
    """A finished game of a match.

    Attributes:
        number: from 1.
        finished: how it went.
    """

    number: int
    finished: Finished

    @property
    def first_player(self) -> int:
        """Which player had the first side: 0 or 1."""
        return (self.number - 1) % 2

    @property
    def points(self) -> int:
        """Half points of the first player of the match: 0, 1 or 2."""
        return _POINTS[self.finished.ruling.result][self.first_player]

    @property
    def faulty_player(self) -> int | None:
        """The player whose fault ended the game."""
        side = self.finished.faulty_side
        return None if side is None else (self.first_player + side) % 2


@dataclass(frozen=True, slots=True)
class Standing:
    """How a match stands, as the first player sees it.

    Attributes:
        wins: games won.
        draws: games drawn.
        losses: games lost.
        pairs: complete pairs by their points, 0, ½, 1, 1½, 2.
        elo: the difference that the pairs speak for; by games where no pair is complete; None without games.
        sprt: state of the test, if there is one.
        faults: games that each player lost by a fault.
        time_losses: games lost on time.
        reasons: games by why they ended.
        different: different games, by colours and moves. Players that always answer alike play the same game
            again from the same opening; the error of `elo`, which takes every game for a new one, is then too
            small.
    """

    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]
    elo: EloEstimate | None
    sprt: SprtState | None
    faults: tuple[int, int]
    time_losses: int
    reasons: dict[str, int]
    different: int

    @classmethod
    def of(cls, games: Iterable[MatchGame], sprt: Sprt | None) -> Standing:
        """Return the standing after these games."""
        games = list(games)
        points = Counter(game.points for game in games)
        by_number = {game.number: game.points for game in games}
        both = [by_number[n] + by_number[n + 1] for n in by_number if n % 2 == 1 and n + 1 in by_number]
        pairs = tuple(both.count(total) for total in range(5))
        singles = (points[0], points[1], points[2])
        faulty = Counter(game.faulty_player for game in games)
        reasons = Counter(game.finished.ruling.reason for game in games)
        return cls(
            wins=points[2],
            draws=points[1],
            losses=points[0],
            pairs=pairs,
            elo=estimate_elo(pairs if both else singles),
            sprt=None if sprt is None else sprt_state(sprt, pairs),
            faults=(faulty[0], faulty[1]),
            time_losses=reasons["time"],
            reasons=dict(reasons.most_common()),
            different=len({(game.first_player, game.finished.fen, game.finished.moves) for game in games}),
        )


def parse_engine(
    text: str, game: Game, *, name: str | None, options: Sequence[str], limit: ThinkLimit
) -> EngineSpec:
    """Return the engine that a text names: `bundled`, or a command line after its protocol (`ucci:eleeye`).

    Args:
        text: the text; UCI where it names no protocol.
        game: what is played.
        name: what to call it; None: after its program.
        options: `Name=Value` each.
        limit: how long it may think.

    Raises:
        OptionError: it names nothing.
    """
    protocol: Protocol = "uci"
    for known in get_args(Protocol):
        if text.startswith(f"{known}:"):
            protocol, text = known, text.removeprefix(f"{known}:")
    if text == BUNDLED:
        # -P: a folder named bookbuilder where the command runs is not the program.
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
    called = name or (BUNDLED if text == BUNDLED else Path(command[0]).name)
    return EngineSpec(tuple(command), protocol, called, tuple(pairs), limit)


def run_match(
    options: MatchOptions, *, journal: Path | None = None, tell: Callable[[MatchGame, Standing], None]
) -> list[MatchGame]:
    """Play a match, or what is left of it, and return all its games by number.

    Args:
        options: what is played.
        journal: a file to keep finished games in; one that is there is gone on with.
        tell: called after each game, in the order in which they end.

    Raises:
        OptionError: an engine cannot be started, does not play the game, or has not the options.
        StoreError: the journal is not one of this match.
    """
    games = {} if journal is None else _read_journal(journal, options)
    count = (options.games + 1) // 2
    openings = choose_openings(
        options.game,
        options.openings,
        plies=options.opening_plies,
        count=count,
        seed=options.seed,
        shuffle=options.shuffle,
    )
    left = [number for number in range(1, options.games + 1) if number not in games]
    if _is_decided(Standing.of(games.values(), options.sprt)):
        left = []
    with _Hall(options, openings, left) as hall:
        for game in hall.games():
            games[game.number] = game
            if journal is not None:
                _append(journal, options, game)
            standing = Standing.of(games.values(), options.sprt)
            tell(game, standing)
            if _is_decided(standing):
                break
    return [games[number] for number in sorted(games)]


def _is_decided(standing: Standing) -> bool:
    return standing.sprt is not None and standing.sprt.decision is not None


class _Hall:
    """The workers of a match: each plays one game after the other, with engines of its own."""

    def __init__(self, options: MatchOptions, openings: list[Opening], numbers: list[int]) -> None:
        self._options = options
        self._openings = openings
        self._awaited = len(numbers)
        self._numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in numbers:
            self._numbers.put(number)
        self._done: queue.SimpleQueue[MatchGame | BookBuilderError] = queue.SimpleQueue()
        self._is_closing = threading.Event()
        self._open: list[Player] = []
        workers = min(max(1, options.concurrency), len(numbers))
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]

    def __enter__(self) -> _Hall:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing.set()
        # Ends the thinking of those that are still at it; their games are not counted.
        for player in list(self._open):
            player.close()
        for thread in self._threads:
            thread.join()

    def games(self) -> Iterator[MatchGame]:
        """Yield the games as they end; raises what keeps them from being played."""
        for _ in range(self._awaited):
            # With a time limit the main thread hears Ctrl-C.
            while True:
                try:
                    done = self._done.get(timeout=0.2)
                    break
                except queue.Empty:
                    if self._done.empty() and not any(thread.is_alive() for thread in self._threads):
                        raise OptionError("the match ended early: see the error above") from None
            if isinstance(done, BookBuilderError):
                raise done
            yield done

    def _work(self) -> None:
        players: tuple[Player, Player] | None = None
        try:
            while not self._is_closing.is_set():
                try:
                    number = self._numbers.get_nowait()
                except queue.Empty:
                    return
                players = players or self._seat()
                game = self._play(number, players)
                if self._is_closing.is_set():
                    return
                self._done.put(game)
                if game.finished.ruling.reason in {"fault", "time"}:
                    # Whatever state they are in, the next game begins with fresh engines.
                    self._dismiss(players)
                    players = None
        except BookBuilderError as error:
            self._done.put(error)
        except PlayerFault as fault:
            self._done.put(OptionError(f"an engine does not start: {fault}"))
        finally:
            if players is not None:
                self._dismiss(players)

    def _seat(self) -> tuple[Player, Player]:
        first, second = (self._engage(spec) for spec in self._options.engines)
        return first, second

    def _engage(self, spec: EngineSpec) -> Player:
        player = open_player(spec, self._options.game)
        self._open.append(player)
        return player

    def _dismiss(self, players: tuple[Player, Player]) -> None:
        for player in players:
            player.close()
            self._open.remove(player)

    def _play(self, number: int, players: tuple[Player, Player]) -> MatchGame:
        options = self._options
        seats = [Seat(player, spec.limit) for player, spec in zip(players, options.engines, strict=True)]
        if number % 2 == 0:
            seats.reverse()
        opening = self._openings[(number - 1) // 2]
        return MatchGame(number, play_game(options.game, opening, (seats[0], seats[1]), options.rules))


def _read_journal(path: Path, options: MatchOptions) -> dict[int, MatchGame]:
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    # A line that a killed run left in half is the last one; its game is played again.
    rows = [row for row in (_parsed(line) for line in lines) if row is not None]
    if not rows or "match" not in rows[0]:
        raise StoreError(f"{path}: is not the journal of a match; give another name")
    if rows[0]["match"] != options.identity():
        raise StoreError(f"{path}: is the journal of a match with other engines, openings or rules")
    games = (_game_of(row) for row in rows[1:])
    return {game.number: game for game in games}


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _game_of(row: dict[str, Any]) -> MatchGame:
    ruling = Ruling(row["result"], row["reason"])
    finished = Finished(
        ruling, row["fen"], tuple(row["moves"]), row["detail"], row["faulty_side"], row["late_ms"]
    )
    return MatchGame(row["number"], finished)


def _append(path: Path, options: MatchOptions, game: MatchGame) -> None:
    with path.open("a", encoding="utf-8") as stream:
        if stream.tell() == 0:
            print(json.dumps({"match": options.identity()}), file=stream)
        else:
            _end_line(path, stream.write)
        done = game.finished
        row = {
            "number": game.number,
            "result": done.ruling.result,
            "reason": done.ruling.reason,
            "fen": done.fen,
            "moves": done.moves,
            "detail": done.detail,
            "faulty_side": done.faulty_side,
            "late_ms": done.late_ms,
        }
        print(json.dumps(row), file=stream)


def _end_line(path: Path, write: Callable[[str], object]) -> None:
    """End a line that a killed run left in half."""
    with path.open("rb") as stream:
        stream.seek(-1, 2)
        if stream.read(1) != b"\n":
            write("\n")


def played_games(options: MatchOptions, games: Iterable[MatchGame]) -> Iterator[PlayedGame]:
    """Yield the games of a match as archives take them."""
    names = [spec.name for spec in options.engines]
    for game in games:
        done = game.finished
        yield PlayedGame(
            game=options.game,
            event=f"{names[0]} - {names[1]}, {options.engines[0].limit} - {options.engines[1].limit}",
            date="????.??.??",
            number=game.number,
            first=names[game.first_player],
            second=names[1 - game.first_player],
            result=done.ruling.result,
            moves=done.moves,
            fen=done.fen,
            termination=done.ruling.reason,
        )
