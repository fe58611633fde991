"""Engines of both games that speak UCI, UCCI or xboard, line by line.

python-chess drives engines of chess only, and takes 0.1 s to import. Moves of xiangqi are written as each
engine spells them: with ranks from 1 for an engine that has the option `UCI_Variant` (Fairy-Stockfish), else
with ranks from 0.

Sources: UCI (Huber, Meyer-Kahlen 2006), UCCI (xqbase 3.0), xboard (Mann, Muller, version 2).
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Final

from bookbuilder._core import Position, Referee
from bookbuilder.engine.drivers.player import UNTIMED_SECONDS, Clocks, Info, Player
from bookbuilder.errors import OptionError

# Options that a search sets, or the game.
_OWN_OPTIONS: Final = ("MultiPV", "UCI_Variant")
# Time that an engine has to announce its features. Engines of version 1 announce nothing.
_FEATURE_SECONDS: Final = 3.0
_FEATURE: Final = re.compile(r'(\w+)=(?:"([^"]*)"|(\S+))')
_XBOARD_MOVE: Final = re.compile(r"(?:move|my move is:?|\d+\. \.\.\.)\s+(\S+)", re.IGNORECASE)
_XBOARD_RESULT: Final = re.compile(r"resign|(1-0|0-1|1/2-1/2)\s*(\{.*)?")
# Thinking output: ply, score, time in centiseconds, nodes, line.
_XBOARD_THOUGHT: Final = re.compile(r"(\d+)[.&]?\s+(-?\d+)\s+\d+\s+(\d+)")


class UciPlayer(Player):
    """An engine that speaks UCI; one with `UCI_Variant`, such as Fairy-Stockfish, is set to the game."""

    async def _greet(self) -> None:
        self.send("uci")
        lines = await self._introduction("uciok")
        found = [re.match(r"option name (.+?) type (.*)", line) for line in lines]
        options = {each[1]: each[2] for each in found if each is not None}
        self._has_lines, self._set_lines = "MultiPV" in options, 1
        network = re.search(r" default (?!<empty>)(\S+)", options.get("EvalFile", ""))
        self.introduce(_title(lines), network and network[1])
        variants = re.findall(r"var (\S+)", options.get("UCI_Variant", ""))
        self.require_game(variants or (["chess"] if "UCI_Chess960" in options else [self.game]))
        if variants:
            self.send(f"setoption name UCI_Variant value {self.game}")
            self.notation = "uci"
        for name, value in self.options(options):
            if name in _OWN_OPTIONS:
                raise OptionError(f"{self.spec.name}: the program itself sets {name}: leave it out")
            if limits := re.match(r"spin .*min (-?\d+) max (-?\d+)", options[name]):
                least, most = map(int, limits.groups())
                if not re.fullmatch(r"-?\d+", value) or not least <= int(value) <= most:
                    raise OptionError(f"{self.spec.name}: {name}={value}: expected {least} to {most}")
            self.send(f"setoption name {name}" + (f" value {value}" if value else ""))
        await self._sync()

    async def _sync(self) -> None:
        self.send("isready")
        await self._lines_before("readyok")

    async def _prepare(self, referee: Referee) -> None:
        self.send("ucinewgame")
        await self._sync()

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> int | None:
        if self._has_lines and self.lines != self._set_lines:
            self.send(f"setoption name MultiPV value {self.lines}")
            self._set_lines = self.lines
        return await self._search(referee, clocks, "startpos")

    async def _search(self, referee: Referee, clocks: Clocks | None, start: str) -> int | None:
        """Send the position and the limits, and return the move; `start` stands for the start of a game."""
        moves = referee.moves(self.notation)
        words = ["position", start if referee.fen is None else f"fen {referee.fen}"]
        self.send(" ".join([*words, "moves", *moves] if moves else words))
        self.send(self._go(clocks, referee.position.side))
        async for text in self._lines():
            words = text.split()
            if (info := Info.parse(text)) is not None:
                self.hear(info)
            elif words[:1] == ["nobestmove"] or (words[:1] == ["bestmove"] and "resign" in words[2:]):
                return None
            elif words[:1] == ["bestmove"]:
                if len(words) < 2:
                    break
                return self.read_move(referee, words[1])
        raise self.fault("said bestmove without a move")

    def _go(self, clocks: Clocks | None, side: int) -> str:
        limit = self.limit
        if clocks is None:
            limits = (("movetime", limit.movetime_ms), ("nodes", limit.nodes), ("depth", limit.depth))
            return " ".join(["go", *(f"{word} {value}" for word, value in limits if value is not None)])
        first, second = clocks.own_ms, clocks.other_ms
        if side == 1:
            first, second = second, first
        to_go = "" if clocks.moves_to_go is None else f" movestogo {clocks.moves_to_go}"
        increment = limit.increment_ms
        return f"go wtime {first} btime {second} winc {increment} binc {increment}{to_go}"


class UcciPlayer(UciPlayer):
    """A xiangqi engine that speaks UCCI."""

    async def _greet(self) -> None:
        self.send("ucci")
        lines = await self._introduction("ucciok")
        self.introduce(_title(lines), None)
        found = [re.match(r"option (\S+)", line) for line in lines]
        names = {each[1].lower(): each[1] for each in found if each is not None}
        self._unit_ms, self._has_new_game = 1000, "newgame" in names
        if "usemillisec" in names:
            self.send("setoption usemillisec true")
            self._unit_ms = 1
        for name, value in self.options(names.values()):
            self.send(f"setoption {name} {value}".rstrip())
        await self._sync()

    async def _prepare(self, referee: Referee) -> None:
        if self._has_new_game:
            self.send("setoption newgame")
        await self._sync()

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> int | None:
        return await self._search(referee, clocks, f"fen {Position(self.game).fen}")

    def _go(self, clocks: Clocks | None, side: int) -> str:
        limit = self.limit
        if clocks is None:
            if limit.movetime_ms is not None:
                return f"go time {max(1, limit.movetime_ms // self._unit_ms)} movestogo 1"
            return f"go nodes {limit.nodes}" if limit.nodes is not None else f"go depth {limit.depth}"
        own, other = (ms // self._unit_ms for ms in (clocks.own_ms, clocks.other_ms))
        if clocks.moves_to_go is not None:
            return f"go time {own} movestogo {clocks.moves_to_go} opptime {other}"
        return f"go time {own} increment {limit.increment_ms // self._unit_ms} opptime {other}"


class XboardPlayer(Player):
    """An engine that speaks xboard's protocol, version 2.

    Between its own moves the engine is in `force` mode: it receives the opponent's moves, then `go`. So it
    never thinks unasked, and keeps what it has learnt.
    """

    async def _greet(self) -> None:
        self._features: dict[str, str] = {}
        names: list[str] = []
        self._pings = 0
        self.send("xboard")
        self.send("protover 2")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FEATURE_SECONDS):
                async for text in self._lines():
                    if text.startswith("feature"):
                        found = _FEATURE.findall(text)
                        self._features |= {name: quoted or plain for name, quoted, plain in found}
                        names += [quoted.split(" -")[0] for name, quoted, _ in found if name == "option"]
                        if self._features.get("done") == "1":
                            break
        self.introduce(self._features.get("myname", ""), None)
        variants = self._features.get("variants", "normal").split(",")
        self.require_game(["chess" if name == "normal" else name for name in variants])
        self.send("easy")
        self.send("post")
        for name, value in self.options(names):
            self.send(f"option {name}={value}" if value else f"option {name}")

    async def _sync(self) -> None:
        """Wait until the engine has read everything. What it still writes about the last game is ignored."""
        if self._features.get("ping") == "1":
            self._pings += 1
            self.send(f"ping {self._pings}")
            await self._lines_before(f"pong {self._pings}")

    async def _prepare(self, referee: Referee) -> None:
        for line in ("new", *(["variant xiangqi"] if self.game == "xiangqi" else []), "force"):
            self.send(line)
        if referee.fen is not None:
            if self._features.get("setboard") != "1":
                raise OptionError(f"{self.spec.name} cannot begin from a position: give openings as moves")
            self.send(f"setboard {referee.fen}")
        # Number of moves that the engine has on its board.
        self._sent = 0
        await self._sync()

    async def _choose(self, referee: Referee, clocks: Clocks | None) -> int | None:
        self.send("force")
        before = "usermove " if self._features.get("usermove") == "1" else ""
        for move in referee.moves(self.notation)[self._sent :]:
            self.send(before + move)
        await self._sync()
        for line in self._limits(clocks):
            self.send(line)
        self.send("go")
        async for text in self._lines():
            if found := _XBOARD_MOVE.match(text):
                self._sent = len(referee) + 1
                return self.read_move(referee, found[1])
            if _XBOARD_RESULT.fullmatch(text):
                return None
            if text.startswith(("Illegal", "Error", "tellusererror")):
                raise self.fault(f"said {text!r} in {referee.position.fen}")
            if thought := _XBOARD_THOUGHT.match(text):
                depth, score, nodes = map(int, thought.groups())
                self.hear(Info(depth=depth, score_cp=score, nodes=nodes))
        raise self.fault("said no move")

    def _limits(self, clocks: Clocks | None) -> list[str]:
        limit = self.limit
        if clocks is not None:
            minutes, seconds = divmod((limit.base_ms or 0) // 1000, 60)
            level = f"level {limit.moves or 0} {minutes}:{seconds:02} {limit.increment_ms / 1000:g}"
            return [level, f"time {clocks.own_ms // 10}", f"otim {clocks.other_ms // 10}"]
        if limit.movetime_ms is not None:
            # The protocol has whole seconds only.
            return [f"st {max(1, round(limit.movetime_ms / 1000))}"]
        return [f"st {UNTIMED_SECONDS}", f"sd {limit.depth}"]


def _title(lines: list[str]) -> str:
    """Return the name that an engine gives itself."""
    return next((line.removeprefix("id name ") for line in lines if line.startswith("id name ")), "")
