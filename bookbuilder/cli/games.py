"""`bookbuilder games count|check|list|filter|convert`: commands for collections of games.

The name of the output decides its form: a `.zip` or a directory has one file per game, other names are one
file. Without a name games go to stdout.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import typer

from bookbuilder.archives.filters import RatingOf
from bookbuilder.cli import console
from bookbuilder.cli.console import (
    counted,
    json_text,
    note,
    print_json,
    print_text,
    say,
    skip_reasons,
    visible,
)
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.figures import print_report
from bookbuilder.cli.inputs import add_to, check_losses, chosen_game, named_files, settle, tell_unreadable
from bookbuilder.cli.notation import name_in_language
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import Counting, Filtering
from bookbuilder.cli.output import require_empty, require_free, whole_file
from bookbuilder.cli.progress import reading
from bookbuilder.cli.tables import Cell, TableWriter, number, print_table, text
from bookbuilder.disk import draft_directory
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder._core import ArrowStream, GamesRun
    from bookbuilder.tally.options import RunLimits

Layout: TypeAlias = Literal["stream", "single", "zip", "directory"]
"""How games lie in an output."""

Sink: TypeAlias = "Callable[[bytes], object] | str"
"""What the core writes to: a function that takes bytes, or the path of an empty directory."""

Form: TypeAlias = Literal["pgn", "xqf", "lines"]
"""A format of games."""

NotationName: TypeAlias = Literal["san", "uci", "lan", "iccs", "wxf", "chinese", "chinese-traditional"]
"""A notation of moves."""

Row: TypeAlias = Mapping[str, Any]

_COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zst")
_FORMS: Final[dict[str, Form]] = {".pgn": "pgn", ".xqf": "xqf", ".zip": "xqf", "": "xqf", ".txt": "lines"}
# Fields of the table of games, with their columns.
_TABLE: Final = {
    "number": number("number"),
    "first_player": text("first player", least=14),
    "second_player": text("second player", least=14),
    "date": text("date", drop=2),
    "result": text("result"),
    "plies": number("plies", drop=3),
    "opening": text("opening", drop=1, least=20),
    "event": text("event", drop=4, least=20),
}


@contextmanager
def opened(
    inputs: Sequence[str],
    game: opt.GameChoice,
    *,
    times: int = 1,
    jobs: int | None = None,
    is_printing: bool = False,
) -> Iterator[tuple[list[str], Game, RunLimits]]:
    """Yield archives as the core takes them: their paths, their game, and threads and progress of a run.

    The progress is that of reading each `times` times; `is_printing` as for `standing_line`.
    """
    from bookbuilder.tally.options import RunLimits

    with named_files(inputs) as files:
        found = chosen_game(game, files)
        size = sum(path.stat().st_size for path in files) * times
        with reading(size, is_printing=is_printing) as progress:
            yield [str(path) for path in files], found, RunLimits(jobs=jobs, progress=progress)


def count(
    inputs: opt.Inputs, game: opt.GameOption = "auto", jobs: opt.Jobs = None, json: opt.Json = False
) -> None:
    """Count the games of archives without playing them; exit code 1 if there is none."""
    from bookbuilder import _core
    from bookbuilder.archives.sources import skipped_members, source_name, unreadable
    from bookbuilder.tally.options import TallyOptions
    from bookbuilder.tally.report import add_figures

    with opened(inputs, game, jobs=jobs) as (paths, of_game, limits):
        # One move a game: without it, a game without tags looks like no game.
        options = TallyOptions(game=of_game, max_ply=1)
        figures = add_figures(_core.count_archives(paths, options, limits))["sources"]
    nothing = {"games_read": 0, "skipped": []}
    found = [{"path": source_name(path), **figures.get(index, nothing)} for index, path in enumerate(paths)]
    counts: dict[str, int] = {source["path"]: source["games_read"] for source in found}
    total = sum(counts.values())
    tell_unreadable(skipped_members(found))
    if json:
        sources = [{"source": source, "games": games} for source, games in counts.items()]
        print_json({"game": of_game, "games": total, "sources": sources})
    else:
        print_table((text("archive", least=24), number("games")), [*counts.items(), ("all", total)])
    if unread := unreadable(skipped_members(found)):
        raise finish(Exit.UNREADABLE, f"{counted(len(unread), 'file')} could not be read")
    if total == 0:
        raise finish(Exit.FAILED, "no game was found")


def check(
    inputs: opt.Inputs,
    game: opt.GameOption = "auto",
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    show: Annotated[int, typer.Option(min=0, help="How many rejects to print.")] = 20,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Play every game to its end by the rules; exit code 1 if one is rejected, 3 if a file is unreadable."""
    from bookbuilder.tally.tally import Tally

    require_free(rejects, force=force, read=inputs)
    with named_files(inputs) as files:
        counting = Counting(game=game, max_ply=0, custom_starts=True)
        before = Tally.empty(settle(counting, files).changed({"check": "full"}))
        tally, report = add_to(before, files, rejects=rejects, jobs=jobs)
    if json:
        print_json(report.to_json())
    else:
        print_report(report, is_tally=False)
        for row in tally.rejects.slice(0, show).to_pylist():
            member = f" {row['member']}" if row["member"] else ""
            say(f"{row['source']}{member}, byte {row['offset']}: {row['reason']}: {row['message']}")
        if (more := tally.rejects.num_rows - show) > 0:
            say(f"and {more:,} more; --rejects FILE writes them all")
    check_losses(report, strict=True)
    if report.games_read == 0:
        raise finish(Exit.FAILED, "no game was found")


