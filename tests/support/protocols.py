"""Engines behind pipes, and the rules of both games by other implementations."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Final

import chess
import pytest

PATIENCE: Final = 60.0
"""Seconds after which an engine counts as silent: more than a loaded machine needs."""


def command(name: str, protocol: str) -> list[str]:
    """Return the command of an engine; `self` is ours."""
    if name == "self":
        return [sys.executable, "-P", "-m", "bookbuilder", "engine", protocol]
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if path is None:
        pytest.skip(f"{name} is not installed")
    return [path]


class Rules:
    """A position of a game by another implementation of the rules."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self.begin()

    def set_up(self, moves: Sequence[str]) -> None:
        """Play moves from the start up to the first illegal one."""
        if list(moves[: len(self.moves)]) != self.moves:
            self.moves = []
            self.begin()
        for move in moves[len(self.moves) :]:
            if move not in self.legal():
                return
            self.play(move)
            self.moves.append(move)

    def begin(self) -> None:
        """Go to the start."""
        raise NotImplementedError

    def play(self, move: str) -> None:
        """Play a legal move."""
        raise NotImplementedError

    def legal(self) -> list[str]:
        """Return the legal moves."""
        raise NotImplementedError


class ChessRules(Rules):
    """Chess by python-chess."""

    def begin(self) -> None:
        """Go to the start."""
        self.board = chess.Board()

    def play(self, move: str) -> None:
        """Play a legal move."""
        self.board.push_uci(move)

    def legal(self) -> list[str]:
        """Return the legal moves."""
        return [move.uci() for move in self.board.legal_moves]


class XiangqiRules(Rules):
    """Xiangqi by pyffish, with ranks from 0."""

    def begin(self) -> None:
        """Go to the start."""
        self.rules = pytest.importorskip("pyffish")
        self.fen = self.rules.start_fen("xiangqi")

    def play(self, move: str) -> None:
        """Play a legal move."""
        self.fen = self.rules.get_fen("xiangqi", self.fen, [_ranks(move, 1)])

    def legal(self) -> list[str]:
        """Return the legal moves."""
        return [_ranks(move, -1) for move in self.rules.legal_moves("xiangqi", self.fen, [])]


def _ranks(move: str, shift: int) -> str:
    """Return a move with ranks from 1 for ranks from 0, or the other way round."""
    second = next(place for place in range(2, len(move)) if move[place].isalpha())
    return "".join(f"{part[0]}{int(part[1:]) + shift}" for part in (move[:second], move[second:]))


def rules_of(protocol: str) -> Rules:
    """Return the rules of the game that a dialect is tried with."""
    return ChessRules() if protocol == "uci" else XiangqiRules()


class Engine:
    """A running engine."""

    def __init__(self, name: str, protocol: str) -> None:
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(command(name, protocol), stdin=pipe, stdout=pipe, stderr=nothing)
        self._rest = b""
        self.say(protocol, "isready")
        self.hear("readyok")

    def say(self, *lines: str) -> None:
        """Write lines."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def hear(self, end: str, answers: int = 0, patience: float = PATIENCE) -> list[str]:
        """Return the lines up to one that is `end` and this number of answers.

        Raises:
            TimeoutError: the engine takes longer than this.
            EOFError: it has ended.
        """
        lines, has_ended, count = list[str](), False, 0
        deadline = time.monotonic() + patience
        while not (has_ended and count >= answers):
            line = self.line(max(deadline - time.monotonic(), 0))
            lines.append(line)
            has_ended = has_ended or line == end
            count += line.startswith(("bestmove", "nobestmove"))
        return lines

    def line(self, patience: float = PATIENCE) -> str:
        """Return the next line, as `hear` does."""
        assert self.process.stdout is not None
        while b"\n" not in self._rest:
            if not select.select([self.process.stdout], [], [], patience)[0]:
                raise TimeoutError("no answer")
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
