"""One game of a match: two players and an opening in, a result and its reason out.

The referee knows the rules and trusts no player: a move that is not legal, silence, or the end of an engine
loses the game for it and is told as a *fault*, apart from games lost at the board.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from bookbuilder._core import Position
from bookbuilder.archives.played_game import Result
from bookbuilder.engine.match.openings import Opening
from bookbuilder.engine.match.player import Clocks, Line, Player, PlayerFault, Reply, ThinkLimit
from bookbuilder.games.position import Game, coordinates_of

__all__ = ["Adjudication", "Finished", "Ruling", "Seat", "play_game", "rule"]

Reason: TypeAlias = Literal[
    "mate", "stalemate", "insufficient material", "repetition", "perpetual check", "move-count rule",
    "resignation", "adjudicated win", "adjudicated draw", "length", "time", "fault",
]  # fmt: skip
"""Why a game ended."""

# Plies without a capture (chess: or a pawn move) that end a game: FIDE 9.3; the natural limit of xiangqi.
_MOVE_COUNT_PLIES: Final[dict[Game, int]] = {"chess": 100, "xiangqi": 120}
_OCCURRENCES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """When a game is ended before the rules end it.

    Attributes:
        resign_cp: a player whose own score is as bad as this …
        resign_moves: … on so many of its moves in a row has lost; 0: never.
        draw_cp: a game in which both players' scores are within this …
        draw_moves: … on so many moves of each in a row …
        draw_from_ply: … from this ply on is drawn; `draw_moves` 0: never.
        most_plies: a game of this length is drawn.
        time_margin_ms: how much later than its limit a player may answer.
    """

    resign_cp: int = 900
    resign_moves: int = 4
    draw_cp: int = 10
    draw_moves: int = 8
    draw_from_ply: int = 80
    most_plies: int = 400
    time_margin_ms: int = 1000


@dataclass(frozen=True, slots=True)
class Ruling:
    """How a game ended, and why."""

    result: Result
    reason: Reason


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that has ended.

    Attributes:
        ruling: result and reason.
        fen: where it began; None at the start of the game.
        moves: its moves in coordinates, the opening's included.
        detail: what a fault was.
        faulty_side: whose fault it was; None where there was none.
        late_ms: the most that either side answered after its limit.
    """

    ruling: Ruling
    fen: str | None
    moves: tuple[str, ...]
    detail: str = ""
    faulty_side: int | None = None
    late_ms: int = 0


@dataclass(slots=True)
class Seat:
    """A player at the board, with its clock.

    Attributes:
        player: who plays.
        limit: how long it may think.
        left_ms: what its clock shows; 0 where it has none.
        to_go: moves until its next time control.
        late_ms: the most that it answered after its limit.
        bad: moves in a row on which its score was lost.
        level: moves in a row on which its score was even.
    """

    player: Player
    limit: ThinkLimit
    left_ms: int = 0
    to_go: int | None = None
    late_ms: int = 0
    bad: int = 0
    level: int = 0

    def start(self) -> None:
        """Wind the clock."""
        self.left_ms, self.to_go = self.limit.base_ms or 0, self.limit.moves
        self.late_ms = self.bad = self.level = 0

    def spend(self, used_ms: int, margin_ms: int) -> bool:
        """Count a move's time; return whether it was within the limit and the margin."""
        if self.limit.movetime_ms is not None:
            self.late_ms = max(self.late_ms, used_ms - self.limit.movetime_ms)
            return used_ms <= self.limit.movetime_ms + margin_ms
        if self.limit.base_ms is None:
            return True
        self.left_ms -= used_ms
        self.late_ms = max(self.late_ms, -self.left_ms)
        is_in_time = self.left_ms >= -margin_ms
        self.left_ms = max(self.left_ms, 0) + self.limit.increment_ms
        if self.to_go is not None:
            self.to_go -= 1
            if self.to_go == 0:
                self.left_ms, self.to_go = self.left_ms + self.limit.base_ms, self.limit.moves
        return is_in_time

    def judge(self, reply: Reply, rules: Adjudication) -> None:
        """Count what the player says of its own position."""
        score = reply.score_cp
        self.bad = self.bad + 1 if score is not None and score <= -rules.resign_cp else 0
        self.level = self.level + 1 if score is not None and abs(score) <= rules.draw_cp else 0


