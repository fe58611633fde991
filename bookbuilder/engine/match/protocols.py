"""The three protocols that players speak, one class each: UCI, UCCI, xboard."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from bookbuilder.engine.match.player import Clocks, EngineSpec, Line, Player, PlayerFault, Reply
from bookbuilder.engine.match.process import MATE_SCORE, EngineProcess, read_move
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game, coordinates_of

__all__ = ["open_player"]

# What an engine may take beyond its own limits before it counts as hung.
_GRACE_SECONDS: Final = 60.0
# A limit in plies or nodes says nothing of time: an hour a move, chosen.
_UNTIMED_SECONDS: Final = 3600.0
# UCCI engines tell mates as 10,000 less the plies.
_UCCI_MATE: Final = 9_800
_RESULT: Final = re.compile(r"(1-0|0-1|1/2-1/2)\s*(\{.*)?")


def open_player(spec: EngineSpec, game: Game) -> Player:
    """Start an engine and return it as a player of the game.

    Raises:
        OptionError: there is no such program, it does not play the game, or it has not the options.
        PlayerFault: it does not speak its protocol.
    """
    if spec.protocol == "ucci" and game == "chess":
        raise OptionError(f"{spec.name}: UCCI knows no chess")
    match spec.protocol:
        case "uci":
            return _UciPlayer(spec, game)
        case "ucci":
            return _UcciPlayer(spec, game)
        case "xboard":
            return _XboardPlayer(spec, game)


class _ProcessPlayer(Player):
    """What the three have in common."""

    def __init__(self, spec: EngineSpec, game: Game) -> None:
        self.spec = spec
        self.game: Game = game
        self.notation = coordinates_of(game)
        self.process = EngineProcess(spec)
        is_ready = False
        try:
            self.greet()
            is_ready = True
        finally:
            if not is_ready:
                self.process.end()

    @abstractmethod
    def greet(self) -> None:
        """Shake hands and set the options."""

    def close(self) -> None:
        self.process.end()

    def patience(self, clocks: Clocks | None) -> float:
        """Seconds after which an engine that says nothing counts as hung."""
        limit = self.spec.limit
        if limit.movetime_ms is not None:
            return limit.movetime_ms / 1000 + _GRACE_SECONDS
        return (clocks.own_ms / 1000 if clocks is not None else _UNTIMED_SECONDS) + _GRACE_SECONDS

    def read(self, line: Line, text: str) -> int:
        return read_move(self.spec.name, line, text, self.notation)

    def choose_options(self, known: dict[str, str]) -> list[tuple[str, str]]:
        """The options to set, each by the engine's own spelling of its name.

        Args:
            known: spellings by lower-case names.

        Raises:
            OptionError: the engine has no such option.
        """
        for name, _ in self.spec.options:
            if name.lower() not in known:
                have = ", ".join(sorted(known.values()))
                raise OptionError(f'{self.spec.name} has no option "{name}": it has {have}')
        return [(known[name.lower()], value) for name, value in self.spec.options]


class _UciPlayer(_ProcessPlayer):
    """A player that speaks UCI."""

    def greet(self) -> None:
        known: dict[str, str] = {}
        variants: list[str] = []

        def learn(line: str) -> None:
            if found := re.match(r"option name (.+?) type (.*)", line):
                known[found[1].lower()] = found[1]
                if found[1] == "UCI_Variant":
                    variants.extend(re.findall(r"var (\S+)", found[2]))

        self.process.say("uci")
        self.process.await_line("uciok", learn)
        if self.game == "xiangqi" and variants:
            if "xiangqi" not in variants:
                raise OptionError(f"{self.spec.name} does not play xiangqi: it plays {', '.join(variants)}")
            self.process.say("setoption name UCI_Variant value xiangqi")
            self.notation = "uci"
        for name, value in self.choose_options(known):
            self.process.say(f"setoption name {name}" + (f" value {value}" if value else ""))
        self._sync()

    def _sync(self) -> None:
        self.process.say("isready")
        self.process.await_line("readyok")

    def new_game(self, line: Line) -> None:
        self.process.say("ucinewgame")
        self._sync()

    def think(self, line: Line, clocks: Clocks | None) -> Reply:
        start = "startpos" if line.fen is None else f"fen {line.fen}"
        moves = " ".join(line.moves(self.notation))
        self.process.say(f"position {start}" + (f" moves {moves}" if moves else ""))
        self.process.say(self._go(line, clocks))
        score, depth = None, None
        for text in self.process.lines(self.patience(clocks), "bestmove"):
            words = text.split()
            if words[:1] == ["info"] and "string" not in words and "score" in words:
                if _value(words, "multipv") in (None, 1):
                    score, depth = _uci_score(words, score), _value(words, "depth")
            elif words[:1] == ["bestmove"]:
                if len(words) < 2:
                    break
                return Reply(self.read(line, words[1]), score, depth)
        raise PlayerFault(f"{self.spec.name} said bestmove without a move")

    def _go(self, line: Line, clocks: Clocks | None) -> str:
        limit = self.spec.limit
        if clocks is None:
            for word, value in (("movetime", limit.movetime_ms), ("nodes", limit.nodes)):
                if value is not None:
                    return f"go {word} {value}"
            return f"go depth {limit.depth}"
        first, second = clocks.own_ms, clocks.other_ms
        if line.here.side == 1:
            first, second = second, first
        to_go = "" if clocks.moves_to_go is None else f" movestogo {clocks.moves_to_go}"
        increment = limit.increment_ms
        return f"go wtime {first} btime {second} winc {increment} binc {increment}{to_go}"


class _UcciPlayer(_ProcessPlayer):
    """A player that speaks UCCI."""

    def greet(self) -> None:
        known: dict[str, str] = {}

        def learn(line: str) -> None:
            if found := re.match(r"option (\S+)", line):
                known[found[1].lower()] = found[1]

        self.process.say("ucci")
        self.process.await_line("ucciok", learn)
        if "usemillisec" in known:
            self.process.say("setoption usemillisec true")
        self._unit_ms = 1 if "usemillisec" in known else 1000
        self._has_new_game = "newgame" in known
        for name, value in self.choose_options(known):
            self.process.say(f"setoption {name} {value}".rstrip())
        self._sync()

    def _sync(self) -> None:
        self.process.say("isready")
        self.process.await_line("readyok")

    def new_game(self, line: Line) -> None:
        if self._has_new_game:
            self.process.say("setoption newgame")
        self._sync()

    def think(self, line: Line, clocks: Clocks | None) -> Reply:
        fen = line.fen or line.positions[0].fen
        moves = " ".join(line.moves(self.notation))
        self.process.say(f"position fen {fen}" + (f" moves {moves}" if moves else ""))
        self.process.say(self._go(clocks))
        score, depth = None, None
        for text in self.process.lines(self.patience(clocks), "bestmove"):
            words = text.split()
            if words[:1] == ["info"] and (told := _value(words, "score")) is not None:
                score, depth = _ucci_score(told), _value(words, "depth")
            elif words[:1] == ["nobestmove"] or "resign" in words[2:]:
                return Reply(None, score, depth)
            elif words[:1] == ["bestmove"] and len(words) > 1:
                return Reply(self.read(line, words[1]), score, depth)
        raise PlayerFault(f"{self.spec.name} said no bestmove")

    def _go(self, clocks: Clocks | None) -> str:
        limit = self.spec.limit
        if clocks is None:
            if limit.movetime_ms is not None:
                return f"go time {max(1, limit.movetime_ms // self._unit_ms)} movestogo 1"
            return f"go nodes {limit.nodes}" if limit.nodes is not None else f"go depth {limit.depth}"
        own, other = (ms // self._unit_ms for ms in (clocks.own_ms, clocks.other_ms))
        if clocks.moves_to_go is not None:
            return f"go time {own} movestogo {clocks.moves_to_go} opptime {other}"
        return f"go time {own} increment {limit.increment_ms // self._unit_ms} opptime {other}"


class _XboardPlayer(_ProcessPlayer):
    """A player that speaks xboard's protocol, version 2.

    Between its own moves the engine stands in `force` mode: it is told the opponent's moves, then to `go`. So
    it never thinks unasked, and keeps what it learnt.
    """

    def greet(self) -> None:
        self._features: dict[str, str] = {}
        self._pings = 0
        # Moves of the line that stand on the engine's board.
        self._told = 0
        self.process.say("xboard")
        self.process.say("protover 2")
        # Engines of version 1 say nothing; those of version 2 end their features with done=1.
        try:
            for text in self.process.lines(3.0, "feature done=1"):
                if text.startswith("feature"):
                    told = re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', text)
                    self._features.update({name: quoted or plain for name, quoted, plain in told})
                    if self._features.get("done") == "1":
                        break
        except PlayerFault:
            if self._features:
                raise
        wanted = "normal" if self.game == "chess" else "xiangqi"
        variants = self._features.get("variants", "normal").split(",")
        if wanted not in variants:
            raise OptionError(f"{self.spec.name} does not play {self.game}: it plays {', '.join(variants)}")
        self.process.say("easy")
        self.process.say("post")
        for name, value in self.spec.options:
            self.process.say(f"option {name}={value}" if value else f"option {name}")

    def _sync(self) -> None:
        """Wait until the engine has heard everything; what it said of the last game is passed over."""
        if self._features.get("ping") == "1":
            self._pings += 1
            self.process.say(f"ping {self._pings}")
            self.process.await_line(f"pong {self._pings}")

    def new_game(self, line: Line) -> None:
        if self.spec.limit.nodes is not None:
            raise OptionError(f"{self.spec.name}: xboard knows no limit in nodes")
        self.process.say("new")
        if self.game == "xiangqi":
            self.process.say("variant xiangqi")
        self.process.say("force")
        if line.fen is not None:
            if self._features.get("setboard") != "1":
                raise OptionError(f"{self.spec.name} cannot begin from a position: give openings as moves")
            self.process.say(f"setboard {line.fen}")
        self._told = 0
        self._sync()

    def think(self, line: Line, clocks: Clocks | None) -> Reply:
        self.process.say("force")
        before = "usermove " if self._features.get("usermove") == "1" else ""
        for move in line.moves(self.notation)[self._told :]:
            self.process.say(before + move)
        self._sync()
        self._tell_limit(clocks)
        self.process.say("go")
        score, depth = None, None
        for text in self.process.lines(self.patience(clocks), "move"):
            if found := re.match(r"(?:move|my move is:?|\d+\. \.\.\.)\s+(\S+)", text, re.IGNORECASE):
                self._told = len(line.codes) + 1
                return Reply(self.read(line, found[1]), score, depth)
            if text == "resign" or _RESULT.fullmatch(text):
                return Reply(None, score, depth)
            if text.startswith(("Illegal", "Error", "tellusererror")):
                raise PlayerFault(f"{self.spec.name} said {text!r} in {line.here.fen}")
            # Thinking output: ply, score, time in centiseconds, nodes, line.
            if thought := re.match(r"(\d+)[.&]?\s+(-?\d+)\s+\d+\s+\d+", text):
                depth, score = int(thought[1]), int(thought[2])
        raise PlayerFault(f"{self.spec.name} said no move")

    def _tell_limit(self, clocks: Clocks | None) -> None:
        limit = self.spec.limit
        if clocks is not None:
            minutes, seconds = divmod((limit.base_ms or 0) // 1000, 60)
            self.process.say(f"level {limit.moves or 0} {minutes}:{seconds:02} {limit.increment_ms / 1000:g}")
            self.process.say(f"time {clocks.own_ms // 10}")
            self.process.say(f"otim {clocks.other_ms // 10}")
        elif limit.movetime_ms is not None:
            # The protocol has whole seconds; less than one cannot be said.
            self.process.say(f"st {max(1, round(limit.movetime_ms / 1000))}")
        else:
            self.process.say(f"st {int(_UNTIMED_SECONDS)}")
            self.process.say(f"sd {limit.depth}")


def _value(words: list[str], name: str) -> int | None:
    """The number after a word."""
    if name not in words[:-1]:
        return None
    text = words[words.index(name) + 1]
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _uci_score(words: list[str], last: int | None) -> int | None:
    if (mate := _value(words, "mate")) is not None:
        return MATE_SCORE - 2 * mate if mate > 0 else -MATE_SCORE - 2 * mate
    centipawns = _value(words, "cp")
    return last if centipawns is None else centipawns


def _ucci_score(told: int) -> int:
    if abs(told) < _UCCI_MATE:
        return told
    return MATE_SCORE if told > 0 else -MATE_SCORE
