"""`bookbuilder games convert|filter`: write games in one format, or those that pass filters byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import typer

from bookbuilder.cli.games.streams import Reading, Writing
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import AllFilters
from bookbuilder.cli.output import require_free
from bookbuilder.errors import OptionError

Form: TypeAlias = Literal["pgn", "xqf", "lines"]
"""A format of games."""

NotationName: TypeAlias = Literal["san", "uci", "lan", "iccs", "wxf", "chinese", "chinese-traditional"]
"""A notation of moves."""

_FORMS: Final[dict[str, Form]] = {".pgn": "pgn", ".xqf": "xqf", ".zip": "xqf", "": "xqf", ".txt": "lines"}


def convert(
    inputs: opt.Inputs,
    read: Reading,
    write: Writing,
    to: Annotated[
        Form | None, typer.Option(help="The format.", show_default="by the output's name, else pgn")
    ] = None,
    notation: Annotated[
        NotationName | None,
        typer.Option(
            help="How moves are written: chess san, uci, lan; xiangqi iccs, wxf, chinese, "
            "chinese-traditional, and uci for lines.",
            show_default="PGN: san or iccs; lines: coordinates",
        ),
    ] = None,
    variations: Annotated[bool, typer.Option(help="Write variations.")] = True,
    comments: Annotated[bool, typer.Option(help="Write comments and annotation glyphs.")] = True,
    results: Annotated[bool, typer.Option(help="End lines with the result (--to lines).")] = True,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    strict: opt.Strict = False,
) -> None:
    """Convert games to PGN, XQF (xiangqi) or lines of moves.

    A game with an illegal move is skipped and reported, never half-written. A variation ends before an
    illegal move; with --strict its game is skipped. XQF has one game per file: name a directory or a .zip
    for more.
    """
    from bookbuilder import _core

    write.check()
    form = to or _form_of(write.output)
    target = write.target(is_file_a_game=form == "xqf", inputs=inputs)
    require_free(rejects, force=write.force)
    with read.opened(inputs, jobs=jobs) as (paths, game, limits), target.opened() as sink:
        run = _core.convert_games(
            paths,
            game,
            sink,
            layout=target.layout,
            to=form,
            notation=notation,
            results=results,
            variations=variations,
            comments=comments,
            strict=strict,
            limits=limits,
        )
    write.end(run, strict=strict, rejects=rejects)


def _form_of(output: Path | None) -> Form:
    """Return the format of an output by its name."""
    if output is None:
        return "pgn"
    form = _FORMS.get(output.suffix.lower())
    if form is None:
        known = ", ".join(suffix for suffix in _FORMS if suffix)
        raise OptionError(f"{output}: the name tells no format: expected {known}, or --to")
    return form


def filter_games(
    inputs: opt.Inputs,
    read: Reading,
    write: Writing,
    filters: AllFilters,
    reaches: Annotated[
        str | None,
        typer.Option(metavar="POSITION", help="Games that reach a position.", rich_help_panel=opt.GAMES),
    ] = None,
    follows: Annotated[
        Path | None,
        typer.Option(
            metavar="BOOK",
            help="Games whose moves, those of --side, are in a book as long as it has any.",
            rich_help_panel=opt.GAMES,
        ),
    ] = None,
    dedupe: opt.DedupeOption = "off",
) -> None:
    """Write the games that pass filters, in their order.

    Moves are read, not checked. Without filters all games are written.
    """
    from bookbuilder import _core
    from bookbuilder.book.formats.registry import lines_of
    from bookbuilder.games.position import side_of, stored_keys

    write.check()
    asked = filters.to_filter()
    side = None if filters.side == "both" else side_of(filters.side)
    times = 3 if dedupe == "prefix" else 1
    with read.opened(inputs, times=times) as (paths, game, limits):
        # Games of xiangqi get a file each, unless the output is a text.
        is_file_a_game = (
            game == "xiangqi" and write.output is not None and write.output.suffix.lower() in {"", ".xqf"}
        )
        target = write.target(is_file_a_game=is_file_a_game, inputs=paths)
        with target.opened() as sink:
            run = _core.filter_games(
                paths,
                game,
                sink,
                layout=target.layout,
                filters=asked,
                reaches=[] if reaches is None else stored_keys(reaches, game),
                follows=None if follows is None else (lines_of(follows, game), side),
                dedupe=None if dedupe == "off" else dedupe,
                limits=limits,
            )
    write.end(run)
