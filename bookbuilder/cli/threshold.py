"""`bookbuilder threshold`: the size of the book for each threshold P."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bookbuilder.cli.console import format_share, print_json, print_text
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import Asking
from bookbuilder.cli.output import PlotFile, draw, require_plotting
from bookbuilder.cli.tables import Bar, bars, number, print_table
from bookbuilder.selection.options import OPTIONS

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder.cli.tables import Cell, Column

# Minima whose numbers of positions are shown in every terminal.
_ALWAYS_SHOWN = 3
# Lines whose first values differ by more than this factor are readable on a logarithmic axis only.
_APART = 20


def _counts(text: str) -> str:
    """Reject a text that is not a list of whole numbers."""
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise typer.BadParameter(f'"{text}" is not a list of whole numbers such as 1,5,20')
    return text


MinCounts: TypeAlias = Annotated[
    str, typer.Option("--min-games", metavar="N,N…", callback=_counts, help="Minimum numbers of games.")
]
Csv: TypeAlias = Annotated[bool, typer.Option("--csv", help="Print the points as CSV.")]
MaxPly: TypeAlias = Annotated[
    int | None, typer.Option("--max-ply", min=0, help=OPTIONS["max_ply"].meaning, show_default="all")
]


def threshold(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A tally store.")],
    asking: Asking,
    min_games: MinCounts = "1,5,20",
    max_ply: MaxPly = None,
    csv: Csv = False,
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Show how many positions remain for each P.

    There is a column for each of several minimum numbers of games.
    """
    from bookbuilder.analysis.threshold import threshold_curve
    from bookbuilder.tally.store.layout import read_manifest
    from bookbuilder.tally.tally import Tally

    require_plotting(plot, force=force)
    tally = Tally.open(store, filters=asking.filters(read_manifest(store).options.facets))
    minima = [int(part) for part in min_games.split(",")]
    curve = threshold_curve(tally, min_games=minima, max_ply=max_ply)
    if json:
        print_json({"game": tally.game, "points": curve.to_dict("records")})
    elif csv:
        print_text(curve.to_csv(index=False, lineterminator="\n"))
    else:
        print_curve(curve)
    draw_curve(plot, curve)
    if not curve["positions"].any():
        raise finish(Exit.FAILED, "no position is kept at any threshold")


def draw_curve(plot: Path | None, curve: pd.DataFrame) -> None:
    """Draw the curve to a file, if one is given."""
    from bookbuilder.analysis import plots

    begins = curve.groupby("min_games")["positions"].max()
    log = bool(begins.max() > _APART * begins.min())
    draw(
        plot,
        lambda ax: plots.threshold(curve, ax=ax, log=log),
        lambda ax: plots.usage(curve, ax=ax, log=log),
        size=(8, 8),
    )


def print_curve(curve: pd.DataFrame) -> None:
    """Print the curve, one line for each limit, with a bar for the first minimum number of games."""
    points: dict[float, dict[int, tuple[int, float]]] = {}
    for p, minimum, positions, share in zip(
        *(curve[name].tolist() for name in ("p", "min_games", "positions", "usage_share")), strict=True
    ):
        points.setdefault(p, {})[minimum] = (positions, share)
    minima = list(dict.fromkeys(curve["min_games"].tolist()))
    longest = max(kept[minima[0]][0] for kept in points.values()) or 1
    columns = [
        number("P ≥"),
        *(column for place, each in enumerate(minima) for column in _minimum_columns(place, each)),
        bars(f"≥ {minima[0]} games", drop=2),
    ]
    rows: list[list[Cell]] = [
        [
            f"{p:.2f}",
            *(cell for n in minima for cell in (f"{kept[n][0]:,}", format_share(kept[n][1]))),
            Bar(kept[minima[0]][0] / longest),
        ]
        for p, kept in points.items()
    ]
    print_table(columns, rows)


def _minimum_columns(place: int, minimum: int) -> tuple[Column, Column]:
    """Return the columns of a minimum number of games. Columns of the first minima are hidden last."""
    return (
        number(f"≥ {minimum} games", drop=0 if place < _ALWAYS_SHOWN else 1),
        number("of visits", drop=4 if place else 3),
    )
