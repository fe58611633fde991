"""Changes by hand: moves that a book keeps, drops or gains, with qualities, marks and comments.

A file of changes is text, one JSON object a line. The first line says what the file is; each other one is a
change, and the last change of a move counts:

    {"edits": {"version": 1, "game": "chess"}}
    {"position": "1.e4 e5", "move": "Bc4", "keep": false, "comment": "too slow"}
    {"position": "startpos", "move": "g4", "keep": true, "quality": 8, "mark": "!?"}

| field | meaning |
|---|---|
| position | before the move: a FEN, moves such as `1.e4 e5`, or `startpos` |
| move | in any notation of the game |
| keep | true: the book has the move, also if no game played it; false: not; "rules": as the rules say |
| quality | 0 … 31: in formats with weights, 31 is as heavy as the heaviest other move of the position |
| mark | `!`, `?`, `!!`, `??`, `!?` or `?!`, for a book in PGN |
| comment | text for a book in PGN |
| time | when the change was made: `2026-11-28T08:00+00:00` |
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder._core import MAX_QUALITY
from bookbuilder.disk import draft_file
from bookbuilder.errors import FenError, MoveError, OptionError, SelectionError
from bookbuilder.games.position import Game, as_game, as_position, ply_of
from bookbuilder.plain_json import json_line

MARKS: Final = ("!", "?", "!!", "??", "!?", "?!")
"""The marks of a move, in the order of their codes in PGN: $1 … $6."""

_HEAD: Final = "edits"
_VERSION: Final = 1
_MOST_BYTES: Final = 16 << 20
_MOST_COMMENT: Final = 500


class Place(NamedTuple):
    """Where a tally or a book stores a move."""

    key: int  # of the position before the move
    lock: int  # its lock
    move: int  # the code of the move
    key_after: int  # of the position after it
    lock_after: int  # its lock
    side: int  # the side that moves, 0 first, 1 second
    ply: int  # plies of a game after the move, by its FEN


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveEdit:
    """One change of a move by hand; None leaves what the rules, or earlier changes, say.

    Attributes:
        position: the position before the move.
        move: the move.
        keep: whether a book has the move; "rules" takes earlier changes back.
        quality: its quality, 0 … 31.
        mark: one of `MARKS`, or "" for none.
        comment: a text, or "" for none.
        time: when the change was made, in ISO 8601.

    Example:
        >>> bb.MoveEdit(position="startpos", move="g4", keep=True, mark="!?").quality is None
        True
    """

    position: str
    move: str
    keep: bool | Literal["rules"] | None = None
    quality: int | None = None
    mark: str | None = None
    comment: str | None = None
    time: str | None = None

    def __post_init__(self) -> None:
        """Refuse values of another type or range."""
        if self.keep not in (None, "rules") and not isinstance(self.keep, bool):
            raise SelectionError(f'keep is {self.keep!r}: expected true, false or "rules"')
        is_number = isinstance(self.quality, int) and not isinstance(self.quality, bool)
        if self.quality is not None and not (is_number and 0 <= self.quality <= MAX_QUALITY):
            raise SelectionError(f"quality is {self.quality!r}: expected 0 to {MAX_QUALITY}")
        if self.mark not in (None, "", *MARKS):
            raise SelectionError(f"mark is {self.mark!r}: expected one of {' '.join(MARKS)}")
        if self.comment is not None:
            _require_comment(self.comment)
        try:
            datetime.fromisoformat(self.time or "2000-01-01")
        except (TypeError, ValueError):
            raise SelectionError(f"time is {self.time!r}: expected it as 2026-11-28T08:00+00:00") from None

    def to_json(self) -> dict[str, Any]:
        """Return what is given, as JSON data.

        Example:
            >>> bb.MoveEdit(position="startpos", move="e4", keep=False).to_json()
            {'position': 'startpos', 'move': 'e4', 'keep': False}
        """
        return {name: value for name, value in asdict(self).items() if value is not None}


def _require_comment(text: object) -> None:
    is_text = isinstance(text, str) and len(text) <= _MOST_COMMENT and text.isprintable()
    if not is_text or set(str(text)) & set("{}"):
        raise SelectionError(
            f"comment: expected a text in one line, of at most {_MOST_COMMENT} letters and without braces"
        )


@dataclass(frozen=True, slots=True)
class MoveEdits:
    """Changes by hand, the oldest first.

    Attributes:
        game: the game.
        edits: the changes.
        path: the file that they were read from; None: none.

    Example:
        >>> edits = bb.MoveEdits("chess").added(bb.MoveEdit(position="startpos", move="e4", keep=False))
        >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, edits=edits)
        >>> chosen.reasons()["by-hand"]
        1
    """

    game: Game
    edits: tuple[MoveEdit, ...] = ()
    path: str | None = field(default=None, compare=False)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Return the changes of a file.

        Raises:
            SelectionError: the file is not one of changes, or a line is wrong; the message names it.
            OSError: it cannot be read.

        Example:
            >>> bb.MoveEdits("chess").write("none.edits")
            >>> len(bb.MoveEdits.read("none.edits"))
            0
        """
        file = Path(path)
        if file.stat().st_size > _MOST_BYTES:
            raise SelectionError(f"{file}: has more than {_MOST_BYTES >> 20} MiB: expected a file of changes")
        try:
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        except UnicodeDecodeError as error:
            raise SelectionError(f"{file}: expected a file of changes by hand in UTF-8") from error
        head = (json_line(lines[0]) or {}).get(_HEAD) if lines else None
        if not isinstance(head, dict) or head.get("version") != _VERSION:
            first = json.dumps({_HEAD: {"version": _VERSION, "game": "chess"}})
            raise SelectionError(f"{file}: is not a file of changes by hand: expected the first line {first}")
        game = as_game(str(head.get("game")))
        edits = []
        for number, line in enumerate(lines[1:], start=2):
            try:
                edits.append(_checked(json_line(line), game))
            except (SelectionError, OptionError, FenError, MoveError) as error:
                raise SelectionError(f"{file}, change {number - 1}: {error}") from error
        return cls(game, tuple(edits), os.fspath(path))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the changes of a recipe.

        Example:
            >>> edits = bb.MoveEdits("chess", (bb.MoveEdit(position="startpos", move="e4", keep=True),))
            >>> bb.MoveEdits.from_json(edits.to_json()) == edits
            True
        """
        return cls(as_game(str(data.get("game"))), tuple(MoveEdit(**each) for each in data["edits"]))

    def to_json(self) -> dict[str, Any]:
        """Return the changes as JSON data.

        Example:
            >>> bb.MoveEdits("chess").to_json()
            {'game': 'chess', 'edits': []}
        """
        return {"game": self.game, "edits": [each.to_json() for each in self.edits]}

    def write(self, path: str | os.PathLike[str]) -> None:
        r"""Write a file of changes, atomically; an existing file is replaced.

        Raises:
            OSError: the file cannot be written.

        Example:
            >>> bb.MoveEdits("chess").write("none.edits")
            >>> Path("none.edits").read_text()
            '{"edits": {"version": 1, "game": "chess"}}\n'
        """
        head = {_HEAD: {"version": _VERSION, "game": self.game}}
        lines = [json.dumps(each, ensure_ascii=False) for each in (head, *(e.to_json() for e in self.edits))]
        with draft_file(Path(path)) as draft:
            draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")

    def added(self, edit: MoveEdit) -> Self:
        """Return the changes with one more.

        Raises:
            FenError: the position is not valid.
            MoveError: the move is not legal there.

        Example:
            >>> len(bb.MoveEdits("chess").added(bb.MoveEdit(position="1.e4", move="c5", mark="!")))
            1
        """
        return replace(self, edits=(*self.edits, _checked(edit.to_json(), self.game)))

    def undone(self) -> Self:
        """Return the changes without the last one.

        Raises:
            SelectionError: there is none.

        Example:
            >>> edits = bb.MoveEdits("chess").added(bb.MoveEdit(position="startpos", move="e4", keep=True))
            >>> len(edits.undone())
            0
        """
        if not self.edits:
            raise SelectionError("nothing to undo: the list of changes is empty")
        return replace(self, edits=self.edits[:-1])

    def placed(self, *, fold: bool) -> dict[Place, MoveEdit]:
        """Return one change for each move: what its changes say together, the last one first.

        Args:
            fold: whether left-right mirrors are one position.

        Raises:
            FenError: a position is not valid.
            MoveError: a move is not legal.

        Example:
            >>> both = ({"keep": False}, {"keep": True, "quality": 3})
            >>> edits = tuple(bb.MoveEdit(position="startpos", move="e4", **each) for each in both)
            >>> [edit] = bb.MoveEdits("chess", edits).placed(fold=False).values()
            >>> edit.keep, edit.quality
            (True, 3)
        """
        found: dict[tuple[int, int, int], tuple[Place, MoveEdit]] = {}
        for edit in self.edits:
            place = place_of(edit, self.game, fold=fold)
            _, before = found.get(place[:3], (place, edit))
            found[place[:3]] = place, _joined(before, edit)
        return dict(found.values())

    def kept_places(self, *, fold: bool) -> frozenset[tuple[int, int]]:
        """Return key and lock of the positions before and after the moves to keep.

        Args:
            fold: whether left-right mirrors are one position.

        Example:
            >>> edits = bb.MoveEdits("chess").added(bb.MoveEdit(position="startpos", move="g4", keep=True))
            >>> len(edits.kept_places(fold=False))
            2
        """
        kept = [place for place, edit in self.placed(fold=fold).items() if edit.keep is True]
        return frozenset(ends for each in kept for ends in (each[:2], (each.key_after, each.lock_after)))

    @property
    def keeps(self) -> bool:
        """Whether a move is to be kept or added.

        Example:
            >>> bb.MoveEdits("chess").keeps
            False
        """
        return any(each.keep is True for each in self.edits)

    def require(self, game: str) -> None:
        """Refuse a tally of another game.

        Raises:
            SelectionError: the changes are of another game.

        Example:
            >>> bb.MoveEdits("chess").require("chess")
        """
        if self.game != game:
            raise SelectionError(f"edits {self}: changes of {self.game}, the games are of {game}")

    def __len__(self) -> int:
        """Return the number of changes."""
        return len(self.edits)

    def __str__(self) -> str:
        """Return the path, or the number of changes."""
        return self.path or f"{len(self):,} changes by hand"


MoveEditsLike: TypeAlias = "MoveEdits | str | os.PathLike[str] | Mapping[str, Any]"
"""Changes by hand, their file, or what a recipe says of them."""


def as_move_edits(given: MoveEditsLike) -> MoveEdits:
    """Return changes by hand.

    Raises:
        SelectionError: the file is not one of changes, or a line is wrong.
        OSError: it cannot be read.
    """
    if isinstance(given, MoveEdits):
        return given
    return MoveEdits.from_json(given) if isinstance(given, Mapping) else MoveEdits.read(given)


def place_of(edit: MoveEdit, game: Game, *, fold: bool) -> Place:
    """Return where a tally stores the move of a change.

    Raises:
        FenError: the position is not valid.
        MoveError: the move is not legal.
    """
    here = as_position(edit.position, game)
    code = here.parse_move(edit.move)
    after = here.play(code)
    return Place(
        *here.stored(fold), here.stored_move(code, fold), *after.stored(fold), here.side, ply_of(after)
    )


def _joined(before: MoveEdit, after: MoveEdit) -> MoveEdit:
    names = [each.name for each in fields(MoveEdit)][2:]
    given = {name: getattr(after, name) for name in names if getattr(after, name) is not None}
    return replace(before, **given)


def _checked(data: Mapping[str, Any] | None, game: Game) -> MoveEdit:
    """Return a change with its position as a FEN and its move as coordinates."""
    names = dict.fromkeys(each.name for each in fields(MoveEdit))
    texts = [] if data is None else [data.get("position"), data.get("move")]
    if data is None or not data.keys() <= names.keys() or not all(isinstance(text, str) for text in texts):
        known = ", ".join(name for name in names if name not in ("position", "move"))
        raise SelectionError(f"expected a JSON object with the texts position and move, and any of {known}")
    edit = MoveEdit(**data)
    here = as_position(edit.position, game)
    return replace(edit, position=here.fen, move=here.coordinates(here.parse_move(edit.move)))


def edits_in(options: Mapping[str, Any], game: Game) -> MoveEdits | None:
    """Return the changes by hand among the selection options of a recipe."""
    edits = options.get("edits")
    return None if edits is None else MoveEdits.from_json({"game": game, **edits})


def kept_places(edits: MoveEditsLike | None, *, fold: bool) -> frozenset[tuple[int, int]]:
    """Return key and lock of the positions that count by changes by hand, however few games reached them."""
    return edits.kept_places(fold=fold) if isinstance(edits, MoveEdits) else frozenset()


def with_novelties(table: pa.Table, edits: MoveEdits | None, *, fold: bool) -> pa.Table:
    """Return the table of a selection with a row, without games, for each kept move that it lacks."""
    if edits is None or not edits.keeps:
        return table
    key, lock = (table.column(name).to_numpy() for name in ("key", "lock"))
    is_moves = "move" in table.column_names
    move = table.column("move").to_numpy() if is_moves else None
    known = {
        (int(key[row]), int(lock[row]), *([] if move is None else [int(move[row])]))
        for row in rows_by_hand(key, lock, move, edits, fold=fold)
    }
    new = {
        _row_place(place, is_moves): (place, edit)
        for place, edit in edits.placed(fold=fold).items()
        if edit.keep is True
    }
    rows = [_novelty(table.schema, *new[place]) for place in sorted(new) if place not in known]
    if not rows:
        return table
    added = pa.Table.from_pylist(rows, schema=table.schema)
    order: list[tuple[str, Literal["ascending", "descending"]]] = [
        (name, "ascending") for name in ("key", "lock", "move") if name in table.column_names
    ]
    return pa.concat_tables([table, added]).combine_chunks().sort_by(order)


def weights_by_hand(
    weight: npt.NDArray[np.uint64], columns: Mapping[str, npt.NDArray[Any]], edits: MoveEdits, *, fold: bool
) -> npt.NDArray[np.uint64]:
    """Return the weights of moves, changed by hand.

    A quality of 31 is as heavy as the heaviest other move of the position. A novelty without a quality has
    that weight; a kept move has at least 1.
    """
    key, lock = columns["key"], columns["lock"]
    changed = weight.copy()
    for row, edit in rows_by_hand(key, lock, columns["move"], edits, fold=fold).items():
        others = (key == key[row]) & (lock == lock[row])
        others[row] = False
        is_novelty = edit.keep is True and not columns["games"][row]
        quality = MAX_QUALITY if edit.quality is None and is_novelty else edit.quality
        if quality is not None:
            heaviest = int(weight[others].max(initial=0)) or max(int(weight.max(initial=0)), MAX_QUALITY)
            changed[row] = (heaviest * quality + MAX_QUALITY // 2) // MAX_QUALITY
        if edit.keep is True and quality != 0:
            changed[row] = max(int(changed[row]), 1)
    return changed


def notes_of(edits: MoveEdits, *, fold: bool) -> dict[tuple[int, int, int], tuple[str, str]]:
    """Return mark and comment of the moves that have one, by key, lock and move."""
    placed = edits.placed(fold=fold).items()
    return {
        place[:3]: (edit.mark or "", edit.comment or "")
        for place, edit in placed
        if edit.mark or edit.comment
    }


def _row_place(place: Place, is_moves: bool) -> tuple[int, ...]:
    return place[:3] if is_moves else (place.key_after, place.lock_after)


def rows_by_hand(
    key: npt.NDArray[np.uint64],
    lock: npt.NDArray[np.uint32],
    move: npt.NDArray[Any] | None,
    edits: MoveEditsLike | None,
    *,
    fold: bool,
) -> dict[int, MoveEdit]:
    """Return the changes of the rows of a table, by the number of the row.

    A record of a position stands for every move that leads there. So a change of one of them is of all.
    """
    if not isinstance(edits, MoveEdits) or not len(edits):
        return {}
    asked = {_row_place(place, move is not None): edit for place, edit in edits.placed(fold=fold).items()}
    near = np.flatnonzero(np.isin(key, np.array([place[0] for place in asked], dtype=np.uint64)))
    columns = (key[near], lock[near]) if move is None else (key[near], lock[near], move[near])
    places = zip(*(column.tolist() for column in columns), strict=True)
    return {row: asked[place] for row, place in zip(near.tolist(), places, strict=True) if place in asked}


def _novelty(schema: pa.Schema, place: Place, edit: MoveEdit) -> dict[str, Any]:
    """Return the row of a move that no game played."""
    is_moves = "move" in schema.names
    known: dict[str, Any] = {
        "key": place.key if is_moves else place.key_after,
        "lock": place.lock if is_moves else place.lock_after,
        "move": place.move,
        "side": place.side,
        "ply": place.ply,
        "quality": MAX_QUALITY if edit.quality is None else edit.quality,
        "kept": True,
        "reason": "",
    }
    return {each.name: known.get(each.name, None if each.nullable else 0) for each in schema}
