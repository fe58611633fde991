"""`bookbuilder tally`: archives in, a tally store on disk out; what a store holds is not read again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import print_json
from bookbuilder.cli.counting import Counting, spread
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import add_to, held_tally, losses, named_files, print_report, settle
from bookbuilder.cli.output import require_free

if TYPE_CHECKING:
    from bookbuilder.tally import Tally


@spread
def tally(
    context: typer.Context,
    inputs: opt.Inputs,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store; a directory.")],
    counting: Counting,
    max_inflate: opt.MaxInflate = None,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    strict: opt.Strict = False,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Count archives into a store; a store that exists is added to, archives it holds are skipped.

    With --force a store that exists is made anew.
    """
    require_free(rejects, force=force)
    with named_files(inputs) as files:
        before = _held(context, output, counting, files, force=force)
        after, report = add_to(
            before, files, rejects=rejects, max_inflate=max_inflate, jobs=jobs, quiet=quiet
        )
    if not len(after):
        raise finish(Exit.FAILED, f"{output}: not written, no game was counted")
    if report.sources:
        after.save(output, force=True)
    if json:
        print_json(report.to_json())
    else:
        print_report(report)
    if strict and losses(report):
        raise finish(Exit.FAILED, losses(report))


def _held(
    context: typer.Context, store: Path, counting: Counting, files: list[Path], *, force: bool
) -> Tally:
    """The tally to add to: the store's, or an empty one."""
    from bookbuilder.store import is_store, require_place
    from bookbuilder.tally import Tally

    require_place(store, force=True)  # an output that cannot be written is refused before the work
    if is_store(store) and not force:
        return held_tally(context, [store], counting)
    return Tally.empty(settle(counting, files))
