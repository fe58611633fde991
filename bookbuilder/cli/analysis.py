"""`bookbuilder threshold|coverage|calibrate`: the size of books, and how books and rules fare in archives."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from bookbuilder.cli.console import counted, format_share, print_json, print_text, say, skip_reasons
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import add_to, named_files, require_plies, settle
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.asking import Asking
from bookbuilder.cli.options.counting import Counting, Filtering
from bookbuilder.cli.options.fields import given_options
from bookbuilder.cli.options.selection import one_side, refuse_other_side
from bookbuilder.cli.output import PlotFile, draw, require_plotting
from bookbuilder.cli.progress import phase, reading
from bookbuilder.cli.tables import Bar, Cell, bars, facts_columns, number, print_table, text
from bookbuilder.errors import OptionError
from bookbuilder.selection.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd

    from bookbuilder.analysis.calibration import Calibration

# Later positions are too rare for a result.
_USUAL_PLY: Final = 30
# Minima whose numbers of positions are shown in every terminal.
_ALWAYS_SHOWN: Final = 3
# Lines whose first values differ by more than this factor are readable on a logarithmic axis only.
_APART: Final = 20


def _counts(text: str) -> str:
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise typer.BadParameter(f'"{text}" is not a list of whole numbers such as 1,5,20')
    return text


def threshold(
    store: opt.Store,
    asking: Asking,
    min_games: Annotated[
        str, typer.Option(metavar="N,N…", callback=_counts, help="Minimum numbers of games.")
    ] = "1,5,20",
    max_ply: Annotated[
        int | None, typer.Option(min=0, help=OPTIONS["max_ply"].meaning, show_default="all")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the points as CSV.")] = False,
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Show how many positions remain for each P.

    There is a column for each of several minimum numbers of games.
    """
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.threshold import threshold_curve
    from bookbuilder.tally.tally import Tally

    require_plotting(plot, force=force)
    tally = Tally.open(store, filters=asking.filters())
    require_plies(store, tally.options, max_ply)
    minima = [int(part) for part in min_games.split(",")]
    curve = threshold_curve(tally, min_games=minima, max_ply=max_ply)
    if json:
        print_json({"game": tally.game, "points": curve.to_dict("records")})
    elif csv:
        print_text(curve.to_csv(index=False, lineterminator="\n"))
    else:
        _print_curve(curve)
    begins = curve.groupby("min_games")["positions"].max()
    log = bool(begins.max() > _APART * begins.min())
    draw(
        plot,
        lambda ax: plots.threshold(curve, ax=ax, log=log),
        lambda ax: plots.usage(curve, ax=ax, log=log),
        size=(8, 8),
    )
    if not curve["positions"].any():
        raise finish(Exit.FAILED, "no position is kept at any threshold")


def _print_curve(curve: pd.DataFrame) -> None:
    """Print the curve, one line for each limit, with a bar for the first minimum number of games."""
    points = curve.drop_duplicates(["p", "min_games"])
    minima = points["min_games"].unique().tolist()
    longest = points.loc[points["min_games"] == minima[0], "positions"].max() or 1
    columns = [number("P ≥")]
    for place, minimum in enumerate(minima):
        # Columns of the first minima are hidden last.
        columns.append(number(f"≥ {counted(minimum, 'game')}", drop=0 if place < _ALWAYS_SHOWN else 1))
        columns.append(number("of visits", drop=4 if place else 3))
    rows: list[list[Cell]] = []
    for p, line in points.groupby("p"):
        sizes, shares = line["positions"].tolist(), map(format_share, line["usage_share"])
        figures = chain.from_iterable(zip(sizes, shares, strict=True))
        rows.append([f"{p:.2f}", *figures, Bar(sizes[0] / longest)])
    print_table([*columns, bars(f"≥ {counted(minima[0], 'game')}", drop=2)], rows)


