"""`bookbuilder book info|verify|dump`: show facts of a book, verify it, or print its contents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from bookbuilder._core import CLUSTERS
from bookbuilder.book.book import Book
from bookbuilder.cli.book.gaps import Against, AnyBook
from bookbuilder.cli.book.summary import print_reach, warn_of_gaps
from bookbuilder.cli.console import counted, format_bytes, format_share, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.help import Application
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import PositionWords, joined, position_at
from bookbuilder.cli.output import PlotFile, draw, require_plotting
from bookbuilder.cli.tables import Bar, bars, facts_columns, number, print_table, text
from bookbuilder.errors import BookError, OptionError

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder.book.reach import Reach
    from bookbuilder.book.verify import Comparison, Soundness
    from bookbuilder.tally.tally import Tally

__all__ = ["BookFile", "app", "book_facts", "print_facts"]

app = Application(help="Inspect, verify, compare, merge and change books.", no_args_is_help=True)

BookFile = Annotated[Path, typer.Argument(metavar="BOOK", help="A clustered book.", show_default=False)]

# The number of archives that are named; --json names all.
_ARCHIVES: Final = 5


@app.command()
def info(
    book: AnyBook,
    against: Against = None,
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Show facts of a book: how it was built, what the start position leads to, and its clusters.

    Without --against both sides play book moves. With it the opponent plays any move of the store.
    """
    from bookbuilder.analysis import plots
    from bookbuilder.book.file_graph import is_clustered

    require_plotting(plot, force=force)
    reach = _reach(book, against)
    if not is_clustered(book):
        if plot is not None:
            raise OptionError(f"{book}: --plot draws clusters, which only clustered books have")
        _show_moves(book, reach, json=json)
    else:
        opened = Book.open(book)
        facts, histogram = book_facts(opened), opened.cluster_histogram()
        if json:
            print_json({**facts, "cluster_histogram": histogram, "reach": reach.to_json()})
        else:
            print_facts(str(book), facts)
            print_reach(opened.game, reach.to_json())
            _print_histogram(histogram)
        draw(plot, lambda ax: plots.clusters(opened, ax=ax), quiet=quiet)
    warn_of_gaps(reach.game, reach.to_json(), quiet=quiet)


def _reach(book: Path, against: Path | None) -> Reach:
    from bookbuilder.book.file_graph import graph_of_file
    from bookbuilder.book.reach import book_reach
    from bookbuilder.tally.tally import Tally

    return book_reach(graph_of_file(book, None if against is None else Tally.open(against)))


def _show_moves(book: Path, reach: Reach, *, json: bool) -> None:
    """Show the facts of a book in another format."""
    from bookbuilder.book.open import open_book

    opened, size = open_book(book), book.stat().st_size
    name, lacks = opened.format, list(opened.lacks)
    facts = {
        "game": reach.game,
        "format": name,
        "moves": reach.records,
        "bytes": size,
        "does_not_store": lacks,
    }
    if json:
        print_json({**facts, "reach": reach.to_json()})
        return
    rows = [
        ("game", reach.game),
        ("format", name),
        ("moves", f"{reach.records:,}"),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
        ("does not store", ", ".join(lacks)),
    ]
    print_table(facts_columns(str(book), "fact", is_left=True), rows)
    print_reach(reach.game, reach.to_json())


def book_facts(book: Book) -> dict[str, Any]:
    """Return the facts of a book: game, records, clusters, bytes, fold, columns, recipe."""
    return dict(book.info)


def print_facts(name: str, facts: dict[str, Any]) -> None:
    """Print the facts of a book."""
    rows = [
        ("game", facts["game"]),
        ("records", f"{facts['records']:,}"),
        ("clusters used", f"{facts['clusters_used']:,} of {CLUSTERS:,}"),
        ("bytes", f"{facts['bytes']:,} ({format_bytes(facts['bytes'])})"),
        ("mirrors folded", "yes" if facts["fold"] else "no"),
        ("locks and counts", "yes" if facts["columns"] else "no"),
        *_recipe_rows(facts["recipe"]),
    ]
    print_table(facts_columns(name, "fact", is_left=True), rows)


