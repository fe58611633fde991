"""Games of engines with a few milliseconds on the clock: every move is checked, and every overrun counted."""

from __future__ import annotations

import random
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import chess
import chess.engine

BASE_MS, INCREMENT_MS, MOST_PLIES = 10.0, 5.0, 300


class Game(Protocol):
    """A game that is being played."""

    plies: int

    def moves(self) -> list[str]:
        """Return the legal moves; none if the game is over."""
        ...

    def play(self, move: str) -> None:
        """Play a legal move."""
        ...


class Player(Protocol):
    """An engine."""

    def new_game(self) -> None:
        """Begin a new game."""
        ...

    def choose(self, game: Any, clocks_ms: Sequence[float]) -> str:
        """Return a move; the clocks are those of the first and the second side."""
        ...

    def close(self) -> None:
        """End the engine."""
        ...


class ChessGame:
    """Chess by python-chess. Draws are claimed at once."""

    def __init__(self) -> None:
        self.board = chess.Board()

    @property
    def plies(self) -> int:
        """Plies from the start."""
        return self.board.ply()

    def moves(self) -> list[str]:
        """Return the legal moves; none if the game is over."""
        if self.board.is_game_over() or self.board.is_repetition(3) or self.board.halfmove_clock >= 100:
            return []
        return [move.uci() for move in self.board.legal_moves]

    def play(self, move: str) -> None:
        """Play a legal move."""
        self.board.push_uci(move)


class XiangqiGame:
    """Xiangqi by pyffish. The third repetition ends a game, whoever forces it."""

    def __init__(self) -> None:
        import pyffish

        self._rules = pyffish
        self.start = self.fen = pyffish.start_fen("xiangqi")
        self.played: list[str] = []
        self._seen: Counter[str] = Counter()

    @property
    def plies(self) -> int:
        """Plies from the start."""
        return len(self.played)

    def moves(self) -> list[str]:
        """Return the legal moves; none if the game is over."""
        if self._seen[self.fen.split(" - ")[0]] >= 3:
            return []
        return [_ranks(move, -1) for move in self._rules.legal_moves("xiangqi", self.fen, [])]

    def play(self, move: str) -> None:
        """Play a legal move."""
        self.fen = self._rules.get_fen("xiangqi", self.fen, [_ranks(move, 1)])
        self.played.append(move)
        self._seen[self.fen.split(" - ")[0]] += 1


def _ranks(move: str, shift: int) -> str:
    """Return a move of xiangqi with ranks from 1 for ranks from 0, or the other way round."""
    second = next(place for place in range(2, len(move)) if move[place].isalpha())
    parts = (move[:second], move[second:])
    return "".join(f"{part[0]}{int(part[1:]) + shift}" for part in parts)


class ChessPlayer:
    """An engine of chess behind python-chess."""

    def __init__(self, command: Sequence[str]) -> None:
        self.engine = chess.engine.SimpleEngine.popen_uci(list(command), timeout=30)
        self._game: object = None

    def new_game(self) -> None:
        """Begin a new game."""
        self._game = object()  # python-chess then says ucinewgame
        self.engine.ping()

    def choose(self, game: ChessGame, clocks_ms: Sequence[float]) -> str:
        """Return a move; the clocks are those of the first and the second side."""
        white, black = (max(each, 1) / 1000 for each in clocks_ms)
        increment = INCREMENT_MS / 1000
        limit = chess.engine.Limit(
            white_clock=white, black_clock=black, white_inc=increment, black_inc=increment
        )
        move = self.engine.play(game.board, limit, game=self._game).move
        return "none" if move is None else move.uci()

    def close(self) -> None:
        """End the engine."""
        self.engine.close()

    def overhead_ms(self) -> float:
        """Return the median of what a question and its answer take without any thought."""
        return _median_ms(self.engine.ping)


class UcciPlayer:
    """An engine of xiangqi that speaks UCCI, with times in milliseconds."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(
            list(command), stdin=pipe, stdout=pipe, stderr=nothing, text=True, bufsize=1
        )
        self._say("ucci")
        self._answer("ucciok")
        self._say("setoption usemillisec true")
        self.new_game()

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def _answer(self, *starts: str) -> str:
        assert self.process.stdout is not None
        while not (line := self.process.stdout.readline()).startswith(starts):
            if not line:
                raise chess.engine.EngineTerminatedError("the engine has ended")
        return line.strip()

    def new_game(self) -> None:
        """Begin a new game."""
        self._say("setoption newgame")
        self.ping()

    def ping(self) -> None:
        """Wait until everything was read."""
        self._say("isready")
        self._answer("readyok")

    def choose(self, game: XiangqiGame, clocks_ms: Sequence[float]) -> str:
        """Return a move; the clocks are those of the first and the second side."""
        own, other = (max(round(each), 1) for each in _turned(clocks_ms, game.plies))
        moves = f" moves {' '.join(game.played)}" if game.played else ""
        self._say(f"position fen {game.start}{moves}")
        self._say(f"go time {own} increment {INCREMENT_MS:g} opptime {other} oppincrement {INCREMENT_MS:g}")
        return [*self._answer("bestmove", "nobestmove").split(), "none"][1]

    def close(self) -> None:
        """End the engine."""
        self._say("quit")
        self.process.wait(10)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def overhead_ms(self) -> float:
        """Return the median of what a question and its answer take without any thought."""
        return _median_ms(self.ping)


def _turned(clocks_ms: Sequence[float], plies: int) -> tuple[float, float]:
    return clocks_ms[plies % 2], clocks_ms[1 - plies % 2]


def _median_ms(ask: Callable[[], object]) -> float:
    times = []
    for _ in range(100):
        started = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - started))
    return round(statistics.median(times), 2)


@dataclass
class Score:
    """What happened to one player in its games; overruns in milliseconds, of each move that had one."""

    games: int = 0
    moves: int = 0
    illegal: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    overruns: list[float] = field(default_factory=list)

    def figures(self, margin_ms: float) -> dict[str, object]:
        """Return the figures; a loss on time is an overrun of more than a margin."""
        return {
            "games": self.games,
            "moves": self.moves,
            "illegal": len(self.illegal),
            "crashes": len(self.crashes),
            "overruns": len(self.overruns),
            "losses_on_time": sum(each > margin_ms for each in self.overruns),
            "largest_ms": round(max(self.overruns, default=0), 1),
        }


def play(game: Game, players: Sequence[Player], scores: Sequence[Score], rng: random.Random) -> bool:
    """Play a game from a random opening; return whether it came to an end without a fault.

    A player whose clock falls below zero plays on with an empty clock, so that one pause is one overrun.
    """
    for _ in range(rng.randint(4, 8)):
        if moves := game.moves():
            game.play(rng.choice(moves))
    for player, score in zip(players, scores, strict=True):
        player.new_game()
        score.games += 1
    clocks = [BASE_MS, BASE_MS]
    while game.plies < MOST_PLIES and (legal := game.moves()):
        side = game.plies % 2
        started = time.perf_counter()
        try:
            move = players[side].choose(game, clocks)
        except (chess.engine.EngineError, OSError) as error:
            where = scores[side].illegal if "illegal" in str(error) else scores[side].crashes
            where.append(f"{game.__dict__}: {error!r}")
            return False
        clocks[side] -= 1000 * (time.perf_counter() - started)
        scores[side].moves += 1
        if clocks[side] < 0:
            scores[side].overruns.append(-clocks[side])
        clocks[side] = max(clocks[side], 0) + INCREMENT_MS
        if move not in legal:
            scores[side].illegal.append(f"{game.__dict__}: {move}")
            return False
        game.play(move)
    return True
