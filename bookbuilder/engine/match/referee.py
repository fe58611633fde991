"""One game of a match: two players play from an opening until the rules or the adjudication end the game.

The rules are as in `bookbuilder.games.ruling.judge`: repetitions of xiangqi are judged by the AXF's code.
No player is trusted: an illegal move, no answer, or a crash loses the game. It is reported as a *fault*,
apart from games lost on the board.

The match plays the moves of a player's book itself, so any engine can have one. A book move takes no time,
and the engine is not asked. Moves are drawn by random numbers that depend on the seed, the pair of games, the
side and the ply. So equal books lead both games of a pair into the same line.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from bookbuilder._core import Position, Referee
from bookbuilder.archives.played_game import Result
from bookbuilder.book.play import MoveSource, draw, fresh
from bookbuilder.engine.drivers.player import Clocks, Player, PlayerFault, Reply
from bookbuilder.engine.match.openings import Opening
from bookbuilder.games.position import Game

Reason: TypeAlias = Literal[
    "mate", "stalemate", "insufficient material", "move-count rule", "repetition", "perpetual check",
    "mutual perpetual check", "perpetual chase", "pinned rook chase", "perpetual undermining",
    "mutual perpetual chase", "forbidden series", "mutual forbidden series",
    "resignation", "adjudicated win", "adjudicated draw", "length", "time", "fault",
]  # fmt: skip
"""Why a game ended."""

# The default of the bundled engine's option.
_MOVE_OVERHEAD_MS: Final = 30
# Reasons whose name in a match is not the core's with spaces.
_REASONS: Final[dict[str, Reason]] = {"move-count": "move-count rule", "nothing-forbidden": "repetition"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """When a game is ended before the rules end it."""

    resign_cp: int = 900  # a player loses when its own score is this bad …
    resign_moves: int = 4  # … on this number of its moves in a row; 0: never
    draw_cp: int = 10  # a game is drawn when the scores of both players stay within this …
    draw_moves: int = 8  # … on this number of moves of each in a row; 0: never …
    draw_from_ply: int = 80  # … from this ply on
    most_plies: int = 400  # a game of this length is drawn
    # How much later than its limit a player may answer; None: its `Move Overhead`, if that option is
    # set, else that of the bundled engine.
    time_margin_ms: int | None = None


_POINTS: Final = {"1-0": (2, 0), "1/2-1/2": (1, 1), "0-1": (0, 2), "*": (1, 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchGame:
    """A finished game of a match."""

    number: int  # from 1
    result: Result
    reason: Reason  # why it ended
    fen: str | None = None  # its first position; None: the start of the game
    moves: tuple[str, ...] = ()  # its moves in coordinates, with those of the opening
    detail: str = ""  # the fault, if there was one
    faulty_side: int | None = None  # the side that committed the fault; None: no fault
    late_ms: tuple[int, int] = (0, 0)  # the maximum time by which each side exceeded its limit
    late: tuple[int, int] = (0, 0)  # number of answers of each side that came after its limit
    book: tuple[int, ...] = ()  # plies, from 1, whose moves came from a player's book

    @property
    def first_player(self) -> int:
        """The player who had the first side: 0 or 1."""
        return (self.number - 1) % 2

    @property
    def points(self) -> int:
        """Half points of the first player of the match: 0, 1 or 2."""
        return _POINTS[self.result][self.first_player]

    @property
    def book_moves(self) -> tuple[int, int]:
        """Number of book moves of the first player of the match and of the second."""
        first_to_move = int(self.fen is not None and self.fen.split()[1] == "b")
        sides = [(first_to_move + ply - 1) % 2 for ply in self.book]
        return self.of_players((sides.count(0), sides.count(1)))

    def of_players(self, sides: tuple[int, int]) -> tuple[int, int]:
        """Return figures of the first and the second side by players."""
        return sides if self.first_player == 0 else (sides[1], sides[0])

    @property
    def faulty_player(self) -> int | None:
        """The player whose fault ended the game."""
        return None if self.faulty_side is None else (self.first_player + self.faulty_side) % 2


@dataclass(slots=True)
class Seat:
    """A player at the board, with its clock."""

    player: Player
    source: MoveSource | None = None  # its book; None: it has none
    seed: str = ""  # seed of the random choices of book moves in this game
    left_ms: int = 0  # the time on its clock; 0: it has no clock
    to_go: int | None = None  # moves until its next time control
    late_ms: int = 0  # the maximum time by which it exceeded its limit
    late: int = 0  # number of answers that came after its limit
    bad: int = 0  # moves in a row with a lost score
    level: int = 0  # moves in a row with an even score
    book: list[int] = field(default_factory=list)  # plies whose moves came from its book

    def __post_init__(self) -> None:
        """Set the clock."""
        limit = self.player.spec.limit
        self.left_ms, self.to_go = limit.base_ms or 0, limit.moves

    def reply(self, referee: Referee, other: Seat) -> tuple[Reply, int]:
        """Return the move of its book, else of its player, with the milliseconds that it took."""
        choices = [] if self.source is None else self.source.choices(referee.position)
        if choices:
            passed = [Position(referee.game, referee.fen)]
            for move in referee.moves():
                passed.append(passed[-1].play(passed[-1].parse_move(move)))
            choices = fresh(choices, referee.position, passed)
            chance = random.Random(f"{self.seed} {len(referee)}").random()
            if (code := draw(choices, "weighted", chance)) is not None:
                self.book.append(len(referee) + 1)
                return Reply(code), 0
        started = time.monotonic()
        has_clock = self.player.spec.limit.base_ms is not None
        clocks = Clocks(self.left_ms, other.left_ms, self.to_go) if has_clock else None
        reply = self.player.think(referee, clocks)
        return reply, round(1000 * (time.monotonic() - started))

    def spend(self, used_ms: int, margin_ms: int | None) -> bool:
        """Count the time of a move; return whether it was within the limit and the margin."""
        limit = self.player.spec.limit
        if margin_ms is None:
            given = {name.lower(): value for name, value in self.player.spec.options}
            margin_ms = int(given.get("move overhead", _MOVE_OVERHEAD_MS))
        if limit.movetime_ms is not None:
            over_ms = used_ms - limit.movetime_ms
        elif limit.base_ms is not None:
            self.left_ms -= used_ms
            over_ms = -self.left_ms
            self.left_ms = max(self.left_ms, 0) + limit.increment_ms
            if self.to_go is not None:
                self.to_go -= 1
                if self.to_go == 0:
                    self.left_ms, self.to_go = self.left_ms + limit.base_ms, limit.moves
        else:
            return True
        self.late_ms = max(self.late_ms, over_ms)
        self.late += over_ms > 0
        return over_ms <= margin_ms


def play_game(
    game: Game, number: int, opening: Opening, seats: tuple[Seat, Seat], rules: Adjudication
) -> MatchGame:
    """Play a game from an opening to its end."""
    referee = Referee(game, opening.fen, opening.moves)
    first = referee.position.side
    ruling, detail, faulty_side = rule(referee), "", None
    try:
        for side in (first, 1 - first):
            seats[side].player.new_game(referee)
        while ruling is None:
            side = referee.position.side
            ruling = rule(referee) or _move(referee, seats, rules)
    except PlayerFault as fault:
        ruling, detail, faulty_side = (_won_by(1 - side), "fault"), str(fault), side
    assert ruling is not None
    return MatchGame(
        number=number,
        result=ruling[0],
        reason=ruling[1],
        fen=opening.fen,
        moves=tuple(referee.moves()),
        detail=detail,
        faulty_side=faulty_side,
        late_ms=(seats[0].late_ms, seats[1].late_ms),
        late=(seats[0].late, seats[1].late),
        book=tuple(sorted(seats[0].book + seats[1].book)),
    )


def _move(referee: Referee, seats: tuple[Seat, Seat], rules: Adjudication) -> tuple[Result, Reason] | None:
    """Let the side to move play; return how this ends the game, if the rules do not end it."""
    side = referee.position.side
    seat, other = seats[side], seats[1 - side]
    reply, used_ms = seat.reply(referee, other)
    if not seat.spend(used_ms, rules.time_margin_ms):
        return _won_by(1 - side), "time"
    if reply.code is None:
        return _won_by(1 - side), "resignation"
    referee.play(reply.code)
    score = reply.score_cp
    seat.bad = seat.bad + 1 if score is not None and score <= -rules.resign_cp else 0
    seat.level = seat.level + 1 if score is not None and abs(score) <= rules.draw_cp else 0
    if rule(referee) is not None:
        return None
    if 0 < rules.resign_moves <= seat.bad:
        return _won_by(1 - side), "adjudicated win"
    is_level = 0 < rules.draw_moves <= min(seat.level, other.level)
    if is_level and len(referee) >= rules.draw_from_ply:
        return "1/2-1/2", "adjudicated draw"
    return ("1/2-1/2", "length") if len(referee) >= rules.most_plies else None


def _won_by(side: int) -> Result:
    return "1-0" if side == 0 else "0-1"


def rule(referee: Referee) -> tuple[Result, Reason] | None:
    """Return result and reason if the rules end the game; None if it goes on."""
    found = referee.judge()
    reason, loser = found["reason"], found["loser"]
    if reason is None:
        return None
    result: Result = "1/2-1/2" if loser is None else _won_by(1 - loser)
    return result, _REASONS.get(reason) or cast("Reason", reason.replace("-", " "))
