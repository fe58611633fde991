"""Random dialogues of UCI and UCCI: each `go` gets one legal answer within the limits that could be read.

The lines come from a grammar with broken words, numbers and order, repeated commands, and commands during a
search. python-chess and pyffish say which moves are legal.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import pytest
from support.protocols import PATIENCE, Engine, Rules, rules_of

JUNK: Final = ("foo", "é", "-", "e9e9", "perft", "", "\t", "WTIME", "go", "0x10", "1e3", "🙂", "fen")
NUMBERS: Final = ("0", "-1", "2.5", "99999999999999999999", "1")
KEYWORDS: Final = {
    "uci": ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate"),
    "ucci": ("depth", "nodes", "time", "increment", "movestogo", "opptime", "oppincrement"),
}
MANY: Final = int(os.environ.get("RUNS", "50000"))
"""Dialogues of a dialect in the slow run."""
SMALL: Final = {"depth": 3, "nodes": 400, "movetime": 4}
"""Limits that end a search at once, with their largest values."""


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
        # After an illegal move there is no position until the next one.
        self.has_position = self.rules.moves == moves
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


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
@pytest.mark.parametrize("count", [400, pytest.param(MANY, marks=pytest.mark.slow)])
def test_each_go_of_a_random_dialogue_gets_one_legal_answer(protocol: str, count: int) -> None:
    grammar, engine = Grammar(protocol, rules_of(protocol), count), Engine("self", protocol)
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
    grammar, engine = Grammar(protocol, rules_of(protocol), 7), Engine(name, protocol)
    found = Counter[str]()
    dialogues = 200
    for _ in range(dialogues):
        dialogue = grammar.draw()
        try:
            faults = faults_of(dialogue, talk(engine, dialogue, 2.0))
        except (TimeoutError, EOFError, BrokenPipeError) as error:
            faults = [str(error)]
        if faults:
            found.update(set(faults))
            engine.close()
            engine = Engine(name, protocol)
    engine.close()
    print(f"FIGURE {name} {protocol}: of {dialogues} dialogues {dict(found)}")
