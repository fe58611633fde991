"""Random dialogues of UCI and UCCI: each `go` gets one legal answer within the limits that could be read.

The lines come from a grammar with broken words, numbers and order, repeated commands, and commands during a
search. python-chess and pyffish say which moves are legal.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import chess
import pytest

OURS: Final = (sys.executable, "-P", "-m", "bookbuilder", "engine")
PATIENCE: Final = 60.0
"""Seconds without a line after which an engine counts as silent: more than a loaded machine needs."""
JUNK: Final = ("foo", "é", "-", "e9e9", "perft", "", "\t", "WTIME", "go", "0x10", "1e3", "🙂", "fen")
NUMBERS: Final = ("0", "-1", "2.5", "99999999999999999999", "1")
KEYWORDS: Final = {
    "uci": ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate"),
    "ucci": ("depth", "nodes", "time", "increment", "movestogo", "opptime", "oppincrement"),
}
SMALL: Final = {"depth": 3, "nodes": 400, "movetime": 4}
"""Limits that end a search at once, with their largest values."""


class Rules(Protocol):
    """A position of another implementation of the rules."""

    def set_up(self, moves: Sequence[str]) -> None:
        """Play moves from the start up to the first illegal one."""
        ...

    def legal(self) -> list[str]:
        """Return the legal moves."""
        ...


class ChessRules:
    """Chess by python-chess."""

    def __init__(self) -> None:
        self.board = chess.Board()

    def set_up(self, moves: Sequence[str]) -> None:
        """Play moves from the start up to the first illegal one."""
        self.board = chess.Board()
        for move in moves:
            if move not in self.legal():
                return
            self.board.push_uci(move)

    def legal(self) -> list[str]:
        """Return the legal moves."""
        return [move.uci() for move in self.board.legal_moves]


class XiangqiRules:
    """Xiangqi by pyffish, with ranks from 0."""

    def __init__(self) -> None:
        self.rules = pytest.importorskip("pyffish")
        self.played: list[str] = []

    def set_up(self, moves: Sequence[str]) -> None:
        """Play moves from the start up to the first illegal one."""
        self.played = []
        for move in moves:
            legal = self.legal()
            if move not in legal:
                return
            fen = self.rules.start_fen("xiangqi")
            self.played.append(self.rules.legal_moves("xiangqi", fen, self.played)[legal.index(move)])

    def legal(self) -> list[str]:
        """Return the legal moves."""
        found = self.rules.legal_moves("xiangqi", self.rules.start_fen("xiangqi"), self.played)
        return [_from_zero(move) for move in found]


def _from_zero(move: str) -> str:
    second = next(place for place in range(2, len(move)) if move[place].isalpha())
    return "".join(f"{part[0]}{int(part[1:]) - 1}" for part in (move[:second], move[second:]))


@dataclass
class Dialogue:
    """Lines, what each `go` allows as its answer, and whether its search ends by itself.

    Attributes:
        lines: the lines.
        allowed: the moves allowed for each `go`; empty = there is none.
        limits: the smallest limits of the last `go` that could be read.
        is_hurried: whether `stop` follows at once.
    """

    lines: list[str] = field(default_factory=list)
    allowed: list[set[str]] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)
    is_hurried: bool = True


class Grammar:
    """Draws dialogues of a dialect."""

    def __init__(self, protocol: str, rules: Rules, seed: int) -> None:
        self.protocol, self.rules, self.chance = protocol, rules, random.Random(seed)
        self.has_position = True

    def draw(self) -> Dialogue:
        """Return the next dialogue."""
        chance, found = self.chance, Dialogue(is_hurried=self.chance.random() < 0.6)
        for _ in range(chance.randint(1, 3) if found.is_hurried else 1):
            while chance.random() < 0.5:
                found.lines.append(self._noise())
            if chance.random() < 0.7:
                found.lines.append(self._position())
            self._go(found)
        while found.is_hurried and chance.random() < 0.4:
            found.lines.append(chance.choice(("isready", "ponderhit", "stopp", "go2", "d", self._junk())))
        return found

    def _junk(self) -> str:
        line = " ".join(self.chance.choices(JUNK, k=self.chance.randint(1, 5)))
        return "" if line.split()[:1] == ["go"] else line

    def _noise(self) -> str:
        lines = [
            "isready",
            self._junk(),
            "setoption",
            "setoption name Hash value x",
            "ponderhit",
            "positions",
        ]
        if self.protocol == "uci":
            lines += [
                "ucinewgame",
                "setoption name MultiPV value 1",
                "setoption name MultiPV value 2",
                "debug x",
            ]
        else:
            lines += ["setoption newgame", "setoption usemillisec true", "setoption bookfiles", "probe"]
        return self.chance.choice(lines)

    def _position(self) -> str:
        if self.chance.random() < 0.08:
            self.has_position = False
            return self.chance.choice(
                ("position", "position fen", "position fen 8/8/8", "position foo startpos")
            )
        self.has_position = True
        moves: list[str] = []
        self.rules.set_up(())
        for _ in range(self.chance.choice((0, 1, 2, 3, 8))):
            moves.append(self.chance.choice(self.rules.legal()))
            self.rules.set_up(moves)
            if not self.rules.legal():
                break
        if self.chance.random() < 0.2:
            moves.insert(self.chance.randint(0, len(moves)), self.chance.choice((*JUNK[:4], "a1a8", "e2e5")))
            self.rules.set_up(moves)
        return f"position startpos{' moves ' if moves else ''}{' '.join(moves)}"

    def _go(self, found: Dialogue) -> None:
        """Add a `go`, which takes the smallest limits last if nothing stops it."""
        chance, words = self.chance, list[str]()
        legal = self.rules.legal() if self.has_position else []
        allowed = set(legal)
        while chance.random() < 0.6:
            keyword = chance.choice(KEYWORDS[self.protocol])
            words.append(chance.choice((
                chance.choice([word for word in JUNK if word != "fen"]), keyword,
                f"{keyword} {chance.choice(NUMBERS)}", f"{keyword} {chance.randint(1, 3)}",
                chance.choice(("infinite", "ponder")) if found.is_hurried else "joho",
            )))  # fmt: skip
        if not found.is_hurried:
            names = [name for name in SMALL if name in KEYWORDS[self.protocol]]
            for name in chance.sample(names, chance.randint(1, len(names))):
                found.limits[name] = chance.randint(1, SMALL[name])
                words.append(f"{name} {found.limits[name]}")
        if self.protocol == "uci" and chance.random() < 0.2:
            some = chance.sample(legal, min(2, len(legal)))
            words.append(" ".join(["searchmoves", *some, chance.choice(("e2e5", "a9a9", "joho"))]))
            allowed = set(some) or allowed
        if self.protocol == "ucci" and chance.random() < 0.2 and self.has_position:
            banned = chance.sample(legal, min(2, len(legal)))
            found.lines.append(" ".join(["banmoves", *banned, "e9e9"]))
            allowed = allowed - set(banned) or allowed
        elif self.protocol == "ucci":
            found.lines.append("banmoves")
        found.lines.append(" ".join(["go", *words]))
        found.allowed.append(allowed)


class Engine:
    """A running engine."""

    def __init__(self, command: Sequence[str], protocol: str) -> None:
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(list(command), stdin=pipe, stdout=pipe, stderr=nothing)
        self._rest = b""
        self.say(protocol, "isready")
        self.hear("readyok")

    def say(self, *lines: str) -> None:
        """Write lines."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def hear(self, end: str, answers: int = 0, patience: float = PATIENCE) -> list[str]:
        """Return the lines up to one that is `end` and so many answers.

        Raises:
            TimeoutError: the engine is silent.
            EOFError: it has ended.
        """
        lines, has_ended, count = list[str](), False, 0
        while not (has_ended and count >= answers):
            line = self._line(patience)
            lines.append(line)
            has_ended = has_ended or line == end
            count += line.startswith(("bestmove", "nobestmove"))
        return lines

    def _line(self, patience: float) -> str:
        assert self.process.stdout is not None
        while b"\n" not in self._rest:
            if not select.select([self.process.stdout], [], [], patience)[0]:
                raise TimeoutError("silent")
            if not (more := os.read(self.process.stdout.fileno(), 1 << 16)):
                raise EOFError("ended")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode(errors="replace").strip()

    def close(self) -> None:
        """End the engine."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


def faults_of(dialogue: Dialogue, lines: Sequence[str]) -> list[str]:
    """Return what is wrong with the answers to a dialogue."""
    answers = [line.split() for line in lines if line.startswith(("bestmove", "nobestmove"))]
    if len(answers) != len(dialogue.allowed):
        return ["another number of answers"]
    found = []
    for answer, allowed in zip(answers, dialogue.allowed, strict=True):
        move = answer[1] if len(answer) > 1 else "(none)"
        if move not in (allowed or {"(none)", "0000"}):
            found.append("no move" if move in ("(none)", "0000") else "a move that is not allowed")
    searched = [line.split() for line in lines if line.startswith("info depth")]
    for name in ("depth", "nodes") if not dialogue.is_hurried else ():
        most = dialogue.limits.get(name)
        deep = [words for words in searched if name == "depth" or int(words[2]) > 1]
        if most and any(int(words[words.index(name) + 1]) > most for words in deep):
            found.append(f"more {name} than asked for")
    return found


def talk(engine: Engine, dialogue: Dialogue, patience: float = PATIENCE) -> list[str]:
    """Have a dialogue, and return what the engine writes."""
    stop = ["stop"] if dialogue.is_hurried else []
    engine.say(*dialogue.lines, *stop, "isready")
    lines = engine.hear("readyok", len(dialogue.allowed), patience)
    # What is answered too often comes before this.
    engine.say("isready")
    return lines + engine.hear("readyok")


def rules_of(protocol: str) -> Rules:
    """Return the rules of the game that a dialect is tried with."""
    return ChessRules() if protocol == "uci" else XiangqiRules()


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
@pytest.mark.parametrize("count", [400, pytest.param(50_000, marks=pytest.mark.slow)])
def test_each_go_of_a_random_dialogue_gets_one_legal_answer(protocol: str, count: int) -> None:
    grammar, engine = Grammar(protocol, rules_of(protocol), count), Engine([*OURS, protocol], protocol)
    gos, slowest = 0, 0.0
    try:
        for number in range(count):
            dialogue = grammar.draw()
            started = time.perf_counter()
            lines = talk(engine, dialogue)
            gos += len(dialogue.allowed)
            if set(dialogue.limits) == {"movetime"}:
                slowest = max(slowest, time.perf_counter() - started - dialogue.limits["movetime"] / 1000)
            assert faults_of(dialogue, lines) == [], (number, dialogue, lines)
        engine.say("quit")
        assert engine.process.wait(PATIENCE) == 0
    finally:
        engine.close()
    print(f"FIGURE {protocol}: {count} dialogues, {gos} go, latest {1000 * slowest:.0f} ms late")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "protocol"), [("stockfish", "uci"), ("fairy-stockfish", "uci"), ("fairy-stockfish", "ucci")]
)
def test_other_engines_in_the_same_dialogues(name: str, protocol: str) -> None:
    """List what other engines answer where ours never fails."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if path is None:
        pytest.skip(f"{name} is not installed")
    grammar, engine, found = (
        Grammar(protocol, rules_of(protocol), 7),
        Engine([path], protocol),
        Counter[str](),
    )
    dialogues = 500
    for _ in range(dialogues):
        dialogue = grammar.draw()
        try:
            faults = faults_of(dialogue, talk(engine, dialogue, 2.0))
        except (TimeoutError, EOFError, BrokenPipeError) as error:
            faults = [str(error)]
        if faults:
            found.update(set(faults))
            engine.close()
            engine = Engine([path], protocol)
    engine.close()
    print(f"FIGURE {name} {protocol}: of {dialogues} dialogues {dict(found)}")
