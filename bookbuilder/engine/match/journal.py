"""The journal of a match: the finished games, one line of JSON each, from which the match can be resumed.

The first line has the options that must match. Neither a killed run nor a power loss costs a finished game.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from bookbuilder.engine.match.referee import Finished, Ruling
from bookbuilder.engine.match.standing import MatchGame, MatchOptions
from bookbuilder.errors import StoreError
from bookbuilder.journal_lines import add_lines, read_lines

__all__ = ["append_game", "read_games"]


def read_games(path: Path, options: MatchOptions) -> dict[int, MatchGame]:
    """Return the games of a journal by number; none if the file does not exist.

    Raises:
        StoreError: the file is not a journal, is damaged, or is the journal of another match.
    """
    rows = read_lines(path, _head(options))
    if not rows:
        return {}
    if "match" not in rows[0]:
        raise StoreError(f"{path}: not the journal of a match; give another name")
    if rows[0]["match"] != options.identity():
        raise StoreError(f"{path}: the journal of a match with other engines, openings, books or rules")
    try:
        games = [_game_of(row) for row in rows[1:]]
    except (KeyError, TypeError) as error:
        raise StoreError(f"{path}: damaged, a line is not that of a game: {error}") from error
    return {game.number: game for game in games}


def _head(options: MatchOptions) -> dict[str, Any]:
    return {"match": options.identity()}


def _game_of(row: dict[str, Any]) -> MatchGame:
    number, ruling = row.pop("number"), Ruling(row.pop("result"), row.pop("reason"))
    # Journals from before books have no plies of book moves.
    lists = {"moves": tuple(row["moves"]), "book": tuple(row.get("book", ()))}
    return MatchGame(number, Finished(ruling, **{**row, **lists}))


def append_game(path: Path, options: MatchOptions, game: MatchGame) -> None:
    """Append a finished game, after the options if the file is new."""
    facts = asdict(game.finished)
    row = {"number": game.number, **facts.pop("ruling"), **facts}
    add_lines(path, _head(options), [row])