def list_games(
    inputs: opt.Inputs,
    game: opt.GameOption = "auto",
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each game.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a line of headings.")] = False,
) -> None:
    """List games: players, date, result, plies, opening, event; moves are read, not checked.

    The opening is that of the ECO or ECCO tag, else what the moves are known as.

    Exit code 1 if there is none.
    """
    from bookbuilder import _core
    from bookbuilder.archives.collection import CollectionReport
    from bookbuilder.archives.played_game import RESULTS
    from bookbuilder.games.openings import openings_of
    from bookbuilder.schema import from_native

    table = TableWriter(list(_TABLE.values()))
    total = 0

    def take(batch: ArrowStream) -> None:
        nonlocal total
        rows = from_native(batch).to_pylist()
        for row in rows:
            row["result"] = RESULTS[row["result"]]
            # The last named position that a game meets. Data have the English name of its opening.
            place, code, name = row.pop("named"), "", ""
            if place is not None:
                opening = openings[place]
                code, name = opening.code, opening.name
                name = name if json or csv else name_in_language(name, opening.chinese)
            row |= {"classified_eco": code, "classified_opening": name}
        if json:
            print_text("".join(f"{json_text(row)}\n" for row in rows))
        elif csv:
            _print_csv(rows, has_head=total == 0)
        else:
            table.write([_cells(row) for row in rows])
        total += len(rows)

    with opened(inputs, game, is_printing=True) as (paths, of_game, limits):
        openings = openings_of(of_game)
        run = _core.list_games(paths, of_game, take, names=openings.positions(), limits=limits)
    if total and not json and not csv:
        table.close()
    report = CollectionReport.of_run(run)
    tell_unreadable(report.members_skipped)
    check_losses(report)
    if total == 0:
        raise finish(Exit.FAILED, "no game was found")


def _print_csv(rows: Sequence[Row], *, has_head: bool) -> None:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    if has_head:
        writer.writerow(rows[0])
    # A line feed in a cell would begin a line on a terminal.
    shown = visible if console.is_terminal(sys.stdout) else str
    for row in rows:
        cells = map(str, row.values())
        # A spreadsheet would run a cell that begins a formula: an apostrophe precedes it.
        inert = (f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell for cell in cells)
        writer.writerow(map(shown, inert))
    print_text(lines.getvalue())


