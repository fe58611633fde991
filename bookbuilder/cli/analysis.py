"""`bookbuilder coverage` and `bookbuilder calibrate`: compare a book or thresholds with archives."""

from __future__ import annotations

from dataclasses import fields
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.console import format_share, note, print_json, print_text, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import add_to, named_files, settle
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import Counting, Filtering
from bookbuilder.cli.options.selection import one_side
from bookbuilder.cli.output import PlotFile, draw, require_plotting
from bookbuilder.cli.progress import phase, reading
from bookbuilder.cli.tables import Bar, bars, facts_columns, number, print_table, text
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import pyarrow as pa

    from bookbuilder.analysis.calibration import Calibration
    from bookbuilder.analysis.coverage import Coverage
    from bookbuilder.tally.options import TallyOptions
    from bookbuilder.tally.tally import Tally

# Share of the games, by date, that are the earlier ones without --split.
_EARLIER: Final = 0.8
# Later positions are too rare for a result.
_USUAL_PLY: Final = 30

Csv: TypeAlias = Annotated[bool, typer.Option("--csv", help="Print the plies as CSV.")]
Split: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="DATE",
        help="First date of the later games: 2010, 2010-05 or 2010-05-17.",
        show_default="the year that leaves a fifth of the games",
    ),
]
MinGames: TypeAlias = Annotated[
    int, typer.Option("--min-games", min=1, help="Minimum number of earlier games of a position.")
]
Moves: TypeAlias = Annotated[bool, typer.Option("--moves", help="Measure how well moves are predicted.")]


