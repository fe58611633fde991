"""A book as one PGN game with variations (`.pgn`), either game; write only.

The main line is the heaviest move of each position; the other moves are variations, the heavier ones first.
Each move of the book has a comment: its games and, if known, how they ended for the side that made the move;
otherwise its weight. If an engine evaluated the position after it, the comment begins with its value as
lichess writes it, in pawns for the first side: `[%eval 0.31]`. A position that several orders of moves reach
is expanded once (see `tree`). Bridges have no comment.

Xiangqi is written with the tag `Game "Chinese Chess"` and ICCS moves, which our own reader accepts.
`bookbuilder tally --variations` counts such a file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bookbuilder.book.formats.moves import (
    BACKED_UP,
    Lost,
    MoveBook,
    engine_numbers,
    eval_comment,
    number_valued,
)
from bookbuilder.book.formats.walk import UNREACHED, Tree, grow
from bookbuilder.selection.by_hand import MARKS

_NOTATION: Final = {"chess": "san", "xiangqi": "iccs"}
_EVENT: Final = {"Event": "Opening book", "Site": "?", "Date": "????.??.??", "Round": "?"}
_LAST: Final = {"Black": "?", "Result": "*"}
_TAGS: Final = {
    "chess": {**_EVENT, "White": "?", **_LAST},
    "xiangqi": {"Game": "Chinese Chess", **_EVENT, "Red": "?", **_LAST, "Format": "ICCS"},
}
_WIDTH: Final = 80


def write_pgn_tree(path: Path, book: MoveBook) -> tuple[int, Lost]:
    """Write a book as a PGN tree; return the number of its moves, and the losses."""
    tree = grow(book, notations=[_NOTATION[book.game]])
    words = [*_movetext(tree, tree.walk.texts[_NOTATION[book.game]], list(_comments(book, tree))), "*"]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f'[{name} "{value}"]\n' for name, value in _TAGS[book.game].items())
        file.write("\n")
        file.writelines(_lines(words))
        file.write("\n")
    unmarked = int((tree.row < 0).sum())
    return tree.row.size, {
        UNREACHED: tree.unreached,
        "moves whose replies stand on another line": tree.transposed,
        "moves without comment, which only connect the book": unmarked,
        "qualities": tree.row.size - unmarked if book.has("quality") else 0,
        BACKED_UP: number_valued(book.engine, "value", "expected"),
    }


def _lines(words: list[str]) -> Iterator[str]:
    """Yield the words in lines of at most 80 characters; a comment is one word."""
    line = words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > _WIDTH:
            yield f"{line}\n"
            line = word
        else:
            line = f"{line} {word}"
    yield f"{line}\n"


def _comments(book: MoveBook, tree: Tree) -> Iterator[str]:
    """Yield the comment of each move of the tree; empty for bridges."""
    names = ("games", "wins", "draws", "losses") if book.has("games") else ("weight",)
    columns = [book.column(name).tolist() for name in names]
    scores = engine_numbers(book.engine, len(book)).tolist()
    sides = tree.walk.side[tree.walk.position[tree.edge]].tolist()
    notes: dict[int, tuple[str, str]] = {}
    if book.notes:
        places = zip(*(book.column(name).tolist() for name in ("key", "lock", "move")), strict=True)
        notes = {row: book.notes[place] for row, place in enumerate(places) if place in book.notes}
    for row, side in zip(tree.row.tolist(), sides, strict=True):
        if row < 0:
            yield ""
            continue
        first, *results = (column[row] for column in columns)
        text = str(first) if book.has("games") else f"weight {first}"
        if any(results):
            text += ": +{} ={} -{}".format(*results)
        if not math.isnan(scores[row]):
            text = f"{eval_comment(scores[row], side)} {text}"
        mark, comment = notes.get(row, ("", ""))
        code = f"${MARKS.index(mark) + 1} " if mark else ""
        yield f"{code}{{{text}; {comment}}}" if comment else f"{code}{{{text}}}"


def _movetext(tree: Tree, texts: list[str], comments: list[str]) -> Iterator[str]:
    """Yield moves, comments and parentheses. Variations nest too deeply for recursion."""
    text = [texts[edge] for edge in tree.edge.tolist()]
    plies = tree.walk.ply[tree.walk.position[tree.edge]].tolist()
    first_child, is_last = tree.first_child.tolist(), tree.is_last.tolist()
    # A stack, the next item last: a word, or a move of the tree, with whether its move number is written and
    # whether the other moves of its position follow as variations.
    ahead: list[str | tuple[int, bool, bool]] = [(0, True, True)] if plies else []
    while ahead:
        item = ahead.pop()
        if isinstance(item, str):
            yield item
            continue
        move, is_numbered, has_others = item
        if plies[move] % 2 == 0:
            yield f"{plies[move] // 2 + 1}."
        elif is_numbered:
            yield f"{plies[move] // 2 + 1}..."
        yield text[move]
        if comments[move]:
            yield comments[move]
        others: list[int] = []
        while has_others and not is_last[move + len(others)]:
            others.append(move + len(others) + 1)
        if first_child[move] >= 0:
            ahead.append((first_child[move], bool(comments[move]) or bool(others), True))
        for other in reversed(others):
            ahead += [")", (other, True, False), "("]
