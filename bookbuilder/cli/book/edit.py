"""`bookbuilder book edit|repair`: change one move of a book in its own file, or mend a broken one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bookbuilder.cli.console import print_json, say
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import position_at
from bookbuilder.errors import OptionError


def edit(
    book: Annotated[Path, typer.Argument(metavar="BOOK", help="A .book, .bin, .abk, .obk, .dat or .csv.")],
    position: Annotated[
        str | None, typer.Argument(metavar="POSITION", help="Moves ('1.e4 c5'), a FEN, or startpos.")
    ] = None,
    move: Annotated[str | None, typer.Argument(metavar="MOVE", help="The move, in any notation.")] = None,
    weight: Annotated[int | None, typer.Option(metavar="N", min=0, help="The new weight.")] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Take the move out of the book.")] = False,
    add: Annotated[
        bool, typer.Option("--add", help="Add the move, as heavy as the heaviest, or with --weight.")
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
        restored = undo_edit(book)
        print_json({"book": str(restored), "undone": True}) if json else say(
            f"{restored}: as before the change"
        )
        return
    if position is None or move is None:
        raise OptionError("expected BOOK POSITION MOVE, or BOOK --undo")
    if drop == (add or weight is not None):
        raise OptionError("expected --weight N, --add or --drop")
    here = position_at(open_book(book).game, position)
    done = edit_book(book, here, move, weight=weight, add=add)
    if json:
        print_json({"book": str(book), "edit": asdict(done)})
        return
    before, after = ("not in the book" if each is None else f"{each:,}" for each in (done.before, done.after))
    say(f"{book}: {here.san(here.parse_move(done.move))}: {before} → {after}; undo with --undo")
    if weight is not None and done.after != weight:
        say(f"a .book stores games × (quality + 1)³: {done.after:,} is the nearest weight")


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
    elif any(done.values()):
        for what, count in done.items():
            if count:
                say(f"{book}: {count:,} {what}")
    else:
        say(f"{book}: nothing to mend")
