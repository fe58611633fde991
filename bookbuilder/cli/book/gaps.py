"""`bookbuilder book gaps`: list frequent moves of the opponent that a book has no answer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bookbuilder.cli.book.summary import side_label
from bookbuilder.cli.console import format_share, print_json, say
from bookbuilder.cli.notation import shown_line
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.games.position import SIDES, Game, SideName, SideWord, require_side_word, side_of

if TYPE_CHECKING:
    from fractions import Fraction

    from bookbuilder.book.reach import Reach

AnyBook: TypeAlias = Annotated[
    Path, typer.Argument(metavar="BOOK", help="A book of any format that can be read.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which gaps are listed, and how."""

    for_side: Annotated[
        SideWord | None,
        typer.Option(
            "--side", help="The side that plays the book.", show_default="both, one after the other"
        ),
    ] = None
    min_share: Annotated[
        str, typer.Option(metavar="SHARE", help="List moves in more than this share of the games.")
    ] = "2%"
    min_games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="List moves in at least this number of games.",
            show_default="1 in 10,000 games, at least 10",
        ),
    ] = None
    most: Annotated[int, typer.Option("--rows", min=1, help="Maximum number of gaps of a side.")] = 20
    json: opt.Json = False


def gaps(
    book: AnyBook,
    against: Annotated[
        Path, typer.Option(metavar="STORE", help="A tally store: how often the opponent plays each move.")
    ],
    listing: Listing,
) -> None:
    """List frequent moves of the opponent that a book has no answer to, the most games first."""
    from bookbuilder.book.graph import graph_of_file
    from bookbuilder.book.reach import book_reach
    from bookbuilder.ratios import as_share
    from bookbuilder.tally.tally import Tally

    share = as_share(listing.min_share)
    tally = Tally.open(against)
    sides: Sequence[SideName] = SIDES
    if listing.for_side is not None:
        require_side_word(listing.for_side, tally.game, "--side")
        sides = (side_of(listing.for_side),)
    graph = graph_of_file(book, tally)
    reach = book_reach(graph, sides=sides, min_share=share, min_games=listing.min_games, most=listing.most)
    if listing.json:
        found = reach.to_json()
        facts = {name: found[name] for name in ("min_share", "min_games", "sides", "gaps")}
        print_json({"book": str(book), "store": str(against), "game": tally.game, **facts})
        return
    for side in sides:
        _print_gaps(tally.game, side, reach, share)


def _print_gaps(game: Game, side: SideName, reach: Reach, share: Fraction) -> None:
    """Print the gaps of one side as a table."""
    facts = next(each for each in reach.sides if each.side == side)
    label = side_label(game, side)
    unanswered = None if facts.answered_share is None else 1 - facts.answered_share
    say(
        f"{label} has no answer to {facts.gaps:,} of {facts.frequent_replies:,} frequent replies "
        f"({format_share(unanswered)} by games).",
        is_prose=True,
    )
    say(f"A frequent reply is in over {float(100 * share):g} % of the games, at least {reach.min_games:,}.")
    rows = [
        (
            f"{each.games:,}",
            format_share(each.share),
            f"{100 * each.reach:.2f} %",
            shown_line(game, each.line) or "the start",
        )
        for each in reach.gaps
        if each.side == side
    ]
    if rows:
        after = text(f"no answer for {label} after", least=28, wraps=True)
        print_table((number("games"), number("share"), number("reach", drop=1), after), rows)
