"""`bookbuilder tally`: archives in, a tally store on disk out; what a store holds is not read again.

Beside it stand the commands that take stores: see `tally_store`. A first word that is none of theirs is an
INPUT.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import print_json, reading
from bookbuilder.cli.counting import Counting, spread
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import check_losses, named_files, print_report, settle, tell_left_out, wants_text
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder._core import RunFile
    from bookbuilder.runner import TallyOptions

_ADD = "add"


class _Group(TyperGroup):
    """A group whose command `add` need not be named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (the signature of the class above)
        """Put `add` before words that do not begin with a command."""
        if not args or args[0] not in self.commands:
            args = [_ADD, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_Group, help="Count archives into a store; look after stores.")


@app.command(
    _ADD,
    epilog="Commands for stores: bookbuilder tally info | verify | compact | merge | remove-source | "
    "subtract; each has its --help. An archive that has such a name is given as ./info.",
)
@spread
def tally(
    context: typer.Context,
    inputs: opt.Inputs,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store; a directory.")],
    counting: Counting,
    facets: opt.Facets = None,
    memory: opt.Memory = None,
    max_inflate: opt.MaxInflate = None,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    strict: opt.Strict = False,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Count archives into a store; a store that exists is added to, archives it holds are skipped.

    A run that is interrupted is taken up by the next one that is asked for the same. With --force a store
    that exists is made anew.
    """
    from bookbuilder.store import Addition, grow, is_store, require_place

    require_free(rejects, force=force)
    require_place(output, force=True)  # an output that cannot be written is refused before the work
    with named_files(inputs) as files:
        names = tuple(each.value for each in facets or ())
        options = _options(context, output, counting, names, files, force=force)
        keep = rejects is not None and wants_text(rejects)

        def told(runs: Sequence[RunFile]) -> None:
            if rejects is not None:
                write_rejects(runs, rejects)

        with reading(sum(path.stat().st_size for path in files), quiet=quiet) as progress:
            how = Addition(
                memory=memory,
                jobs=jobs,
                max_inflate=max_inflate,
                keep_rejected=keep,
                progress=progress,
                told=told,
            )
            report = grow(output, files, options, how, force=force)
    tell_left_out(report, quiet=quiet)
    if not is_store(output) or (not report.rows and report.sources):
        code = Exit.UNREADABLE if report.unreadable() else Exit.FAILED
        raise finish(code, f"{output}: not written, no game was counted")
    if json:
        print_json(report.to_json())
    else:
        print_report(report)
    check_losses(report, strict=strict)


def write_rejects(runs: Sequence[RunFile], path: Path) -> None:
    """Write what run files say of rejects: a line of JSON each, or the games themselves as they stand."""
    from bookbuilder.store import take_runs

    with whole_file(path) as stream:
        for piece in take_runs(runs, as_text=wants_text(path)):
            stream.write(piece)


def _options(
    context: typer.Context,
    store: Path,
    counting: Counting,
    facets: Sequence[str],
    files: list[Path],
    *,
    force: bool,
) -> TallyOptions:
    """What is counted: as the store was, or as the command line says."""
    from bookbuilder.store import is_store, read_manifest

    if not is_store(store) or force:
        return settle(counting, files).changed({"facets": facets})
    held = read_manifest(store).options
    changes = counting.changes(context) | ({"facets": facets} if facets else {})
    differences = held.differences(held.changed(changes))
    if differences:
        raise OptionError(f"{store}: was counted with other options: {'; '.join(differences)}")
    return held
