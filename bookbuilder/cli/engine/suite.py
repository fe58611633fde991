"""`bookbuilder engine suite`: solve positions with known answers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder.cli.console import (
    counting,
    facts_columns,
    format_share,
    number,
    print_json,
    print_table,
    text,
)
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt

if TYPE_CHECKING:
    from bookbuilder.engine.suite import SuiteRow


def suite(
    file: Annotated[Path, typer.Argument(metavar="FILE.epd", help="Positions with bm, am, dm or c0 points.")],
    depth: Annotated[int | None, typer.Option("--depth", min=1, max=64, help="Plies a position.")] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="Nodes a position.", show_default="200,000")
    ] = None,
    movetime: Annotated[
        int | None, typer.Option("--movetime", min=1, help="Milliseconds a position.")
    ] = None,
    hash_mib: Annotated[int, typer.Option("--hash", min=1, max=65536, help="Transposition table, MiB.")] = 16,
    threads: Annotated[int, typer.Option("--threads", min=1, max=256, help="Threads of the search.")] = 1,
    limit: Annotated[int | None, typer.Option("--positions", min=1, help="Maximum of lines to read.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="List only unsolved positions.")] = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Search positions with known answers; report those solved, with depth, nodes and time."""
    from bookbuilder.engine.epd import read_epd
    from bookbuilder.engine.suite import SuiteLimit, run_suite, suite_totals

    lines = list(read_epd(file))[:limit]
    if depth is None and nodes is None and movetime is None:
        nodes = 200_000
    limits = SuiteLimit(depth=depth, nodes=nodes, movetime_ms=movetime)
    rows: list[SuiteRow] = []
    with counting("positions", len(lines), quiet=quiet) as report:
        for row in run_suite(lines, limits, hash_mib=hash_mib, threads=threads):
            rows.append(row)
            report(len(rows))
    totals = suite_totals(rows)
    shown = [row for row in rows if not (failed and row.is_solved)]
    if json:
        print_json({"file": str(file), **asdict(limits), **totals, "rows": [asdict(row) for row in shown]})
    else:
        _print(file, shown, totals)
    if not totals["positions"]:
        raise finish(
            Exit.FAILED, f"{file}: no position with an answer in it; expected lines of EPD with bm or am"
        )


def _print(file: Path, rows: list[SuiteRow], totals: dict[str, Any]) -> None:
    print_table(
        (
            text("position", least=12, wraps=True),
            text("expected"),
            text("found"),
            text(""),
            number("depth", drop=2),
            number("nodes", drop=3),
            number("seconds", drop=1),
            number("points"),
        ),
        [_cells(row) for row in rows],
    )
    share = totals["solved"] / totals["positions"] if totals["positions"] else None
    facts = [("solved", f"{totals['solved']:,} of {totals['positions']:,} ({format_share(share)})")]
    if totals["unusable"]:
        facts.append(("lines without use", f"{totals['unusable']:,}"))
    if totals["most_points"]:
        part = totals["points"] / totals["most_points"]
        facts.append(("points", f"{totals['points']:,} of {totals['most_points']:,} ({format_share(part)})"))
    if totals["median_depth"] is not None:
        facts.append(("median depth to solution", str(totals["median_depth"])))
        facts.append(("median nodes to solution", f"{totals['median_nodes']:,}"))
        facts.append(("median time to solution", f"{totals['median_seconds']:.3f} s"))
    print_table(facts_columns(str(file)), facts)


def _cells(row: SuiteRow) -> tuple[str, ...]:
    if row.defect is not None:
        return (row.name or "–", row.expected, "–", row.defect, "", "", "", "")
    return (
        row.name,
        row.expected,
        row.move or "–",
        "solved" if row.is_solved else "–",
        "" if row.depth is None else str(row.depth),
        "" if row.nodes is None else f"{row.nodes:,}",
        "" if row.seconds is None else f"{row.seconds:.3f}",
        f"{row.points}/{row.most_points}" if row.most_points else "",
    )
