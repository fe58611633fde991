"""`bookbuilder tally`: count archives into a store on disk.

The commands for stores are in `stores`. A first word that is not one of them is an INPUT.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from bookbuilder.cli.console import copies, note, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import (
    check_losses,
    named_files,
    nothing_counted,
    print_report,
    require_counted,
    require_game,
    settle,
    tell_left_out,
    tell_rejects,
    wants_text,
)
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import StoreCounting
from bookbuilder.cli.output import require_free, require_parent, whole_file
from bookbuilder.cli.progress import reading
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder import _core

_USUAL_PLY: Final = 40
"""Default of `--max-ply`, as of `build`."""

_Part: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--part",
        metavar="I/N",
        help="Count only share I of N of the archives; `tally merge` joins the stores.",
    ),
]


def tally(
    context: typer.Context,
    inputs: opt.Inputs,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store; a directory.")],
    counting: StoreCounting,
    facets: opt.Facets = None,
    part: _Part = None,
    memory: opt.Memory = None,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    strict: opt.Strict = False,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Count archives into a store. An existing store is added to; archives that it already has are skipped.

    An interrupted run is resumed by the next one with the same options. --force replaces an existing store.
    """
    from bookbuilder.tally.options import RunLimits
    from bookbuilder.tally.store.grow import grow
    from bookbuilder.tally.store.layout import is_store, read_manifest, require_place

    # Refuse what cannot be written before the work.
    require_free(rejects, force=force)
    require_parent(output)
    require_place(output, force=True)
    if counting.max_ply is None:
        counting = replace(counting, max_ply=_USUAL_PLY)
    on_runs = None if rejects is None else partial(write_rejects, path=rejects)
    with named_files(inputs) as found:
        files = found if part is None else _share(found, part)
        if is_store(output) and not force:
            options = read_manifest(output).options
            changes = counting.changes(context) | ({"facets": facets} if facets else {})
            require_counted(output, options, changes)
            require_game(output, options.game, files)
        else:
            options = settle(counting, files).changed({"facets": facets or ()})
        with reading(sum(path.stat().st_size for path in files)) as progress:
            keep = rejects is not None and wants_text(rejects)
            limits = RunLimits(memory=memory, jobs=jobs, keep_rejected=keep, progress=progress)
            report = grow(output, files, options, limits, on_runs=on_runs, force=force)
    tell_left_out(report)
    if not report.rows:
        code = Exit.UNREADABLE if report.unreadable() else Exit.FAILED
        raise finish(code, nothing_counted(f"{output}: not written", report))
    tell_rejects(report)
    if report.repeats:
        note(copies(report.repeats))
    print_json(report.to_json()) if json else print_report(report)
    check_losses(report, strict=strict)


def _share(files: Sequence[Path], part: str) -> list[Path]:
    """Return the archives of share I of N, which have about the same size; each archive is in one share."""
    number, _, count = part.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise OptionError(f'--part "{part}": expected I/N, with I from 1 to N, such as 3/8')
    sizes = [path.stat().st_size for path in files]
    total = max(sum(sizes), 1)
    # An archive belongs to the share in which its middle lies.
    middles = (2 * end - size for size, end in zip(sizes, accumulate(sizes), strict=True))
    shares = [min(middle * int(count) // (2 * total), int(count) - 1) for middle in middles]
    chosen = [path for path, share in zip(files, shares, strict=True) if share == int(number) - 1]
    if not chosen:
        raise OptionError(f"--part {part}: holds none of the {len(files)} archives; ask for fewer parts")
    return chosen


def write_rejects(runs: Sequence[_core.Run], path: Path) -> None:
    """Write the rejects of run files: a line of JSON each, or the text of the games."""
    from bookbuilder.tally.report import reject_pieces

    with whole_file(path) as stream:
        for piece in reject_pieces(runs, as_text=wants_text(path)):
            stream.write(piece)