def _cells(row: Row) -> list[Cell]:
    """Return the cells of a game; tags without the name of an opening are completed if its code is theirs."""
    code, name = row["eco"] or row["classified_eco"], row["opening"]
    if not name and code == row["classified_eco"]:
        name = row["classified_opening"]
    cells = {**row, "opening": " ".join(filter(None, (code, name)))}
    return [cells[field] for field in _TABLE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The options of commands that write games to one output."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="File, .zip or directory to write.", show_default="stdout"
        ),
    ] = None
    force: opt.Force = False
    json: opt.Json = False

    def __post_init__(self) -> None:
        if self.json and self.path is None:
            raise OptionError("--json prints the report where the games go: give --output too")

    @property
    def path(self) -> Path | None:
        """The name of the output; None is stdout."""
        return None if str(self.output) == "-" else self.output

    def layout(self, *, is_file_a_game: bool, inputs: Sequence[str]) -> Layout:
        """Return how games lie in the output. Refuse an impossible one before any work is done.

        With `is_file_a_game`, each game is written to a file of its own. Inputs are never replaced.
        """
        path = self.path
        if path is None:
            if is_file_a_game:
                raise OptionError("a file for each game: name a directory or a .zip file with --output")
            return "stream"
        suffix = path.suffix.lower()
        if suffix in _COMPRESSED:
            raise OptionError(f"{path}: games are written plain; leave {suffix} out")
        if path.is_dir() or (is_file_a_game and not suffix):
            require_empty(path)
            return "directory"
        require_free(path, force=self.force, read=inputs)
        if suffix == ".zip":
            return "zip"
        return "single" if is_file_a_game else "stream"

    @contextmanager
    def opened(self, layout: Layout) -> Iterator[Sink]:
        """Yield what the core writes to; the output appears when the block ends, and never if it fails."""
        if self.path is None and console.is_terminal(sys.stdout):
            # As text, which a bar makes room for.
            yield lambda content: print_text(content.decode("utf-8", errors="replace"))
        elif self.path is None:
            yield sys.stdout.buffer.write
            sys.stdout.buffer.flush()
        elif layout == "directory":
            with draft_directory(self.path) as directory:
                yield str(directory)
        else:
            with whole_file(self.path) as stream:
                yield stream.write

    def end(self, run: GamesRun, *, strict: bool = False, rejects: Path | None = None) -> None:
        """Report a run on stderr, as JSON on stdout if that is asked for, and its rejects in a file.

        End with exit code 3 if a file could not be read, with 1 if no game was written. If strict, also
        with 1 if a game was rejected.
        """
        from bookbuilder.archives.collection import CollectionReport

        report = CollectionReport.of_run(run)
        if rejects is not None:
            with whole_file(rejects) as stream:
                stream.write(report.rejects_json)
        if self.json:
            print_json(report.to_json())
        tell_unreadable(report.members_skipped)
        done = f"{counted(report.games_read, 'game')} read, {report.games_written:,} written"
        note(", ".join([done, *skip_reasons(report.filtered, report.rejects)]))
        if report.variations_cut:
            note(f"{counted(report.variations_cut, 'variation')} cut at a bad move")
        check_losses(report, strict=strict)
        if report.games_written == 0:
            raise finish(Exit.FAILED, f"no game was {'written' if report.games_read else 'found'}")


