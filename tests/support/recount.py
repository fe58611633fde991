"""Games and a Polyglot book counted again on boards of python-chess, to compare figures with."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import chess.pgn
import chess.polyglot

MAX_PLY = 40
Key = int


class Recount:
    """The games of an archive and the moves of a Polyglot book, on boards of python-chess."""

    def __init__(self, archive: Path, book: Path) -> None:
        self.boards = {self.key(chess.Board()): chess.Board()}
        self.played: defaultdict[Key, defaultdict[str, list[int]]] = defaultdict(
            lambda: defaultdict(lambda: [0, 0])
        )
        self.reached: defaultdict[Key, int] = defaultdict(int)
        self.ply: defaultdict[Key, int] = defaultdict(lambda: MAX_PLY)
        self.games = 0
        with archive.open(encoding="utf-8") as stream:
            while (game := chess.pgn.read_game(stream)) is not None:
                self.add(game)
        self.book: defaultdict[Key, dict[str, int]] = defaultdict(dict)
        with chess.polyglot.open_reader(book) as reader:
            for entry in reader:
                move = entry.move.uci()
                if entry.key in self.boards:  # castling is written as the king's move to the rook
                    board = self.boards[entry.key]
                    move = board.uci(chess.polyglot.Entry(*entry).move)
                self.book[entry.key][move] = entry.weight

    @staticmethod
    def key(board: chess.Board) -> Key:
        """Return the key of a position, as Polyglot books have it."""
        return chess.polyglot.zobrist_hash(board)

    def add(self, game: chess.pgn.Game) -> None:
        """Count a game, which comes to no position twice."""
        self.games += 1
        points = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}.get(game.headers["Result"], (0, 0))
        board = game.board()
        for ply, move in enumerate([*game.mainline_moves()][:MAX_PLY]):
            here = self.key(board)
            self.ply[here] = min(ply, self.ply[here])
            self.reached[here] += 1
            row = self.played[here][board.uci(move)]
            row[0] += 1
            row[1] += points[0 if board.turn else 1]
            board.push(move)
            self.boards.setdefault(self.key(board), board.copy(stack=False))
        self.reached[self.key(board)] += 1

    def after(self, key: Key, move: str) -> Key:
        """Return the position after a move."""
        board = self.boards[key].copy(stack=False)
        board.push_uci(move)
        found = self.key(board)
        self.boards.setdefault(found, board)
        return found

    def shares(self, key: Key, owner: chess.Color | None) -> dict[str, float]:
        """Return how often each move is played: the owner's by the book, the opponent's by games."""
        if owner is None or self.boards[key].turn == owner:
            moves = self.book[key]
        else:
            moves = {move: games for move, (games, _) in self.played[key].items()}
        total = sum(moves.values())
        return {move: weight / total for move, weight in moves.items()} if total else {}

    def walk(self, owner: chess.Color | None, plies: int) -> list[dict[Key, float]]:
        """Return the probability of each position after each number of plies."""
        levels = [{self.key(chess.Board()): 1.0}]
        for _ in range(plies):
            after: defaultdict[Key, float] = defaultdict(float)
            for key, mass in levels[-1].items():
                for move, share in self.shares(key, owner).items():
                    after[self.after(key, move)] += mass * share
            levels.append(after)
        return levels

    def deepest(self) -> int:
        """Return the plies after which no book move is left."""
        ply, front, seen = 0, {self.key(chess.Board())}, {self.key(chess.Board())}
        deepest = 0
        while front and ply < 2 * MAX_PLY:
            if any(self.book[key] for key in front):
                deepest = ply + 1
            moves = ((key, move) for key in front for move in {*self.book[key], *self.played[key]})
            front = {self.after(key, move) for key, move in moves} - seen
            seen |= front
            ply += 1
        return deepest

    def plies(self, owner: chess.Color) -> float:
        """Return the plies until the owner has no book move, or no game goes on."""
        levels = self.walk(owner, self.deepest())
        return sum(
            mass for level in levels[:-1] for key, mass in level.items() if mass and self.shares(key, owner)
        )

    def openings(self) -> float:
        """Return e to the mean entropy of both sides in the first eight plies of the book against itself."""
        levels, total = self.walk(None, 8), 0.0
        for level in levels[:8]:
            for key, mass in level.items():
                total -= mass * sum(s * math.log(s) for s in self.shares(key, None).values() if s)
        return math.exp(total / 2)

    def words(self, key: Key) -> list[str]:
        """Return the heaviest moves of the book with their shares."""
        ranked = sorted(self.shares(key, None).items(), key=lambda each: -each[1])[:4]
        texts = [(self.boards[key].san(chess.Move.from_uci(move)), share) for move, share in ranked]
        return [f"{san} {100 * share:.0f} %" if share >= 0.005 else f"{san} <1 %" for san, share in texts]

    def plies_to(self) -> dict[Key, int]:
        """Return the smallest number of plies to each position of the games and the book."""
        start = self.key(chess.Board())
        ply, waiting = {start: 0}, [start]
        for key in waiting:
            for move in {*self.played[key], *self.book[key]}:
                after = self.after(key, move)
                if after not in ply:
                    ply[after] = ply[key] + 1
                    waiting.append(after)
        return ply

    def lacking(self) -> int:
        """Return the number of main moves that the book lacks where it has others."""
        start, ply = self.reached[self.key(chess.Board())], self.plies_to()
        return sum(
            10 * games >= sum(each for each, _ in rows.values())
            and 100 * self.reached[key] >= start
            and move not in self.book[key]
            for key, rows in self.played.items()
            if ply.get(key, 99) < 9 and self.book[key]
            for move, (games, _) in rows.items()
        )


def write_simple_games(source: Path, target: Path, limit: int) -> None:
    """Write the games of an archive that come to no position twice in the plies that count."""
    with source.open(encoding="utf-8") as stream, target.open("w", encoding="utf-8") as output:
        for _ in range(limit):
            if (game := chess.pgn.read_game(stream)) is None:
                return
            board = game.board()
            keys = [chess.polyglot.zobrist_hash(board)]
            for move in [*game.mainline_moves()][:MAX_PLY]:
                board.push(move)
                keys.append(chess.polyglot.zobrist_hash(board))
            if len(set(keys)) == len(keys):
                print(game, end="\n\n", file=output)
