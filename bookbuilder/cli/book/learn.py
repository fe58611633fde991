"""`bookbuilder book learn`: learn from own games with a book, and write the book with new weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.book.summary import side_label
from bookbuilder.cli.console import counted, format_share, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import named_files
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.output import require_free
from bookbuilder.cli.progress import reading
from bookbuilder.cli.tables import facts_columns, number, print_table, text
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDES

if TYPE_CHECKING:
    from bookbuilder.book.formats.registry import Written
    from bookbuilder.games.position import Game
    from bookbuilder.learning.experience import Experience, Lessons
    from bookbuilder.learning.learned import Learned, LearnedMove

_SUFFIX: Final = ".learned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """What is learned, and how."""

    name: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="Part of the player's name in the games.", show_default="as before"
        ),
    ] = None
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FILE", help="The own results.", show_default=f"BOOK{_SUFFIX}"),
    ] = None
    undo: Annotated[bool, typer.Option("--undo", help="Take the games of the last run back.")] = False
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Show what would be learned; the journal stays as it is.")
    ] = False
    most: Annotated[int, typer.Option("--rows", min=0, help="Maximum number of moves in the table.")] = 20


@spread
def learn(
    book: AnyBook,
    archives: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAMES...]", help="Archives with own games.", show_default=False),
    ] = None,
    *,
    learning: Learning,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="The book with the learned weights.", show_default=False
        ),
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Learn from own games with a book: list the moves that lose points, and play them less or no more.

    Own results are kept in a journal beside the book, which stays as it is. A game counts once, and only for
    moves where the book had another one.
    """
    from bookbuilder.book.open import open_book
    from bookbuilder.learning.experience import Experience, find_lessons

    if learning.undo and (archives or learning.read_only):
        raise OptionError("--undo takes the last run back: leave out archives and --read-only")
    if output is not None:
        require_free(output, force=force)
        if output.exists() and output.samefile(book):
            raise OptionError(f"{output}: is the book to learn with; give another name for the new one")
    moves = open_book(book)
    journal = learning.journal or book.with_name(f"{book.name}{_SUFFIX}")
    own = Experience.open(journal, moves.game, learning.name)
    undone = own.undo() if learning.undo else 0
    if learning.undo and not undone:
        raise finish(Exit.FAILED, f"{own.path}: has no run to take back")
    lessons = None
    if archives:
        with named_files(archives) as files:
            size = sum(path.stat().st_size for path in files)
            with reading(size, quiet=quiet) as progress:
                lessons = find_lessons(own, moves, files, progress=progress)
        if learning.read_only:
            own.games += lessons.games
        elif lessons.games:
            own.add(lessons.games)
    _answer(book, own, lessons, undone, learning, output, json=json, quiet=quiet)


def _answer(
    book: Path,
    own: Experience,
    lessons: Lessons | None,
    undone: int,
    learning: Learning,
    output: Path | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    from bookbuilder.learning.learned import learned_book, write_learned

    if undone and not own.games:
        say(f"{own.path}: took {counted(undone, 'game')} back; none is left")
        return
    if not own.games:
        raise finish(Exit.FAILED, _nothing(own, lessons))
    learned = learned_book(book, own)
    written = None if output is None else write_learned(output, learned)
    if json:
        print_json(_facts(book, own, lessons, undone, learned, written, output))
        return
    _print(own, lessons, undone, learned, learning.most)
    if written is not None:
        say(f"{output}: {counted(written.moves, 'move')}, {written.bytes:,} bytes")
    if lessons is not None and lessons.rejected:
        note(
            f"{counted(lessons.rejected, 'game')} could not be read; see `bookbuilder games check`",
            quiet=quiet,
        )


def _nothing(own: Experience, lessons: Lessons | None) -> str:
    if lessons is None:
        return f"{own.path}: has no games yet; name archives with games of {own.name}"
    if not lessons.found:
        return f'no game of a player "{own.name}" was found; --as takes a part of the name in the games'
    games = counted(lessons.found, "game")
    return f"nothing to learn: in {games} of {own.name} the book gave no choice with a result"


def _facts(
    book: Path,
    own: Experience,
    lessons: Lessons | None,
    undone: int,
    learned: Learned,
    written: Written | None,
    output: Path | None,
) -> dict[str, Any]:
    found = None
    if lessons is not None:
        names = ("found", "known", "without_result", "without_choice", "rejected")
        found = {name: getattr(lessons, name) for name in names} | {"added": len(lessons.games)}
    return {
        "book": str(book),
        "game": own.game,
        "journal": str(own.path),
        "name": own.name,
        "games": learned.games,
        "points": learned.points,
        "lessons": found,
        "undone": undone,
        "moves_dropped": learned.dropped,
        "moves": [{**asdict(each), "side": SIDES[each.side]} for each in learned.moves],
        "written": None if written is None else {"path": str(output), **written.to_json()},
    }


def _print(own: Experience, lessons: Lessons | None, undone: int, learned: Learned, most: int) -> None:
    rows = [("own games with a choice", f"{learned.games:,}"), ("points", f"{learned.points:g}")]
    if lessons is not None:
        rows += [
            ("added by this run", f"{len(lessons.games):,}"),
            ("  known before", f"{lessons.known:,}"),
            ("  without a result", f"{lessons.without_result:,}"),
            ("  without a choice", f"{lessons.without_choice:,}"),
        ]
    rows += [("taken back", f"{undone:,}")] if undone else []
    rows += [("moves dropped", f"{learned.dropped:,}")]
    print_table(facts_columns(own.path.name, "figure"), rows)
    if not learned.moves or not most:
        return
    columns = (
        text("move"),
        number("games"),
        number("score"),
        number("expected", drop=2),
        number("gained"),
        number("before", drop=1),
        number("after"),
        text("line", least=20, wraps=True),
    )
    print_table(columns, [_cells(own.game, each) for each in learned.moves[:most]])
    if len(learned.moves) > most:
        say(f"{len(learned.moves) - most:,} more; --json lists all, with their games")


def _cells(game: Game, each: LearnedMove) -> Sequence[str]:
    line = each.line or f"start, {side_label(game, SIDES[each.side])}"
    after = "dropped" if not each.share_after else format_share(each.share_after)
    return (
        each.move,
        f"{each.games:,}",
        format_share(each.points / each.games),
        format_share(each.expected),
        f"{each.gained:+.1f}",
        format_share(each.share_before),
        after,
        line,
    )
