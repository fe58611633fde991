"""Chess engines that speak UCI or xboard, through python-chess.

Its driver of xboard needs engines that announce the features `ping` and `setboard`. It sends a limit in nodes
as a speed (`nps`) that most engines do not know, so a match refuses that limit; `st` is sent in whole seconds
because few engines read fractions.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import subprocess
from asyncio import SubprocessTransport

import chess
from chess.engine import (
    INFO_BASIC,
    INFO_SCORE,
    EngineError,
    EngineTerminatedError,
    Limit,
    PlayResult,
    UciProtocol,
    XBoardProtocol,
)

from bookbuilder._core import Referee
from bookbuilder.engine.match.player import UNTIMED_SECONDS, Clocks, Player, Reply
from bookbuilder.engine.match.process import QUIT_SECONDS
from bookbuilder.errors import OptionError
from bookbuilder.evals.words import MATE_SCORE

__all__ = ["ChessPlayer"]

# python-chess logs lines that it does not know; without a handler they would appear on standard error.
logging.getLogger("chess.engine").addHandler(logging.NullHandler())


class ChessPlayer(Player):
    """A chess engine."""

    _transport: SubprocessTransport | None = None

    async def _start(self) -> None:
        if self.spec.protocol == "xboard" and self.spec.limit.nodes is not None:
            raise OptionError(f"{self.spec.name}: xboard does not support a limit in nodes")
        kind = UciProtocol if self.spec.protocol == "uci" else XBoardProtocol
        command = list(self.spec.command)
        self._engine: UciProtocol | XBoardProtocol
        self._transport, self._engine = await kind.popen(command, stderr=subprocess.DEVNULL)
        try:
            await self.hello(self._engine.initialize())
        except EngineTerminatedError as error:
            raise self.stranger("it ended at once") from error
        except EngineError as error:
            raise self.fault(f"does not start: {error}") from error
        network = self._engine.options.get("EvalFile")
        self.introduce(self._engine.id.get("name", ""), None if network is None else str(network.default))
        try:
            await self._engine.configure(self._values())
        except EngineError as error:
            raise OptionError(f"{self.spec.name}: {error}") from error

    def _values(self) -> dict[str, str | bool]:
        """The options to set. Those that python-chess sets itself must have their defaults."""
        values: dict[str, str | bool] = {}
        for name, text in self.options(self._engine.options):
            option = self._engine.options[name]
            value = text.lower() not in {"false", "0"} if option.type == "check" else text
            if not option.is_managed():
                values[name] = value
            elif option.parse(value) != option.default:
                raise OptionError(f"{self.spec.name}: the match itself sets {name}: leave it out")
        return values

    async def _prepare(self, referee: Referee) -> None:
        self._board = chess.Board(referee.fen or chess.STARTING_FEN)
        self._game = object()
        try:
            if isinstance(self._engine, UciProtocol):
                # `play` would send this too, but on the player's clock.
                self._engine.send_line("ucinewgame")
                self._engine.first_game, self._engine.game = False, self._game
            await self._engine.ping()
        except EngineError as error:
            raise self.fault(f"does not get ready: {error}") from error

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> Reply:
        for text in referee.moves("uci")[len(self._board.move_stack) :]:
            self._board.push_uci(text)
        try:
            found = await self._engine.play(
                self._board, self._limit(clocks), game=self._game, info=INFO_BASIC | INFO_SCORE
            )
        except EngineError as error:
            raise self.fault(f"played no legal move in {referee.position.fen}: {error}") from error
        # A claim of xboard that the game is over counts as resignation, as it comes instead of a move.
        if not found.move and self.spec.protocol == "uci":
            raise self.fault("said bestmove without a move")
        code = self.read_move(referee, found.move.uci(), "uci") if found.move else None
        return Reply(code, _score(found), found.info.get("depth"), found.info.get("nodes"))

    def _limit(self, clocks: Clocks | None) -> Limit:
        limit = self.spec.limit
        if clocks is not None:
            own, other = clocks.own_ms / 1000, clocks.other_ms / 1000
            white, black = (own, other) if self._board.turn == chess.WHITE else (other, own)
            increment = limit.increment_ms / 1000
            return Limit(
                white_clock=white,
                black_clock=black,
                white_inc=increment,
                black_inc=increment,
                remaining_moves=clocks.moves_to_go,
                clock_id=self._game,
            )
        if self.spec.protocol == "uci":
            seconds = None if limit.movetime_ms is None else limit.movetime_ms / 1000
            return Limit(time=seconds, nodes=limit.nodes, depth=limit.depth)
        whole = UNTIMED_SECONDS if limit.movetime_ms is None else max(1, round(limit.movetime_ms / 1000))
        return Limit(time=whole, depth=limit.depth)

    async def _stop(self) -> None:
        if self._transport is None:
            return
        with contextlib.suppress(TimeoutError, EngineError):
            await asyncio.wait_for(self._engine.quit(), QUIT_SECONDS)
        self._transport.close()


def _score(found: PlayResult) -> int | None:
    score = found.info.get("score")
    return None if score is None else score.relative.score(mate_score=MATE_SCORE)