def coverage(
    book: opt.Book,
    inputs: opt.Inputs,
    filtering: Filtering,
    max_ply: opt.MaxPly = None,
    custom_starts: opt.CustomStarts = False,
    limit: opt.Limit = None,
    plot: PlotFile = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the plies as CSV.")] = False,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Show how far the games of archives follow a book: share of games and plies, and where they leave it.

    A move is in the book if any book move leads to the same position, by any order of moves. With --side only
    the moves of that side count.
    """
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.coverage import coverage as followed
    from bookbuilder.book.open import open_book

    require_plotting(plot, force=force)
    opened = open_book(book)
    refuse_other_side(filtering.side, opened.game)
    with named_files(inputs) as files, reading(sum(path.stat().st_size for path in files)) as progress:
        found = followed(
            opened,
            *files,
            side=one_side(filtering.side),
            progress=progress,
            filters=filtering.to_filter(),
            max_ply=max_ply,
            custom_starts=custom_starts,
            limit=limit,
        )
    if not len(found.games):
        reasons = skip_reasons(found.filtered, {"": found.rejected})
        games = counted(found.games_read, "game was", "games were")
        raise finish(Exit.FAILED, f"{book}: {games} read and none compared: {', '.join(reasons)}")
    figures, plies = found.figures(), found.by_ply()
    if json:
        read = {"games_read": found.games_read, "filtered": found.filtered, "rejected": found.rejected}
        print_json({**figures, **read, "plies": plies.to_dict("records")})
    elif csv:
        print_text(plies.to_csv(index=False, lineterminator="\n"))
    else:
        _print_coverage(str(book), found.rejected, figures, plies)
    draw(plot, lambda ax: plots.coverage(found, ax=ax))


def _print_coverage(name: str, rejected: int, figures: dict[str, Any], plies: pd.DataFrame) -> None:
    games, to_end = figures["games"], figures["games_to_end"]
    first = format_share(figures["games_share"])
    rows: list[tuple[Cell, ...]] = [
        ("games", games, ""),
        ("  whose first move is in the book", figures["games_followed"], first),
        ("  that never leave it", to_end, format_share(to_end / games)),
        ("moves asked for", figures["asked"], ""),
        ("  before the game left the book", figures["followed"], format_share(figures["plies_share"])),
        ("  in the book at all", figures["known"], format_share(figures["known_share"])),
        ("plies before a game leaves, mean", f"{figures['mean_exit_ply']:.2f}", ""),
        ("  median", f"{figures['median_exit_ply']:.0f}", ""),
    ]
    if rejected:
        rows.insert(1, ("  besides these, rejected", rejected, ""))
    print_table((*facts_columns(name), number("share")), rows)
    shown = plies.loc[plies["inside"] * 1000 > games, ["ply", "left", "inside", "inside_share"]]
    lines = [
        (str(ply), int(left), int(inside), format_share(share), Bar(left / games))
        for ply, left, inside, share in shown.itertuples(index=False)
    ]
    names = ("plies played", "leave here", "still in the book", "of games that last")
    print_table((*map(number, names), bars("leave here", drop=1)), lines)


def calibrate(
    context: typer.Context,
    inputs: opt.Inputs,
    filtering: Filtering,
    axis: Annotated[
        Literal["margin", "prior", "min-games", "min-win-rate"],
        typer.Option(help="The rule whose values are tried."),
    ] = "margin",
    max_ply: opt.LaterMaxPly = None,
    limit: opt.Limit = None,
    dedupe: opt.DedupeOption = "exact",
    split: Annotated[
        str | None,
        typer.Option(
            metavar="YEAR|games",
            help="First year of the later games. games: each fifth of the games is later once.",
            show_default="a year that leaves a fifth; games for a prior",
        ),
    ] = None,
    min_games: Annotated[int, typer.Option(min=1, help="Minimum number of earlier games of a move.")] = 3,
    moves: Annotated[
        bool, typer.Option("--moves", help="Measure how well the moves of earlier games predict later ones.")
    ] = False,
    plot: PlotFile = None,
    jobs: opt.Jobs = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Try the values of a rule on later games: what would earlier games have chosen, and did it hold?

    The gain is the P of the moves that a rule keeps, in later games, less that of all moves. The last line
    names the best value. --moves tries no rule: it compares the shares of moves, at positions that
    --min-games earlier games reached.
    """
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.calibration import calibrate as calibrated
    from bookbuilder.selection.options import SelectionOptions
    from bookbuilder.tally.observations import Observations
    from bookbuilder.tally.options import RunLimits

    require_plotting(plot, force=force)
    if split not in (None, "games") and not split.isdecimal():
        raise OptionError(f"--split {split}: expected a year such as 2010, or games")
    filtering.require_player()
    counting = Counting(
        **{each.name: getattr(filtering, each.name) for each in fields(filtering)},
        max_ply=_USUAL_PLY if max_ply is None else max_ply,
        limit=limit,
        dedupe=dedupe,
    )
    if moves:
        if plot is not None or given_options(context, ["axis"]):
            raise OptionError("--moves tries no rule: do not give --axis or --plot with it")
        _compare_moves(inputs, counting, split, min_games, jobs, json=json)
        return
    if axis == "min-games" and given_options(context, ["min_games"]):
        raise OptionError("--axis min-games tries values of --min-games: do not give --min-games with it")
    with named_files(inputs) as files:
        seen = Observations(files, settle(counting, files), RunLimits(jobs=jobs))
        with phase("comparing"):
            found = calibrated(
                seen,
                axis.replace("-", "_"),  # type: ignore[arg-type]
                SelectionOptions(min_games=min_games, max_ply=counting.max_ply),
                split=split if split in (None, "games") else int(split),  # type: ignore[arg-type]
            )
    _print_calibration(found, seen.game, axis, json=json)
    draw(plot, lambda ax: plots.calibration(found, ax=ax))
    if found.points["gain"].isna().all():
        raise finish(Exit.FAILED, "no kept move of the earlier games was played in a decided later one")


def _compare_moves(
    inputs: Sequence[str], counting: Counting, split: str | None, least: int, jobs: int | None, *, json: bool
) -> None:
    """Print how well the moves of earlier games predict those of later ones."""
    import numpy as np

    from bookbuilder.analysis.calibration import usual_split
    from bookbuilder.analysis.imitation import imitate
    from bookbuilder.archives.filters import GameFilter
    from bookbuilder.columns import values
    from bookbuilder.tally.tally import Tally

    if split == "games" or counting.limit is not None:
        raise OptionError("--moves compares all games before a year with those from then on: --split YEAR")
    with named_files(inputs) as files:
        options = settle(counting, files)
        year = int(split or 0)
        if split is None:
            games = Tally.empty(replace(options, max_ply=0)).add_archives(*files, jobs=jobs).games
            years = values(games.column("year"))
            year = usual_split(np.sort(years[years > 0]))
        parts = (GameFilter(until=str(year - 1)), GameFilter(since=str(year)))
        earlier, later = (
            add_to(Tally.empty(replace(options, filters=options.filters.narrowed(part))), files, jobs=jobs)[0]
            for part in parts
        )
    with phase("comparing"):
        found = imitate(earlier, later, min_games=least)
    by_ply = found.by_ply.astype(object).where(found.by_ply.notna(), None).to_dict("records")
    before, after = earlier.game_count, later.game_count
    if json:
        facts = {"game": earlier.game, "split": str(year), "games_before": before, "games_later": after}
        print_json({**facts, "min_games": least, **found.figures, "by_ply": by_ply})
    else:
        say(f"{before:,} games before {year}, {after:,} from then on.")
        plies: list[tuple[str, dict[Any, Any]]] = [("all", dict(found.figures))]
        plies += [(f"{row['ply'] + 1}–{row['ply'] + 5}", row) for row in by_ply]
        columns = ("moves", "covered", "total variation", "bits", "most played")
        rows = [
            (
                name,
                f"{row['moves']:,.0f}",
                format_share(row["coverage"]),
                f"{row['total_variation']:.4f}",
                f"{row['cross_entropy']:.3f}",
                format_share(row["top_right"]),
            )
            for name, row in plies
            if row["coverage"] > 0
        ]
        print_table((text("plies", least=5), *map(number, columns)), rows)
    if not found.figures["coverage"] > 0:
        raise finish(Exit.FAILED, "no later move was played at a position of enough earlier games")


def _print_calibration(found: Calibration, game: str, axis: str, *, json: bool) -> None:
    points = found.points.astype(object).where(found.points.notna(), None).to_dict("records")
    best = None if found.best is None else float(found.best)
    if json:
        facts = {"game": game, "axis": axis, "split": found.split, "best": best, "auto": found.auto}
        counts = {"games_before": found.games_before, "games_later": found.games_later}
        print_json({**facts, **counts, "points": points})
        return
    before, later = f"{found.games_before:,}", f"{found.games_later:,}"
    by_game = f"{before} games, each fifth of them later once."
    say(by_game if found.split == "games" else f"{before} games before {found.split}, {later} from then on.")
    is_prior = axis == "prior"
    rows = []
    for row in found.points.to_dict("records"):
        cells = [_value(axis, row["value"]), f"{row['moves']:,.0f}"]
        cells += [format_share(row[name]) for name in ("coverage", "p_train", "p")]
        cells.append(_interval(row, "gain", 100, digits=2))
        if is_prior:
            cells += [f"{row['likelihood']:.5f}", _interval(row, "behind", 1e5, digits=0)]
        rows.append(cells)
    # The table of priors is wider by two columns.
    drops = (3, 4, 2, 1) if is_prior else (0, 0, 2, 1)
    names = zip(("moves", "covered later", "P earlier", "P later"), drops, strict=True)
    columns = [number(name, drop=drop) for name, drop in names]
    shown = [text(axis, least=9), *columns, number("gain in %, 95 %")]
    if is_prior:
        shown += [number("log-likelihood"), number("behind, 1e-5, 95 %")]
    print_table(tuple(shown), rows)
    auto = f"; --prior auto, fitted to all games, takes {found.auto}" if is_prior else ""
    is_even = len({row[-1] for row in rows}) == 1
    best_words = "No value is better than another"
    if not is_even:
        best_words = f"Best: --{axis} {_value(axis, best).replace(',', '')}"
    say(f"{best_words}{auto}.", is_prose=True)


def _interval(row: dict[Hashable, Any], name: str, factor: float, *, digits: int) -> str:
    mean, low, high = (factor * row[each] for each in (name, f"{name}_low", f"{name}_high"))
    return "–" if mean != mean else f"{mean:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"


def _value(axis: str, value: float | None) -> str:
    if value is None or value != value:
        return "off"
    return f"{value:,.0f}" if axis in ("prior", "min-games") else f"{value:.2f}"
