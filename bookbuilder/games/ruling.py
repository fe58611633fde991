"""The rules' word on a line of play: a position and moves in, a verdict with its reason and cycle out.

A game ends by mate, stalemate, dead material, the move-count rule or repetition. Repeated positions draw in
chess; in xiangqi they are judged by the moves between: see docs/repetition.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from bookbuilder.games.position import START_WORD, Game, PositionLike, as_game, as_position, side_name

__all__ = ["RULES_KNOWN", "Judgement", "Rule", "judge"]

Rule = Literal["axf", "cxa", "check-only", "none"]
"""The name of a code by which repetitions of xiangqi are judged."""

RULES_KNOWN: Final[tuple[Rule, ...]] = get_args(Rule)
"""The codes, the default first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the rules say of a line.

    Attributes:
        fen: the position at the end.
        verdict: `win`, `loss` or `draw` for the side to move there; `none` where the game goes on.
        reason: `mate`, `stalemate`, `insufficient-material`, `move-count`, `repetition` (no code asked), or
            what the code says of the cycle: `perpetual-check`, `mutual-perpetual-check`, `perpetual-chase`,
            `pinned-rook-chase`, `perpetual-undermining`, `mutual-perpetual-chase`, `forbidden-series`,
            `mutual-forbidden-series`, `nothing-forbidden`; None where the game goes on.
        loser: `first` or `second`; None where nobody has lost.
        axf_article: where the AXF's rules say so, if they number it.
        victim: the point of the piece that is chased.
        cycle: the moves from the first counted occurrence of the position to the last; None without one.
    """

    fen: str
    verdict: Literal["win", "loss", "draw", "none"]
    reason: str | None
    loser: Literal["first", "second"] | None
    axf_article: str | None
    victim: str | None
    cycle: tuple[str, ...] | None


def judge(
    game: Game,
    position: PositionLike = START_WORD,
    *,
    moves: Sequence[str] = (),
    rule: Rule = "axf",
    occurrences: int = 3,
) -> Judgement:
    """Return what the rules say of the line at its end.

    Args:
        game: `chess` or `xiangqi`.
        position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`, whose moves are not asked. The
            half-move clock of a chess FEN counts.
        moves: the moves played from there, in UCI or ICCS.
        rule: the code for repetitions of xiangqi.
        occurrences: how often a position has to occur to be judged, at least 2.

    Raises:
        FenError: the position is not one of the game.
        MoveError: a move is not legal.
        OptionError: there is no such game or rule.

    Example:
        >>> judge("chess", moves="g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split()).verdict
        'draw'
        >>> line = "a0a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9 a8a9".split()
        >>> judge("xiangqi", "3k5/9/9/9/9/9/9/9/9/R4K3 w - - 0 1", moves=line).reason
        'perpetual-check'
    """
    from bookbuilder import _core

    name = as_game(game)
    fen = as_position(position, name).fen
    found = _core.judge(name, fen, list(moves), rule=rule, occurrences=occurrences)
    loser, cycle = found["loser"], found["cycle"]
    return Judgement(
        fen=found["fen"],
        verdict=found["verdict"],
        reason=found["reason"],
        loser=None if loser is None else side_name(loser),
        axf_article=found["axf_article"],
        victim=found["victim"],
        cycle=None if cycle is None else tuple(cycle),
    )
