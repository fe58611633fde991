"""`bookbuilder book gaps`: list frequent moves of the opponent that a book has no answer to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from bookbuilder.cli.console import format_share, print_json, say
from bookbuilder.cli.notation import shown_line, side_label
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.games.position import SIDES, SideName, SideWord, require_side_word, side_of


def gaps(
    book: opt.Book,
    against: Annotated[
        Path, typer.Option(metavar="STORE", help="A tally store: how often the opponent plays each move.")
    ],
    for_side: Annotated[
        SideWord | None,
        typer.Option(
            "--side", help="The side that plays the book.", show_default="both, one after the other"
        ),
    ] = None,
    min_share: Annotated[
        str, typer.Option(metavar="SHARE", help="List moves in more than this share of the games.")
    ] = "2%",
    min_games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="List moves in at least this number of games.",
            show_default="1 in 10,000 games, at least 10",
        ),
    ] = None,
    most: Annotated[int, typer.Option("--rows", min=1, help="Maximum number of gaps of a side.")] = 20,
    json: opt.Json = False,
) -> None:
    """List frequent moves of the opponent that a book has no answer to, the most games first."""
    from bookbuilder.book.graph import graph_of_file
    from bookbuilder.book.reach import book_reach
    from bookbuilder.ratios import as_share
    from bookbuilder.tally.tally import Tally

    share = as_share(min_share)
    tally = Tally.open(against)
    game = tally.game
    sides: Sequence[SideName] = SIDES
    if for_side is not None:
        require_side_word(for_side, game, "--side")
        sides = (side_of(for_side),)
    graph = graph_of_file(book, tally)
    reach = book_reach(graph, sides=sides, min_share=share, min_games=min_games, most=most)
    if json:
        found = reach.to_json()
        facts = {name: found[name] for name in ("min_share", "min_games", "sides", "gaps")}
        print_json({"book": str(book), "store": str(against), "game": game, **facts})
        return
    for side in reach.sides:
        label = side_label(game, side.side)
        unanswered = None if side.answered_share is None else 1 - side.answered_share
        say(
            f"{label} has no answer to {side.gaps:,} of {side.frequent_replies:,} frequent replies "
            f"({format_share(unanswered)} by games).",
            is_prose=True,
        )
        limit = f"over {float(100 * share):g} % of the games, at least {reach.min_games:,}"
        say(f"A frequent reply is in {limit}.")
        rows = [
            (
                each.games,
                format_share(each.share),
                f"{100 * each.reach:.2f} %",
                shown_line(game, each.line) or "the start",
            )
            for each in reach.gaps
            if each.side == side.side
        ]
        if rows:
            after = text(f"no answer for {label} after", least=28, wraps=True)
            print_table((number("games"), number("share"), number("reach", drop=1), after), rows)
        if len(rows) < side.gaps:
            say(f"{side.gaps - len(rows):,} more; --rows {side.gaps} lists all")
