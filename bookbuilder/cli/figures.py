"""The table of the figures of a run: what it read, used and skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bookbuilder.cli.console import format_bytes
from bookbuilder.cli.tables import Cell, print_facts

if TYPE_CHECKING:
    from bookbuilder.tally.report import TallyReport

# How many variants a table names, and how much of a name it shows; --json has all.
_VARIANTS: Final = 20
_NAME_WIDTH: Final = 40


def print_report(report: TallyReport, *, is_tally: bool = True) -> None:
    """Print the figures of a run and, for a tally, of its content."""
    rows: list[tuple[str, Cell]] = [
        ("archives", len(report.sources)),
        ("bytes", f"{report.bytes:,} ({format_bytes(report.bytes)})"),
        ("games read", report.games_read),
        ("games used", report.games_used),
    ]
    for reason, count in sorted(report.filtered.items()):
        rows.append((f"  filtered: {reason}", count))
        if reason == "variant":
            # By name, the most frequent first.
            variants = sorted(report.variants.items(), key=lambda each: (-each[1], each[0]))
            rows += [(f"    {name[:_NAME_WIDTH]}", games) for name, games in variants[:_VARIANTS]]
            if rest := variants[_VARIANTS:]:
                rows.append((f"    {len(rest):,} others", sum(games for _, games in rest)))
    figures = (
        ("  duplicates", report.duplicates),
        *((f"  rejected: {reason}", count) for reason, count in sorted(report.rejects.items())),
        ("files unreadable", len(report.unreadable())),
        ("possible copies", report.repeats),
        ("result tag differs", report.other_tags),
        ("result contradicts the board", report.contradicted),
        ("ignored words", report.ignored_words),
        ("marks of praise or blame", report.marks),
        ("variations", report.variations),
        ("  cut at a bad move", report.variations_cut),
    )
    rows += [(name, count) for name, count in figures if count]
    if is_tally:
        rows += [("observations", report.observations), ("rows", report.rows)]
    print_facts("", [*rows, ("time", f"{report.seconds:.2f} s")])
