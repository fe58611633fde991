"""`bookbuilder tally verify|merge|remove-source|export`: commands for whole stores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.cli.console import counted, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import print_report, tell_left_out
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.progress import phase, reading
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDE_WORDS, START_WORD

if TYPE_CHECKING:
    from bookbuilder.archives.sources import Source
    from bookbuilder.tally.report import TallyReport

_Store = Annotated[Path, typer.Argument(metavar="STORE", help="A tally store.")]
_Output = Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store to write.")]


def verify(store: _Store, json: opt.Json = False) -> None:
    """Read a store whole: digests, order of rows, key ranges and sums; exit code 1 if something is wrong."""
    from bookbuilder.tally.store.upkeep import verify as verified

    with phase("checking"):
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


def merge(
    inputs: Annotated[list[Path], typer.Argument(metavar="STORE...", help="Two tally stores or more.")],
    output: _Output,
    memory: opt.Memory = None,
    jobs: opt.Jobs = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Merge stores into one: the store that all their archives together give, byte for byte.

    Stores with the same archive, and stores that were counted with --dedupe, are counted again from their
    archives.
    """
    from bookbuilder.tally.options import RunLimits
    from bookbuilder.tally.store.upkeep import merge_stores

    if len(inputs) < 2:
        raise typer.BadParameter("expected two stores or more")
    with reading(0) as progress:
        limits = RunLimits(memory=memory, jobs=jobs, progress=progress)
        report = merge_stores(inputs, output, limits, force=force)
    _tell(output, report, json=json)


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
) -> None:
    """Remove archives from a store; the others are counted again, and must not have moved or changed."""
    from bookbuilder.tally.options import RunLimits
    from bookbuilder.tally.store.layout import read_manifest
    from bookbuilder.tally.store.upkeep import remove_sources

    known = read_manifest(store).sources
    wanted = [source for name in sources for source in _named(store, name, known)]
    with reading(0) as progress:
        limits = RunLimits(memory=memory, jobs=jobs, progress=progress)
        report = remove_sources(store, wanted, limits, output=output)
    _tell(output or store, report, json=json)


def export(
    store: _Store,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The table to write: .parquet or .csv.")
    ],
    start: Annotated[
        str, typer.Option("--from", metavar="POSITION", help="Export the moves from this position on.")
    ] = START_WORD,
    max_ply: Annotated[
        int | None, typer.Option(min=1, help="Maximum plies of a line.", show_default="all")
    ] = None,
    min_games: Annotated[int, typer.Option(min=1, help="Minimum games of a move.")] = 1,
    notation: Annotated[
        str | None, typer.Option(help="Of the moves.", show_default="san; xiangqi chinese")
    ] = None,
    force: opt.Force = False,
) -> None:
    """Write the tree of a store as a table of moves, with FEN, opening and results, for SQL and the like."""
    from bookbuilder.tally.tally import Tally

    if output.suffix.lower() not in {".parquet", ".csv"}:
        raise OptionError(f"{output}: a table ends in .parquet or .csv")
    require_free(output, force=force)
    tally = Tally.open(store)
    notation = notation or ("san" if tally.game == "chess" else "chinese")
    with phase("exporting"):
        tree = tally.tree(start, max_ply=max_ply, min_games=min_games, notation=notation)
        first, second = SIDE_WORDS[tally.game]
        tree = tree.rename(columns={"first_wins": f"{first}_wins", "second_wins": f"{second}_wins"})
        with whole_file(output) as stream:
            if output.suffix.lower() == ".csv":
                tree.to_csv(stream, index=False)
            else:
                tree.to_parquet(stream, index=False)
    note(f"{output}: {counted(len(tree), 'move')}")


def _named(store: Path, name: str, known: tuple[Source, ...]) -> list[Source]:
    minimum = 8  # digits of a digest
    found = [
        source
        for source in known
        if source.source == name or (len(name) >= minimum and source.blake3.startswith(name))
    ]
    if not found:
        raise OptionError(f"{store}: does not hold {name}; `bookbuilder info` names what it holds")
    return found


def _tell(output: Path, report: TallyReport, *, json: bool) -> None:
    tell_left_out(report)
    if json:
        print_json(report.to_json())
    elif report.sources:
        print_report(report)
    else:
        note(f"{output}: {counted(report.rows, 'row')}, merged from parts; no archive was read")
