"""`bookbuilder games convert`: convert the games of archives to one format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import typer

from bookbuilder.cli.games.input import Reading
from bookbuilder.cli.games.output import Writing, check, tell, write_rejects
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.output import require_free
from bookbuilder.errors import OptionError

Form: TypeAlias = Literal["pgn", "xqf", "lines"]
"""A format of games."""

NotationName: TypeAlias = Literal["san", "uci", "lan", "iccs", "wxf", "chinese", "chinese-traditional"]
"""A notation of moves."""

_FORMS: Final[dict[str, Form]] = {".pgn": "pgn", ".xqf": "xqf", ".zip": "xqf", "": "xqf", ".txt": "lines"}


@spread
def convert(
    inputs: opt.Inputs,
    read: Reading,
    write: Writing,
    to: Annotated[
        Form | None, typer.Option("--to", help="The format.", show_default="by the output's name, else pgn")
    ] = None,
    notation: Annotated[
        NotationName | None,
        typer.Option(
            "--notation",
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
    from bookbuilder.archives.collection import CollectionReport

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
    report = CollectionReport.of_run(run)
    write_rejects(report, rejects)
    tell(report, json=write.json, quiet=read.quiet)
    check(report, strict=strict)


def _form_of(output: Path | None) -> Form:
    """Return the format of an output by its name."""
    if output is None:
        return "pgn"
    form = _FORMS.get(output.suffix.lower())
    if form is None:
        known = ", ".join(suffix for suffix in _FORMS if suffix)
        raise OptionError(f"{output}: the name tells no format: expected {known}, or --to")
    return form
