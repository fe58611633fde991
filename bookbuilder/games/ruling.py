"""Verdicts of the rules on a line of play.

A game ends by mate, stalemate, insufficient material, the move-count rule or repetition. A repetition is a
draw in chess; in xiangqi it is judged by the moves between: see docs/repetition.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from bookbuilder.games.line import MoveLike, coordinate_moves
from bookbuilder.games.position import SIDES, START_WORD, Game, PositionLike, as_game, as_position

Rule = Literal["axf", "cxa", "check-only", "none"]
"""The name of a code by which repetitions of xiangqi are judged."""

RULES_KNOWN: Final[tuple[Rule, ...]] = get_args(Rule)
"""All codes, the default first."""


class Judgement(NamedTuple):
    """The verdict of the rules on a line.

    Attributes:
        fen: the position at the end.
        verdict: `win`, `loss` or `draw` for the side to move there; `none`: the game goes on.
        reason: `mate`, `stalemate`, `insufficient-material`, `move-count`, `repetition` (chess, or the rule
            `none`), or how the code classifies the cycle: `perpetual-check`, `mutual-perpetual-check`,
            `perpetual-chase`, `pinned-rook-chase`, `perpetual-undermining`, `mutual-perpetual-chase`,
            `forbidden-series`, `mutual-forbidden-series`, `nothing-forbidden`; None: the game goes on.
        loser: `first` or `second`; None: nobody has lost.
        axf_article: the article of the AXF's rules, if it has a number.
        victim: the point of the chased piece.
        cycle: the moves from the first counted occurrence of the position to the last; None: no repetition.

    Example:
        >>> found = bb.judge("chess", "1.f3 e5 2.g4 Qh4")
        >>> found.verdict, found.reason, found.loser
        ('loss', 'mate', 'first')
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
    moves: Sequence[MoveLike] = (),
    rule: Rule = "axf",
    occurrences: int = 3,
) -> Judgement:
    """Return the verdict of the rules at the end of a line.

    Args:
        game: `chess` or `xiangqi`.
        position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board` without
            its moves. The half-move clock of a chess FEN counts.
        moves: the moves played from there, in any notation of the game or as `chess.Move`.
        rule: the code for repetitions of xiangqi.
        occurrences: number of times that a position must occur to be judged, minimum 2.

    Raises:
        FenError: the position is not valid in the game.
        MoveError: a move is not legal.
        OptionError: the game or the rule is unknown.

    Example:
        >>> judge("chess", moves="g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split()).verdict
        'draw'
        >>> line = "a0a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9 a8a9".split()
        >>> judge("xiangqi", "3k5/9/9/9/9/9/9/9/9/R4K3 w - - 0 1", moves=line).reason
        'perpetual-check'
    """
    from bookbuilder._core import Referee

    name = as_game(game)
    start = as_position(position, name)
    line = coordinate_moves(start, moves)
    facts: dict[str, Any] = {**Referee(name, start.fen, line, rule=rule, occurrences=occurrences).judge()}
    facts["loser"] = None if facts["loser"] is None else SIDES[facts["loser"]]
    facts["cycle"] = None if facts["cycle"] is None else tuple(facts["cycle"])
    return Judgement(**facts)
