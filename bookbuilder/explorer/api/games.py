"""`/games`: the sample games of a position; one game as JSON or as PGN, from its archive."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder import _core
from bookbuilder._core import Position
from bookbuilder.archives.played_game import RESULTS
from bookbuilder.errors import ArchiveError, OptionError, StoreError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import known_moves, known_place, names_of
from bookbuilder.explorer.query import (
    asked_filters,
    asked_store,
    place_at,
    read_number,
    selection_of,
    sources_of,
)
from bookbuilder.explorer.sources import Kept, StoreSource
from bookbuilder.games.position import START_WORD, Game, as_position
from bookbuilder.tally.moves_at import codes_by_stored

GameRow = dict[str, Any]
"""A row of GAMES, its result as PGN writes it, with `id`: the fingerprint, 16 hexadecimal digits."""

_MOST: Final = 50
_COLUMNS: Final = (
    "fingerprint", "source", "member", "offset", "line", "first_player", "second_player", "first_rating",
    "second_rating", "date", "year", "event", "result", "plies",
)  # fmt: skip
_GROUPS: Final = 8
# The core reads games of up to 64 MiB. A real game is shorter, and a page could not show so long a one.
_MAX_GAME_BYTES: Final = 2 << 20
# Bytes that are decompressed in order to reach a game.
_MAX_INFLATE: Final = 4 << 30
_TAG: Final = re.compile(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]', re.MULTILINE)


def games(request: Request) -> Response:
    """Answer `/games`."""
    source, query = asked_store(request), request.query_params
    place = known_place(source, place_at(query, source.game))
    limit = read_number(query, "limit", 10, most=_MOST)
    listed = [listed_game(row) for row in games_at(source, place.here)[:limit]]
    return answer({"source": source.id, "fen": place.here.fen, "games": listed})


def games_at(source: StoreSource, here: Position) -> list[GameRow]:
    """Return the sample games of a position: for each move the game with the best rating, the best first.

    `move` is the move played here, in coordinates; None if the game ended.
    """
    codes = codes_by_stored(here, fold=source.fold)
    by_code = {stored: here.coordinates(code) for stored, code in codes.items()}
    rows = [row for row in source.rows_at(*here.stored(source.fold)) if row.sample]
    rows.sort(key=lambda row: (-row.sample_rating, row.sample))
    moves = {row.sample: by_code.get(row.move) for row in reversed(rows)}
    samples = samples_of(source)
    found = [samples.find(fingerprint) for fingerprint in dict.fromkeys(row.sample for row in rows)]
    return [{**row, "move": moves[row["fingerprint"]]} for row in found if row is not None]


def listed_game(row: GameRow) -> dict[str, Any]:
    """Return the entry of a game in a list."""
    return {
        **{name: row[name] for name in ("id", "date", "event", "result", "plies")},
        "players": [row["first_player"], row["second_player"]],
        "ratings": [row["first_rating"] or None, row["second_rating"] or None],
        "year": row["year"] or None,
        "move": row.get("move"),
        "archive": row["source"],
    }


def game(request: Request) -> Response:
    """Answer `/games/{id}`, with the ply of the position that `fen` and `play` name."""
    source, row = find_game(request)
    found = read_game(row, source.game)
    facts = {"source": source.id, "game": source.game, **listed_game(row), "tags": found.tags}
    return answer({**facts, **_replayed(request, source, found)})


def game_pgn(request: Request) -> Response:
    """Answer `/games/{id}.pgn`, here and in the paths of lichess."""
    source, row = find_game(request)
    return Response(read_game(row, source.game).pgn, media_type="application/x-chess-pgn")


def find_game(request: Request) -> tuple[StoreSource, GameRow]:
    """Return a game by its id and its store: `src`, or any store. An unknown game is refused."""
    name = request.path_params["id"]
    if re.fullmatch(r"[0-9a-f]{16}", name):
        served, asked_id = sources_of(request), request.query_params.get("src")
        for source in [served.find_store(asked_id)] if asked_id else served:
            if isinstance(source, StoreSource) and (row := samples_of(source).find(int(name, 16))):
                return source, row
    raise RefusedError(404, "game", f'game "{name[:32]}" is not in a store: expected an id of /games')


def _replayed(request: Request, source: StoreSource, found: _ArchiveGame) -> dict[str, Any]:
    """Return the positions of a game, the ply of the one that was asked for, and where it leaves the book."""
    position = as_position(found.tags.get("FEN", START_WORD), source.game)
    here = place_at(request.query_params, source.game).here
    chosen = selection_of(source, request.query_params)
    counted = source.narrowed(asked_filters(request.query_params))
    start_fen, moves, fens = position.fen, list[dict[str, Any]](), [position.fen]
    ply, is_mirrored, left_at = None, False, None
    for number, text in enumerate((*found.moves, None)):
        if ply is None and position.stored(source.fold) == here.stored(source.fold):
            ply, is_mirrored = number, position.key != here.key
        if text is None:
            break
        code = position.parse_move(text)
        moves.append({"move": text, "names": names_of(position, code)})
        before, position = position, position.play(code)
        if left_at is None:
            # The book may keep the mirror of the move, where the position is its own mirror.
            kept = (each.move for each in known_moves(counted, before, chosen) if each.kept)
            after = {before.play(before.parse_move(move)).stored(source.fold) for move in kept}
            left_at = None if position.stored(source.fold) in after else number
        fens.append(position.fen)
    facts = {"start_fen": start_fen, "moves": moves, "fens": fens, "left_at": left_at}
    return {**facts, "ply": ply, "is_mirrored": is_mirrored}


class _Samples:
    """The games of a store by fingerprint: 16 bytes a game in memory; rows are read from their group."""

    def __init__(self, source: StoreSource) -> None:
        """Read the fingerprints. A missing or damaged part is a StoreError."""
        self._parts = [source.store.directory / part["file"] for part in source.store.manifest.game_parts]
        # For each row group: the number of rows before it, its part and its number there.
        self._groups: list[tuple[int, int, int]] = []
        columns: list[npt.NDArray[np.uint64]] = [np.empty(0, np.uint64)]
        rows = 0
        for place, path in enumerate(self._parts):
            with _opened(path) as file:
                for group in range(file.metadata.num_row_groups):
                    self._groups.append((rows, place, group))
                    rows += file.metadata.row_group(group).num_rows
                columns.append(file.read(columns=["fingerprint"]).column(0).to_numpy())
        fingerprints = np.concatenate(columns)
        self._order = np.argsort(fingerprints, kind="stable")
        self._sorted = fingerprints[self._order]
        self._held = Kept(_GROUPS)

    def find(self, fingerprint: int) -> GameRow | None:
        """Return the first game of that fingerprint, None if there is none."""
        at = int(np.searchsorted(self._sorted, np.uint64(fingerprint)))
        if at == self._sorted.size or int(self._sorted[at]) != fingerprint:
            return None
        row = int(self._order[at])
        before, place, group = max(each for each in self._groups if each[0] <= row)

        def read() -> pa.Table:
            with _opened(self._parts[place]) as file:
                return file.read_row_group(group, columns=list(_COLUMNS))

        found: GameRow = self._held.of((place, group), read).slice(row - before, 1).to_pylist()[0]
        return {**found, "id": f"{fingerprint:016x}", "result": RESULTS[found["result"]]}


def _opened(path: Any) -> pq.ParquetFile:  # noqa: ANN401 (a path)
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{path}: is missing or damaged: {error}") from error


def samples_of(source: StoreSource) -> _Samples:
    """Return the games of a store. Their fingerprints are read at the first call."""
    return source.held.of("samples", lambda: _Samples(source))


class _ArchiveGame(NamedTuple):
    """A game of an archive: as PGN, its tags in the order of the text, and its moves, UCI or ICCS."""

    pgn: str
    tags: dict[str, str]
    moves: tuple[str, ...]


def read_game(row: GameRow, game: Game) -> _ArchiveGame:
    """Return a game from its archive, by its row of GAMES. A missing or other archive is refused."""
    path, member, offset = Path(row["source"]), row["member"] or None, row["offset"]
    if not path.is_file():
        message = f"the game is in {path}, which is not there: put the archive back where it was counted"
        raise RefusedError(409, "no-archive", message)
    try:
        found = _core.read_game(str(path), member, offset, game, max_inflate=_MAX_INFLATE)
    except OptionError as error:
        message = (
            f"the game is more than {_MAX_INFLATE >> 30} GiB inside a compressed archive: "
            "decompress it, and tally that"
        )
        raise RefusedError(409, "too-far", message) from error
    except (ArchiveError, OSError) as error:
        raise _changed(str(error)) from error
    if found is None or found[0] != [row["first_player"], row["second_player"], row["date"]]:
        raise _changed(f"{path}: another game stands at byte {offset}")
    _, length, pgn, moves = found
    if pgn is None or length > _MAX_GAME_BYTES:
        raise _changed(f"{path}: the game at byte {offset} cannot be read to its end")
    tags = {name: value.replace(r"\"", '"').replace(r"\\", "\\") for name, value in _TAG.findall(pgn)}
    return _ArchiveGame(pgn.strip() + "\n", tags, tuple(moves))


def _changed(reason: str) -> RefusedError:
    return RefusedError(409, "other-archive", f"{reason}; tally the archive again")
