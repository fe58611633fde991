"""What `build` says when it is done: the figures of the book and its reach."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookbuilder.cli.book.convert import loss_rows
from bookbuilder.cli.book.summary import print_reach
from bookbuilder.cli.console import format_bytes
from bookbuilder.cli.explained import print_explained
from bookbuilder.cli.tables import facts_columns, print_table

if TYPE_CHECKING:
    from bookbuilder.book.formats.registry import Written
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.tally import Tally

__all__ = ["built_facts", "print_built"]


def built_facts(output: Path, tally: Tally, chosen: Selection, written: Written | None) -> dict[str, Any]:
    """Return what a written book is, as JSON data."""
    return {
        "book": str(output),
        "bytes": output.stat().st_size,
        "games": tally.game_count,
        chosen.shape: sum(chosen.reasons().values()),
        "verdicts": {reason or "kept": count for reason, count in chosen.reasons().items()},
        **({} if written is None else {"written": written.to_json()}),
    }


def print_built(answer: Mapping[str, Any], chosen: Selection) -> None:
    """Print the explanation of a position, and what the book is."""
    if "explained" in answer:
        print_explained(answer["explained"])
    if "book" not in answer:
        return
    size, written = answer["bytes"], answer.get("written")
    rows = [
        ("games counted", f"{answer['games']:,}"),
        (chosen.shape, f"{answer[chosen.shape]:,}"),
        *((f"  {verdict}", f"{count:,}") for verdict, count in answer["verdicts"].items()),
        *([] if written is None else [(f"written: {written['format']}", f"{written['moves']:,}")]),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
        *([] if written is None else loss_rows(written)),
    ]
    print_table(facts_columns(answer["book"]), rows)
    print_reach(chosen.game, answer["reach"], answer["skipped"])
