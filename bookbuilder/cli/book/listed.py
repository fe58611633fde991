"""The moves of a book of another format at a position: the answer of `show`, and its table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bookbuilder._core import Position
from bookbuilder.cli.console import format_share, say
from bookbuilder.cli.notation import opening_name, shown_move
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.evals.words import value_words

if TYPE_CHECKING:
    from bookbuilder.book.open import ListedBook

__all__ = ["listed_answer", "note_of_lacks", "print_listed"]

# Fields of a move that are shown only if the file stores them: title and field.
_COUNTS: Final = (
    ("games", "played"),
    ("reached", "reached"),
    ("wins", "wins"),
    ("draws", "draws"),
    ("losses", "losses"),
)
_FIELDS: Final = (
    "move", "san", "weight", "share", "played", "reached", "first_wins", "draws", "second_wins", "wins",
    "losses", "p", "p_low", "p_high", "score", "quality", "kept", "reason",
)  # fmt: skip


def listed_answer(book: ListedBook, here: Position) -> dict[str, Any]:
    """Return the moves of a book at a position; fields that the file does not store are None."""
    key, lock = here.stored(book.fold)
    return {
        "game": here.game,
        "fen": here.fen,
        "key": f"0x{key:016x}",
        "lock": f"0x{lock:08x}",
        "format": book.format,
        "lacks": list(book.lacks),
        "reached": None,
        "moves": [{name: row.get(name) for name in _FIELDS} for row in book.move_rows(here)],
    }


def note_of_lacks(book: ListedBook) -> str:
    """Return one sentence that says what the file does not store."""
    *first, last = book.lacks
    missing = f"{', '.join(first)} or {last}" if first else last
    return f"{book.path}: a book of format {book.format} does not store {missing}."


def print_listed(answer: Mapping[str, Any]) -> None:
    """Print the moves of a book of another format, with the columns that it stores."""
    say(f"{answer['game']}, {answer['fen']}")
    if (opening := answer["opening"]) is not None:
        say(f"opening {opening['code']} {opening['name']} {opening['chinese']}".rstrip())
    here, rows = Position(answer["game"], answer["fen"]), answer["moves"]
    counts = [(title, name) for title, name in _COUNTS if any(row[name] is not None for row in rows)]
    has_engine = any(row.get("engine") is not None for row in rows)
    has_p, has_quality = (any(row[name] is not None for row in rows) for name in ("p", "quality"))
    columns = [
        text("move"),
        *(number(title) for title in ("weight", "share")),
        *(number(title, drop=2) for title, _ in counts),
        *([number("P")] if has_p else []),
        *([number("engine", drop=2)] if has_engine else []),
        *([number("quality", drop=3)] if has_quality else []),
        text("opening", drop=1, least=12),
    ]
    print_table(
        columns,
        [
            (
                shown_move(here, row["move"]),
                f"{row['weight']:,}",
                format_share(row["share"]),
                *("–" if row[name] is None else f"{row[name]:,}" for _, name in counts),
                *([format_share(row["p"])] if has_p else []),
                *([value_words(row["engine"])] if has_engine else []),
                *(["–" if row["quality"] is None else str(row["quality"])] if has_quality else []),
                opening_name(row["opening"]),
            )
            for row in rows
        ],
    )
