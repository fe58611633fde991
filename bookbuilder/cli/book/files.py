"""`bookbuilder book verify|convert|edit|repair|merge|diff`: check, write, change and compare whole books."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from bookbuilder.book.book import Book
from bookbuilder.cli.console import format_bytes, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import shown_line, shown_move
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import position_at
from bookbuilder.cli.output import require_free
from bookbuilder.cli.tables import Cell, number, print_facts, print_table, text
from bookbuilder.errors import BookError, OptionError

_FIGURES = ("weight", "games", "wins", "draws", "losses", "quality")


def verify(book: opt.Book, json: opt.Json = False) -> None:
    """Check a book: every byte, and its moves on a walk from the start; exit code 1 if it is damaged.

    The exit code is 3 if the book cannot even be opened.
    """
    from bookbuilder.book.open import open_book
    from bookbuilder.book.verify import walked

    opened = open_book(book)
    found = fault = None
    try:
        found = walked(opened)
    except BookError as error:
        fault = str(error)
    if json:
        answer = {"book": str(book), "format": opened.format, "sound": fault is None, "fault": fault}
        print_json(answer | {"walk": found})
    elif found is not None:
        rows = [
            ("records" if isinstance(opened, Book) else "moves", found["records"]),
            ("  on a walk from the start", found["reached"]),
            ("  that no book moves lead to", found["unreached"]),
            ("moves of the walk, all legal", found["moves"]),
            ("plies of its longest line", found["longest"]),
        ]
        if not isinstance(opened, Book):
            rows += [(f"not read: {what}", count) for what, count in opened.table.lost.items()]
        print_facts(str(book), rows, "found")
    if fault is not None:
        raise finish(Exit.FAILED, fault)


def convert(
    source: Annotated[Path, typer.Argument(metavar="A", help="The book to read.")],
    target: Annotated[Path, typer.Argument(metavar="B", help="The book to write.")],
    read_as: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help="Format of A, such as polyglot.", show_default="by its name"
        ),
    ] = None,
    write_as: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="Format of B.", show_default="by its name")
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Convert a book between formats, and report what is lost.

    .book clustered; .bin Polyglot; .abk Arena; .dat BOOK.DAT; .obk OBK; .pgn .epd write only; .csv.
    """
    from bookbuilder.book.formats.registry import convert as convert_book

    require_free(target, force=force)
    if source.exists() and target.exists() and source.samefile(target):
        raise OptionError(f"{target}: is the book to read; give another name for the book to write")
    written = convert_book(source, target, read_as=read_as, write_as=write_as).to_json()
    if json:
        print_json({"source": str(source), "book": str(target), **written})
    else:
        _print_written(target, f"written: {written['format']}, {written['game']}", written)


def _print_written(book: Path, what: str, written: Mapping[str, Any], *parts: tuple[str, int]) -> None:
    """Print what a book was made of, what was written, and what was lost: the JSON data of a `Written`."""
    size = f"{written['bytes']:,} ({format_bytes(written['bytes'])})"
    rows: list[tuple[str, Cell]] = [*parts, (what, written["moves"]), ("bytes", size), *loss_rows(written)]
    print_facts(str(book), rows, "moves")


