"""`bookbuilder engine walk`: what books are worth, by the values of the positions where they end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.cli.console import print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import side_label
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.searching import Engines
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.progress import counting
from bookbuilder.cli.tables import Cell, number, print_table, text
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDES

if TYPE_CHECKING:
    from bookbuilder.engine.walk import Walk

NO_BOOK: Final = "none"
"""The word for an owner without a book."""

# Width of the names of books in tables of 80 columns.
_NAME_WIDTH: Final = 20


def walk(
    books: Annotated[
        list[str],
        typer.Argument(
            metavar="BOOK...", help="Books of any format, or `none`. Others are compared with the first."
        ),
    ],
    against: Annotated[
        Path, typer.Option(metavar="STORE", help="Tally of other games: the opponent plays their moves.")
    ],
    *,
    judging: Engines,
    walks: Annotated[int, typer.Option(min=2, help="Lines for each book and owner.")] = 400,
    ply: Annotated[int, typer.Option(min=1, max=400, help="Also judge each line at this ply.")] = 24,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same lines.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write every line: .jsonl or .csv.")
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Measure what books are worth: an engine judges the positions where lines leave them."""
    import pandas as pd

    from bookbuilder.book.open import open_book
    from bookbuilder.book.play import TallyMoves
    from bookbuilder.engine.drivers.player import PlayerFault
    from bookbuilder.engine.walk import WalkOptions, book_differences, book_values, walk_books
    from bookbuilder.evals.loss import MOST_CENTIPAWNS
    from bookbuilder.tally.store.reading import OpenStore

    if output is not None and output.suffix not in {".jsonl", ".csv"}:
        raise OptionError(f"{output}: expected a name that ends in .jsonl or .csv")
    require_free(output, force=force)
    options = WalkOptions(walks=walks, nodes=judging.nodes, seed=seed, ply=ply, jobs=judging.jobs)
    store = OpenStore(against)
    game = store.options.game
    spec = judging.spec(game)
    twice = [book for book in books if books.count(book) > 1]
    if twice:
        raise OptionError(f"{twice[0]}: named twice; name each book once")
    sources = {book: None if book == NO_BOOK else open_book(book, game=game) for book in books}
    replies = TallyMoves(store, game, fold=store.options.fold)
    try:
        found = walk_books(sources, replies, spec, options, counting)
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"nothing was measured: the judge {fault}") from None
    if output is not None:
        lines = [{"book": book, **asdict(line)} for book, lines in found.items() for line in lines]
        frame = pd.DataFrame(lines)
        with whole_file(output) as stream:
            if output.suffix == ".jsonl":
                frame.to_json(stream, orient="records", lines=True, force_ascii=False)
            else:
                frame.assign(moves=frame["moves"].str.join(" ")).to_csv(stream, index=False)
    facts = {"game": game, "against": str(against), "games": store.game_count, "books": list(sources)}
    facts |= asdict(options) | {"engine": spec.name, "command": spec.command, "engine_options": spec.options}
    values, differences = book_values(found), book_differences(found)
    if json:
        limits = {"most_centipawns": MOST_CENTIPAWNS}
        print_json({**facts, **limits, "values": values, "differences": differences})
    else:
        _print(facts, found, values, differences)


def _print(
    facts: dict[str, Any],
    walks: Mapping[str, Sequence[Walk]],
    values: list[dict[str, Any]],
    differences: list[dict[str, Any]],
) -> None:
    from bookbuilder.evals.loss import MOST_CENTIPAWNS

    # That of the file or, if two are equal, the end of the path.
    names = {book: Path(book).name for book in walks}
    if len(set(names.values())) < len(walks):
        names = {book: book for book in walks}
    for book, name in names.items():
        names[book] = name if len(name) <= _NAME_WIDTH else f"…{name[1 - _NAME_WIDTH :]}"
    owners = {"both": "mean"} | {side: side_label(facts["game"], side) for side in SIDES}

    def row(each: dict[str, Any], *lines: Cell) -> tuple[Cell, ...]:
        name = names[each["book"]] if each["owner"] == "first" else ""
        worth = (f"{each[when]['mean']:+.1f} ± {each[when]['margin']:.1f}" for when in ("exit", "late"))
        return name, owners[each["owner"]], *lines, *worth

    columns, worth = (text("book"), text("owner")), (number("exit, cp"), number(f"ply {facts['ply']}, cp"))
    print_table(
        (*columns, number("lines"), number("plies"), *worth),
        [row(each, each["walks"], f"{each['plies']['mean']:.1f}") for each in values],
    )
    if differences:
        title = f"difference to {names[differences[0]['other']]}"
        print_table((*columns, *worth), list(map(row, differences)), title=title)
    say(f"judge     {facts['engine']}, {facts['nodes']:,} nodes a position; values within ±{MOST_CENTIPAWNS}")
    say(f"opponent  {facts['against']}, {facts['games']:,} games")
    owner = f"{facts['pick']} book moves, then moves of the store until ply {facts['ply']}"
    say(f"owner     {owner}; seed {facts['seed']}")
    say("plies     in the book, on average; ±: 95 %; differences are taken line by line")
    if early := sum(line.late_ply < facts["ply"] for lines in walks.values() for line in lines):
        total = sum(map(len, walks.values()))
        say(f"ended     {early:,} of {total:,} lines before ply {facts['ply']}, judged where they ended")
