"""`bookbuilder games filter`: write the games that pass filters, byte for byte."""

from __future__ import annotations

from bookbuilder.cli.games.input import Reading
from bookbuilder.cli.games.output import Writing, check, is_file_a_game, tell
from bookbuilder.cli.help import Command
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import AllFilters, spread

__all__ = ["FilterCommand", "filter_games"]


class FilterCommand(Command):
    """The command whose subject are the filters: its help shows all of them."""

    shown_panels = (opt.GAMES,)


@spread
def filter_games(
    inputs: opt.Inputs,
    read: Reading,
    write: Writing,
    filters: AllFilters,
    dedupe: opt.DedupeOption = "off",
) -> None:
    """Write the games that pass filters, in their order.

    Moves are read, not checked. Without filters all games are written.
    """
    from bookbuilder import _core
    from bookbuilder.archives.collection import CollectionReport

    write.check()
    asked = filters.to_filter()
    times = 3 if dedupe == "prefix" else 1
    with read.opened(inputs, times=times) as (paths, game, limits):
        target = write.target(is_file_a_game=is_file_a_game(write.output, game), inputs=paths)
        with target.opened() as sink:
            run = _core.filter_games(
                paths,
                game,
                sink,
                layout=target.layout,
                filters=asked,
                dedupe=None if dedupe == "off" else dedupe,
                limits=limits,
            )
    report = CollectionReport.of_run(run)
    tell(report, json=write.json, quiet=read.quiet)
    check(report)
