"""`bookbuilder games count|check`: count the games of archives, or play them by the rules."""

from __future__ import annotations

from typing import Annotated

import typer

from bookbuilder.cli.console import counted, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.games.streams import Reading
from bookbuilder.cli.inputs import add_to, check_losses, named_files, print_report, settle, tell_unreadable
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import Counting
from bookbuilder.cli.output import require_free
from bookbuilder.cli.tables import number, print_table, text


def count(inputs: opt.Inputs, read: Reading, jobs: opt.Jobs = None, json: opt.Json = False) -> None:
    """Count the games of archives without playing them; exit code 1 if there is none."""
    from bookbuilder import _core
    from bookbuilder.archives.sources import skipped_members, source_name, unreadable
    from bookbuilder.tally.options import TallyOptions
    from bookbuilder.tally.report import add_figures

    with read.opened(inputs, jobs=jobs) as (paths, game, limits):
        # One move a game: without it, a game without tags looks like no game.
        options = TallyOptions(game=game, max_ply=1)
        figures = add_figures(_core.count_archives(paths, options, limits))["sources"]
    nothing = {"games_read": 0, "skipped": []}
    found = [{"path": source_name(path), **figures.get(index, nothing)} for index, path in enumerate(paths)]
    counts: dict[str, int] = {source["path"]: source["games_read"] for source in found}
    total = sum(counts.values())
    tell_unreadable(skipped_members(found))
    if json:
        sources = [{"source": source, "games": games} for source, games in counts.items()]
        print_json({"game": game, "games": total, "sources": sources})
    else:
        rows = [(name, f"{games:,}") for name, games in [*counts.items(), ("all", total)]]
        print_table((text("archive", least=24), number("games")), rows)
    if unread := unreadable(skipped_members(found)):
        raise finish(Exit.UNREADABLE, f"{counted(len(unread), 'file')} could not be read")
    if total == 0:
        raise finish(Exit.FAILED, "no game was found")


def check(
    inputs: opt.Inputs,
    game: opt.GameOption = "auto",
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    show: Annotated[int, typer.Option(min=0, help="How many rejects to print.")] = 20,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Play every game to its end by the rules; exit code 1 if one is rejected, 3 if a file is unreadable."""
    from bookbuilder.tally.tally import Tally

    require_free(rejects, force=force)
    with named_files(inputs) as files:
        counting = Counting(game=game, max_ply=0, custom_starts=True)
        before = Tally.empty(settle(counting, files).changed({"check": "full"}))
        tally, report = add_to(before, files, rejects=rejects, jobs=jobs)
    if json:
        print_json(report.to_json())
    else:
        print_report(report, is_tally=False)
        for row in tally.rejects.slice(0, show).to_pylist():
            member = f" {row['member']}" if row["member"] else ""
            say(f"{row['source']}{member}, byte {row['offset']}: {row['reason']}: {row['message']}")
        if (more := tally.rejects.num_rows - show) > 0:
            say(f"and {more:,} more; --rejects FILE writes them all")
    check_losses(report, strict=True)
    if report.games_read == 0:
        raise finish(Exit.FAILED, "no game was found")
