"""The named openings of a game: find the opening of a position, of a game or of many positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from bookbuilder._core import Position
from bookbuilder.games.line import MoveLike
from bookbuilder.games.position import START_WORD, Game, PositionLike, as_game, as_position

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

# File of each game and the notation of its lines.
_TABLES: Final[dict[Game, tuple[str, str]]] = {"chess": ("eco.tsv", "san"), "xiangqi": ("ecco.tsv", "iccs")}


class Opening(NamedTuple):
    """One named position.

    Attributes:
        code: ECO code in chess, ECCO code in xiangqi: a letter and two digits. Many xiangqi lines only have
            the code of their group: a letter and one digit.
        name: name in English.
        chinese: name in Chinese; empty in chess.
        moves: a line that leads to the position, SAN in chess, ICCS in xiangqi.
    """

    code: str
    name: str
    chinese: str
    moves: tuple[str, ...]

    @property
    def ply(self) -> int:
        """Plies of the line."""
        return len(self.moves)

    def to_json(self) -> dict[str, str | int]:
        """Return the opening as JSON data, without its line."""
        return {"code": self.code, "name": self.name, "chinese": self.chinese, "ply": self.ply}


class Openings:
    """The openings of a game, sorted by code and line; `openings_of` keeps one for each game."""

    def __init__(self, game: Game) -> None:
        """Read the table of a game and replay its lines, which takes some milliseconds."""
        self.game: Game = game
        self._openings = tuple(_read(game))
        self._places: dict[tuple[int, int], int] = {}
        for place, position in enumerate(_replayed(game, self._openings)):
            self._places[position.key, position.lock] = place
            if game == "xiangqi":
                board, rest = position.fen.split(" ", 1)
                mirror = Position(game, "/".join(rank[::-1] for rank in board.split("/")) + f" {rest}")
                self._places[mirror.key, mirror.lock] = place

    def __len__(self) -> int:
        return len(self._openings)

    def __iter__(self) -> Iterator[Opening]:
        return iter(self._openings)

    def __getitem__(self, place: int) -> Opening:
        return self._openings[place]

    def name_of(self, position: PositionLike) -> Opening | None:
        """Return the opening of exactly this position; None if it has no name."""
        here = as_position(position, self.game)
        place = self._places.get((here.key, here.lock))
        return None if place is None else self._openings[place]

    def classify(self, moves: Iterable[MoveLike], start: PositionLike = START_WORD) -> Opening | None:
        """Return the opening of the last named position of a game; None if it has none.

        Args:
            moves: the moves of the game, in any notation of its game, or as `chess.Move`.
            start: the position that they are played from.

        Raises:
            MoveError: a move is not legal.
        """
        position = as_position(start, self.game)
        found = self.name_of(position)
        for move in moves:
            position = position.play(position.parse_move(str(move)))
            found = self.name_of(position) or found
        return found

    def places_for(self, keys: NDArray[np.uint64], locks: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Return for each position of two columns its place in the table; -1 if it has no name.

        Keys of stored positions may be used, folded or not: both mirrors of a position have its name.
        """
        import numpy as np

        from bookbuilder.columns import values
        from bookbuilder.games.columns import PositionIndex

        known = self.positions()
        key, lock, place = (values(known.column(name)) for name in ("key", "lock", "place"))
        row = PositionIndex(key, lock).find(keys, locks)
        return np.where(row < 0, np.int32(-1), place[row].astype(np.int32))

    def positions(self) -> pa.Table:
        """Return the named positions, sorted by key: key, lock, place in the table, ply."""
        import pyarrow as pa

        rows = sorted((*identity, place) for identity, place in self._places.items())
        keys, locks, places = zip(*rows, strict=True)
        return pa.table(
            {
                "key": pa.array(keys, pa.uint64()),
                "lock": pa.array(locks, pa.uint32()),
                "place": pa.array(places, pa.uint32()),
                "ply": pa.array([self._openings[place].ply for place in places], pa.uint16()),
            }
        )

    def find(self, text: str) -> list[Opening]:
        """Return the openings whose code begins with the text or whose name contains it, ignoring case."""
        wanted = text.casefold()
        return [
            each
            for each in self
            if each.code.casefold().startswith(wanted)
            or wanted in each.name.casefold()
            or wanted in each.chinese
        ]


@cache
def openings_of(game: Game) -> Openings:
    """Return the openings of a game, which are read once.

    Raises:
        OptionError: the game is unknown.

    Example:
        >>> bb.openings_of("chess").name_of("1.e4 c5").name
        'Sicilian Defence'
        >>> bb.openings_of("xiangqi").classify(["炮二平五"]).chinese
        '中炮局'
    """
    return Openings(as_game(game))


def _read(game: Game) -> Iterator[Opening]:
    file, _ = _TABLES[game]
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    for row in text.splitlines()[1:]:  # after the names of the columns
        code, name, *chinese, moves = row.split("\t")
        yield Opening(code, name, "".join(chinese), tuple(moves.split()))


def _replayed(game: Game, openings: Iterable[Opening]) -> Iterator[Position]:
    """Return the last position of each line. Lines share most of their moves, so positions are kept."""
    _, notation = _TABLES[game]
    known = {"": Position(game)}

    def after(line: str) -> Position:
        if line not in known:
            before, _, move = line.rpartition(" ")
            here = after(before)
            known[line] = here.play(here.parse_move(move, notation))
        return known[line]

    return (after(" ".join(opening.moves)) for opening in openings)
