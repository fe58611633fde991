"""`bookbuilder endgame build|stats|verify|probe`: build, count, check and probe endgame tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bookbuilder.cli.console import format_bytes, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import shown_move, shown_moves
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import PositionArgument, game_of, position_at
from bookbuilder.cli.output import PlotFile, draw, require_plotting
from bookbuilder.cli.tables import Bar, bars, number, print_table, text
from bookbuilder.engine.endgames import Built, Index, Metric, Solver, game_of_names, game_of_table
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDES, Game

_TABLE_MEMORY: Final = 4 << 30
"""Bytes that tables may take by default."""
_Threads = Annotated[
    int | None, typer.Option("--jobs", min=1, help="Number of threads.", show_default="all processors")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of tables.")]
Material = Annotated[str, typer.Argument(metavar="MATERIAL", help="Such as KRvK.")]
GameOption = Annotated[
    Game | None,
    typer.Option("--game", help="The game.", show_default="by letters, tables or position, else chess"),
]
MetricOption = Annotated[
    Metric, typer.Option("--metric", help="Who wins (wld), or plies to mate, conversion or zeroing move.")
]


def build(
    materials: Annotated[list[str], typer.Argument(metavar="MATERIAL...", help="Such as KRvK KQvKR.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder of the tables.")],
    game: GameOption = None,
    metric: MetricOption = "dtm",
    memory: Annotated[
        int | None,
        typer.Option(
            metavar="SIZE",
            parser=opt.parse_memory,
            help="Maximum memory for tables, such as 8GiB.",
            show_default="4GiB",
        ),
    ] = None,
    jobs: _Threads = None,
    solver: Annotated[
        Solver, typer.Option(help="From the end of games back, or by every position's moves.")
    ] = "retrograde",
    index: Annotated[
        Index, typer.Option(help="Number positions without gaps, or with, which is quicker.")
    ] = "gapless",
    json: opt.Json = False,
) -> None:
    """Build endgame tables, and the tables they depend on; the same command resumes an interrupted build."""
    from bookbuilder.engine.endgames import build_tables

    game = game or game_of_names(materials)
    tables: list[dict[str, Any]] = []

    def report(built: Built) -> None:
        tables.append({name: getattr(built, name) for name in ("material", "was_there", "bytes", "seconds")})
        how = "was there" if built.was_there else f"{built.seconds:.2f} s"
        size = format_bytes(built.bytes)
        note(f"{built.done} of {built.total}: {built.material}, {size}, {how}")

    build_tables(
        materials,
        output,
        game=game,
        metric=metric,
        memory_mib=(memory or _TABLE_MEMORY) >> 20,
        jobs=jobs or os.cpu_count() or 1,
        solver=solver,
        index=index,
        report=report,
    )
    if json:
        print_json({"game": game, "metric": metric, "tables": tables})


def stats(
    folder: Folder,
    material: Material,
    game: GameOption = None,
    metric: MetricOption = "dtm",
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Count the positions of a table: won, drawn, lost, by plies, longest lines, mutual zugzwangs."""
    from bookbuilder.analysis import plots
    from bookbuilder.engine.endgames import table_stats

    require_plotting(plot, force=force)
    game = game or game_of_table(folder, material, metric)
    counted = table_stats(folder, material, game=game, metric=metric)
    draw(plot, lambda axes: plots.endgame(counted, ax=axes))
    if json:
        print_json({"game": game, **counted})
    else:
        _print_stats(counted)


def _print_stats(counted: Mapping[str, Any]) -> None:
    sides = counted["sides"]
    keys = ("legal", "win", "draw", "loss", "mated", "stalemated")
    rows = [(key, *(sides[side][key] for side in SIDES)) for key in keys]
    has_distances = counted["metric"] != "wld"
    for what in ("win", "loss") if has_distances else ():
        longest = [f"{sides[s]['max_' + what]} ({sides[s][f'max_{what}_count']:,})" for s in SIDES]
        rows.append((f"longest {what}, plies", *longest))
    title = f"{counted['material']} {counted['metric']}"
    print_table((text(title), number("first to move"), number("second to move")), rows)
    for side in SIDES:
        for what, plies in (("wins", "longest_win"), ("losses", "longest_loss")):
            histogram = sides[side][what]
            if histogram and has_distances:
                most = max(histogram.values())
                bar_rows = [(str(ply), count, Bar(count / most)) for ply, count in histogram.items()]
                title = f"{side} to move, {what} by plies"
                print_table((text(title), number("positions"), bars()), bar_rows)
                say(f"longest: {sides[side][plies]}")
    zugzwangs = ", ".join(f"{key.replace('_', ' ')} {count:,}" for key, count in counted["zugzwangs"].items())
    say(f"mutual zugzwangs: {zugzwangs}")


def verify(
    folder: Folder,
    materials: Annotated[
        list[str] | None, typer.Argument(metavar="[MATERIAL]...", help="Default: every table there.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Compare every entry of tables with its moves; exit code 1 if one differs."""
    from bookbuilder.engine.endgames import Endgames, verify_table

    files = [file for file in Endgames(folder).files if not materials or file.material in materials]
    missing = set(materials or ()) - {file.material for file in files}
    if missing:
        raise OptionError(f"{folder}: it has no table of {', '.join(sorted(missing))}")
    if not files:
        raise OptionError(f"{folder}: no tables")
    answers = []
    for file in files:
        entries, wrong = verify_table(folder, file.material, game=file.game, metric=file.metric)
        named = {"game": file.game, "material": file.material, "metric": file.metric, "entries": entries}
        mismatches = [{"fen": fen, "found": f, "expected": e} for fen, f, e in wrong]
        answers.append({**named, "mismatches": mismatches})
        if not json:
            state = f"{len(wrong)} differ, first {wrong[0][0]}" if wrong else "sound"
            say(f"{file.material} {file.game} {file.metric}: {state}, {entries:,} entries")
    if json:
        print_json({"tables": answers})
    if any(answer["mismatches"] for answer in answers):
        raise finish(Exit.FAILED, f"{folder}: entries do not follow from their moves; delete and rebuild it")


def probe(
    folder: Folder, position: PositionArgument, game: GameOption = None, json: opt.Json = False
) -> None:
    """Show the value of a position, the best moves, and the line to mate."""
    from bookbuilder.engine.endgames import Endgames

    game = game_of(game, position)
    here = position_at(game, position)
    fen = here.fen
    tables = Endgames(folder)
    value = tables.find(fen, game=game)
    best = tables.best(fen, game=game)
    has_line = value.wdl != 0 and (value.dtm, value.dtc, value.dtz) != (None, None, None)
    line = tables.line(fen, game=game) if has_line else []
    plies = {key: getattr(value, key) for key in ("dtm", "dtc", "dtz") if getattr(value, key) is not None}
    if json:
        print_json({"game": game, "fen": fen, "wdl": value.wdl, **plies, "best": best, "line": line})
        return
    say({1: "won", 0: "drawn", -1: "lost"}[value.wdl])
    for key, count in plies.items():
        say(f"{key}   {count}")
    say(f"best  {' '.join(shown_move(here, each, plain=True) for each in best)}")
    if line:
        say(f"line  {' '.join(shown_moves(here, line, plain=True))}")
