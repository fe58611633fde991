"""Engines by game and protocol: chess through python-chess, xiangqi through the drivers in this file.

python-chess has neither the board of xiangqi nor UCCI. Moves are written as each engine spells them: with
ranks from 1 for an engine that has the option `UCI_Variant` (Fairy-Stockfish), else with ranks from 0.

Sources: UCI (Huber, Meyer-Kahlen 2006), UCCI (xqbase 3.0), xboard (Mann, Muller, version 2).
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from abc import abstractmethod
from typing import Final, NamedTuple

from bookbuilder._core import Position, Referee
from bookbuilder.engine.match.player import UNTIMED_SECONDS, Clocks, EngineSpec, Player, Reply
from bookbuilder.engine.match.process import EndedFault, LineProcess
from bookbuilder.errors import OptionError
from bookbuilder.evals.words import MATE_SCORE, mate_score
from bookbuilder.games.position import Game

__all__ = ["open_player"]

# UCCI engines report mates as 10,000 minus the plies.
_UCCI_MATE: Final = 9_800
# Time that an engine has to announce its features. Engines of version 1 announce nothing.
_FEATURE_SECONDS: Final = 3.0
_FEATURE: Final = re.compile(r'(\w+)=(?:"([^"]*)"|(\S+))')
_XBOARD_MOVE: Final = re.compile(r"(?:move|my move is:?|\d+\. \.\.\.)\s+(\S+)", re.IGNORECASE)
_XBOARD_RESULT: Final = re.compile(r"resign|(1-0|0-1|1/2-1/2)\s*(\{.*)?")
# Thinking output: ply, score, time in centiseconds, nodes, line.
_XBOARD_THOUGHT: Final = re.compile(r"\d+[.&]?\s+(-?\d+)\s+\d+\s+\d+")


def open_player(spec: EngineSpec, game: Game) -> Player:
    """Start an engine and return it as a player of the game.

    Raises:
        OptionError: the program does not exist, does not play the game, or does not have the options.
        PlayerFault: the engine does not speak its protocol.
    """
    if game == "xiangqi":
        players = {"uci": _UciPlayer, "ucci": _UcciPlayer, "xboard": _XboardPlayer}
        return players[spec.protocol](spec, game)
    if spec.protocol == "ucci":
        raise OptionError(f"{spec.name}: UCCI does not support chess")
    from bookbuilder.engine.match.chess_player import ChessPlayer

    return ChessPlayer(spec, game)


class _XiangqiPlayer(Player):
    """An engine that plays xiangqi."""

    _notation = "iccs"
    _process: LineProcess | None = None

    async def _start(self) -> None:
        self._process = process = await LineProcess.open(self.spec)
        self._say, self._lines, self._lines_before = process.say, process.lines, process.lines_before
        await self._greet()

    async def _stop(self) -> None:
        if self._process is not None:
            await self._process.quit()

    @abstractmethod
    async def _greet(self) -> None:
        """Shake hands and set the options."""

    async def _introduction(self, last: str) -> list[str]:
        """Return the lines in which the engine says who it is."""
        try:
            return await self.hello(self._lines_before(last))
        except EndedFault as error:
            raise self.stranger("it ended at once") from error

    def _moves(self, referee: Referee) -> str:
        moves = " ".join(referee.moves(self._notation))
        return f" moves {moves}" if moves else ""


class _UciPlayer(_XiangqiPlayer):
    """A xiangqi engine that speaks UCI, or Fairy-Stockfish with its `UCI_Variant`."""

    async def _greet(self) -> None:
        self._say("uci")
        lines = await self._introduction("uciok")
        found = [re.match(r"option name (.+?) type (.*)", line) for line in lines]
        options = {each[1]: each[2] for each in found if each is not None}
        network = re.search(r" default (\S+)", options.get("EvalFile", ""))
        self.introduce(_title(lines), network and network[1])
        if variants := re.findall(r"var (\S+)", options.get("UCI_Variant", "")):
            if "xiangqi" not in variants:
                raise OptionError(f"{self.spec.name} does not play xiangqi: it plays {', '.join(variants)}")
            self._say("setoption name UCI_Variant value xiangqi")
            self._notation = "uci"
        for name, value in self.options(options):
            self._say(f"setoption name {name}" + (f" value {value}" if value else ""))
        await self._sync()

    async def _sync(self) -> None:
        self._say("isready")
        await self._lines_before("readyok")

    async def _prepare(self, referee: Referee) -> None:
        self._say("ucinewgame")
        await self._sync()

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> Reply:
        start = "startpos" if referee.fen is None else f"fen {referee.fen}"
        self._say(f"position {start}{self._moves(referee)}")
        self._say(self._go(clocks, referee.position.side))
        score, effort = None, _Effort()
        async for text in self._lines():
            words = text.split()
            if words[:1] == ["info"] and "string" not in words and "score" in words:
                if _value(words, "multipv") in (None, 1):
                    score, effort = _uci_score(words, score), _Effort.of(words)
            elif words[:1] == ["bestmove"]:
                if len(words) < 2:
                    break
                return Reply(self.read_move(referee, words[1], self._notation), score, *effort)
        raise self.fault("said bestmove without a move")

    def _go(self, clocks: Clocks | None, side: int) -> str:
        limit = self.spec.limit
        if clocks is None:
            for word, value in (("movetime", limit.movetime_ms), ("nodes", limit.nodes)):
                if value is not None:
                    return f"go {word} {value}"
            return f"go depth {limit.depth}"
        first, second = clocks.own_ms, clocks.other_ms
        if side == 1:
            first, second = second, first
        to_go = "" if clocks.moves_to_go is None else f" movestogo {clocks.moves_to_go}"
        increment = limit.increment_ms
        return f"go wtime {first} btime {second} winc {increment} binc {increment}{to_go}"


class _UcciPlayer(_UciPlayer):
    """A xiangqi engine that speaks UCCI."""

    async def _greet(self) -> None:
        self._say("ucci")
        lines = await self._introduction("ucciok")
        self.introduce(_title(lines), None)
        found = [re.match(r"option (\S+)", line) for line in lines]
        names = {each[1].lower(): each[1] for each in found if each is not None}
        self._unit_ms, self._has_new_game = 1000, "newgame" in names
        if "usemillisec" in names:
            self._say("setoption usemillisec true")
            self._unit_ms = 1
        for name, value in self.options(names.values()):
            self._say(f"setoption {name} {value}".rstrip())
        await self._sync()

    async def _prepare(self, referee: Referee) -> None:
        if self._has_new_game:
            self._say("setoption newgame")
        await self._sync()

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> Reply:
        fen = referee.fen or Position(self.game).fen
        self._say(f"position fen {fen}{self._moves(referee)}")
        self._say(self._go(clocks, referee.position.side))
        score, effort = None, _Effort()
        async for text in self._lines():
            words = text.split()
            if words[:1] == ["info"] and "score" in words:
                # Fairy-Stockfish writes scores as UCI does.
                value, effort = _value(words, "score"), _Effort.of(words)
                score = _uci_score(words, score) if value is None else _ucci_score(value)
            elif words[:1] == ["nobestmove"] or "resign" in words[2:]:
                return Reply(None, score, *effort)
            elif words[:1] == ["bestmove"] and len(words) > 1:
                return Reply(self.read_move(referee, words[1], self._notation), score, *effort)
        raise self.fault("said no bestmove")

    def _go(self, clocks: Clocks | None, side: int) -> str:
        limit = self.spec.limit
        if clocks is None:
            if limit.movetime_ms is not None:
                return f"go time {max(1, limit.movetime_ms // self._unit_ms)} movestogo 1"
            return f"go nodes {limit.nodes}" if limit.nodes is not None else f"go depth {limit.depth}"
        own, other = (ms // self._unit_ms for ms in (clocks.own_ms, clocks.other_ms))
        if clocks.moves_to_go is not None:
            return f"go time {own} movestogo {clocks.moves_to_go} opptime {other}"
        return f"go time {own} increment {limit.increment_ms // self._unit_ms} opptime {other}"


class _XboardPlayer(_XiangqiPlayer):
    """A xiangqi engine that speaks xboard's protocol, version 2.

    Between its own moves the engine is in `force` mode: it receives the opponent's moves, then `go`. So it
    never thinks unasked, and keeps what it has learnt.
    """

    async def _greet(self) -> None:
        if self.spec.limit.nodes is not None:
            raise OptionError(f"{self.spec.name}: xboard does not support a limit in nodes")
        self._features: dict[str, str] = {}
        self._pings = 0
        self._say("xboard")
        self._say("protover 2")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._read_features(), _FEATURE_SECONDS)
        self.introduce(self._features.get("myname", ""), None)
        variants = self._features.get("variants", "normal").split(",")
        if "xiangqi" not in variants:
            raise OptionError(f"{self.spec.name} does not play xiangqi: it plays {', '.join(variants)}")
        self._say("easy")
        self._say("post")
        for name, value in self.spec.options:
            self._say(f"option {name}={value}" if value else f"option {name}")

    async def _read_features(self) -> None:
        async for text in self._lines():
            if text.startswith("feature"):
                found = _FEATURE.findall(text)
                self._features.update({name: quoted or plain for name, quoted, plain in found})
                if self._features.get("done") == "1":
                    return

    async def _sync(self) -> None:
        """Wait until the engine has read everything. What it still writes about the last game is ignored."""
        if self._features.get("ping") == "1":
            self._pings += 1
            self._say(f"ping {self._pings}")
            await self._lines_before(f"pong {self._pings}")

    async def _prepare(self, referee: Referee) -> None:
        for line in ("new", "variant xiangqi", "force"):
            self._say(line)
        if referee.fen is not None:
            if self._features.get("setboard") != "1":
                raise OptionError(f"{self.spec.name} cannot begin from a position: give openings as moves")
            self._say(f"setboard {referee.fen}")
        # Number of moves that the engine has on its board.
        self._sent = 0
        await self._sync()

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> Reply:
        self._say("force")
        before = "usermove " if self._features.get("usermove") == "1" else ""
        for move in referee.moves(self._notation)[self._sent :]:
            self._say(before + move)
        await self._sync()
        for line in self._limits(clocks):
            self._say(line)
        self._say("go")
        score = None
        async for text in self._lines():
            if found := _XBOARD_MOVE.match(text):
                self._sent = len(referee) + 1
                return Reply(self.read_move(referee, found[1], self._notation), score)
            if _XBOARD_RESULT.fullmatch(text):
                return Reply(None, score)
            if text.startswith(("Illegal", "Error", "tellusererror")):
                raise self.fault(f"said {text!r} in {referee.position.fen}")
            if thought := _XBOARD_THOUGHT.match(text):
                score = int(thought[1])
        raise self.fault("said no move")

    def _limits(self, clocks: Clocks | None) -> list[str]:
        limit = self.spec.limit
        if clocks is not None:
            minutes, seconds = divmod((limit.base_ms or 0) // 1000, 60)
            level = f"level {limit.moves or 0} {minutes}:{seconds:02} {limit.increment_ms / 1000:g}"
            return [level, f"time {clocks.own_ms // 10}", f"otim {clocks.other_ms // 10}"]
        if limit.movetime_ms is not None:
            # The protocol has whole seconds only.
            return [f"st {max(1, round(limit.movetime_ms / 1000))}"]
        return [f"st {UNTIMED_SECONDS}", f"sd {limit.depth}"]


class _Effort(NamedTuple):
    """What an engine reports of a search."""

    depth: int | None = None
    nodes: int | None = None

    @classmethod
    def of(cls, words: list[str]) -> _Effort:
        return cls(_value(words, "depth"), _value(words, "nodes"))


def _title(lines: list[str]) -> str:
    """Return the name that an engine gives itself."""
    return next((line.removeprefix("id name ") for line in lines if line.startswith("id name ")), "")


def _value(words: list[str], name: str) -> int | None:
    """The number after a word."""
    if name not in words[:-1]:
        return None
    text = words[words.index(name) + 1]
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _uci_score(words: list[str], last: int | None) -> int | None:
    if (mate := _value(words, "mate")) is not None:
        return mate_score(mate)
    centipawns = _value(words, "cp")
    return last if centipawns is None else centipawns


def _ucci_score(score: int) -> int:
    if abs(score) < _UCCI_MATE:
        return score
    return MATE_SCORE if score > 0 else -MATE_SCORE
