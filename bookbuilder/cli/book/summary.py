"""What `build` and `info` print about a book: its reach, its main replies, and a warning about gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.cli.console import counted, format_share, note, say
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.games.position import SIDES, Game, SideName

if TYPE_CHECKING:
    from bookbuilder.book.book import Book
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.book.formats.registry import Written
    from bookbuilder.selection.graph import Graph
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.tally import Tally

__all__ = ["move_words", "print_reach", "reach_facts", "side_label", "skipped_games", "warn_of_gaps"]

_LABELS: Final = {"chess": ("White", "Black"), "xiangqi": ("Red", "Black")}
_MOVES_SHOWN: Final = 4
_GAPS_NAMED: Final = 3
_LINE_WIDTH: Final = 64


def side_label(game: Game, side: SideName) -> str:
    """Return the name of a side for people.

    Example:
        >>> side_label("xiangqi", "first"), side_label("chess", "second")
        ('Red', 'Black')
    """
    return _LABELS[game][SIDES.index(side)]


def reach_facts(
    tally: Tally,
    chosen: Selection,
    graph: Graph | None,
    book: Book | MoveBook,
    written: Written | None = None,
) -> dict[str, Any]:
    """Return what the book of a selection is, for the sides that it is for, and which games it lacks.

    Args:
        tally: the tally.
        chosen: the selection.
        graph: the graph of the tally, if it is known.
        book: the book, or its moves with their weights.
        written: the report of a format of moves.
    """
    from bookbuilder.book.selection_reach import selection_reach

    # Some formats skip moves that no reader plays.
    skips = written is not None and any(what.startswith("of weight 0") for what in written.lost)
    reach = selection_reach(tally, chosen, book, min_weight=int(skips), graph=graph)
    return {"reach": reach.to_json(), "skipped": skipped_games(tally)}


def skipped_games(tally: Tally) -> dict[str, Any]:
    """Return what was skipped of the archives, and why.

    The reasons are known if one run counted all archives. Of tally stores only the sums are known.
    """
    report, sources = tally.report, tally.sources
    sums = {
        "filtered": sum(each.filtered for each in sources),
        "rejected": sum(each.rejects for each in sources),
        "duplicates": sum(each.duplicates for each in sources),
    }
    reasons: dict[str, Any] = {}
    if report is not None and len(report.sources) == len(sources):
        reasons = {"filtered_by_reason": report.filtered, "variants": report.variants}
        reasons |= {"rejected_by_reason": report.rejects, "files_unreadable": len(report.unreadable())}
    return {**sums, **reasons}


def print_reach(game: Game, reach: Mapping[str, Any], skipped: Mapping[str, Any] | None = None) -> None:
    """Print what a book is, from the JSON data of its reach."""
    sides, reachable, records = reach["sides"], reach["reachable"], reach["records"]
    whole = f"{reachable:,} of {records:,} records" if len(sides) > 1 else f"{reachable:,} records"
    share = f" ({_share(reachable, records)})" if len(sides) > 1 else ""
    say(f"{whole} can be reached from the start{share}")
    rows = [
        *_record_rows(sides),
        ("plies in book, on average", *(f"{each['plies']:.1f}" for each in sides)),
    ]
    if reach["min_played"] is not None:
        rows += [
            ("frequent replies answered", *(format_share(each["answered_share"]) for each in sides)),
            ("frequent replies without answer", *(_count(each["gaps"]) for each in sides)),
        ]
    print_table((text("book for"), *(number(side_label(game, each["side"])) for each in sides)), rows)
    print_table(_BRANCH_COLUMNS, _branch_rows(reach))
    if skipped is not None and (words := ", ".join(_skipped(skipped))):
        say(f"skipped games: {words}", is_prose=True)


_BRANCH_COLUMNS: Final = (
    text("after", least=12, wraps=True),
    number("games"),
    text("book moves", least=24, wraps=True),
)


def _record_rows(sides: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return the records of each side; a file does not always say which side a record is of."""
    reachable = [_count(each["reachable"]) for each in sides]
    if any(each["records"] is None for each in sides):
        return [("records reachable", *reachable)]
    return [
        ("records", *(_count(each["records"]) for each in sides)),
        ("  reachable", *reachable),
        ("  share", *(_share(each["reachable"], each["records"]) for each in sides)),
    ]


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _share(part: int, whole: int | None) -> str:
    return format_share(part / whole if whole else None)


def _branch_rows(reach: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the main replies at each branching."""
    for branch in reach["branches"]:
        replies = branch["replies"]
        words = move_words(replies, branch["more"] + len(replies))
        yield branch["line"] or "start", _count(branch["games"] or None), words


def move_words(replies: Sequence[Mapping[str, Any]], count: int) -> str:
    """Return the first of some moves with their shares.

    Example:
        >>> move_words([{"san": "e4", "share": 0.52}, {"san": "d4", "share": 0.4}], 5)
        'e4 52 %, d4 40 %, 3 more'
    """
    words = [f"{each['san']} {_percent(each['share'])}" for each in replies[:_MOVES_SHOWN]]
    more = count - len(words)
    return ", ".join([*words, *([f"{more} more"] if more else [])]) or "none"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "<1 %"


_WORDS: Final = {
    "custom-start": "from set-up positions",
    "variant": "of variants",
    "no-moves": "without moves",
}


def _skipped(skipped: Mapping[str, Any]) -> Iterator[str]:
    """Yield each reason with its number of games, the most frequent first."""
    reasons = skipped.get("filtered_by_reason")
    if reasons is None:
        reasons = {"filtered": skipped["filtered"], "rejected": skipped["rejected"]}
    else:
        filtered = {_WORDS.get(name, f"by the filter {name}"): count for name, count in reasons.items()}
        rejected = {f"rejected as {name}": count for name, count in skipped["rejected_by_reason"].items()}
        reasons = filtered | rejected
    reasons = {**reasons, "duplicates": skipped["duplicates"]}
    for name, count in sorted(reasons.items(), key=lambda each: -each[1]):
        if count:
            yield f"{count:,} {name}"


def warn_of_gaps(game: Game, reach: Mapping[str, Any] | None, *, quiet: bool = False) -> None:
    """Warn on stderr of sides that have no answer to frequent moves; name the first lines."""
    gaps = () if reach is None else reach["gaps"]
    for each in () if reach is None else reach["sides"]:
        if not each["gaps"]:
            continue
        side = side_label(game, each["side"])
        moves = counted(each["gaps"], "move")
        note(f"bookbuilder: warning: {side} has no answer to {moves} in over 2 % of the games:", quiet=quiet)
        first = [gap for gap in gaps if gap["side"] == each["side"]][:_GAPS_NAMED]
        for gap in first:
            note(f"  {_shortened(gap['line'])} ({gap['games']:,} games)", quiet=quiet)


def _shortened(line: str) -> str:
    """Return a line that fits a terminal: the beginning of a long one is omitted."""
    if not line:
        return "the start position"
    if len(line) <= _LINE_WIDTH:
        return line
    words: Sequence[str] = line[-_LINE_WIDTH:].split(" ")[1:]
    while not words[0].endswith("."):
        words = words[1:]
    return "… " + " ".join(words)
