"""`/games`: the sample games of a position; one game as JSON or as PGN."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.archive_game import ArchiveGame, read_game
from bookbuilder.explorer.facts import known_moves, names_of
from bookbuilder.explorer.query import (
    asked_filters,
    asked_store,
    place_at,
    read_number,
    read_word,
    selection_of,
    sources_of,
)
from bookbuilder.explorer.samples import GameRow, samples_of
from bookbuilder.explorer.sources import StoreSource
from bookbuilder.games.position import START_WORD, as_position
from bookbuilder.tally.moves_at import codes_by_stored

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.selection.options import SelectionOptions

__all__ = ["find_game", "game", "game_pgn", "games", "games_at", "listed_game"]

_MOST: Final = 50
_SORTS: Final = ("rating", "date")


def games(request: Request) -> Response:
    """Answer `/games`."""
    source, query = asked_store(request), request.query_params
    place = place_at(query, source.game)
    sort = read_word(query, "sort", _SORTS)
    found = games_at(source, place.here, sort)[: read_number(query, "limit", 10, most=_MOST)]
    listed = [listed_game(source, row) for row in found]
    return answer({"source": source.id, "fen": place.here.fen, "sorted_by": sort, "games": listed})


def games_at(source: StoreSource, here: Position, sort: str) -> list[GameRow]:
    """Return the sample games of a position: for each move the game with the best rating.

    `move` is the move played here, in coordinates; None if the game ended.
    """
    codes = codes_by_stored(here, fold=source.fold)
    by_code = {stored: here.coordinates(code) for stored, code in codes.items()}
    rows = [row for row in source.rows_at(*here.stored(source.fold)) if row.sample]
    rows.sort(key=lambda row: (-row.sample_rating, row.sample))
    moves = {row.sample: by_code.get(row.move) for row in reversed(rows)}
    found = samples_of(source).find_all([row.sample for row in rows])
    games = [{**row, "move": moves[row["fingerprint"]]} for row in found]
    if sort == "date":
        games.sort(key=lambda row: (row["year"], row["date"]), reverse=True)
    return games


def listed_game(source: StoreSource, row: GameRow) -> dict[str, Any]:
    """Return the entry of a game in a list."""
    limit = source.options.max_ply
    return {
        "id": row["id"],
        "players": [row["first_player"], row["second_player"]],
        "ratings": [row["first_rating"] or None, row["second_rating"] or None],
        "date": row["date"],
        "year": row["year"] or None,
        "event": row["event"],
        "result": row["result"],
        "plies": row["plies"],
        # A game that was counted up to the limit may be longer.
        "is_longer": limit is not None and row["plies"] >= limit and source.options.check == "prefix",
        "move": row.get("move"),
        "archive": row["source"],
    }


def game(request: Request) -> Response:
    """Answer `/games/{id}`, with the ply of the position that `fen` and `play` name."""
    source, row = find_game(request)
    found = read_game(row, source.game)
    return answer(
        {
            "source": source.id,
            "game": source.game,
            **listed_game(source, row),
            "tags": found.tags,
            **_replayed(request, source, found),
        }
    )


def game_pgn(request: Request) -> Response:
    """Answer `/games/{id}.pgn`."""
    source, row = find_game(request)
    text = read_game(row, source.game).pgn
    return Response(text, media_type="application/x-chess-pgn")


def find_game(request: Request) -> tuple[StoreSource, GameRow]:
    """Return a game by its id and its store: `src`, or any store.

    Raises:
        RefusedError: no served store has it.
    """
    name = request.path_params["id"]
    if re.fullmatch(r"[0-9a-f]{16}", name):
        served, asked_id = sources_of(request), request.query_params.get("src")
        asked = [served.find_store(asked_id)] if asked_id else served
        for source in asked:
            row = samples_of(source).find(int(name, 16)) if isinstance(source, StoreSource) else None
            if row is not None and isinstance(source, StoreSource):
                return source, row
    raise RefusedError(404, "game", f'game "{name[:32]}" is not in a store: expected an id of /games')


def _replayed(request: Request, source: StoreSource, found: ArchiveGame) -> dict[str, Any]:
    position = as_position(found.tags.get("FEN", START_WORD), source.game)
    here = place_at(request.query_params, source.game).here
    chosen = selection_of(source, request.query_params)
    counted = source.narrowed(asked_filters(request.query_params))
    answer: dict[str, Any] = {"start_fen": position.fen, "moves": [], "fens": [position.fen], "left_at": None}
    answer |= {"ply": None, "is_mirrored": False}
    for ply, text in enumerate((*found.moves, None)):
        if answer["ply"] is None and position.stored(source.fold) == here.stored(source.fold):
            answer |= {"ply": ply, "is_mirrored": position.key != here.key}
        if text is None:
            break
        code = position.parse_move(text)
        if answer["left_at"] is None and not _keeps(counted, position, text, chosen):
            answer["left_at"] = ply
        answer["moves"].append({"move": text, "names": names_of(position, code)})
        position = position.play(code)
        answer["fens"].append(position.fen)
    return answer


def _keeps(source: StoreSource, position: Position, move: str, chosen: SelectionOptions) -> bool:
    """Return whether a book with these options keeps a move, or its mirror where the position is its own."""
    after = position.play(position.parse_move(move)).stored(source.fold)
    kept = (each["move"] for each in known_moves(source, position, chosen) if each["kept"])
    return any(position.play(position.parse_move(each)).stored(source.fold) == after for each in kept)