def convert(
    inputs: opt.Inputs,
    *,
    game: opt.GameOption = "auto",
    write: Writing,
    to: Annotated[
        Form | None, typer.Option(help="The format.", show_default="by the output's name, else pgn")
    ] = None,
    notation: Annotated[
        NotationName | None,
        typer.Option(
            help="How moves are written: chess san, uci, lan; xiangqi iccs, wxf, chinese, "
            "chinese-traditional, and uci for lines.",
            show_default="PGN: san or iccs; lines: coordinates",
        ),
    ] = None,
    variations: Annotated[bool, typer.Option(help="Write variations.")] = True,
    comments: Annotated[bool, typer.Option(help="Write comments and annotation glyphs.")] = True,
    results: Annotated[bool, typer.Option(help="End lines with the result (--to lines).")] = True,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    strict: opt.Strict = False,
) -> None:
    """Convert games to PGN, XQF (xiangqi) or lines of moves.

    A game with an illegal move is skipped and reported, never half-written. A variation ends before an
    illegal move; with --strict its game is skipped. XQF has one game per file: name a directory or a .zip
    for more.
    """
    from bookbuilder import _core

    form = to or ("pgn" if write.path is None else _FORMS.get(write.path.suffix.lower()))
    if form is None:
        known = ", ".join(filter(None, _FORMS))
        raise OptionError(f"{write.path}: the name tells no format: expected {known}, or --to")
    if not results and form != "lines":
        raise OptionError("--no-results is about --to lines: PGN and XQF keep their results")
    layout = write.layout(is_file_a_game=form == "xqf", inputs=inputs)
    require_free(rejects, force=write.force, read=inputs, other=write.path)
    with (
        opened(inputs, game, jobs=jobs, is_printing=write.path is None) as (paths, of_game, limits),
        write.opened(layout) as sink,
    ):
        if form == "xqf" and of_game != "xiangqi":
            raise OptionError(f"XQF holds xiangqi, not {of_game}; write PGN with --to pgn")
        run = _core.convert_games(
            paths,
            of_game,
            sink,
            layout=layout,
            to=form,
            notation=notation,
            results=results,
            variations=variations,
            comments=comments,
            strict=strict,
            limits=limits,
        )
        if not any(each["games_used"] for each in run.sources()):
            write.end(run, strict=strict, rejects=rejects)  # raises, so nothing replaces the output
    write.end(run, strict=strict, rejects=rejects)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllFilters(Filtering):
    """All filters, for the command whose subject they are."""

    event: Annotated[
        list[str] | None,
        opt.in_games(hidden=True, metavar="NAME", help="Part of the event's name; may be repeated."),
    ] = None
    rating_of: Annotated[
        RatingOf,
        opt.in_games(
            hidden=True,
            metavar="WHICH",
            help="The rating that must be within the limits: both, either, or mean.",
        ),
    ] = "both"
    result: Annotated[
        list[str] | None,
        opt.in_games(hidden=True, metavar="RESULT", help="1-0, 0-1, 1/2-1/2 or *; may be repeated."),
    ] = None
    min_plies: Annotated[int, opt.in_games(hidden=True, min=0, help="Minimum number of recorded plies.")] = 0


def filter_games(
    inputs: opt.Inputs,
    *,
    game: opt.GameOption = "auto",
    write: Writing,
    filters: AllFilters,
    reaches: Annotated[
        str | None, opt.in_games(metavar="POSITION", help="Games that reach a position.")
    ] = None,
    follows: Annotated[
        Path | None,
        opt.in_games(
            metavar="BOOK", help="Games that follow a book, with the moves of --side, until it has no move."
        ),
    ] = None,
    dedupe: opt.DedupeOption = "off",
) -> None:
    """Write the games that pass filters, in their order.

    Moves are read, not checked. Without filters all games are written.
    """
    from bookbuilder import _core
    from bookbuilder.book.formats.registry import lines_of
    from bookbuilder.games.position import require_side_word, side_of, stored_keys

    asked = filters.to_filter()
    if follows is None:
        filters.require_player()
    side = None if filters.side == "both" else side_of(filters.side)
    times = 3 if dedupe == "prefix" else 1
    with opened(inputs, game, times=times, is_printing=write.path is None) as (paths, of_game, limits):
        if filters.side != "both":
            require_side_word(filters.side, of_game, "--side")
        # Games of xiangqi get a file each, unless the output is a text.
        suffix = None if write.path is None else write.path.suffix.lower()
        layout = write.layout(is_file_a_game=of_game == "xiangqi" and suffix in ("", ".xqf"), inputs=paths)
        with write.opened(layout) as sink:
            run = _core.filter_games(
                paths,
                of_game,
                sink,
                layout=layout,
                filters=asked,
                reaches=[] if reaches is None else stored_keys(reaches, of_game),
                follows=None if follows is None else (lines_of(follows, of_game), side),
                dedupe=None if dedupe == "off" else dedupe,
                limits=limits,
            )
            if not any(each["games_used"] for each in run.sources()):
                write.end(run)  # raises, so nothing replaces the output
    write.end(run)
