"""The lines of `build`, with every figure counted again by python-chess from the games and the file."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from pathlib import Path

import chess.pgn
import chess.polyglot
import pytest
from support.cli_runner import run

from bookbuilder.cli.book.summary import build_lines

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

    def lacking(self) -> int:
        """Return the number of main moves that the book lacks where it has others."""
        start = self.reached[self.key(chess.Board())]
        ply = {self.key(chess.Board()): 0}
        for key in ply_order(self, ply):
            assert key in ply
        return sum(
            10 * games >= sum(each for each, _ in rows.values())
            and 100 * self.reached[key] >= start
            and move not in self.book[key]
            for key, rows in self.played.items()
            if ply.get(key, 99) < 9 and self.book[key]
            for move, (games, _) in rows.items()
        )


def ply_order(count: Recount, ply: dict[Key, int]) -> list[Key]:
    """Fill in the smallest number of plies to each position of the games and the book."""
    front = [*ply]
    while front:
        found = []
        for key in front:
            for move in {*count.played[key], *count.book[key]}:
                after = count.after(key, move)
                if after not in ply:
                    ply[after] = ply[key] + 1
                    found.append(after)
        front = found
    return [*ply]


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


@pytest.fixture(scope="module", params=[300, pytest.param(2000, marks=pytest.mark.full)])
def built(request: pytest.FixtureRequest, data: Path, tmp_path_factory: pytest.TempPathFactory):
    """A book, its lines, its JSON data, and the recount."""
    folder = tmp_path_factory.mktemp("summary")
    archive, book = folder / "games.pgn", folder / "a.bin"
    write_simple_games(data / "chess_selfplay.pgn", archive, request.param)
    ran = run("build", archive, "-o", book)
    assert ran.code == 0, ran.err
    answer = json.loads(run("build", archive, "-o", book, "--force", "--json").out)
    return ran.out.splitlines(), answer, Recount(archive, book), archive


def test_lines_fit_a_small_terminal(built) -> None:
    lines, answer, _, _ = built
    assert len(lines) <= 12
    assert max(len(line) for line in lines if not line.startswith(answer["book"])) <= 80
    assert lines == [*build_lines("chess", answer)]


def test_first_line_counts_the_file(built) -> None:
    lines, _, count, _ = built
    moves = sum(len(entries) for entries in count.book.values())
    places = sum(bool(entries) for entries in count.book.values())
    assert f": {moves:,} moves at {places:,} positions, from {count.games:,} games" in lines[0]


def test_dropped_moves_are_those_of_the_games(built) -> None:
    lines, answer, count, _ = built
    least = answer["min_games"]
    rows = [
        (row, int(least) + (count.ply[key] + 1 > MAX_PLY * (1 - least % 1)))
        for key, moves in count.played.items()
        for row in moves.values()
    ]
    assert f"{sum(games < need for (games, _), need in rows):,} in too few games" in lines[1]
    beaten = sum(games >= need and not points for (games, points), need in rows)
    assert (f"{beaten:,} lost every game" in lines[1]) == bool(beaten)


def test_plies_and_openings_equal_a_walk(built) -> None:
    lines, answer, count, _ = built
    numbers = [float(text) for text in re.findall(r"\d+\.\d", lines[2])]
    expected = [count.plies(chess.WHITE), count.plies(chess.BLACK), count.openings()]
    assert numbers == pytest.approx(expected, abs=0.051)
    assert answer["reach"]["openings"] == pytest.approx(expected[2], rel=1e-9)


def test_branches_are_the_weights_of_the_file(built) -> None:
    lines, _, count, _ = built
    start = count.key(chess.Board())
    firsts = sorted(count.played[start].items(), key=lambda each: -each[1][0])[:4]
    places = [start, *(count.after(start, move) for move, _ in firsts)]
    for line, key in zip(lines[3:8], places, strict=True):
        assert re.findall(r"\S+ <?\d+ %", line[15:]) == count.words(key)


def test_missing_main_moves_are_counted(built) -> None:
    lines, answer, count, _ = built
    assert len(answer["reach"]["lacking"]) == min(count.lacking(), 20)
    assert lines[8].endswith("none") == (count.lacking() == 0)


def test_info_and_verify_say_the_same(built, tmp_path: Path) -> None:
    _, answer, _count, archive = built
    info = json.loads(run("info", answer["book"], "--json").out)
    for name in ("records", "reachable", "positions", "openings"):
        assert info["reach"][name] == pytest.approx(answer["reach"][name])
    store = tmp_path / "games.store"
    run("tally", archive, "-o", store)
    against = json.loads(run("info", answer["book"], "--against", store, "--json").out)
    for each, own in zip(against["reach"]["sides"], answer["reach"]["sides"], strict=True):
        assert each == {**own, "plies": pytest.approx(own["plies"], abs=1e-4)}
    verified = json.loads(run("book", "verify", answer["book"], "--json").out)["walk"]
    assert (verified["records"], verified["reached"]) == (
        info["reach"]["records"],
        info["reach"]["reachable"],
    )


def test_quiet_prints_nothing(data: Path, tmp_path: Path) -> None:
    ran = run("build", data / "chess_selfplay.pgn", "-o", tmp_path / "a.bin", "--max-games", 50, "-q")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_copies_are_told_with_the_option_that_counts_them_once(tmp_path: Path) -> None:
    archive, game = tmp_path / "a.pgn", '[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    archive.write_text(2 * game, encoding="utf-8")
    lines = run("build", archive, "-o", tmp_path / "a.bin").out.splitlines()
    assert lines[-1] == "1 game is a copy of another; --dedupe exact counts them once"
    once = run("build", archive, "-o", tmp_path / "b.bin", "--dedupe", "exact").out.splitlines()
    assert once[-1] == "skipped games: 1 duplicate"


def test_one_game_more_moves_no_figure_by_much(data: Path, tmp_path: Path) -> None:
    figures = []
    for games in (1500, 1501):
        words = ("-o", tmp_path / f"{games}.bin", "--max-games", games, "--json")
        answer = json.loads(run("build", data / "chess_selfplay.pgn", *words).out)
        plies = [side["plies"] for side in answer["reach"]["sides"]]
        figures.append([answer["moves"], answer["positions"], answer["reach"]["openings"], *plies])
    assert figures[0] == pytest.approx(figures[1], rel=0.01)
