"""`bookbuilder openings`: list the openings by which positions are named."""

from __future__ import annotations

from typing import Annotated

import typer

from bookbuilder._core import Position, notations
from bookbuilder.cli.console import display, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import chinese_name, shown_moves
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import print_table, text
from bookbuilder.games.position import GAMES_KNOWN, Game


def openings(
    game: Annotated[
        Game | None, typer.Option(help="The game.", show_default="the first that has a match: chess, xiangqi")
    ] = None,
    find: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="List only openings whose code starts with TEXT or whose name contains it."
        ),
    ] = "",
    json: opt.Json = False,
) -> None:
    """List the openings that positions are named by; exit code 1 if there is none."""
    from bookbuilder.games.openings import openings_of

    known = [each for each in GAMES_KNOWN if display.notation in (None, *notations(each))]
    games = (game,) if game else known or GAMES_KNOWN
    matches = ((each, openings_of(each).find(find)) for each in games)
    game, found = next(filter(lambda match: match[1], matches), (game or "chess", ()))
    if json:
        rows = [{**each.to_json(), "moves": list(each.moves)} for each in found]
        print_json({"game": game, "openings": rows})
    elif found:
        cells = [
            (
                each.code,
                f"{each.name} {chinese_name(each.chinese)}".rstrip(),
                " ".join(shown_moves(Position(game), each.moves)),
            )
            for each in found
        ]
        columns = (text("code"), text("name", least=24, wraps=True), text("moves", least=24, wraps=True))
        print_table(columns, cells)
    if not found:
        raise finish(Exit.FAILED, f'no {" or ".join(games)} opening matches "{find}"')
