"""`bookbuilder tally`: count archives into a store on disk.

The commands for stores are in `stores`. A first word that is not one of them is an INPUT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
    from bookbuilder.tally.options import RunLimits, TallyOptions
    from bookbuilder.tally.report import Figures, TallyReport

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
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="STORE", help="The store; a directory, or a URL.")
    ],
    counting: StoreCounting,
    facets: opt.Facets = None,
    cluster: opt.Cluster = None,
    task: opt.Task = None,
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
    from bookbuilder.tally.cluster.storage import plain_path
    from bookbuilder.tally.options import RunLimits

    require_free(rejects, force=force)
    keep = rejects is not None and wants_text(rejects)
    limits = RunLimits(memory=memory, jobs=jobs, keep_rejected=keep)
    place, facets = plain_path(output), facets or []
    if counting.max_ply is None:
        counting = replace(counting, max_ply=_USUAL_PLY)
    asked = _Asked(context, inputs, place, counting, tuple(facets), limits, rejects, force)
    if part is not None and cluster is not None:
        raise OptionError("--part is for runs without a cluster: leave --cluster or --part out")
    report = _here(asked, part) if cluster is None else _on_cluster(asked, cluster, task)
    tell_left_out(report)
    if not report.rows:
        code = Exit.UNREADABLE if report.unreadable() else Exit.FAILED
        raise finish(code, nothing_counted(f"{output}: not written", report))
    tell_rejects(report)
    if report.repeats:
        note(copies(report.repeats))
    print_json(report.to_json()) if json else print_report(report)
    check_losses(report, strict=strict)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The command line."""

    context: typer.Context
    inputs: list[str]
    output: str
    counting: StoreCounting
    facets: tuple[str, ...]
    limits: RunLimits
    rejects: Path | None
    force: bool

    @contextmanager
    def reading(self, files: Sequence[Path]) -> Iterator[RunLimits]:
        """Yield the limits of a run that shows its progress."""
        with reading(sum(path.stat().st_size for path in files)) as progress:
            yield replace(self.limits, progress=progress)

    def write_rejects(self, runs: Sequence[Figures]) -> None:
        """Write the rejects of run files, if that is asked for."""
        if self.rejects is not None:
            write_rejects(runs, self.rejects)


def _here(asked: _Asked, part: str | None) -> TallyReport:
    """Count in this process."""
    from bookbuilder.tally.cluster.storage import is_url
    from bookbuilder.tally.store.grow import grow
    from bookbuilder.tally.store.layout import require_place

    if urls := [word for word in (*asked.inputs, asked.output) if is_url(word)]:
        raise OptionError(f"{urls[0]}: URLs are read and written by tasks: add --cluster local")
    output = Path(asked.output)
    require_parent(output)
    require_place(output, force=True)  # before the work
    with named_files(asked.inputs) as found:
        files = found if part is None else _share(found, part)
        options = _options(asked, output, files)
        with asked.reading(files) as limits:
            return grow(output, files, options, limits, on_runs=asked.write_rejects, force=asked.force)


def _share(files: Sequence[Path], part: str) -> list[Path]:
    """Return the archives of share I of N, which have about the same size; each archive is in one share.

    Raises:
        OptionError: the text is not I/N, or the share has no archive.
    """
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


def _on_cluster(asked: _Asked, address: str, task_bytes: int | None) -> TallyReport:
    """Count by the tasks of a cluster."""
    from bookbuilder.tally.cluster.run import TASK_BYTES, grow_on_cluster, require_cluster_options
    from bookbuilder.tally.cluster.storage import find_everywhere, is_url
    from bookbuilder.tally.store.layout import require_place

    if not is_url(asked.output):
        require_parent(Path(asked.output))
        require_place(asked.output, force=True)
    # Before the files are looked at.
    require_cluster_options(asked.counting.to_options("chess"))
    archives = find_everywhere(asked.inputs)
    files = [Path(each.location) for each in archives if not is_url(each.location)]
    if not files and asked.counting.game == "auto":
        raise OptionError("of archives behind URLs the game is not detected: name it with --game")
    options = _options(asked, None if is_url(asked.output) else Path(asked.output), files)
    with asked.reading(files) as limits:
        return grow_on_cluster(
            asked.output,
            archives,
            options,
            limits,
            address=address,
            on_runs=asked.write_rejects,
            force=asked.force,
            task_bytes=task_bytes or TASK_BYTES,
        )


def write_rejects(runs: Sequence[Figures], path: Path) -> None:
    """Write the rejects of run files: a line of JSON each, or the text of the games."""
    from bookbuilder.tally.report import reject_pieces

    with whole_file(path) as stream:
        for piece in reject_pieces(runs, as_text=wants_text(path)):
            stream.write(piece)


def _options(asked: _Asked, store: Path | None, files: list[Path]) -> TallyOptions:
    """Return the options of the store, or else the options of the command line."""
    from bookbuilder.tally.store.layout import is_store, read_manifest

    if store is None or not is_store(store) or asked.force:
        return settle(asked.counting, files).changed({"facets": asked.facets})
    counted = read_manifest(store).options
    changes = asked.counting.changes(asked.context) | ({"facets": asked.facets} if asked.facets else {})
    require_counted(store, counted, changes)
    require_game(store, counted.game, files)
    return counted