def loss_rows(written: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the rows of a table of losses, from the JSON data of a `Written`."""
    rows = [(f"not read: {what}", count) for what, count in written["not_read"].items()]
    for what, count in written["lost"].items():
        words = f"not written: moves {what}" if what.startswith("of weight 0") else f"lost: {what}"
        if what == "games, wins, draws and losses":
            words = "without games and results, which the format lacks"
        rows.append((words, count))
    return rows


def edit(
    book: Annotated[Path, typer.Argument(metavar="BOOK", help="A .book, .bin, .abk, .obk, .dat or .csv.")],
    position: Annotated[
        str | None, typer.Argument(metavar="POSITION", help="Moves ('1.e4 c5'), a FEN, or startpos.")
    ] = None,
    move: Annotated[str | None, typer.Argument(metavar="MOVE", help="The move, in any notation.")] = None,
    weight: Annotated[int | None, typer.Option(metavar="N", min=0, help="The new weight.")] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Take the move out of the book.")] = False,
    add: Annotated[
        bool, typer.Option("--add", help="Add the move, as heavy as the heaviest (.abk: 5), or as --weight.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Put the book back as before the last change.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Change one move of a book, in the very file. The file as it was is kept beside it as BOOK.bak.

    In a .book, other moves that lead to the same position change with it.
    """
    from bookbuilder.book.edits import edit_book, undo_edit
    from bookbuilder.book.open import open_book

    if undo:
        if position is not None or move is not None or drop or add or weight is not None:
            raise OptionError("--undo takes only the book")
        undo_edit(book)
        print_json({"book": str(book), "undone": True}) if json else say(f"{book}: as before the change")
        return
    if position is None or move is None:
        raise OptionError("expected BOOK POSITION MOVE, or BOOK --undo")
    if drop == (add or weight is not None):
        raise OptionError("expected --weight N, --add or --drop")
    here = position_at(open_book(book).game, position)
    made = edit_book(book, here, move, weight=weight, add=add)
    if json:
        print_json({"book": str(book), "edit": asdict(made)})
        return
    before, after = ("not in the book" if each is None else f"{each:,}" for each in (made.before, made.after))
    say(f"{book}: {shown_move(here, made.move)}: {before} → {after}; undo with --undo")
    if weight is not None and made.after != weight:
        say(f"a .book stores games × (quality + 1)³: {made.after:,} is the nearest weight")


def repair(
    book: Annotated[Path, typer.Argument(metavar="BOOK", help="A Polyglot book.")], json: opt.Json = False
) -> None:
    """Mend a broken .bin: sort it, join moves that stand twice, and drop what is not a move.

    The file as it was is kept beside it as BOOK.bak.
    """
    from bookbuilder.book.edits import repair_book

    done = repair_book(book)
    if json:
        print_json({"book": str(book), "done": done})
        return
    for what in [f"{count:,} {what}" for what, count in done.items() if count] or ["nothing to mend"]:
        say(f"{book}: {what}")


def diff(
    old: Annotated[Path, typer.Argument(metavar="A", help="A book of any format.")],
    new: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    limit: Annotated[int, typer.Option("--rows", min=0, help="Maximum number of moves to list.")] = 20,
    json: opt.Json = False,
) -> None:
    """Compare two books: moves that B adds, removes or changes, the heaviest first."""
    from bookbuilder.book.merge import counted_differences, read_both

    before, after = read_both(old, new)
    figures = counted_differences(before, after, limit)
    listed = figures.pop("differences")
    is_compared = before.statistic == after.statistic
    if json:
        facts = {"a": str(old), "b": str(new), **figures, "weights_compared": is_compared}
        print_json({**facts, "differences": listed})
        return
    if not is_compared:
        note(f"weights are not compared: {before.statistic} in {old}, {after.statistic} in {new}")
    print_facts(f"{old} → {new}", [(name.replace("_", " "), count) for name, count in figures.items()])
    changes = [{name: _change(row, name) for name in _FIGURES} for row in listed]
    known = [name for name in _FIGURES if any(each[name] != "–" for each in changes)]
    columns = (text("change"), text("line", least=12, wraps=True), *(number(name, drop=1) for name in known))
    rows = [
        (row["change"], shown_line(after.game, row["line"]) or row["key"], *map(each.__getitem__, known))
        for row, each in zip(listed, changes, strict=True)
    ]
    if rows:
        print_table(columns, rows)


def _change(row: dict[str, Any], name: str) -> str:
    values = (row[f"{age}_{name}"] for age in ("old", "new"))
    old, new = ("–" if value is None else f"{int(value):,}" for value in values)
    return new if old == new else f"{old} → {new}"


def merge(
    books: Annotated[
        list[Path], typer.Argument(metavar="BOOK...", help="Books of one game, of any formats.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="BOOK", help="The merged book.")],
    priority: Annotated[
        bool,
        typer.Option(
            "--priority", help="Where an earlier book has a move, a later one's moves do not count."
        ),
    ] = False,
    ratio: Annotated[
        str | None,
        typer.Option(metavar="A:B", help="Part of each book in the weights.", show_default="add weights up"),
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Merge books of any formats: games, results and weights add up, and the maximum quality is kept.

    The weights of a .bin do not show the number of games behind them. To give each book its part at every
    position, use --ratio.
    """
    from bookbuilder.book.merge import merge_books
    from bookbuilder.book.open import open_book

    if len(books) < 2:
        raise OptionError(
            f"{books[0]}: is the only book; name two or more to merge. Copy it into another format with: "
            "bookbuilder book convert"
        )
    require_free(output, force=force)
    words = [] if ratio is None else ratio.split(":")
    if not all(word.isascii() and word.isdigit() for word in words):
        raise OptionError(f"--ratio {ratio}: expected whole numbers such as 2:1")
    opened = [open_book(path) for path in books]
    parts = [int(word) for word in words] or None
    written = merge_books(output, opened, priority=priority, ratio=parts).to_json()
    if not priority:
        # Archives that several books were built from count several times.
        holders: dict[str, list[str]] = {}
        for recipe in (book.info.get("recipe", {}) for book in opened):
            for part in recipe.get("parts", [recipe]):
                for source in part.get("sources", ()):
                    holders.setdefault(source.get("blake3", ""), []).append(str(source.get("source")))
        for names in holders.values():
            if len(names) > 1:
                note(f"{names[0]}: is in {len(names)} of the books, its games count {len(names)} times")
    without = [book.path for book in opened if "numbers of games" in book.lacks]
    if without and ratio is None and not priority:
        note(
            f"{without[0]}: its weights are not numbers of games, so a book of few games counts as much as "
            "one of many; set their parts with --ratio A:B"
        )
    for book in opened:
        for what, count in book.info.get("not_read", {}).items():
            note(f"{book.path}: not read: {count:,} {what}")
    if json:
        sources = [{"book": str(book.path), "moves": len(book)} for book in opened]
        print_json({"book": str(output), **written, "parts": sources})
    else:
        held = ((str(book.path), len(book)) for book in opened)
        _print_written(output, f"merged: {written['format']}", written, *held)
