"""Read INPUT... and the options of counting, and report what a run could not use."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.archives.filters import GameFilter
from bookbuilder.cli.console import counted, display, format_bytes, note, report, skip_reasons
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.output import whole_file
from bookbuilder.cli.progress import reading, standing_line
from bookbuilder.disk import naming
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    import typer

    from bookbuilder.archives.collection import CollectionReport
    from bookbuilder.cli.options.arguments import GameChoice
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
# How much of the reason for a reject is shown.
_WIDTH: Final = 100


@contextmanager
def named_files(inputs: Sequence[str]) -> Iterator[list[Path]]:
    """Yield the archive files that the inputs name; stdin and URLs become temporary files."""
    from bookbuilder.archives.find import find_archives, listed_entries
    from bookbuilder.archives.sources import STDIN, is_url

    lists = [Path(entry[1:]) for entry in inputs if entry.startswith("@")]
    kept = {entry for file in lists for _, entry in listed_entries(file) if is_url(entry)}
    kept |= {entry for entry in inputs if entry == STDIN or is_url(entry)}
    if not kept:
        yield find_archives(inputs)
        return
    from bookbuilder.archives.download import download

    with TemporaryFolder() as folder:
        files = dict[str, str]()
        with naming(f"{folder.parent}, the folder of temporary files (TMPDIR)"):
            for entry in kept:
                if entry == STDIN:
                    files[entry] = str(folder / STDIN)  # reports call it by this name alone
                    with Path(files[entry]).open("wb") as stream:
                        shutil.copyfileobj(sys.stdin.buffer, stream)
                else:
                    with standing_line(f"downloading {entry}") as show:
                        files[entry] = str(download(entry, folder, partial(_show_bytes, show)))
        yield find_archives([files.get(entry, entry) for entry in inputs], files)


def _show_bytes(show: Callable[[str], None], done: int, total: int) -> None:
    show(f"downloaded {format_bytes(done)}" + (f" of {format_bytes(total)}" if total else ""))


def chosen_game(name: GameChoice, files: Sequence[Path]) -> Game:
    """Return the game that an option names, else that of the files."""
    from bookbuilder.archives.find import detect_game

    return detect_game(files) if name == "auto" else name


def settle(counting: Counting, files: Sequence[Path]) -> TallyOptions:
    """Return the options of a tally; the game is that of the files, unless it is named."""
    from bookbuilder.games.position import require_side_word

    # Invalid options are refused before files are read.
    counting.to_options("chess")
    game = chosen_game(counting.game, files)
    if counting.side != "both":
        require_side_word(counting.side, game, "--side")
    return counting.to_options(game)


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


def check_losses(report: TallyReport | CollectionReport | None, *, strict: bool = False) -> None:
    """End with exit code 3 if a file could not be read or, if strict, with 1 if games were rejected.

    There is no report if there was no run.
    """
    if report is None:
        return
    rejected, unread = sum(report.rejects.values()), len(report.unreadable())
    lost = f"{counted(rejected, 'game was', 'games were')} rejected of {report.games_read:,}"
    unreadable = f"{counted(unread, 'file')} could not be read"
    if strict and (rejected or unread):
        words = ", ".join([lost] * bool(rejected) + [unreadable] * bool(unread))
        raise finish(Exit.UNREADABLE if unread else Exit.FAILED, words)
    if unread:
        raise finish(Exit.UNREADABLE, f"{unreadable}; the rest was used")


def tell_unreadable(members_skipped: Sequence[dict[str, str]]) -> None:
    """Name unreadable archives and members, even if quiet; count files without games of this run."""
    from bookbuilder.archives.sources import unreadable

    unread = unreadable(members_skipped)
    for each in unread:
        report(f"bookbuilder: {each['reason']}")
    if others := len(members_skipped) - len(unread):
        note(f"skipped {counted(others, 'file')} without games of this kind")


def wants_text(path: Path) -> bool:
    """Return whether a file with this suffix gets the text of rejects, not lines of JSON."""
    return path.suffix.lower() in _TEXT_SUFFIXES


def tell_left_out(report: TallyReport) -> None:
    """Report what a run skipped, and what could not be read."""
    if report.superseded:
        games = counted(report.superseded, "game of the tally begins", "games of the tally begin")
        note(f"{games} new ones; all archives were read again")
    if report.skipped:
        more = len(report.skipped) - _NAMED
        names = ", ".join(report.skipped[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        note(f"{names}: the same content was read before, skipped")
    tell_unreadable(report.members_skipped)


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


def nothing_counted(what: str, report: TallyReport) -> typer.Exit:
    """Print why no game was counted, and return the exception to raise.

    The line begins with what was not done, such as `a.store: not written`. It says what the run read and
    skipped, and the first reject.
    """
    if report.skipped and not report.sources:
        why = "all archives have the content of others"
    elif not report.games_read and any(each["code"] == "other-game" for each in report.members_skipped):
        why = "the archives hold games of the other game; leave --game out"
    elif not report.games_read:
        why = "the archives hold no game; check them with `bookbuilder games check`"
    else:
        reasons = ", ".join(skip_reasons(report.filtered, report.rejects, report.duplicates))
        reasons = reasons.replace("set-up positions", "set-up positions (--custom-starts counts them)")
        games = counted(report.games_read, "game was", "games were")
        first = f". First reject: {describe_reject(report.first_rejects[0])}" if report.first_rejects else ""
        why = f"{games} read and none counted: {reasons or 'none was usable'}{first}"
    return finish(Exit.UNREADABLE if report.unreadable() else Exit.FAILED, f"{what}, {why}")


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
            raise nothing_counted(f"{', '.join(inputs)}: nothing to show", report)
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
    from bookbuilder.tally.options import flag_of

    asked = counted.changed(given)
    differences = counted.differences(asked)
    if not differences:
        return
    # An option that was given may change others.
    name = next(name for name in (*given, *differences) if name in differences)
    mine, theirs = differences[name]
    option = flag_of(name)
    build = "or build from the archives"
    if name == "game":
        raise OptionError(f"{store}: is a tally store of {counted.game}; --game {asked.game} was asked for")
    what, facet = _FACETS.get(name, ("", ""))
    if facet and not mine and facet not in counted.facets:
        raise OptionError(f"{store}: was counted without {what}. Recount with --facet {facet}, {build}")
    if name in _OTHERS and not mine:
        raise OptionError(f"{store}: does not keep {_OTHERS[name]}. Recount with {option}, {build}")
    if name == "facets":
        words = " ".join(counted.facets) or "none"
        raise OptionError(f"{store}: was counted with other facets ({words}). Count into another store")
    raise OptionError(
        f"{store}: was counted with {_spelled(option, mine)}, "
        f"{_spelled(option, theirs)} was asked for. Recount with it, {build}"
    )


def require_plies(store: Path, counted: TallyOptions, asked: int | None) -> None:
    """Refuse to use a store beyond the ply at which its counts end."""
    limit = counted.max_ply
    if limit is not None and asked is not None and asked > limit:
        raise OptionError(f"{store}: was counted up to ply {limit}, --max-ply asks for {asked}")


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
