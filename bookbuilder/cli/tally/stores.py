"""`bookbuilder tally info|verify|compact|merge|remove-source`: commands for whole stores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.cli.console import counted, format_bytes, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import print_report, tell_left_out
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import PlotFile, draw, require_plotting
from bookbuilder.cli.progress import phase, reading
from bookbuilder.cli.tables import facts_columns, number, print_table, text
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.archives.sources import Source
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.store.layout import Manifest

_Store = Annotated[Path, typer.Argument(metavar="STORE", help="A tally store.", show_default=False)]
_Output = Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store to write.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file to an app."""
    for name, command in (
        ("info", info),
        ("verify", verify),
        ("compact", compact),
        ("merge", merge),
        ("remove-source", remove_source),
    ):
        app.command(name)(command)


def info(
    store: _Store,
    plot: PlotFile = None,
    force: opt.Force = False,
    verbose: opt.Verbose = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Show options, archives, rows and bytes per row and column of a store; draw results by ply."""
    from bookbuilder.tally.store.layout import read_manifest

    require_plotting(plot, force=force)
    manifest = read_manifest(store)
    _draw_results(store, plot, quiet=quiet)
    columns = {
        name: count / max(manifest.rows, 1) for name, count in _bytes_of_columns(store, manifest).items()
    }
    size = sum(part["bytes"] for part in (*manifest.parts, *manifest.game_parts))
    if json:
        facts = {name: value for name, value in manifest.to_json().items() if name not in ("kind", "schema")}
        print_json({**facts, "bytes": size, "bytes_per_row": columns})
        return
    print_table(facts_columns(str(store), "fact", is_left=True), _facts(manifest, size))
    if verbose:
        rows = [(name, f"{each:.2f}") for name, each in columns.items()]
        print_table((text("column"), number("bytes a row")), rows)
    _print_sources(manifest, verbose=verbose)


def _print_sources(manifest: Manifest, *, verbose: bool) -> None:
    """Print the archives of a store, if verbose with their digests."""
    figures = [
        (source.source, f"{source.games:,}", f"{source.rejects:,}", f"{source.size:,}", source.blake3[:16])
        for source in manifest.sources
    ]
    columns = (
        text("archive", least=24),
        number("games"),
        number("rejects", drop=1),
        number("bytes", drop=2),
        text("digest", drop=3),
    )
    shown = len(columns) if verbose else len(columns) - 1
    print_table(columns[:shown], [row[:shown] for row in figures])


def _facts(manifest: Manifest, size: int) -> list[tuple[str, str]]:
    """Return lines for people about the content of a store."""
    changed = manifest.options.differences(type(manifest.options)(game=manifest.options.game))
    return [
        ("game", manifest.options.game),
        *(("option", each.partition(" against ")[0]) for each in changed),
        ("rows", f"{manifest.rows:,}"),
        ("games", f"{manifest.games:,}"),
        ("observations", f"{sum(part['games'] for part in manifest.parts):,}"),
        ("parts", f"{len(manifest.parts):,} of rows, {len(manifest.game_parts):,} of games"),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
    ]


def _draw_results(store: Path, plot: Path | None, *, quiet: bool) -> None:
    if plot is not None:
        from bookbuilder.analysis import plots
        from bookbuilder.tally.tally import Tally

        tally = Tally.open(store)
        draw(plot, lambda ax: plots.results(tally, ax=ax), quiet=quiet)


def _bytes_of_columns(store: Path, manifest: Manifest) -> dict[str, int]:
    """Return the bytes on disk of each column of TALLY."""
    import pyarrow.parquet as pq

    sizes: dict[str, int] = {}
    for part in manifest.parts:
        with pq.ParquetFile(store / part["file"]) as file:
            found = file.metadata
            for group in (found.row_group(number) for number in range(found.num_row_groups)):
                for column in (group.column(number) for number in range(group.num_columns)):
                    name = column.path_in_schema
                    sizes[name] = sizes.get(name, 0) + column.total_compressed_size
    return sizes


def verify(store: _Store, json: opt.Json = False) -> None:
    """Read a store whole: digests, order of rows, key ranges and sums; exit code 1 if something is wrong."""
    from bookbuilder.tally.store.upkeep import verify as verified

    with phase("checking", quiet=json):
        findings = list(verified(store))
    faults = [finding for finding in findings if finding.fault]
    if json:
        files = [{"file": f.file, "rows": f.rows, "bytes": f.bytes, "fault": f.fault} for f in findings]
        print_json({"files": files, "faults": len(faults)})
    else:
        rows = [(f.file, f"{f.rows:,}", f"{f.bytes:,}", "wrong" if f.fault else "ok") for f in findings]
        columns = (text(str(store), least=24), number("rows"), number("bytes", drop=1), text("verdict"))
        print_table(columns, rows)
        for finding in faults:
            say(f"{finding.file}: {finding.fault}")
    if faults:
        of, verb = counted(len(findings), "file"), "is" if len(faults) == 1 else "are"
        raise finish(Exit.FAILED, f"{store}: {len(faults):,} of {of} {verb} wrong; make it again")


def compact(store: _Store, jobs: opt.Jobs = None, json: opt.Json = False) -> None:
    """Rewrite a store and remove leftovers of interrupted runs; its content stays the same."""
    from bookbuilder.tally.store.upkeep import compact as compacted

    with phase("compacting", quiet=json):
        before, after = compacted(store, jobs=jobs)
    if json:
        print_json({"bytes_before": before, "bytes": after})
    else:
        print_table(facts_columns(str(store), "bytes"), [("before", f"{before:,}"), ("now", f"{after:,}")])


def merge(
    inputs: Annotated[list[Path], typer.Argument(metavar="STORE...", help="Two tally stores or more.")],
    output: _Output,
    memory: opt.Memory = None,
    jobs: opt.Jobs = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Merge stores into one: the store that all their archives together give, byte for byte.

    Stores with the same archive, and stores that were counted with --dedupe, are counted again from their
    archives.
    """
    from bookbuilder.tally.options import RunLimits
    from bookbuilder.tally.store.upkeep import merge_stores

    if len(inputs) < 2:
        raise typer.BadParameter("expected two stores or more")
    with reading(0, quiet=quiet) as progress:
        limits = RunLimits(memory=memory, jobs=jobs, progress=progress)
        report = merge_stores(inputs, output, limits, force=force)
    _tell(output, report, json=json, quiet=quiet)


def remove_source(
    store: _Store,
    sources: Annotated[
        list[str],
        typer.Argument(metavar="ARCHIVE...", help="Archives by name or the beginning of their digest."),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="STORE", help="Write another store.")
    ] = None,
    memory: opt.Memory = None,
    jobs: opt.Jobs = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Remove archives from a store; the others are counted again, and must not have moved or changed."""
    from bookbuilder.tally.options import RunLimits
    from bookbuilder.tally.store.layout import read_manifest
    from bookbuilder.tally.store.upkeep import remove_sources

    known = read_manifest(store).sources
    wanted = [source for name in sources for source in _named(store, name, known)]
    with reading(0, quiet=quiet) as progress:
        limits = RunLimits(memory=memory, jobs=jobs, progress=progress)
        report = remove_sources(store, wanted, limits, output=output)
    _tell(output or store, report, json=json, quiet=quiet)


def _named(store: Path, name: str, known: tuple[Source, ...]) -> list[Source]:
    minimum = 8  # digits of a digest
    found = [
        source
        for source in known
        if source.source == name or (len(name) >= minimum and source.blake3.startswith(name))
    ]
    if not found:
        raise OptionError(f"{store}: does not hold {name}; `bookbuilder tally info` names what it holds")
    return found


def _tell(output: Path, report: TallyReport, *, json: bool, quiet: bool) -> None:
    tell_left_out(report, quiet=quiet)
    if json:
        print_json(report.to_json())
    elif report.sources:
        print_report(report)
    else:
        note(f"{output}: {counted(report.rows, 'row')}, merged from parts; no archive was read", quiet=quiet)
