"""Chess engines that speak UCI or xboard, through python-chess.

Its driver of xboard needs engines that announce the features `ping` and `setboard`. It sends a limit in nodes
as a speed (`nps`) that most engines do not know, so that limit is refused; `st` is sent in whole seconds
because few engines read fractions.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import subprocess
from asyncio import SubprocessTransport
from collections.abc import Callable

import chess
from chess.engine import (
    INFO_BASIC,
    INFO_SCORE,
    EngineError,
    EngineTerminatedError,
    Limit,
    UciProtocol,
    XBoardProtocol,
)

from bookbuilder._core import Referee
from bookbuilder.engine.drivers.player import QUIT_SECONDS, UNTIMED_SECONDS, Clocks, Info, Player
from bookbuilder.errors import OptionError
from bookbuilder.evals.words import MATE_SCORE

# python-chess logs lines that it does not know; without a handler they would appear on standard error.
logging.getLogger("chess.engine").addHandler(logging.NullHandler())


class _HeardUci(UciProtocol):
    """python-chess's driver of UCI. What the engine says while it thinks is heard too."""

    hear: Callable[[Info], None] | None = None
    _rest = b""

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Take what the engine has written."""
        if fd == 1 and self.hear is not None and isinstance(data, bytes):
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                if (info := Info.parse(line.decode("utf-8", "replace"))) is not None:
                    self.hear(info)
        super().pipe_data_received(fd, data)


class ChessPlayer(Player):
    """A chess engine."""

    _transport: SubprocessTransport | None = None

    async def _start(self) -> None:
        kind = _HeardUci if self.spec.protocol == "uci" else XBoardProtocol
        self._engine: UciProtocol | XBoardProtocol
        self._transport, self._engine = await kind.popen(list(self.spec.command), stderr=subprocess.DEVNULL)
        try:
            await self.hello(self._engine.initialize())
        except EngineTerminatedError as error:
            raise self.stranger("it ended at once") from error
        except EngineError as error:
            raise self.fault(f"does not start: {error}") from error
        network = self._engine.options.get("EvalFile")
        self.introduce(self._engine.id.get("name", ""), None if network is None else str(network.default))
        # Options that python-chess sets itself must have their defaults.
        values: dict[str, str | bool] = {}
        for name, text in self.options(self._engine.options):
            option = self._engine.options[name]
            value = text.lower() not in {"false", "0"} if option.type == "check" else text
            if not option.is_managed():
                values[name] = value
            elif option.parse(value) != option.default:
                raise OptionError(f"{self.spec.name}: the program itself sets {name}: leave it out")
        try:
            await self._engine.configure(values)
        except EngineError as error:
            raise OptionError(f"{self.spec.name}: {error}") from error
        if isinstance(self._engine, _HeardUci):
            self._engine.hear = self.hear

    def send(self, line: str) -> None:
        """Send a line to the engine."""
        self._engine.send_line(line)

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

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> int | None:
        for text in referee.moves("uci")[len(self._board.move_stack) :]:
            self._board.push_uci(text)
        limit, is_uci = self._limit(clocks), isinstance(self._engine, UciProtocol)
        try:
            if self.lines > 1 and is_uci and "MultiPV" in self._engine.options:
                # `play` searches one line only.
                analysis = await self._engine.analysis(
                    self._board, limit, multipv=self.lines, game=self._game, info=INFO_BASIC
                )
                move = (await analysis.wait()).move
            else:
                found = await self._engine.play(
                    self._board, limit, game=self._game, info=INFO_BASIC | INFO_SCORE
                )
                move = found.move
                if not is_uci and (score := found.info.get("score")) is not None:
                    depth, nodes = found.info.get("depth"), found.info.get("nodes")
                    centipawns = score.relative.score(mate_score=MATE_SCORE)
                    self.hear(Info(depth=depth, score_cp=centipawns, nodes=nodes))
        except EngineError as error:
            raise self.fault(f"played no legal move in {referee.position.fen}: {error}") from error
        # A claim of xboard that the game is over counts as resignation, as it comes instead of a move.
        if not move and is_uci:
            raise self.fault("said bestmove without a move")
        return self.read_move(referee, move.uci()) if move else None

    def _limit(self, clocks: Clocks | None) -> Limit:
        limit = self.limit
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
        seconds = None if limit.movetime_ms is None else limit.movetime_ms / 1000
        if isinstance(self._engine, UciProtocol):
            return Limit(time=seconds, nodes=limit.nodes, depth=limit.depth)
        return Limit(time=UNTIMED_SECONDS if seconds is None else max(1, round(seconds)), depth=limit.depth)

    async def _stop(self) -> None:
        if self._transport is None:
            return
        with contextlib.suppress(TimeoutError, EngineError):
            await asyncio.wait_for(self._engine.quit(), QUIT_SECONDS)
        self._transport.close()
