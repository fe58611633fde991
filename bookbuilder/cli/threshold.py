"""`bookbuilder threshold`: a tally store in, the size of the book for each threshold P out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.cli.console import format_bar, format_share, print_json, print_table
from bookbuilder.cli.drawing import PlotFile, draw, require_plotting
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.options.facets import Asking
from bookbuilder.cli.options.selection import Confident, SideOption, UndefinedOption, one_side

if TYPE_CHECKING:
    import pandas as pd

_BAR_WIDTH = 30
# A plot whose lines begin so many times apart has a logarithmic axis.
_APART = 20


def _counts(text: str) -> str:
    """Refuse what is not a list of whole numbers."""
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise typer.BadParameter(f'"{text}" is not a list of whole numbers such as 1,5,20')
    return text


@spread
def threshold(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A tally store.", show_default=False)],
    asking: Asking,
    min_games: Annotated[
        str, typer.Option("--min-games", metavar="N,N…", callback=_counts, help="Least numbers of games.")
    ] = "1,5,20",
    max_ply: Annotated[
        int | None,
        typer.Option(
            "--max-ply", min=0, help="Most plies after which a position stands.", show_default="all"
        ),
    ] = None,
    side: SideOption = "both",
    confident: Confident = False,
    undefined_p: UndefinedOption = "keep",
    csv: Annotated[bool, typer.Option("--csv", help="Print the points as CSV.")] = False,
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Tell how many positions a book keeps for P = 0, 0.05 … 1 and several least numbers of games."""
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.threshold import threshold_curve
    from bookbuilder.tally.tally import Tally

    require_plotting(plot, force=force)
    tally = Tally.open(store, filters=asking.filters())
    curve = threshold_curve(
        tally,
        min_games=[int(part) for part in min_games.split(",")],
        max_ply=max_ply,
        side=one_side(side),
        confident=confident,
        undefined_p=undefined_p,
    )
    if json:
        print_json({"game": tally.game, "points": curve.to_dict("records")})
    elif csv:
        curve.to_csv(sys.stdout, index=False, lineterminator="\n")
    else:
        print_curve(curve)
    # Lines that begin far apart are all readable on a logarithmic axis only.
    begins = curve.groupby("min_games")["positions"].max()
    log = bool(begins.max() > _APART * begins.min())
    draw(
        plot,
        lambda ax: plots.threshold(curve, ax=ax, log=log),
        lambda ax: plots.usage(curve, ax=ax, log=log),
        quiet=quiet,
        size=(8, 8),
    )
    if not curve["positions"].any():
        raise finish(Exit.FAILED, "no position is kept at any threshold")


def print_curve(curve: pd.DataFrame) -> None:
    """Print the curve, one line for each P, with a bar for the first least number of games."""
    points: dict[float, dict[int, tuple[int, float]]] = {}
    for p, least, positions, share in zip(
        *(curve[name].tolist() for name in ("p", "min_games", "positions", "usage_share")), strict=True
    ):
        points.setdefault(p, {})[least] = (positions, share)
    leasts = list(dict.fromkeys(curve["min_games"].tolist()))
    most = max(kept[leasts[0]][0] for kept in points.values()) or 1
    columns = ["P ≥", *(name for least in leasts for name in (f"≥ {least} games", "of visits"))]
    rows = [
        (
            f"{p:.2f}",
            *(cell for n in leasts for cell in (f"{kept[n][0]:,}", format_share(kept[n][1]))),
            format_bar(kept[leasts[0]][0] / most, _BAR_WIDTH),
        )
        for p, kept in points.items()
    ]
    print_table((*columns, f"≥ {leasts[0]} games"), rows, left=(0, len(columns)))
