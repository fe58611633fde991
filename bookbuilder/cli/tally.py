"""`bookbuilder tally`: count archives into a store on disk; commands for whole stores.

A first word that is not a command is an INPUT.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bookbuilder.cli.console import copies, counted, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.figures import print_report
from bookbuilder.cli.inputs import (
    check_losses,
    named_files,
    nothing_counted,
    require_counted,
    require_game,
    settle,
    tell_left_out,
    tell_rejects,
    wants_text,
)
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import Counting
from bookbuilder.cli.output import require_free, require_parent, whole_file
from bookbuilder.cli.progress import phase, reading
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDE_WORDS, START_WORD
from bookbuilder.tally.options import OnError

if TYPE_CHECKING:
    from bookbuilder import _core
    from bookbuilder.tally.report import TallyReport

_USUAL_PLY: Final = 40
"""Default of `--max-ply`, as of `build`."""
_DIGITS: Final = 8
"""Minimum digits of a digest that names an archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCounting(Counting):
    """The options of counting into a store."""

    on_error: Annotated[
        OnError,
        opt.in_games(
            hidden=True, help="drop: skip invalid games; prefix: count their moves before the error."
        ),
    ] = "drop"
    variations: Annotated[
        bool,
        opt.in_games(
            "--variations", hidden=True, help="Count variations too: positions reached, without results."
        ),
    ] = False


def tally(
    context: typer.Context,
    inputs: opt.Inputs,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store; a directory.")],
    counting: StoreCounting,
    facets: opt.Facets = None,
    part: Annotated[
        str | None,
        typer.Option(
            metavar="I/N", help="Count only share I of N of the archives; `tally merge` joins the stores."
        ),
    ] = None,
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
    from bookbuilder.tally.report import reject_pieces
    from bookbuilder.tally.store.grow import grow
    from bookbuilder.tally.store.layout import is_store, read_manifest, require_place

    # Refuse what cannot be done before the work.
    counting.require_player()
    require_free(rejects, force=force, read=inputs, other=output)
    require_parent(output)
    require_place(output, force=True)
    as_text = rejects is not None and wants_text(rejects)

    def write_rejects(runs: Sequence[_core.Run]) -> None:
        if rejects is not None:
            with whole_file(rejects) as stream:
                stream.writelines(reject_pieces(runs, as_text=as_text))

    if counting.max_ply is None:
        counting = replace(counting, max_ply=_USUAL_PLY)
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
            limits = RunLimits(memory=memory, jobs=jobs, keep_rejected=as_text, progress=progress)
            on_runs = None if rejects is None else write_rejects
            report = grow(output, files, options, limits, on_runs=on_runs, force=force)
    tell_left_out(report)
    if not report.rows:
        raise nothing_counted(f"{output}: not written", report)
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


def verify(store: opt.Store, json: opt.Json = False) -> None:
    """Read a store whole: digests, order of rows, key ranges and sums; exit code 1 if something is wrong."""
    from bookbuilder.tally.store.upkeep import verify as verified

    with phase("checking"):
        findings = list(verified(store))
    faults = [finding for finding in findings if finding.fault]
    if json:
        files = [{"file": f.file, "rows": f.rows, "bytes": f.bytes, "fault": f.fault} for f in findings]
        print_json({"files": files, "faults": len(faults)})
    else:
        rows = [(f.file, f.rows, f.bytes, "wrong" if f.fault else "ok") for f in findings]
        columns = (text(str(store), least=24), number("rows"), number("bytes", drop=1), text("verdict"))
        print_table(columns, rows)
        for finding in faults:
            say(f"{finding.file}: {finding.fault}")
    if faults:
        of, verb = counted(len(findings), "file"), "is" if len(faults) == 1 else "are"
        raise finish(Exit.FAILED, f"{store}: {len(faults):,} of {of} {verb} wrong; count the archives again")


def merge(
    inputs: Annotated[list[Path], typer.Argument(metavar="STORE...", help="Two tally stores or more.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="The store to write.")],
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
    store: opt.Store,
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

    known, wanted = read_manifest(store).sources, []
    for name in sources:
        is_digest = len(name) >= _DIGITS
        found = [
            each for each in known if each.source == name or (is_digest and each.blake3.startswith(name))
        ]
        if not found:
            raise OptionError(f"{store}: does not hold {name}; `bookbuilder info` names what it holds")
        wanted += found
    with reading(0) as progress:
        limits = RunLimits(memory=memory, jobs=jobs, progress=progress)
        report = remove_sources(store, wanted, limits, output=output)
    _tell(output or store, report, json=json)


def export(
    store: opt.Store,
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
        if tree.empty:
            raise finish(Exit.FAILED, f"{output}: not written, {store} has no such move from {start} on")
        tree = tree.rename(columns={"first_wins": f"{first}_wins", "second_wins": f"{second}_wins"})
        with whole_file(output) as stream:
            if output.suffix.lower() == ".csv":
                tree.to_csv(stream, index=False)
            else:
                tree.to_parquet(stream, index=False)
    note(f"{output}: {counted(len(tree), 'move')}")


def _tell(output: Path, report: TallyReport, *, json: bool) -> None:
    tell_left_out(report)
    if json:
        print_json(report.to_json())
    elif report.sources:
        print_report(report)
    else:
        note(f"{output}: {counted(report.rows, 'row')}, merged from parts; no archive was read")