def play_game(game: Game, opening: Opening, seats: tuple[Seat, Seat], rules: Adjudication) -> Finished:
    """Play a game from an opening to its end.

    Args:
        game: chess or xiangqi.
        opening: how it begins.
        seats: the first side and the second.
        rules: when it is ended early.
    """
    line = Line.start(game, opening.fen)
    for text in opening.moves:
        line.play(line.here.parse_move(text, coordinates_of(game)))
    finished = _play_on(line, seats, rules)
    moves = tuple(line.moves(coordinates_of(game)))
    return replace(finished, moves=moves, late_ms=max(seat.late_ms for seat in seats))


def _play_on(line: Line, seats: tuple[Seat, Seat], rules: Adjudication) -> Finished:
    side = line.here.side
    try:
        for side in (line.here.side, 1 - line.here.side):
            seats[side].start()
            seats[side].player.new_game(line)
        while (ruling := rule(line)) is None:
            side = line.here.side
            if (ruling := _move(line, seats, rules)) is not None:
                break
    except PlayerFault as fault:
        return Finished(Ruling(_won_by(1 - side), "fault"), line.fen, (), str(fault), side)
    return Finished(ruling, line.fen, ())


def _move(line: Line, seats: tuple[Seat, Seat], rules: Adjudication) -> Ruling | None:
    """Have the side to move play; return how the game ends thereby, if not by the rules."""
    side = line.here.side
    seat, other = seats[side], seats[1 - side]
    clocks = None
    if seat.limit.base_ms is not None:
        clocks = Clocks(seat.left_ms, other.left_ms, seat.to_go)
    started = time.monotonic()
    reply = seat.player.think(line, clocks)
    used_ms = round(1000 * (time.monotonic() - started))
    if not seat.spend(used_ms, rules.time_margin_ms):
        return Ruling(_won_by(1 - side), "time")
    if reply.code is None:
        return Ruling(_won_by(1 - side), "resignation")
    line.play(reply.code)
    seat.judge(reply, rules)
    if rule(line) is not None:
        return None
    if 0 < rules.resign_moves <= seat.bad:
        return Ruling(_won_by(1 - side), "adjudicated win")
    is_level = 0 < rules.draw_moves <= min(seat.level, other.level)
    if is_level and len(line.codes) >= rules.draw_from_ply:
        return Ruling("1/2-1/2", "adjudicated draw")
    return Ruling("1/2-1/2", "length") if len(line.codes) >= rules.most_plies else None


def _won_by(side: int) -> Result:
    return "1-0" if side == 0 else "0-1"


def rule(line: Line) -> Ruling | None:
    """Return how the rules end the game at the end of the line; None if they do not.

    Mate comes before the draws. In xiangqi the side without a move has lost, and, of a position that comes
    for the third time, the side that gave check on every move of the cycle, if only one did; chases are not
    judged.
    """
    here = line.here
    lost = _won_by(1 - here.side)
    match here.verdict:
        case "mate":
            return Ruling(lost, "mate")
        case "stalemate":
            return Ruling("1/2-1/2" if line.game == "chess" else lost, "stalemate")
        case "insufficient material":
            return Ruling("1/2-1/2", "insufficient material")
    earlier = [index for index, position in enumerate(line.positions[:-1]) if _is_same(position, here)]
    if len(earlier) + 1 >= _OCCURRENCES:
        return _repeated(line, earlier[-1])
    if _plies_without_progress(line) >= _MOVE_COUNT_PLIES[line.game]:
        return Ruling("1/2-1/2", "move-count rule")
    return None


def _is_same(one: Position, other: Position) -> bool:
    return one.key == other.key and one.lock == other.lock


def _repeated(line: Line, since: int) -> Ruling:
    """The ruling on a cycle that began at the position numbered `since`."""
    if line.game == "xiangqi":
        cycle = line.positions[since + 1 :]
        # A side's moves lead to positions in which the other is to move.
        checks = [
            all(position.is_check for position in cycle if position.side == 1 - side) for side in (0, 1)
        ]
        if checks[0] != checks[1]:
            return Ruling(_won_by(checks.index(False)), "perpetual check")
    return Ruling("1/2-1/2", "repetition")


def _plies_without_progress(line: Line) -> int:
    if line.game == "chess":
        return int(line.here.fen.split()[4])
    # Xiangqi positions do not count: only captures are progress.
    pieces = _pieces(line.here)
    plies = 0
    for position in reversed(line.positions[:-1]):
        if _pieces(position) != pieces:
            break
        plies += 1
    return plies


def _pieces(position: Position) -> int:
    return sum(sign.isalpha() for sign in position.fen.split()[0])
