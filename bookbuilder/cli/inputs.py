"""Read INPUT... and the options of counting, and report what a run could not use."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.archives.filters import FACET_FILTERS, GameFilter
from bookbuilder.cli.console import counted, display, format_bytes, note, report, skip_reasons
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.output import whole_file
from bookbuilder.cli.progress import reading
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    import typer

    from bookbuilder.archives.collection import CollectionReport
    from bookbuilder.cli.options.counting import Counting
    from bookbuilder.games.position import Game
    from bookbuilder.tally.options import TallyOptions
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.store.reading import OpenStore
    from bookbuilder.tally.tally import Tally

# Rejects go to files of these suffixes as they stand.
_TEXT_SUFFIXES: Final = frozenset((".pgn", ".txt"))
# How many archives one note names.
_NAMED: Final = 3
# How many variants a table names, and how much of a name it shows; --json has all.
_VARIANTS: Final = 20
_NAME_WIDTH: Final = 40


def held_tally(
    context: typer.Context, stores: Sequence[Path], counting: Counting, *, apart_from: Collection[str] = ()
) -> Tally:
    """Return the tallies of stores, added up; options in `apart_from` may differ from theirs."""
    from bookbuilder.tally.store.layout import read_manifest
    from bookbuilder.tally.tally import Tally

    # Only what was said on this command line can differ from what a store was counted with.
    given = {name: value for name, value in counting.changes(context).items() if name not in apart_from}
    tallies = []
    for store in stores:
        options = read_manifest(store).options
        asked = dict(given)
        if counting.side != "both" and "player-side" in options.facets:
            asked["player_side"] = counting.side
        tally = Tally.open(store, filters=_facet_filters(options, asked))
        require_counted(store, tally.options, asked)
        tallies.append(tally)
    return reduce(add, tallies)


def _facet_filters(options: TallyOptions, given: dict[str, Any]) -> GameFilter | None:
    """Return the filters that a store with facets is asked for: those in which it differs."""
    if not options.facets:
        return None
    if "rating" in options.facets and not given.keys().isdisjoint(("min_rating", "max_rating")):
        given["rating_of"] = "mean"  # which the bands of ratings are of
    changed = options.changed(given).filters
    names = [name for name in FACET_FILTERS if getattr(changed, name) != getattr(options.filters, name)]
    return GameFilter(**{name: getattr(changed, name) for name in names})


@contextmanager
def named_files(inputs: Sequence[str]) -> Iterator[list[Path]]:
    """Yield the archive files that the inputs name; stdin becomes a temporary file."""
    from bookbuilder.archives.find import find_archives
    from bookbuilder.archives.sources import STDIN

    if STDIN not in inputs:
        yield find_archives(inputs)
        return
    with TemporaryFolder() as folder:
        spooled = folder / STDIN  # reports call it by this name alone
        with spooled.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield find_archives([str(spooled) if entry == STDIN else entry for entry in inputs])


def settle(counting: Counting, files: Sequence[Path]) -> TallyOptions:
    """Return the options of a tally; the game is that of the files, unless it is named."""
    from bookbuilder.archives.find import detect_game
    from bookbuilder.games.position import as_game

    is_named = counting.game != "auto"
    # Invalid options are refused before files are read.
    counting.to_options("chess")
    return counting.to_options(as_game(counting.game) if is_named else detect_game(files))


def add_to(
    tally: Tally,
    files: Sequence[Path],
    *,
    rejects: Path | None = None,
    **limits: Any,  # noqa: ANN401 (fields of RunLimits)
) -> tuple[Tally, TallyReport]:
    """Return the tally with the files' games added, and the report of the run; show the progress.

    Rejects are written to the file `rejects`, if it is given.
    """
    keep = rejects is not None and wants_text(rejects)
    with reading(sum(path.stat().st_size for path in files)) as progress:
        after = tally.add_archives(*files, keep_rejected=keep, progress=progress, **limits)
    if after.report is None:
        raise AssertionError("a tally that archives were added to has a report")
    if rejects is not None:
        with whole_file(rejects) as stream:
            if keep:
                stream.write(after.rejected)
            else:
                for row in after.rejects.to_pylist():
                    stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")
    tell_left_out(after.report)
    return after, after.report


def losses(report: TallyReport | CollectionReport) -> str:
    """Return the losses of a run in words; empty if there are none."""
    rejected, unread = sum(report.rejects.values()), len(report.unreadable())
    words = []
    if rejected:
        words.append(f"{counted(rejected, 'game was', 'games were')} rejected of {report.games_read:,}")
    if unread:
        words.append(f"{counted(unread, 'file')} could not be read")
    return ", ".join(words)


def check_losses(report: TallyReport | CollectionReport | None, *, strict: bool = False) -> None:
    """End with exit code 3 if a file could not be read or, if strict, with 1 if games were rejected.

    Args:
        report: of a run; None if there was no run.
        strict: whether rejected games are a failure.
    """
    if report is None:
        return
    unread = len(report.unreadable())
    code = Exit.UNREADABLE if unread else Exit.FAILED
    if strict and losses(report):
        raise finish(code, losses(report))
    if unread:
        raise finish(code, f"{counted(unread, 'file')} could not be read; the rest was used")


def tell_unreadable(members_skipped: Sequence[dict[str, str]]) -> None:
    """Name unreadable archives and members, even if quiet; count files without games of this run."""
    from bookbuilder.archives.sources import unreadable

    unread = unreadable(members_skipped)
    for each in unread:
        report(f"bookbuilder: {each['reason']}")
    if others := len(members_skipped) - len(unread):
        note(f"skipped {counted(others, 'file')} without games of this kind")


def print_report(report: TallyReport, *, is_tally: bool = True) -> None:
    """Print the figures of a run and, for a tally, of its content."""
    rows = [
        ("archives", f"{len(report.sources):,}"),
        ("bytes", f"{report.bytes:,} ({format_bytes(report.bytes)})"),
        ("games read", f"{report.games_read:,}"),
        ("games used", f"{report.games_used:,}"),
        *_filtered(report),
        *_unless_zero(("  duplicates", report.duplicates)),
        *((f"  rejected: {reason}", f"{count:,}") for reason, count in sorted(report.rejects.items())),
        *_unless_zero(
            ("files unreadable", len(report.unreadable())),
            ("counted more than once", report.repeats),
            ("result tag differs", report.other_tags),
            ("result contradicts the board", report.contradicted),
            ("ignored words", report.ignored_words),
            ("marks of praise or blame", report.marks),
            ("variations", report.variations),
            ("  cut at a bad move", report.variations_cut),
        ),
        *((("observations", f"{report.observations:,}"), ("rows", f"{report.rows:,}")) if is_tally else ()),
        ("time", f"{report.seconds:.2f} s"),
    ]
    print_table(facts_columns(""), rows)


def _filtered(report: TallyReport) -> Iterator[tuple[str, str]]:
    """Yield the filtered games by reason, variants also by name, the most frequent first."""
    for reason, count in sorted(report.filtered.items()):
        yield f"  filtered: {reason}", f"{count:,}"
        if reason != "variant":
            continue
        variants = sorted(report.variants.items(), key=lambda each: (-each[1], each[0]))
        for name, games in variants[:_VARIANTS]:
            yield f"    {name[:_NAME_WIDTH]}", f"{games:,}"
        if rest := variants[_VARIANTS:]:
            yield f"    {len(rest):,} others", f"{sum(games for _, games in rest):,}"


def _unless_zero(*figures: tuple[str, int]) -> list[tuple[str, str]]:
    return [(name, f"{count:,}") for name, count in figures if count]


def wants_text(path: Path) -> bool:
    """Return whether a file with this suffix gets the text of rejects, not lines of JSON."""
    return path.suffix.lower() in _TEXT_SUFFIXES


def tell_left_out(report: TallyReport) -> None:
    """Report what a run skipped, and what could not be read."""
    if report.superseded:
        games = (
            f"{counted(report.superseded, 'game of the tally begins', 'games of the tally begin')} new ones"
        )
        note(f"{games}; all archives were read again")
    if report.skipped:
        note(f"{_named(report.skipped)}: the same content was read before, skipped")
    tell_unreadable(report.members_skipped)


def _named(names: Sequence[str]) -> str:
    """Return the first names of a list, and the number of further names."""
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


_WIDTH: Final = 100


def tell_rejects(report: TallyReport) -> None:
    """Note the first rejected games with place and reason, and where to get all of them."""
    count = sum(report.rejects.values())
    if not count or display.is_quiet:
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
    return text if len(text) <= len(source) + _WIDTH else text[: len(source) + _WIDTH - 1] + "…"


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
    reasons = ", ".join(skip_reasons(report.filtered, report.rejects, report.duplicates)) or "none was usable"
    reasons = reasons.replace("set-up positions", "set-up positions (--custom-starts counts them)")
    words = counted(report.games_read, "game was", "games were")
    first = f". First reject: {describe_reject(report.first_rejects[0])}" if report.first_rejects else ""
    return f"{what}, {words} read and none counted: {reasons}{first}"


# Positions are counted up to this ply, as far as `build` selects by default.
_USUAL_PLY: Final = 40


@contextmanager
def counted_archives(inputs: Sequence[str], *, ply: int, filters: GameFilter | None) -> Iterator[OpenStore]:
    """Yield a temporary store of the games of archives, counted at least up to a position at this ply."""
    from bookbuilder.archives.find import detect_game
    from bookbuilder.tally.options import RunLimits, TallyOptions
    from bookbuilder.tally.store.grow import grow
    from bookbuilder.tally.store.reading import OpenStore

    with TemporaryFolder() as folder, named_files(inputs) as files:
        options = TallyOptions(
            game=detect_game(files), max_ply=max(_USUAL_PLY, ply + 1), filters=filters or GameFilter()
        )
        store = folder / "counted.store"
        with reading(sum(path.stat().st_size for path in files)) as progress:
            report = grow(store, files, options, RunLimits(progress=progress))
        tell_left_out(report)
        if not report.rows:
            raise finish(Exit.FAILED, nothing_counted(f"{', '.join(inputs)}: nothing to show", report))
        note(f"games counted: {report.games_used:,}; `bookbuilder tally` keeps them in a store")
        yield OpenStore(store)


# Filters that a store can answer later: what it must keep, and the facet for it.
_FACETS: Final = {
    "since": ("dates", "year"),
    "until": ("dates", "year"),
    "min_rating": ("ratings", "rating"),
    "max_rating": ("ratings", "rating"),
    "rating_of": ("ratings", "rating"),
    "time_control": ("time controls", "speed"),
    "player_side": ("the side of a player", "player-side"),
}
_OTHERS: Final = {
    "player": "the names of players",
    "event": "the names of events",
    "eco": "the codes of openings",
    "result": "games apart by result",
    "min_plies": "the lengths of games",
    "tag": "tags",
}


def require_counted(store: Path, counted: TallyOptions, given: Mapping[str, Any]) -> None:
    """Refuse options with which a store was not counted."""
    asked = counted.changed(given)
    if asked == counted:
        return
    mine, theirs = ({**asdict(each), **asdict(each.filters)} for each in (counted, asked))
    # An option that was given may change others.
    name = next(name for name in (*given, *mine) if name != "filters" and mine[name] != theirs[name])
    option = f"--{name.replace('_', '-')}"
    build = "or build from the archives"
    if name == "game":
        raise OptionError(f"{store}: is a tally store of {counted.game}; --game {asked.game} was asked for")
    if name in _FACETS and not mine[name]:
        what, facet = _FACETS[name]
        raise OptionError(f"{store}: was counted without {what}. Recount with --facet {facet}, {build}")
    if name in _OTHERS and not mine[name]:
        raise OptionError(f"{store}: does not keep {_OTHERS[name]}. Recount with {option}, {build}")
    if name == "facets":
        words = " ".join(counted.facets) or "none"
        raise OptionError(f"{store}: was counted with other facets ({words}). Count into another store")
    raise OptionError(
        f"{store}: was counted with {_spelled(option, mine[name])}, "
        f"{_spelled(option, theirs[name])} was asked for. Recount with it, {build}"
    )


def require_game(store: Path, game: Game, files: Sequence[Path]) -> None:
    """Refuse archives of another game than that of a store."""
    from bookbuilder.archives.find import detect_game

    try:
        found = detect_game(files)
    except ArchiveError:
        return  # of both games, or unreadable: the run reports each file
    if found != game:
        what = f"holds {found} games; {store} is a tally store of {game}"
        raise ArchiveError(f"{files[0]}: {what}. Count them into another store")


def _spelled(option: str, value: Any) -> str:  # noqa: ANN401 (the value of any option)
    """Return an option as a command line spells it."""
    if value is None or value == ():
        return f"no {option}"
    if isinstance(value, bool):
        return option if value else f"--no-{option.removeprefix('--')}"
    return " ".join(f"{option} {each}" for each in (value if isinstance(value, tuple) else (value,)))