def _recipe_rows(recipe: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 (JSON data)
    """Yield the rows of a recipe; options of selection with default values are omitted."""
    from bookbuilder.selection.options import preset

    if not isinstance(recipe, dict):
        return
    named = recipe.get("preset", "literature")
    defaults = preset(named).to_json()
    sources = recipe.get("sources", ())
    for source in sources[:_ARCHIVES]:
        yield "archive", f"{source.get('source')} ({counted(source.get('games', 0), 'game')})"
    if len(sources) > _ARCHIVES:
        yield "  and more", f"{len(sources) - _ARCHIVES:,}"
    for name, value in recipe.get("tally", {}).items():
        if name == "max_ply" and value is not None:
            yield "counted up to ply", str(value)
    always = ("min_win_rate", "min_games", "margin", "sharpen")
    if "preset" in recipe:
        yield "preset", named
    for name, value in recipe.get("selection", {}).items():
        if name in always or value != defaults.get(name):
            yield name.replace("_", " "), _option(name, value)
    if "merge" in recipe:
        yield "merged from", f"{len(recipe['parts'])} books by {recipe['merge']}"
    if recipe.get("edits"):
        yield "edits", f"{len(recipe['edits']):,}"


def _option(name: str, value: Any) -> str:  # noqa: ANN401 (JSON data)
    """Return the value of an option of selection for people: shares in per cent, spans with their unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{term}={weight}" for term, weight in value.items())
    if name.endswith(("_rate", "_score", "_share")) and value is not None:
        return f"{float(100 * Fraction(value)):.10g} %"
    if name == "margin" and value is not None:
        return f"{float(100 * Fraction(value)):.10g} %"
    return str(value)


def _print_histogram(histogram: list[dict[str, int]]) -> None:
    most = max(each["clusters"] for each in histogram)
    rows = [
        (
            str(each["from"]) if each["from"] == each["to"] else f"{each['from']}–{each['to']}",
            f"{each['clusters']:,}",
            Bar(each["clusters"] / most),
        )
        for each in histogram
    ]
    print_table((text("records in a cluster"), number("clusters"), bars()), rows)


_Compared: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="STORE",
        help="Compare with this tally store, of the archives that the book was made from.",
        show_default=False,
    ),
]


@app.command()
def verify(
    book: AnyBook,
    store: _Compared = None,
    sample: Annotated[
        int, typer.Option("--sample", min=0, help="With --store: the number of records to replay.")
    ] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="With --store: seed of the sample.")] = 0,
    json: opt.Json = False,
) -> None:
    """Check a book: every byte, and its moves on a walk from the start; exit code 1 if it is damaged.

    The exit code is 3 if the book cannot even be opened.

    With --store, compare every record with what the book's recipe selects from the store, and replay lines to
    a sample of records.
    """
    from bookbuilder.book.open import open_book
    from bookbuilder.cli.book.moves import verify_listed
    from bookbuilder.tally.tally import Tally

    opened = open_book(book)
    if not isinstance(opened, Book):
        if store is not None:
            raise OptionError(f"{book}: --store compares records, which only clustered books have")
        verify_listed(opened, json=json)
        return
    tally = None if store is None else Tally.open(store)
    found, compared, fault = _verified(opened, tally, sample, seed)
    if json:
        answer = {"book": str(book), "records": len(opened), "sound": fault is None, "fault": fault}
        results = {"walk": found, "compared": compared}
        answer |= {name: None if each is None else asdict(each) for name, each in results.items()}
        print_json(answer)
    elif found is not None:
        _print_soundness(str(book), found, compared)
    if fault is not None:
        raise finish(Exit.FAILED, fault)


def _verified(
    book: Book, tally: Tally | None, sample: int, seed: int
) -> tuple[Soundness | None, Comparison | None, str | None]:
    """Return the results of a walk and of a comparison, as far as they were made, and the first defect."""
    from bookbuilder.book.verify import compare_with_tally, walked

    found = compared = None
    try:
        found = walked(book)
        if tally is not None:
            compared = compare_with_tally(book, tally, sample=sample, seed=seed)
    except BookError as error:
        return found, compared, str(error)
    return found, compared, f"{book.path}: {compared.fault}" if compared and compared.fault else None


def _print_soundness(name: str, found: Soundness, compared: Comparison | None) -> None:
    rows = [
        ("checksum, order and index", "sound"),
        ("records", f"{found.records:,}"),
        ("  on a walk from the start", f"{found.reached:,}"),
        ("  that no book moves lead to", f"{found.unreached:,}"),
        ("moves of the walk, all legal", f"{found.moves:,}"),
        ("plies of its longest line", f"{found.longest:,}"),
    ]
    if compared is not None:
        rows += [
            ("records as in the store", f"{compared.same:,}"),
            ("  that differ", f"{compared.different:,}"),
            ("  that it does not keep", f"{compared.unknown:,}"),
            ("positions that the book lacks", f"{compared.missing:,}"),
            ("lines played out", f"{compared.replayed:,}"),
            ("  that led elsewhere", f"{compared.misled:,}"),
        ]
    print_table(facts_columns(name, "found"), rows)


@app.command()
def dump(
    book: BookFile,
    walk: Annotated[
        bool, typer.Option("--walk", help="Print the lines of the book, not its records.")
    ] = False,
    position: PositionWords = None,
    max_ply: Annotated[
        int | None,
        typer.Option(
            "--max-ply",
            min=1,
            help="With --walk: the maximum length of a line, in plies.",
            show_default="none",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--rows", min=1, help="The maximum number of records or moves.", show_default="all"),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Print the records of a book in the order of their keys, or with --walk its lines as a tree."""
    opened = Book.open(book)
    if walk:
        _dump_lines(opened, joined(position), max_ply=max_ply, limit=limit, json=json)
        return
    frame = opened.to_pandas()
    if limit is not None:
        frame = frame.head(limit)
    frame = frame.assign(key=frame["key"].map("0x{:016x}".format))
    if "lock" in frame:
        frame = frame.assign(lock=frame["lock"].map("0x{:08x}".format))
    if json:
        print_json({"game": opened.game, "records": frame.to_dict("records")})
    else:
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")


def _dump_lines(book: Book, position: str, *, max_ply: int | None, limit: int | None, json: bool) -> None:
    here = position_at(book.game, position)
    steps = book.lines(here, max_ply=max_ply)
    if limit is not None:
        steps = steps.head(limit)
    frame = _with_records(book, steps, side=here.side)
    if json:
        rows = frame.drop(columns=["record", "code"]).to_dict("records")
        print_json({"game": book.game, "fen": here.fen, "moves": rows})
    else:
        say(f"{here.fen}")
        for line in _tree(frame, side=here.side):
            print(line)
    if frame.empty:
        raise finish(Exit.FAILED, f"{book.path}: has no move at {here.fen}")


def _with_records(book: Book, steps: pd.DataFrame, *, side: int) -> pd.DataFrame:
    """Return the steps of a walk with the figures of their records, from the view of the side that moves."""
    import numpy as np

    from bookbuilder.games.openings import openings_of
    from bookbuilder.ratios import win_ratio

    records = book.to_pandas().iloc[steps["record"].to_numpy()].reset_index(drop=True)
    frame = steps.assign(
        key=records["key"].map("0x{:016x}".format), reached=records["usage"], quality=records["quality"]
    )
    if book.has_columns:
        is_first = (steps["ply"].to_numpy() + side) % 2 == 1
        wins = np.where(is_first, records["wins"], records["losses"])
        losses = np.where(is_first, records["losses"], records["wins"])
        frame = frame.assign(wins=wins, draws=records["draws"], losses=losses, p=win_ratio(wins, losses))
        # Positions are known by key and lock; a book without columns has no locks.
        names = openings_of(book.game).names_for(
            records["key"].to_numpy(dtype=np.uint64), records["lock"].to_numpy(dtype=np.uint32)
        )
        frame = frame.assign(opening=(names["code"] + " " + names["name"]).fillna(""))
    return frame


def _tree(frame: pd.DataFrame, *, side: int) -> Iterator[str]:
    """Yield lines of text: each move below the move before it, with the figures of its record."""
    yield f"{'move':<40} {'games':>10} {'W':>9} {'D':>9} {'L':>9} {'P':>8} {'quality':>8}"
    has_results = "p" in frame
    for row in frame.to_dict("records"):
        half_moves = row["ply"] - 1 + side
        number = f"{half_moves // 2 + 1}{'.' if half_moves % 2 == 0 else '…'}"
        move = f"{'  ' * (row['ply'] - 1)}{number} {row['san']}"
        results = (row["wins"], row["draws"], row["losses"]) if has_results else ()
        counts = " ".join(f"{count:>9,}" for count in results) if results else " ".join([f"{'–':>9}"] * 3)
        p = format_share(row["p"]) if has_results else "–"
        again = "  (goes on above)" if row["is_again"] else ""
        name = f"  {row['opening']}" if has_results and row["opening"] else ""
        yield f"{move:<40} {row['reached']:>10,} {counts} {p:>8} {row['quality']:>8}{name}{again}"
