"""What `build` and `info` say about a book, in lines of at most 80 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len

from bookbuilder.cli.console import copies, counted, skip_reasons
from bookbuilder.cli.notation import shown_reach, side_label
from bookbuilder.games.position import Game
from bookbuilder.schema import NO_VERDICTS

if TYPE_CHECKING:
    from bookbuilder.tally.tally import Tally

_WIDTH: Final = 80
_MOVES_SHOWN: Final = 4
_SHORTEST: Final = 12


def build_lines(game: Game, answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of `build` about the book that it wrote, from its JSON data."""
    moves = f"{counted(answer['moves'], 'move')} at " if answer["moves"] is not None else ""
    kept = f"{moves}{counted(answer['positions'], 'position')}"
    yield f"{answer['book']}: {kept}, from {counted(answer['games'], 'game')}"
    lost = dict((answer.get("written") or {}).get("lost", {}))
    dropped = dropped_rows(answer["verdicts"], answer["min_games"])
    for what in [*lost]:
        if what.startswith("of weight 0"):
            dropped["never won or drew"] += lost.pop(what)
        elif what.endswith(" does not lead to"):
            dropped["out of reach"] += lost.pop(what)
    counts = (f"{count:,} {words}" for words, count in dropped.most_common() if count)
    yield _fitted("dropped: ", [*counts] or ["nothing"])
    yield from (
        f"lost: {count:,} {what}"
        for what, count in lost.items()
        if count and "wins, draws and losses" not in what
    )
    if (engine := answer.get("engine")) and engine["loss_cp"] is not None:
        # The searches that chose judge here, so their errors count as gain: fresh ones find less.
        less = f"{engine['loss_cp']:.1f} cp, {engine['loss_without_cp']:.1f} without"
        yield f"engine: {engine['searched']:,} searches chose; by them a move loses {less}"
    yield from reach_lines(game, answer["reach"])
    if repeats := answer["skipped"].get("repeats"):
        yield copies(repeats)
    skipped = answer["skipped"]
    filtered = skipped.get("filtered_by_reason", {"": skipped["filtered"]})
    rejects = skipped.get("rejected_by_reason", {"": skipped["rejected"]})
    if words := skip_reasons(filtered, rejects, skipped["duplicates"]):
        yield _fitted("skipped games: ", words)


def dropped_rows(verdicts: Mapping[str, int], min_games: float) -> Counter[str]:
    """Return the numbers of the rows that a selection drops, by the reason in words."""
    few = f"fewer than {min_games:,.0f}" if min_games == int(min_games) else "too few"
    no_verdicts = ("kept", *NO_VERDICTS)
    names = {name: _DROPPED.get(name, name).format(few=few) for name in verdicts if name not in no_verdicts}
    return Counter({words: verdicts[name] for name, words in names.items()})


_DROPPED: Final = {
    "beyond-ply": "after the last ply",
    "below-games": "in {few} games",
    "below-p": "below P",
    "below-score": "below the score",
    "below-share": "rare at their position",
    "proved-worse": "proved worse",
    "engine-veto": "losing, says the engine",
    "below-value": "losing by their lines",
    "not-top": "not among the best",
    "by-hand": "by hand",
    "repetition": "losing a perpetual",
    "unreachable": "out of reach",
}


def reach_lines(game: Game, reach: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about what a book plays and lacks, from the JSON data of its reach."""
    reach = shown_reach(game, reach)
    effect = f"{reach['openings']:.1f} different openings in effect"
    if reach["has_archive"]:
        stays = [f"{side_label(game, each['side'])} {each['plies']:.1f}" for each in reach["sides"]]
        first, *rest = stays
        label, _, plies = first.rpartition(" ")
        yield ", ".join([f"{label} stays in book {plies} plies", *rest]) + f"; {effect}"
    else:
        yield effect
    for branch in reach["branches"]:
        where = f"after {branch['line']}" if branch["line"] else "first moves"
        head = where + " " * max(16 - cell_len(where), 1)
        shown = branch["replies"][:_MOVES_SHOWN]
        shares = (f"{100 * each['share']:.0f}" if each["share"] >= 0.005 else "<1" for each in shown)
        words = [f"{each['san']} {share} %" for each, share in zip(shown, shares, strict=True)]
        others = branch["more"] + len(branch["replies"]) - len(shown)
        yield _fitted(head, words or ["none"], others)
    if not reach["has_archive"]:
        return
    lacking = [(each["line"], f"{100 * each['share']:.0f} %") for each in reach["lacking"]]
    yield _named("not in the book though over 10 % play it: ", lacking, len(lacking))
    gaps = sum(each["gaps"] for each in reach["sides"])
    head = f"{counted(gaps, 'common reply has', 'common replies have')} no answer: "
    named = sorted(reach["gaps"], key=lambda gap: -gap["games"])
    texts = [(gap["line"] or "the start", counted(gap["games"], "game")) for gap in named]
    yield _named(head if gaps else "common replies without an answer: ", texts, gaps)


def _named(head: str, lines: Sequence[tuple[str, str]], count: int) -> str:
    """Return the first line of moves, with what is said of it, and the number of the others."""
    if not lines:
        return f"{head}none"
    (line, said), more = lines[0], f", {count - 1:,} more" if count > 1 else ""
    room = max(_WIDTH - len(f"{head} ({said}){more}"), _SHORTEST)
    if cell_len(line) > room:  # the beginning of a long line is omitted
        words = line.split(" ")
        while words and (cell_len(" ".join(words)) > room - 2 or not words[0].endswith(".")):
            words = words[1:]
        line = "… " + " ".join(words)
    return f"{head}{line} ({said}){more}"


def _fitted(head: str, words: Sequence[str], others: int = 0) -> str:
    """Return a line of as many words as fit into it, and the number of the others."""
    shown = len(words)
    while True:
        more = others + len(words) - shown
        line = head + ", ".join(words[:shown]) + (f", {more:,} more" if more else "")
        if cell_len(line) <= _WIDTH or shown <= 1:
            return line
        shown -= 1


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
        reasons |= {"repeats": report.repeats}
        reasons |= {"rejected_by_reason": report.rejects, "files_unreadable": len(report.unreadable())}
    return {**sums, **reasons}
