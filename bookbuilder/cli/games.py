"""`bookbuilder games count|check`: archives in, their games counted or played through by the rules."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import print_json, print_table, reading, say
from bookbuilder.cli.counting import Counting
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import add_to, losses, named_files, print_report, settle
from bookbuilder.cli.output import require_free

app = typer.Typer(help="Count, check, list, convert and pick the games of archives.", no_args_is_help=True)


@app.command()
def count(
    inputs: opt.Inputs,
    game: opt.GameOption = opt.GameChoice.AUTO,
    max_inflate: opt.MaxInflate = None,
    jobs: opt.Jobs = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Count the games of archives without playing them; exit code 1 if there is none."""
    from bookbuilder import _core

    with named_files(inputs) as files:
        options = settle(Counting(game=game, max_ply=1), files)
        with reading(sum(path.stat().st_size for path in files), quiet=quiet) as progress:
            # One move a game: with none, a game without tags could not be told from no game.
            run = _core.tally_archives(
                [str(path) for path in files],
                options.game,
                max_ply=options.max_ply,
                max_inflate=max_inflate,
                jobs=jobs or os.cpu_count() or 1,
                progress=progress,
            )
    counts: dict[str, int] = {str(source["path"]): source["games_read"] for source in run.report()["sources"]}
    total = sum(counts.values())
    if json:
        sources = [{"source": source, "games": games} for source, games in counts.items()]
        print_json({"game": options.game, "games": total, "sources": sources})
    else:
        rows = [(name, f"{games:,}") for name, games in [*counts.items(), ("all", total)]]
        print_table(("archive", "games"), rows)
    if total == 0:
        raise finish(Exit.FAILED, "no game was found")


@app.command()
def check(
    inputs: opt.Inputs,
    game: opt.GameOption = opt.GameChoice.AUTO,
    max_inflate: opt.MaxInflate = None,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    show: Annotated[int, typer.Option("--show", min=0, help="How many rejects to print.")] = 20,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Play every game to its end by the rules; exit code 1 if one is rejected or could not be read."""
    from bookbuilder.tally import Tally

    require_free(rejects, force=force)
    with named_files(inputs) as files:
        counting = Counting(game=game, max_ply=0, check=opt.Check.FULL, custom_starts=True)
        before = Tally.empty(settle(counting, files))
        tally, report = add_to(
            before, files, rejects=rejects, max_inflate=max_inflate, jobs=jobs, quiet=quiet
        )
    if json:
        print_json(report.to_json())
    else:
        print_report(report)
        for row in tally.rejects.slice(0, show).to_pylist():
            member = f" {row['member']}" if row["member"] else ""
            say(f"{row['source']}{member}, byte {row['offset']}: {row['reason']}: {row['message']}")
    if losses(report):
        raise finish(Exit.FAILED, losses(report))
    if report.games_read == 0:
        raise finish(Exit.FAILED, "no game was found")
