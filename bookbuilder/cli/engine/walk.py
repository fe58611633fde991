"""`bookbuilder engine walk`: what books are worth, by the values of the positions where they end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from bookbuilder.cli.console import print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.progress import counting
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.book.play import MoveSource
    from bookbuilder.engine.match.player import EngineSpec
    from bookbuilder.engine.walk.blunders import Blunders
    from bookbuilder.engine.walk.figures import BookDifference, BookValue, Estimate
    from bookbuilder.engine.walk.walk import Walk, WalkOptions
    from bookbuilder.games.position import Game

NO_BOOK: Final = "none"
"""The word for an owner without a book."""

_Books = Annotated[
    list[str],
    typer.Argument(
        metavar="BOOK...", help="Books of any format, or `none`. Others are compared with the first."
    ),
]
_Against = Annotated[
    Path,
    typer.Option("--against", metavar="STORE", help="Tally of other games: the opponent plays their moves."),
]
_Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write every line: .jsonl or .csv."),
]

# Width of the names of books in tables of 80 columns.
_NAME_WIDTH: Final = 20
_OWNERS: Final = {
    "chess": {"first": "White", "second": "Black", "both": "mean"},
    "xiangqi": {"first": "Red", "second": "Black", "both": "mean"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Walking:
    """The options of walks."""

    walks: Annotated[int, typer.Option("--walks", min=2, help="Lines for each book and owner.")] = 400
    pick: Annotated[
        Literal["weighted", "best", "uniform"],
        typer.Option("--pick", help="How the owner chooses among book moves."),
    ] = "weighted"
    ply: Annotated[int, typer.Option("--ply", min=1, max=400, help="Also judge each line at this ply.")] = 24
    after: Annotated[
        Literal["store", "engine"],
        typer.Option("--after", help="Whose moves the owner plays between the book and that ply."),
    ] = "store"
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same lines.")] = 1
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Number of engines.")] = 1

    def options(self) -> WalkOptions:
        """Return them as the engine's room takes them."""
        from bookbuilder.engine.walk.walk import WalkOptions

        return WalkOptions(
            walks=self.walks, seed=self.seed, pick=self.pick, ply=self.ply, after=self.after, jobs=self.jobs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The options of the judge."""

    engine: Annotated[
        str,
        typer.Option(
            "--engine", metavar="CMD", help="The judge: `bundled`, or a command line, as in `engine match`."
        ),
    ] = "bundled"
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Option of the judge; may be repeated."),
    ] = None
    nodes: Annotated[int, typer.Option("--nodes", min=1, help="Nodes for each position.")] = 30_000

    def spec(self, game: Game) -> EngineSpec:
        """Return the engine.

        Raises:
            OptionError: the text or an option is invalid.
        """
        from bookbuilder.engine.match.match import parse_engine
        from bookbuilder.engine.match.player import ThinkLimit

        limit = ThinkLimit(nodes=self.nodes)
        return parse_engine(self.engine, game, name=None, options=self.option or (), limit=limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """The options of the search for blunders."""

    blunders: Annotated[
        int | None,
        typer.Option(
            "--blunders",
            metavar="CP",
            min=1,
            help="Also list book moves that lose more centipawns.",
            show_default="off",
        ),
    ] = None
    verify_nodes: Annotated[
        int, typer.Option("--verify-nodes", min=1, help="Nodes for each move that may be a blunder.")
    ] = 200_000
    most: Annotated[
        int, typer.Option("--positions", min=1, help="Check this number of most visited moves.")
    ] = 1000

    def find(
        self,
        sources: Mapping[str, MoveSource | None],
        replies: MoveSource,
        spec: EngineSpec,
        walking: Walking,
        *,
        quiet: bool,
    ) -> dict[str, Blunders]:
        """Return the blunders of each book; none if they were not asked for."""
        if self.blunders is None:
            return {}
        from bookbuilder.engine.walk.blunders import BlunderOptions, find_blunders

        options = BlunderOptions(
            limit_cp=self.blunders,
            most=self.most,
            nodes=self.verify_nodes,
            pick=walking.pick,
            jobs=walking.jobs,
        )
        report = partial(counting, quiet=quiet)
        return {
            name: find_blunders(source, replies, spec, options, report)
            for name, source in sources.items()
            if source is not None
        }


@spread
def walk(
    books: _Books,
    against: _Against,
    *,
    walking: Walking,
    judging: Judging,
    checking: Checking,
    output: _Output = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Measure what books are worth: an engine judges the positions where lines leave them."""
    from bookbuilder.book.play import TallyMoves
    from bookbuilder.engine.match.player import PlayerFault
    from bookbuilder.engine.walk.walk import walk_books
    from bookbuilder.tally.store.reading import OpenStore

    _check_output(output, force=force)
    options, store = walking.options(), OpenStore(against)
    game = store.options.game
    spec = judging.spec(game)
    sources = _open_books(books, game)
    replies = TallyMoves(store, game, fold=store.options.fold)
    try:
        walks = walk_books(sources, replies, spec, options, partial(counting, quiet=quiet))
        blunders = checking.find(sources, replies, spec, walking, quiet=quiet)
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"nothing was measured: the judge {fault}") from None
    if output is not None:
        _write_lines(output, walks)
    facts = {"game": game, "against": str(against), "games": store.game_count, "books": list(sources)}
    facts |= asdict(options) | {"engine": spec.name, "command": spec.command, "engine_options": spec.options}
    facts |= {"nodes": judging.nodes, "verify_nodes": checking.verify_nodes, "limit_cp": checking.blunders}
    (_print_json if json else _print)(facts, walks, blunders)


