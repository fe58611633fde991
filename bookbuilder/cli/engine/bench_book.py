"""`bookbuilder engine bench-book`: measure the value of a book for the search, by book mode."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.cli.console import counting, format_share, number, print_json, print_table, say, text
from bookbuilder.cli.options import arguments as opt

if TYPE_CHECKING:
    from bookbuilder.engine.book_bench import Estimate, ModeRow


def bench_book(
    book: Annotated[Path, typer.Argument(metavar="BOOK", help="A clustered book.")],
    positions: Annotated[
        int,
        typer.Option("--positions", min=1, help="Positions in the book, and at each distance from it."),
    ] = 40,
    depth: Annotated[int, typer.Option("--depth", min=1, max=64, help="Plies of each search.")] = 8,
    times: Annotated[
        int, typer.Option("--times", min=1, help="The moves are compared with a search of N times the nodes.")
    ] = 10,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same positions.")] = 1,
    hash_mib: Annotated[int, typer.Option("--hash", min=1, max=65536, help="Transposition table, MiB.")] = 16,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Search positions in and near a book in every book mode, and compare the modes."""
    from bookbuilder.book.book import Book
    from bookbuilder.engine.book_bench import MOST_OUT
    from bookbuilder.engine.book_bench import bench_book as run

    opened = Book.open(book)
    with counting("positions", positions * (MOST_OUT + 1), quiet=quiet) as report:
        rows = run(
            opened, positions=positions, depth=depth, times=times, seed=seed, hash_mib=hash_mib, tell=report
        )
    if json:
        facts = {"book": str(book), "game": opened.game, "depth": depth, "times": times, "seed": seed}
        print_json({**facts, "hash_mib": hash_mib, "rows": [asdict(row) for row in rows]})
        return
    print_table(_COLUMNS, [_cells(row) for row in rows], title=f"{book}, depth {depth}")
    for line in _LEGEND:
        say(line.format(times=times), is_prose=True)


_LEGEND = (
    "plies out   plies since the line left the book; from there a way back into it is known",
    "mode        how the book is used; the moves are the search's, in mode root the book's where it has one",
    "from book   positions answered from the book, without a search",
    "nodes       nodes to the depth, relative to mode off: below 1 the book spares work (95 %, bootstrap)",
    "time        processor time of the same searches over that of mode off",
    "agreement   share of moves that a search without book, of {times} × the nodes, plays too (95 %, Wilson)",
    "book moves  share of moves that are the book's, among positions where it has one (95 %, Wilson)",
)


_COLUMNS = (
    number("plies out"),
    text("mode"),
    number("positions", drop=3),
    number("from book", drop=2),
    number("nodes", drop=1),
    number("time", drop=4),
    number("agreement"),
    number("book moves"),
)


def _cells(row: ModeRow) -> tuple[str, ...]:
    return (
        str(row.plies_out),
        row.mode,
        f"{row.positions:,}",
        f"{row.answered:,}",
        _ratio(row.nodes),
        "–" if row.seconds is None else f"{row.seconds:.2f}",
        _share(row.agreement),
        _share(row.book_moves),
    )


def _ratio(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _share(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    return f"{format_share(estimate.value)} [{format_share(estimate.low)}, {format_share(estimate.high)}]"
