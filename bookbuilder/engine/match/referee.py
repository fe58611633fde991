"""One game of a match: two players play from an opening until the rules or the adjudication end the game.

The rules are as in `bookbuilder.games.ruling.judge`: repetitions of xiangqi are judged by the AXF's code.
No player is trusted: an illegal move, no answer, or a crash loses the game. It is reported as a *fault*,
apart from games lost on the board.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from bookbuilder._core import Referee
from bookbuilder.archives.played_game import Result
from bookbuilder.engine.drivers.player import Clocks, Player, PlayerFault, Reply
from bookbuilder.engine.drivers.spec import ThinkLimit
from bookbuilder.engine.match.books import BookHand
from bookbuilder.engine.match.openings import Opening
from bookbuilder.games.position import Game

__all__ = ["Adjudication", "Finished", "Reason", "Ruling", "Seat", "play_game", "rule"]

Reason: TypeAlias = Literal[
    "mate", "stalemate", "insufficient material", "move-count rule", "repetition", "perpetual check",
    "mutual perpetual check", "perpetual chase", "pinned rook chase", "perpetual undermining",
    "mutual perpetual chase", "forbidden series", "mutual forbidden series",
    "resignation", "adjudicated win", "adjudicated draw", "length", "time", "fault",
]  # fmt: skip
"""Why a game ended."""

# Reasons whose name in a match is not the core's with spaces.
_REASONS: Final[dict[str, Reason]] = {"move-count": "move-count rule", "nothing-forbidden": "repetition"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """When a game is ended before the rules end it.

    Attributes:
        resign_cp: a player loses when its own score is this bad …
        resign_moves: … on this number of its moves in a row; 0: never.
        draw_cp: a game is drawn when the scores of both players stay within this …
        draw_moves: … on this number of moves of each in a row; 0: never …
        draw_from_ply: … from this ply on.
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
        fen: its first position; None: the start of the game.
        moves: its moves in coordinates, with those of the opening.
        detail: the fault, if there was one.
        faulty_side: the side that committed the fault; None: no fault.
        late_ms: the maximum time by which either side exceeded its limit.
        book: plies, from 1, whose moves came from a player's book.
    """

    ruling: Ruling
    fen: str | None
    moves: tuple[str, ...]
    detail: str = ""
    faulty_side: int | None = None
    late_ms: int = 0
    book: tuple[int, ...] = ()


@dataclass(slots=True)
class Seat:
    """A player at the board, with its clock.

    Attributes:
        player: the player.
        limit: how long it may think.
        hand: plays its book; None: it has no book.
        left_ms: the time on its clock; 0: it has no clock.
        to_go: moves until its next time control.
        late_ms: the maximum time by which it exceeded its limit.
        bad: moves in a row with a lost score.
        level: moves in a row with an even score.
        book: plies whose moves came from its book.
    """

    player: Player
    limit: ThinkLimit
    hand: BookHand | None = None
    left_ms: int = 0
    to_go: int | None = None
    late_ms: int = 0
    bad: int = 0
    level: int = 0
    book: list[int] = field(default_factory=list)

    def start(self) -> None:
        """Set the clock for a new game."""
        self.left_ms, self.to_go = self.limit.base_ms or 0, self.limit.moves
        self.late_ms = self.bad = self.level = 0
        self.book.clear()

    def reply(self, referee: Referee, other: Seat) -> tuple[Reply, int]:
        """Return the move of its book, else of its player, with the milliseconds that it took."""
        if self.hand is not None and (code := self.hand.move(referee)) is not None:
            self.book.append(len(referee) + 1)
            return Reply(code), 0
        started = time.monotonic()
        reply = self.player.think(referee, self.clocks(other))
        return reply, round(1000 * (time.monotonic() - started))

    def clocks(self, other: Seat) -> Clocks | None:
        """Return both clocks; None if this player has none."""
        return None if self.limit.base_ms is None else Clocks(self.left_ms, other.left_ms, self.to_go)

    def spend(self, used_ms: int, margin_ms: int) -> bool:
        """Count the time of a move; return whether it was within the limit and the margin."""
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

    def note_score(self, reply: Reply, rules: Adjudication) -> None:
        """Count lost and even scores in a row."""
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
    referee = Referee(game, opening.fen, opening.moves)
    first = referee.position.side
    detail, faulty_side = "", None
    try:
        for side in (first, 1 - first):
            seats[side].start()
            seats[side].player.new_game(referee)
        while (ruling := rule(referee)) is None:
            side = referee.position.side
            if (ruling := _move(referee, seats, rules)) is not None:
                break
    except PlayerFault as fault:
        ruling, detail, faulty_side = Ruling(_won_by(1 - side), "fault"), str(fault), side
    late_ms = max(seat.late_ms for seat in seats)
    book = tuple(sorted(seats[0].book + seats[1].book))
    return Finished(ruling, opening.fen, tuple(referee.moves()), detail, faulty_side, late_ms, book)


def _move(referee: Referee, seats: tuple[Seat, Seat], rules: Adjudication) -> Ruling | None:
    """Let the side to move play; return how this ends the game, if the rules do not end it."""
    side = referee.position.side
    seat, other = seats[side], seats[1 - side]
    reply, used_ms = seat.reply(referee, other)
    if not seat.spend(used_ms, rules.time_margin_ms):
        return Ruling(_won_by(1 - side), "time")
    if reply.code is None:
        return Ruling(_won_by(1 - side), "resignation")
    referee.play(reply.code)
    seat.note_score(reply, rules)
    if rule(referee) is not None:
        return None
    if 0 < rules.resign_moves <= seat.bad:
        return Ruling(_won_by(1 - side), "adjudicated win")
    is_level = 0 < rules.draw_moves <= min(seat.level, other.level)
    if is_level and len(referee) >= rules.draw_from_ply:
        return Ruling("1/2-1/2", "adjudicated draw")
    return Ruling("1/2-1/2", "length") if len(referee) >= rules.most_plies else None


def _won_by(side: int) -> Result:
    return "1-0" if side == 0 else "0-1"


def rule(referee: Referee) -> Ruling | None:
    """Return how the rules end the game; None if it goes on."""
    found = referee.judge()
    reason, loser = found["reason"], found["loser"]
    if reason is None:
        return None
    result: Result = "1/2-1/2" if loser is None else _won_by(1 - loser)
    return Ruling(result, _REASONS.get(reason) or cast("Reason", reason.replace("-", " ")))
