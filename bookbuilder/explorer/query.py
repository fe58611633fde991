"""The parameters of a request: its source, filters, position and selection."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, overload

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.archives.filters import GameFilter
from bookbuilder.errors import MoveError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.guard import WRITE_HEADER
from bookbuilder.explorer.sources import Source, Sources, StoreSource
from bookbuilder.games.position import START_WORD, Game, as_game, as_position, ply_of
from bookbuilder.ratios import as_share
from bookbuilder.selection.criteria import Criteria
from bookbuilder.selection.options import OPTIONS, PRESETS, Option, SelectionOptions
from bookbuilder.tally.options import MAX_PLY

if TYPE_CHECKING:
    from bookbuilder._core import Position

# Longer than any FEN and any game of an archive.
_LONGEST_FEN: Final = 200
_LONGEST_PLAY: Final = 1200
_FLAGS: Final = {
    "1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False
}  # fmt: skip
_Word = TypeVar("_Word", bound=str)
# A share in few digits and without an exponent, since it is stored exactly, with as many digits as it needs.
_SHARE: Final = re.compile(r"-?[0-9]{0,9}(\.[0-9]{0,12})?(/[0-9]{1,12})?%?", re.ASCII)


RULES: Final[Mapping[str, Option]] = {option.query: option for option in OPTIONS.values() if option.query}
"""The options of selection that requests take, by the name of their parameter."""


FACETS: Final = ("year_from", "year_to", "rating", "rating_to", "speed", "player_side")
"""The parameters that filter the games of a store."""
PARAMETERS: Final[Mapping[str, tuple[str, str]]] = {
    "src": ("Id of a source; the first one by default.", "string"),
    "game": ("The game: the first source of it is asked.", "string"),
    "fen": ("The start of the line; spaces may be underscores.", "string"),
    "play": ("The moves of the line in any notation, separated by commas.", "string"),
    "year_from": ("First year of the games.", "integer"),
    "year_to": ("Last year of the games.", "integer"),
    "rating": ("Minimum mean rating, an edge of the store's bands.", "integer"),
    "rating_to": ("Maximum mean rating, likewise.", "integer"),
    "speed": ("Classes of time controls, separated by commas.", "string"),
    "player_side": ("Side of the counted player: any, first, second.", "string"),
    "a": ("Id of the first book.", "string"),
    "b": ("Id of the second book.", "string"),
    "depth": ("Maximum plies.", "integer"),
    "width": ("Maximum moves of a position.", "integer"),
    "kept_only": ("Whether dropped moves are hidden.", "boolean"),
    "text": ("Moves, a FEN, a game in PGN, or the name of an opening.", "string"),
    "limit": ("Maximum number of games.", "integer"),
    "rows": ("Maximum number of differences.", "integer"),
    "split": ("First year of the later games.", "integer"),
    "games": ("Id of the store whose games are meant.", "string"),
    "player": ("Part of a player's name.", "string"),
    "eco": ("Codes of openings, such as B90 or C60-C99, separated by commas.", "string"),
    "what": ("show (a position) or build (a book).", "string"),
    "movetime": ("Maximum milliseconds.", "integer"),
    "multipv": ("Number of lines.", "integer"),
    "nodes": ("Nodes of the search of each move.", "integer"),
    "format": ("Name of a format.", "string"),
    "name": ("Name of the file.", "string"),
}
"""Meaning and type of each parameter that is not a rule."""


class Place(NamedTuple):
    """A position and the moves to it: the position before the first move, and that after each."""

    positions: tuple[Position, ...]
    codes: tuple[int, ...]

    @property
    def start(self) -> Position:
        """The position before the first move."""
        return self.positions[0]

    @property
    def here(self) -> Position:
        """The position after all moves."""
        return self.positions[-1]

    @property
    def steps(self) -> list[tuple[Position, int]]:
        """Each move, after the position that it is played in."""
        return list(zip(self.positions, self.codes, strict=False))

    @property
    def moves(self) -> list[str]:
        """The moves in coordinates."""
        return [each.coordinates(code) for each, code in self.steps]

    @property
    def ply(self) -> int:
        """Plies of a game at this position: those in the FEN plus the moves."""
        return ply_of(self.start) + len(self.codes)


def sources_of(request: Request) -> Sources:
    """Return the sources of the server."""
    found: Sources = request.app.state.sources
    return found


def require_write_token(request: Request) -> None:
    """Refuse a change if the server only reads, or if the token of changes is missing or wrong."""
    require_writing(request)
    given = request.headers.get(WRITE_HEADER, "")
    if not hmac.compare_digest(given.encode(), request.app.state.write_token.encode()):
        message = f"a change needs the header {WRITE_HEADER} with the token of GET /api/v1/write-token"
        raise RefusedError(403, "write-token", message)


def require_writing(request: Request) -> None:
    """Refuse a change if the server only reads."""
    if not sources_of(request).is_writable:
        message = "the server only reads: start it with --write to change books and to build new ones"
        raise RefusedError(403, "read-only", message)


def write_token(request: Request) -> Response:
    """Answer `/write-token` with the token of changes, which only pages of this server can read."""
    require_writing(request)
    return answer({"token": request.app.state.write_token})


def asked_game(query: QueryParams) -> Game | None:
    """Return the game of a query; None = not given."""
    named = query.get("game")
    return as_game(named) if named else None


def asked_source(request: Request) -> Source:
    """Return the source of a request with its filters: `src`, or the first source (of `game`, if given)."""
    query = request.query_params
    return sources_of(request).find(query.get("src"), asked_game(query)).narrowed(asked_filters(query))


def asked_store(request: Request) -> StoreSource:
    """Return the store of a request with its filters: `src`, or the first store (of `game`, if given)."""
    query = request.query_params
    return sources_of(request).find_store(query.get("src"), asked_game(query)).narrowed(asked_filters(query))


def asked_filters(query: QueryParams) -> GameFilter:
    """Return the filters of games in a query."""
    first, last, least, most = (
        read_number(query, name, None, most=9999) for name in ("year_from", "year_to", "rating", "rating_to")
    )
    return GameFilter(
        since=None if first is None else f"{first:04}",
        until=None if last is None else f"{last:04}",
        min_rating=least,
        max_rating=most,
        rating_of="both" if least is None and most is None else "mean",
        time_control=tuple(filter(None, (query.get("speed") or "").split(","))),
        player_side=read_word(query, "player_side", ("any", "first", "second")),
    )


def place_at(query: QueryParams, game: Game, *, notation: str | None = None) -> Place:
    """Return the position that `fen` and `play` describe, with moves in a notation, or in any."""
    fen, play = query.get("fen") or START_WORD, query.get("play") or ""
    moves = [word for word in re.split(r"[,\s]+", play) if word]
    if len(fen) > _LONGEST_FEN or len(moves) > _LONGEST_PLAY:
        raise RefusedError(
            400, "too-long", "fen or play is too long: expected a FEN and the moves of one game"
        )
    # lichess and others write underscores for spaces.
    positions, codes = [as_position(fen.replace("_", " ").strip(), game)], []
    for ply, text in enumerate(moves, start=1):
        position = positions[-1]
        try:
            codes.append(position.parse_move(text, notation))
        except MoveError as error:
            raise MoveError(f"play, move {ply}: {error} (position {position.fen})") from error
        positions.append(position.play(codes[-1]))
    return Place(tuple(positions), tuple(codes))


def asked_selection(query: QueryParams) -> SelectionOptions:
    """Return the options of selection in a query. Invalid ones are refused."""
    given: dict[str, Any] = {}
    for field, option in OPTIONS.items():
        name = option.query or ""
        if not (text := query.get(name)):
            continue
        if option.kind is bool:
            given[field] = read_flag(query, name)
        elif text == option.unset and not option.words:
            given[field] = None
        elif option.kind is int:
            given[field] = read_number(query, name, None)
        elif option.words:
            given[field] = read_word(query, name, option.words)
        elif isinstance(option.default, Criteria):
            given[field] = text
        elif _SHARE.fullmatch(text):
            given[field] = as_share(text)
        else:
            raise _refused(name, text, "a number such as 0.55, 11/20 or 55%")
    return SelectionOptions(**given)


def _rule_text(option: Option, value: Any) -> str:  # noqa: ANN401 (any option's value)
    """Return the value of an option of selection as a parameter."""
    if value is None:
        return option.unset or ""
    return str(int(value)) if isinstance(value, bool) else str(value)


@cache
def rules_json() -> list[dict[str, Any]]:
    """Return the parameters of selection: the page builds its controls and addresses from them."""
    kinds = {bool: "flag", int: "number", str: "share"}
    return [
        {
            "name": name,
            "kind": "word" if option.words else kinds[option.kind],
            "default": _rule_text(option, option.default),
            **{fact: getattr(option, fact) for fact in ("words", "unset", "minimum", "maximum", "meaning")},
        }
        for name, option in RULES.items()
    ]


@cache
def presets_json() -> dict[str, dict[str, str]]:
    """Return the parameters of each preset that differ from the defaults."""
    return {
        preset: {OPTIONS[name].query or name: _rule_text(OPTIONS[name], value) for name, value in own.items()}
        for preset, own in PRESETS.items()
    }


def selection_of(source: Source, query: QueryParams) -> SelectionOptions:
    """Return the options of selection in a query, with the changes by hand of a store."""
    chosen = asked_selection(query)
    if not isinstance(source, StoreSource):
        return chosen
    # What reaches as far as the store has no limit, as `build` takes it.
    is_all = bool(query.get("max_ply")) and (chosen.max_ply or 0) >= (source.max_ply or MAX_PLY)
    return replace(chosen, max_ply=None if is_all else chosen.max_ply, edits=source.by_hand.current())


def _refused(name: str, text: str, expected: str) -> RefusedError:
    return RefusedError(400, "option", f'{name} is "{text[:20]}": expected {expected}')


def read_word(query: QueryParams, name: str, words: Sequence[_Word]) -> _Word:
    """Return one of some words, the first one by default. Another word is refused."""
    text = query.get(name) or words[0]
    for word in words:
        if word == text:
            return word
    raise _refused(name, text, f"{', '.join(words[:-1])} or {words[-1]}")


@overload
def read_number(query: QueryParams, name: str, default: int, *, most: int = ...) -> int: ...
@overload
def read_number(query: QueryParams, name: str, default: None, *, most: int = ...) -> int | None: ...
def read_number(query: QueryParams, name: str, default: int | None, *, most: int = 10**12) -> int | None:
    """Return a whole number from 0 to `most`, or the default if the parameter is missing."""
    text = query.get(name)
    if not text:
        return default
    if not (text.isascii() and text.isdecimal()) or len(text) > 13 or int(text) > most:
        raise _refused(name, text, f"a whole number from 0 to {most}")
    return int(text)


def read_flag(query: QueryParams, name: str) -> bool:
    """Return whether a switch is on; a missing switch is off, and another word than those is refused."""
    text = query.get(name) or "0"
    if text.lower() not in _FLAGS:
        raise _refused(name, text, "1 or 0, true or false")
    return _FLAGS[text.lower()]