def coverage(
    book: AnyBook,
    inputs: opt.Inputs,
    filtering: Filtering,
    max_ply: opt.MaxPly = None,
    custom_starts: opt.CustomStarts = False,
    limit: opt.Limit = None,
    plot: PlotFile = None,
    csv: Csv = False,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Show how far the games of archives follow a book: share of games and plies, and where they leave it.

    With --side only the moves of that side count: for a book for White, whether White's moves are in it.
    """
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.coverage import coverage as followed
    from bookbuilder.book.open import open_book

    require_plotting(plot, force=force)
    opened = open_book(book)
    with named_files(inputs) as files, reading(_size(files)) as progress:
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
        what = "the archives hold no" if not found.games_read else f"none of {found.games_read:,}"
        raise finish(
            Exit.FAILED, f"{book}: {what} games of {opened.game} to compare; the book is of that game"
        )
    if csv and not json:
        print_text(found.by_ply().to_csv(index=False, lineterminator="\n"))
    else:
        _print_coverage(str(book), found, json=json)
    draw(plot, lambda ax: plots.coverage(found, ax=ax))


def _size(files: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in files)


def _print_coverage(name: str, found: Coverage, *, json: bool) -> None:
    figures = found.figures()
    if json:
        read = {"games_read": found.games_read, "filtered": found.filtered, "rejected": found.rejected}
        print_json({**figures, **read, "plies": found.by_ply().to_dict("records")})
        return
    to_end = figures["games_to_end"]
    shares = {
        "games": (figures["games"], None),
        "  whose first move is in the book": (figures["games_followed"], figures["games_share"]),
        "  that never leave it": (to_end, to_end / figures["games"]),
        "moves asked for": (figures["asked"], None),
        "  before the game left the book": (figures["followed"], figures["plies_share"]),
        "  in the book at all": (figures["known"], figures["known_share"]),
    }
    rows = [
        (figure, f"{count:,}", "" if share is None else format_share(share))
        for figure, (count, share) in shares.items()
    ]
    if found.rejected:
        rows.insert(1, ("  beside these, with an illegal move", f"{found.rejected:,}", ""))
    rows.append(("plies before a game leaves, mean", f"{figures['mean_exit_ply']:.2f}", ""))
    rows.append(("  median", f"{figures['median_exit_ply']:.0f}", ""))
    print_table((*facts_columns(name), number("share")), rows)
    plies = found.by_ply()
    games = figures["games"]
    shown = plies[plies["inside"] * 1000 > games]
    lines = [
        (str(ply), f"{left:,}", f"{inside:,}", format_share(share), Bar(left / games))
        for ply, left, inside, share in zip(
            *(shown[column].tolist() for column in ("ply", "left", "inside", "inside_share")), strict=True
        )
    ]
    names = ("plies played", "leave here", "still in the book", "of games that last")
    print_table((*map(number, names), bars("leave here", drop=1)), lines)


def calibrate(
    inputs: opt.Inputs,
    filtering: Filtering,
    max_ply: opt.LaterMaxPly = None,
    limit: opt.Limit = None,
    split: Split = None,
    min_games: MinGames = 10,
    moves: Moves = False,
    plot: PlotFile = None,
    jobs: opt.Jobs = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Compare P of earlier games with later results: does the threshold generalise?

    --moves measures how well the moves of earlier games predict those of later ones. Games without a date are
    ignored.
    """
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.calibration import calibrate as calibrated
    from bookbuilder.tally.tally import Tally

    require_plotting(plot, force=force)
    counting = Counting(
        **{each.name: getattr(filtering, each.name) for each in fields(filtering)},
        max_ply=_USUAL_PLY if max_ply is None else max_ply,
        limit=limit,
    )
    with named_files(inputs) as files:
        options = settle(counting, files)
        first = split or _usual_split(options, files, jobs=jobs)
        earlier, later = (
            add_to(Tally.empty(options.changed(changes)), files, jobs=jobs)[0]
            for changes in _divided(options, first, files, jobs=jobs)
        )
    facts = {
        "game": earlier.game,
        "split": first,
        "games_before": earlier.games.num_rows,
        "games_later": later.games.num_rows,
        "min_games": min_games,
    }
    if moves:
        _compare_moves(earlier, later, facts, json=json)
        return
    with phase("comparing"):
        found = calibrated(earlier, later, min_games=min_games)
    _print_calibration(found, facts, json=json)
    draw(plot, lambda ax: plots.calibration(found, ax=ax), size=(7, 7))
    if not found.bins["seen"].sum():
        raise finish(Exit.FAILED, "no position of the earlier games stands in a later one")


def _compare_moves(earlier: Tally, later: Tally, facts: dict[str, Any], *, json: bool) -> None:
    """Print how well the moves of earlier games predict those of later ones."""
    from bookbuilder.analysis.imitation import imitate

    with phase("comparing"):
        found = imitate(earlier, later, min_games=facts["min_games"])
    by_ply = _rows(found.by_ply)
    if json:
        print_json({**facts, **found.figures, "by_ply": by_ply})
    else:
        before, after = (f"{facts[name]:,}" for name in ("games_before", "games_later"))
        say(f"{before} games before {facts['split']}, {after} from then on.")
        lines = [
            ("all", found.figures),
            *((f"{row['ply'] + 1:.0f}–{row['ply'] + 5:.0f}", row) for row in by_ply),
        ]
        columns = ("moves", "covered", "total variation", "bits", "most played")
        print_table(
            (text("plies", least=5), *map(number, columns)),
            [
                (
                    plies,
                    f"{row['moves']:,.0f}",
                    format_share(row["coverage"]),
                    f"{row['total_variation']:.4f}",
                    f"{row['cross_entropy']:.3f}",
                    format_share(row["top_right"]),
                )
                for plies, row in lines
                if row["coverage"] > 0
            ],
        )
    if not found.figures["coverage"]:
        raise finish(Exit.FAILED, "no later move was played at a position of enough earlier games")


def _games_of(
    options: TallyOptions, changes: dict[str, Any], files: Sequence[Path], *, jobs: int | None
) -> pa.Table:
    """Return the games that would be counted; it counts no position."""
    from bookbuilder.tally.tally import Tally

    return Tally.empty(options.changed({**changes, "max_ply": 0})).add_archives(*files, jobs=jobs).games


def _divided(
    options: TallyOptions, first: str, files: Sequence[Path], *, jobs: int | None
) -> list[dict[str, Any]]:
    """Return the options of the earlier and of the later games. A limit is one for both together.

    Raises:
        OptionError: within the limit, all games are on one side of the date.
    """
    changes: list[dict[str, Any]] = [{"until": _day_before(first)}, {"since": first}]
    if options.limit is None:
        return changes
    place = ["source", "member", "offset"]

    def games(change: dict[str, Any]) -> pd.DataFrame:
        return _games_of(options, change, files, jobs=jobs).select(place).to_pandas()

    within = games({})
    for change in changes:
        change["limit"] = len(within.merge(games({**change, "limit": None}), on=place))
    if not all(change["limit"] for change in changes):
        raise OptionError(
            f"--max-games {options.limit}: these games are all before {first}, or none is; "
            "give a higher --max-games or another --split"
        )
    return changes


def _usual_split(options: TallyOptions, files: Sequence[Path], *, jobs: int | None) -> str:
    """Return the year such that about a fifth of the dated games were played in it or later."""
    years = _games_of(options, {}, files, jobs=jobs).column("year").to_numpy()
    dated = sorted(years[years > 0].tolist())
    if not dated or dated[0] == dated[-1]:
        raise OptionError("the games are of one year, or have no dates: name a date to --split at")
    year = dated[int(_EARLIER * len(dated))]
    year = year if year > dated[0] else next(each for each in dated if each > year)
    note(f"split at {year}: {sum(each < year for each in dated):,} games before it")
    return str(year)


def _day_before(text: str) -> str:
    """Return the day before a year, month or day begins."""
    parts = text.replace(".", "-").split("-")
    try:
        year, month, day = ([int(part) for part in parts] + [1, 1])[:3]
        before = date(year, month, day) - timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise OptionError(f"--split {text}: expected a date such as 2010, 2010-05 or 2010-05-17") from error
    return f"{before.year:04}-{before.month:02}-{before.day:02}"


def _print_calibration(found: Calibration, facts: dict[str, Any], *, json: bool) -> None:
    if json:
        tables = {"bins": found.bins.to_dict("records"), "thresholds": found.thresholds.to_dict("records")}
        print_json({**facts, "p_all": found.spread, **tables})
        return
    before, later = (f"{facts[name]:,}" for name in ("games_before", "games_later"))
    say(f"{before} games before {facts['split']}, {later} from then on.")
    say(f"Positions that at least {facts['min_games']:,} of the earlier games reached.")
    say(f"P of all of them in the later games is {format_share(found.spread)}.")
    bins = [(f"{row['p_from']:.2f}–{row['p_to']:.2f}", *_cells(row)) for row in _rows(found.bins)]
    columns = (
        number("positions"),
        number("seen later", drop=2),
        number("P earlier"),
        number("P later"),
        number("from", drop=1),
        number("to", drop=1),
    )
    print_table((text("earlier P", least=9), *columns), bins)
    kept = [
        (f"{row['threshold']:.2f}", *_cells(row), format_share(row["held_share"]))
        for row in _rows(found.thresholds)
    ]
    print_table((text("threshold", least=9), *columns, number("hold it later")), kept)
    say(
        "Each position counts the visits of all games to it. from, to: 95 % bounds of the later P, which are"
        " too narrow, since a game visits many positions.",
        is_prose=True,
    )
    say(
        "hold it later: of the positions won or lost later, those whose later P is still so high.",
        is_prose=True,
    )


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    shares = (format_share(row[name]) for name in ("p_train", "p", "p_low", "p_high"))
    return (f"{row['positions']:,.0f}", f"{row['seen']:,.0f}", *shares)