def _check_output(output: Path | None, *, force: bool) -> None:
    if output is not None and output.suffix not in {".jsonl", ".csv"}:
        raise OptionError(f"{output}: expected a name that ends in .jsonl or .csv")
    require_free(output, force=force)


def _open_books(books: Sequence[str], game: Game) -> dict[str, MoveSource | None]:
    """Return the moves of each book by its path.

    Raises:
        OptionError: a book is named twice, is of the other game, or is of a format that cannot be read.
    """
    from bookbuilder.book.play import open_book_moves

    twice = [book for book in dict.fromkeys(books) if books.count(book) > 1]
    if twice:
        raise OptionError(f"{twice[0]}: named twice; name each book once")
    return {book: None if book == NO_BOOK else open_book_moves(book, game) for book in books}


def _write_lines(output: Path, walks: Mapping[str, Sequence[Walk]]) -> None:
    """Write every line: its book, its moves and its values."""
    rows = [{"book": book, **asdict(line)} for book, lines in walks.items() for line in lines]
    with whole_file(output) as stream:
        if output.suffix == ".jsonl":
            stream.writelines(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n" for row in rows)
            return
        import csv
        import io

        text = io.StringIO()
        table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows({**row, "moves": " ".join(row["moves"])} for row in rows)
        stream.write(text.getvalue().encode("utf-8"))


def _print_json(
    facts: dict[str, Any], walks: Mapping[str, Sequence[Walk]], blunders: Mapping[str, Blunders]
) -> None:
    from bookbuilder.engine.walk.figures import book_differences, book_values
    from bookbuilder.engine.walk.judges import MOST_CENTIPAWNS

    print_json(
        {
            **facts,
            "most_centipawns": MOST_CENTIPAWNS,
            "values": [asdict(value) for value in book_values(walks)],
            "differences": [asdict(difference) for difference in book_differences(walks)],
            "blunders": [{"book": book, **asdict(each)} for book, each in blunders.items()],
        }
    )


def _print(
    facts: dict[str, Any], walks: Mapping[str, Sequence[Walk]], blunders: Mapping[str, Blunders]
) -> None:
    from bookbuilder.engine.walk.figures import book_differences, book_values
    from bookbuilder.engine.walk.judges import MOST_CENTIPAWNS

    late, owners = f"ply {facts['ply']}, cp", _OWNERS[facts["game"]]
    names = _short_names(list(walks))
    print_table(
        (text("book"), text("owner"), *map(number, ("lines", "plies", "exit, cp", late))),
        [_value_cells(value, names, owners) for value in book_values(walks)],
    )
    if differences := book_differences(walks):
        print_table(
            (text("book"), text("owner"), *map(number, ("exit, cp", late))),
            [_difference_cells(each, names, owners) for each in differences],
            title=f"difference to {names[differences[0].other]}",
        )
    for book, each in blunders.items():
        _print_blunders(names[book], each, facts)
    say(f"judge     {facts['engine']}, {facts['nodes']:,} nodes a position; values within ±{MOST_CENTIPAWNS}")
    say(f"opponent  {facts['against']}, {facts['games']:,} games")
    owner = f"{facts['pick']} book moves, then moves of the {facts['after']} until ply {facts['ply']}"
    say(f"owner     {owner}; seed {facts['seed']}")
    say("plies     in the book, on average; ±: 95 %; differences are taken line by line")
    if early := sum(line.late_ply < facts["ply"] for lines in walks.values() for line in lines):
        total = sum(map(len, walks.values()))
        say(f"ended     {early:,} of {total:,} lines before ply {facts['ply']}, judged where they ended")


_BLUNDER_COLUMNS: Final = (
    *map(text, ("owner", "move", "best")),
    number("loss, cp"),
    number("visits"),
    text("after", least=24, wraps=True),
)


def _print_blunders(name: str, blunders: Blunders, facts: Mapping[str, Any]) -> None:
    loss = f"lose more than {facts['limit_cp']} cp at {facts['verify_nodes']:,} nodes"
    say(f"{name}: {len(blunders.found):,} of the {blunders.moves:,} most visited moves {loss}")
    if blunders.found:
        print_table(
            _BLUNDER_COLUMNS,
            [
                (
                    _OWNERS[facts["game"]][each.owner],
                    each.move,
                    each.best or "–",
                    f"{each.loss_cp:,}",
                    f"{100 * each.visits:.2f} %",
                    " ".join(each.line),
                )
                for each in blunders.found
            ],
        )


def _short_names(books: Sequence[str]) -> dict[str, str]:
    """Return a name for each book: that of its file or, if two are equal, the end of its path."""
    names = {book: Path(book).name for book in books}
    if len(set(names.values())) < len(books):
        names = {book: book for book in books}
    return {
        book: name if len(name) <= _NAME_WIDTH else f"…{name[1 - _NAME_WIDTH :]}"
        for book, name in names.items()
    }


def _value_cells(value: BookValue, names: Mapping[str, str], owners: Mapping[str, str]) -> tuple[str, ...]:
    name = names[value.book] if value.owner == "first" else ""
    figures = (f"{value.plies.mean:.1f}", _signed(value.exit), _signed(value.late))
    return (name, owners[value.owner], f"{value.walks:,}", *figures)


def _difference_cells(
    each: BookDifference, names: Mapping[str, str], owners: Mapping[str, str]
) -> tuple[str, ...]:
    name = names[each.book] if each.owner == "first" else ""
    return (name, owners[each.owner], _signed(each.exit), _signed(each.late))


def _signed(estimate: Estimate) -> str:
    return f"{estimate.mean:+.1f} ± {estimate.margin:.1f}"
