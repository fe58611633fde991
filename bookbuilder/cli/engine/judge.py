"""`bookbuilder engine judge`: the verdict of the rules on a line of play."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bookbuilder.cli.console import print_json, say
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import PositionWords, game_of, joined, line_at

if TYPE_CHECKING:
    from bookbuilder.games.position import Game
    from bookbuilder.games.ruling import Judgement

# The first side of each game; the second is Black in both.
_FIRST: Final = {"chess": "White", "xiangqi": "Red"}
# What each reason means; the loser, if there is one, is written in front.
_WORDS: Final = {
    "mate": "is mated",
    "stalemate": "has no legal move",
    "insufficient-material": "neither side can ever mate",
    "move-count": "too many moves without a capture (chess: or a pawn move)",
    "repetition": "the position has occurred too often",
    "nothing-forbidden": "the position has occurred too often, and neither side does what the code forbids",
    "perpetual-check": "checks with every move",
    "mutual-perpetual-check": "both sides check with every move",
    "perpetual-chase": "chases the same piece with every move",
    "pinned-rook-chase": "chases with every move a rook that a horse pins",
    "perpetual-undermining": "chases the same piece with every move, at times by unprotecting it",
    "mutual-perpetual-chase": "both sides chase with every move",
    "forbidden-series": "does nothing but check, threaten mate and chase",
    "mutual-forbidden-series": "both sides do nothing but check, threaten mate and chase",
}


def judge(
    position: PositionWords = None,
    game: Annotated[
        opt.GameName | None, typer.Option(help="The game.", show_default="the FEN's, or chess")
    ] = None,
    rule: Annotated[
        opt.RuleName, typer.Option("--repetition-rule", help="The code for repetitions of xiangqi.")
    ] = "axf",
    occurrences: Annotated[int, typer.Option(min=2, max=9, help="Occurrences that make a repetition.")] = 3,
    json: opt.Json = False,
) -> None:
    """Show whether a line has ended the game, who has won, and by which rule."""
    from bookbuilder.games.ruling import judge as judged

    name = game_of(game, joined(position))
    # Report an invalid position or move with its number.
    line = line_at(name, joined(position))
    found = judged(name, line.start, moves=line.moves, rule=rule, occurrences=occurrences)
    if json:
        cycle = found.cycle
        plies = None if cycle is None else len(cycle)
        print_json({"game": name, "rule": rule, **asdict(found), "cycle": cycle, "cycle_plies": plies})
    else:
        _print(name, found)


def _print(game: Game, found: Judgement) -> None:
    """Print a judgement, one fact per line."""
    if found.reason is None:
        say(f"{'verdict':<11}none: the game goes on")
        return
    says = _WORDS[found.reason]
    if found.loser is not None:
        side = _FIRST[game] if found.loser == "first" else "Black"
        says = f"{side} {says}"
    if found.victim is not None:
        says += f" (on {found.victim})"
    article = "" if found.axf_article is None else f", AXF {found.axf_article}"
    say(f"{'verdict':<11}{found.verdict} for the side to move")
    say(f"{'reason':<11}{found.reason}{article}: {says}")
    if found.cycle is not None:
        say(f"{'cycle':<11}{' '.join(found.cycle)} ({len(found.cycle)} plies)")
