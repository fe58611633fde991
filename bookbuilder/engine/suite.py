"""Run the bundled engine on test suites, which are positions with known answers.

The answer of a line is in these operations: `bm` good moves, `am` bad moves, `dm` moves to a mate, `c0`
points for moves (`"Nf3=10, d4=7"`, as in the Strategic Test Suite). A position is *solved at* the first
iteration from which the answer stays right to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from bookbuilder._core import Position
from bookbuilder.engine.engine import Engine, Iteration
from bookbuilder.engine.epd import EpdLine
from bookbuilder.errors import FenError, MoveError, OptionError
from bookbuilder.games.position import as_game, coordinates_of

__all__ = ["Answer", "SuiteLimit", "SuiteRow", "expected_answer", "run_suite", "suite_totals"]

_POINTS: Final = re.compile(r"([^\s,=]+)\s*=\s*(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteLimit:
    """The limit of each search; at least one is set.

    Attributes:
        depth: plies.
        nodes: nodes.
        movetime_ms: milliseconds.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a position; moves are codes.

    Attributes:
        best: good moves, if any are named.
        avoid: bad moves.
        mate_moves: number of moves to a mate.
        points: points for moves, if any are given.
    """

    best: frozenset[int]
    avoid: frozenset[int]
    mate_moves: int | None
    points: dict[int, int]

    def is_right(self, move: int, mate_in: int | None) -> bool:
        """Return whether a move, with the plies to mate found for it, solves the position."""
        if not self.best and not self.avoid and self.mate_moves is None:
            return self.points.get(move, 0) == self.most_points
        if self.best and move not in self.best:
            return False
        if self.mate_moves is not None and not (mate_in is not None and 0 < mate_in < 2 * self.mate_moves):
            return False
        return move not in self.avoid

    @property
    def most_points(self) -> int:
        """Points of the best move."""
        return max(self.points.values(), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRow:
    """The result of one position.

    Attributes:
        name: its id.
        number: its line.
        fen: the position.
        expected: the operations with the answer.
        move: the engine's move, in SAN (xiangqi: ICCS); None: the line is unusable.
        is_solved: whether the move is right; None: the line is unusable.
        points: points of the move.
        most_points: points of the best move.
        depth: iteration at which the position was solved.
        nodes: nodes until then.
        seconds: time until then.
        defect: the reason why the line is unusable.
    """

    name: str
    number: int
    fen: str
    expected: str
    move: str | None = None
    is_solved: bool | None = None
    points: int = 0
    most_points: int = 0
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    defect: str | None = None


def expected_answer(line: EpdLine) -> Answer:
    """Return the answer of a position.

    Raises:
        MoveError: a move of the answer is illegal.
        OptionError: the line has no answer.
    """
    position, operations = Position(line.game, line.fen), line.operations

    def codes(opcode: str) -> frozenset[int]:
        texts = operations.get(opcode, "").replace(",", " ").split()
        return frozenset(_parse(position, text) for text in texts)

    points = {_parse(position, move): int(count) for move, count in _POINTS.findall(operations.get("c0", ""))}
    mate = operations.get("dm", "")
    answer = Answer(codes("bm"), codes("am"), int(mate) if mate.isdecimal() else None, points)
    if not (answer.best or answer.avoid or answer.points or answer.mate_moves):
        raise OptionError(f"line {line.number}: no answer: expected one of bm, am, dm, c0 with points")
    return answer


def _parse(position: Position, text: str) -> int:
    # Chess suites add marks such as "!" to moves.
    return position.parse_move(text.rstrip("!?") if position.game == "chess" else text)


def run_suite(
    lines: Iterable[EpdLine | FenError], limit: SuiteLimit, *, hash_mib: int = 16, threads: int = 1
) -> Iterator[SuiteRow]:
    """Search each position with an empty table and yield its result."""
    engines: dict[str, Engine] = {}
    for line in lines:
        if isinstance(line, FenError):
            yield SuiteRow(name="", number=0, fen="", expected="", defect=str(line))
            continue
        if line.game not in engines:
            engines[line.game] = Engine(line.game, hash_mib=hash_mib, threads=threads)
        yield _row(engines[line.game], line, limit)


def _row(engine: Engine, line: EpdLine, limit: SuiteLimit) -> SuiteRow:
    expected = "; ".join(
        f"{opcode} {line.operations[opcode]}" for opcode in ("bm", "am", "dm") if opcode in line.operations
    )
    facts: dict[str, Any] = {
        "name": line.name, "number": line.number, "fen": line.fen, "expected": expected,
    }  # fmt: skip
    try:
        answer = expected_answer(line)
    except (MoveError, OptionError) as error:
        return SuiteRow(**facts, defect=str(error))
    position = Position(line.game, line.fen)
    engine.clear()
    found = engine.search(
        line.fen,
        depth=limit.depth,
        nodes=limit.nodes,
        movetime_ms=limit.movetime_ms,
        mate=answer.mate_moves,
        book_policy="off",
    )
    if found.move is None:
        return SuiteRow(**facts, defect="no legal move")
    code = _code(position, found.move)
    is_solved = answer.is_right(code, found.mate_in)
    since = _solved_since(position, answer, found.iterations) if is_solved else None
    return SuiteRow(
        **facts,
        move=position.san(code),
        is_solved=is_solved,
        points=answer.points.get(code, 0),
        most_points=answer.most_points,
        depth=None if since is None else since.depth,
        nodes=None if since is None else since.nodes,
        seconds=None if since is None else since.seconds,
    )


def _code(position: Position, text: str) -> int:
    return position.parse_move(text, coordinates_of(as_game(position.game)))


def _solved_since(position: Position, answer: Answer, iterations: Iterable[Iteration]) -> Iteration | None:
    """The first iteration from which on the answer is right; None if only an unfinished one found it."""
    since = None
    for iteration in iterations:
        code = _code(position, iteration.move)
        if not answer.is_right(code, iteration.mate_in):
            since = None
        elif since is None:
            since = iteration
    return since


def suite_totals(rows: Iterable[SuiteRow]) -> dict[str, Any]:
    """Return positions, solved, unusable, points, most_points, and medians of depth, nodes and seconds."""
    rows = list(rows)
    usable = [row for row in rows if row.defect is None]
    solved = [row for row in usable if row.is_solved]
    return {
        "positions": len(usable),
        "solved": len(solved),
        "unusable": len(rows) - len(usable),
        "points": sum(row.points for row in usable),
        "most_points": sum(row.most_points for row in usable),
        "median_depth": _median([row.depth for row in solved if row.depth is not None]),
        "median_nodes": _median([row.nodes for row in solved if row.nodes is not None]),
        "median_seconds": _median([row.seconds for row in solved if row.seconds is not None]),
    }


def _median(values: list[Any]) -> Any:  # noqa: ANN401 (int or float)
    return sorted(values)[len(values) // 2] if values else None
