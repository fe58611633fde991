"""What a run could not use, in words: the first rejected games with place and reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.cli.console import note
from bookbuilder.cli.words import counted

if TYPE_CHECKING:
    from bookbuilder.tally.report import TallyReport

__all__ = ["describe_reject", "nothing_counted", "tell_rejects"]

_WIDTH: Final = 100
_FILTERED: Final = {
    "custom-start": "from set-up positions (--custom-starts counts them)",
    "variant": "of variants",
    "no-moves": "without moves",
}


def tell_rejects(report: TallyReport, *, quiet: bool) -> None:
    """Note the first rejected games with place and reason, and where to get all of them."""
    count = sum(report.rejects.values())
    if not count or quiet:
        return
    what = counted(count, "game was", "games were")
    note(f"{what} rejected of {report.games_read:,}:")
    for row in report.first_rejects:
        note(f"  {describe_reject(row)}")
    if count > len(report.first_rejects):
        note("  --rejects FILE writes all of them; `bookbuilder games check` lists them")


def describe_reject(row: Mapping[str, Any]) -> str:
    """Return the place and reason of a reject, a row of REJECTS."""
    source = row["source"] + (f"/{row['member']}" if row["member"] else "")
    places = [f"line {row['line']}"] if row["line"] else []
    places += [f"game {row['game']:,}"] if row["game"] else []
    text = f"{source}: {', '.join(places)}: {row['message'] or row['reason']}"
    # Control characters of a file must not reach the terminal.
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return plain if len(plain) <= len(source) + _WIDTH else plain[: len(source) + _WIDTH - 1] + "…"


def nothing_counted(what: str, report: TallyReport) -> str:
    """Return why no game was counted: what was read, what was skipped, and the first reject.

    Args:
        what: what was not done, such as `a.store: not written`.
        report: of the run.
    """
    if report.skipped and not report.sources:
        return f"{what}, all archives have the content of others"
    if not report.games_read and any(each["code"] == "other-game" for each in report.members_skipped):
        return f"{what}, the archives hold games of the other game; leave --game out"
    if not report.games_read:
        return f"{what}, the archives hold no game; check them with `bookbuilder games check`"
    reasons = ", ".join(_reasons(report)) or "none was usable"
    words = counted(report.games_read, "game was", "games were")
    first = f". First reject: {describe_reject(report.first_rejects[0])}" if report.first_rejects else ""
    return f"{what}, {words} read and none counted: {reasons}{first}"


def _reasons(report: TallyReport) -> Iterator[str]:
    """Yield each reason with its number of games, the most frequent first."""
    known = {f"by the filter {name}": count for name, count in report.filtered.items()}
    known |= {
        _FILTERED[name]: known.pop(f"by the filter {name}") for name in report.filtered if name in _FILTERED
    }
    known |= {f"rejected as {name}": count for name, count in report.rejects.items()}
    known["duplicates"] = report.duplicates
    for name, count in sorted(known.items(), key=lambda each: -each[1]):
        if count:
            yield f"{count:,} {name}"
