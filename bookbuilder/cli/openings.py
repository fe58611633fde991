"""`bookbuilder openings`: list the openings by which positions are named."""

from __future__ import annotations

from typing import Annotated

import typer

from bookbuilder.cli.console import print_json, print_table, text
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt


def openings(
    game: Annotated[opt.GameName, typer.Option("--game", help="The game.")] = "chess",
    find: Annotated[
        str,
        typer.Option(
            "--find",
            metavar="TEXT",
            help="List only openings whose code starts with TEXT or whose name contains it.",
            show_default=False,
        ),
    ] = "",
    json: opt.Json = False,
) -> None:
    """List the openings that positions are named by; exit code 1 if there is none."""
    from bookbuilder.games.openings import openings_of

    found = openings_of(game).find(find)
    if json:
        rows = [{**each.to_json(), "moves": list(each.moves)} for each in found]
        print_json({"game": game, "openings": rows})
    else:
        cells = [(each.code, f"{each.name} {each.chinese}".rstrip(), " ".join(each.moves)) for each in found]
        columns = (text("code"), text("name", least=24, wraps=True), text("moves", least=24, wraps=True))
        print_table(columns, cells)
    if not found:
        raise finish(Exit.FAILED, f'no {game} opening matches "{find}"')
